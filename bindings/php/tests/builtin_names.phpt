--TEST--
What PHP has keeps its results; hashmill\hash() gives the same by the same names
--EXTENSIONS--
hashmill
--FILE--
<?php
// Results of hash() in PHP 8.2 without the extension.
$known = ['crc32' => '3d653119', 'crc32b' => '3610a686', 'crc32c' => '9a71bb4c', 'adler32' => '062c0215', 'md5' => '5d41402abc4b2a76b9719d911017c592', 'joaat' => 'c8fd181b', 'gost' => null, 'snefru' => null];
foreach ($known as $name => $digest) {
    $php = hash($name, 'hello');
    if ($digest !== null && $php !== $digest) echo "$name: hash() gives $php\n";
    if (hashmill\hash($name, 'hello') !== $php) echo "$name: hashmill\\hash() gives another\n";
}
$same = 0;
foreach (hash_algos() as $name) {
    foreach (['', 'a', str_repeat('abc', 777)] as $message) {
        $same += hash($name, $message) === hashmill\hash($name, $message);
    }
}
var_dump($same === 3 * count(hash_algos()));
?>
--EXPECT--
bool(true)
