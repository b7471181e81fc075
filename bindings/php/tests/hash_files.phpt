--TEST--
hash_files: every kind of path, one algorithm and several, progress, and what is wrong
--EXTENSIONS--
hashmill
--FILE--
<?php
$folder = sys_get_temp_dir() . '/hashmill-php-' . getmypid();
mkdir("$folder/below", 0777, true);
$wanted = [];
for ($i = 0; $i < 50; $i++) {
    // A name that is not UTF-8 and contains a newline; a name that PHP treats as a number if it is an array key.
    $path = "$folder/" . ($i % 2 ? "below/$i" : "$i\xff\n");
    file_put_contents($path, str_repeat(chr(65 + $i), 997 * $i));
    $wanted[$path] = hash_file('sha256', $path);
}
$paths = array_keys($wanted);
var_dump(hashmill\hash_files('sha256', $paths) === $wanted);
var_dump(hashmill\hash_files('sha256', $paths, 1) === $wanted, hashmill\hash_files('SHA-256', $paths, threads: 3) === $wanted);

// Several algorithms, under the requested names; PHP's crc32 is an algorithm of its own.
$several = hashmill\hash_files(['crc32', 'crc32b', 'blake3', 'md5'], $paths);
$first = $several[$paths[7]];
var_dump(array_keys($several) === $paths, array_keys($first));
var_dump($first['crc32'] === hash_file('crc32', $paths[7]), $first['crc32b'] === hash_file('crc32b', $paths[7]), $first['blake3'] === hash_file('blake3', $paths[7]));

// Anything that foreach accepts: generators, folders.
$generator = (function () use ($paths) { yield from $paths; })();
var_dump(hashmill\hash_files('sha256', $generator) === $wanted);
$tree = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS));
$found = hashmill\hash_files('sha256', $tree);
ksort($found);
ksort($wanted);
var_dump($found === $wanted);
var_dump(hashmill\hash_files('md5', []), hashmill\hash_files('md5', new ArrayIterator([])));

// Numeric keys; the same path twice; relative paths and file://.
chdir("$folder/below");
var_dump(array_keys(hashmill\hash_files('md5', ['1', '3', '1', 'file://' . getcwd() . '/5'])) === [1, 3, 'file://' . getcwd() . '/5']);
var_dump(hashmill\hash_files('md5', ['file://' . getcwd() . '/5'])['file://' . getcwd() . '/5'] === md5_file('5'));

// Paths that PHP itself opens.
$data = hashmill\hash_files(['md5', 'sm3'], ['data:text/plain,abc', '5']);
var_dump($data['data:text/plain,abc'] === ['md5' => md5('abc'), 'sm3' => hash('sm3', 'abc')], $data['5']['md5'] === md5_file('5'));

// A path that cannot be read has an error in its place; the others have results.
foreach (hashmill\hash_files('md5', ['none', '5', '', '.', "nul\0l", 'data:no']) as $path => $result) {
    if ($result instanceof hashmill\FileError) {
        var_dump($result instanceof RuntimeException, $result->getPath() === $path);
        echo addcslashes($result->getMessage(), "\0"), "\n";
    } else {
        echo "$path: $result\n";
    }
}

// Progress; returning false ends the call.
$calls = [];
hashmill\hash_files('md5', $paths, progress: function (int ...$n) use (&$calls) { $calls[] = $n; });
$last = end($calls);
var_dump(count($calls) >= 1, $last === [997 * 1225, 997 * 1225, 50, 50]);
$zeros = hashmill\hash_files('md5', ['5', '/dev/zero'], progress: fn ($bytes) => false);
var_dump(isset($zeros['/dev/zero']), count($zeros) <= 1);

$refused = [
    fn () => hashmill\hash_files('md6', ['5']),
    fn () => hashmill\hash_files(['md5', 'md6'], ['5']),
    fn () => hashmill\hash_files([], ['5']),
    fn () => hashmill\hash_files(['md5', 5], ['5']),
    fn () => hashmill\hash_files('md5', ['5', 7]),
    fn () => hashmill\hash_files('md5', ['5', new stdClass]),
    fn () => hashmill\hash_files('md5', '5'),
    fn () => hashmill\hash_files('md5', ['5'], 0),
    fn () => hashmill\hash_files('md5', ['5'], null, 'no function'),
    fn () => hashmill\hash_files('md5', ['5'], null, function () { throw new LogicException('from the callback'); }),
    fn () => hashmill\hash_files('md5', (function () { yield '5'; throw new LogicException('from the generator'); })()),
    fn () => hashmill\hash_files('md5', [new class { function __toString(): string { throw new LogicException('from __toString'); } }]),
];
foreach ($refused as $call) {
    try {
        $call();
        echo "not refused\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
// A callback that changes the arguments of the call.
$names = ['md5', 'sha1'];
$name = &$names[1];
$n = hashmill\hash_files($names, $paths, null, function () use (&$names, &$name, &$paths) { $name = str_repeat('x', 5); $names = null; });
var_dump(array_keys(end($n)) === ['md5', 'sha1']);
?>
--CLEAN--
<?php
foreach (glob(sys_get_temp_dir() . '/hashmill-php-*') as $folder) {
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS), RecursiveIteratorIterator::CHILD_FIRST) as $file) {
        $file->isDir() ? rmdir($file) : unlink($file);
    }
    rmdir($folder);
}
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)
bool(true)
array(4) {
  [0]=>
  string(5) "crc32"
  [1]=>
  string(6) "crc32b"
  [2]=>
  string(6) "blake3"
  [3]=>
  string(3) "md5"
}
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
array(0) {
}
array(0) {
}
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
none: no such file or directory
5: %x
bool(true)
bool(true)
: a path must not be empty
bool(true)
bool(true)
.: is a directory
bool(true)
bool(true)
nul\000l: a path must not contain any null bytes
bool(true)
bool(true)
data:no: cannot be opened
bool(true)
bool(true)
bool(false)
bool(true)
ValueError: hashmill\hash_files(): Argument #1 ($algos) must be a valid hashing algorithm: unknown algorithm 'md6'%s
ValueError: hashmill\hash_files(): Argument #1 ($algos) must be a valid hashing algorithm: unknown algorithm 'md6'%s
ValueError: hashmill\hash_files(): Argument #1 ($algos) must name at least one algorithm
TypeError: hashmill\hash_files(): Argument #1 ($algos) must be a string or an array of strings, int found
TypeError: hashmill\hash_files(): Argument #2 ($paths) must be of paths, which are strings or SplFileInfo, int found
TypeError: hashmill\hash_files(): Argument #2 ($paths) must be of paths, which are strings or SplFileInfo, stdClass found
TypeError: hashmill\hash_files(): Argument #2 ($paths) must be of type Traversable|array, string given
ValueError: hashmill\hash_files(): Argument #3 ($threads) must be at least 1
TypeError: hashmill\hash_files(): Argument #4 ($progress) must be a valid callback or null, function "no function" not found or invalid function name
LogicException: from the callback
LogicException: from the generator
LogicException: from __toString
bool(true)
