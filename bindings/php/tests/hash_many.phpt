--TEST--
hashmill\hash_many(): digests side by side, with the keys of the array
--EXTENSIONS--
hashmill
--FILE--
<?php
$messages = [];
for ($i = 0; $i < 1000; $i++) {
    $messages[$i % 3 ? "key $i" : $i] = str_repeat(chr($i % 256), $i * 7 % 300);
}
foreach (['md5', 'sha256', 'blake3', 'crc32', 'xxh3', 'groestl512'] as $name) {
    $digests = hashmill\hash_many($name, $messages);
    $right = array_keys($digests) === array_keys($messages);
    foreach ($messages as $key => $message) {
        $right = $right && $digests[$key] === hash($name, $message);
    }
    var_dump($right);
}
var_dump(hashmill\hash_many('md5', []));
// Enough messages for several threads.
$large = [];
for ($i = 0; $i < 2000; $i++) {
    $large["$i-"] = str_repeat(chr($i % 256), $i);
}
$one = hashmill\hash_many('sha1', $large, false, 1);
var_dump($one === array_map(fn ($m) => hash('sha1', $m), $large), hashmill\hash_many('sha1', $large) === $one, hashmill\hash_many('sha1', $large, threads: 5) === $one);
try {
    hashmill\hash_many('sha1', $large, threads: 0);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
$s = 'abc';
$references = [&$s, 'x' => &$s];
var_dump(hashmill\hash_many('md5', $references, true) === [md5('abc', true), 'x' => md5('abc', true)]);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
array(0) {
}
bool(true)
bool(true)
bool(true)
hashmill\hash_many(): Argument #4 ($threads) must be at least 1
bool(true)
