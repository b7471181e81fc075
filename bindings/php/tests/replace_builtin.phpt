--TEST--
hashmill.replace_builtin: hash() on our code, with the same results and errors
--EXTENSIONS--
hashmill
--INI--
hashmill.replace_builtin=1
--FILE--
<?php
ob_start();
phpinfo(INFO_MODULES);
preg_match('/names for which hash\(\) runs on hashmill => (\d+)/', ob_get_clean(), $m);
var_dump($m[1] >= 55);
$right = 0;
foreach (hash_algos() as $name) {
    foreach (['', 'a', str_repeat('abc', 1000)] as $message) {
        $c = hash_init($name);
        hash_update($c, $message);
        $digest = hash_final($c);
        $right += hash($name, $message) === $digest && hash(strtoupper($name), $message) === $digest && hash($name, $message, true) === hex2bin($digest)
            && hash($name, $message, false, []) === $digest && hash(data: $message, algo: $name) === $digest && hash(algo: $name, data: $message, options: []) === $digest;
    }
}
var_dump($right === 3 * count(hash_algos()));
var_dump(hash('md5', 5) === md5('5'), hash('xxh3', 'a', false, ['seed' => 3]) !== hash('xxh3', 'a'));
foreach ([['nothing', 'a'], ['md5'], ['md5', []], ['md5', 'a', false, [], 1]] as $arguments) {
    try {
        hash(...$arguments);
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
try {
    ini_set('hashmill.replace_builtin', '0');
} catch (Throwable $e) {
}
var_dump(ini_get('hashmill.replace_builtin'));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
ValueError: hash(): Argument #1 ($algo) must be a valid hashing algorithm
ArgumentCountError: hash() expects at least 2 arguments, 1 given
TypeError: hash(): Argument #2 ($data) must be of type string, array given
ArgumentCountError: hash() expects at most 4 arguments, 5 given
string(1) "1"
