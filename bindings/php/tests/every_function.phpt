--TEST--
Every function of PHP's extension hash, with every name that hashmill has entered
--EXTENSIONS--
hashmill
--FILE--
<?php
$message = str_repeat("The quick brown fox jumps over the lazy dog.\n", 100);
$file = tempnam(sys_get_temp_dir(), 'hashmill');
file_put_contents($file, $message);
$own = array_filter(hash_algos(), fn ($name) => !in_array($name, explode(' ', getenv('PLAIN_ALGOS') ?: ''), true));
$crypto = array_flip(hash_hmac_algos());
$tried = $wrong = 0;
$is = function (string $name, string $what, bool $right) use (&$wrong) {
    if (!$right && ++$wrong) echo "$name: $what\n";
};
foreach ($own as $name) {
    $tried++;
    $digest = hash($name, $message);
    $is($name, 'binary', bin2hex(hash($name, $message, true)) === $digest);
    $is($name, 'hash_file', hash_file($name, $file) === $digest);
    $c = hash_init($name);
    hash_update($c, substr($message, 0, 7));
    $stream = fopen($file, 'rb');
    fseek($stream, 7);
    $is($name, 'hash_update_stream', hash_update_stream($c, $stream, 1000) === 1000);
    fclose($stream);
    $fork = hash_copy($c);
    $twin = clone $c;
    hash_update($c, substr($message, 1007));
    hash_update($fork, 'another');
    $is($name, 'hash_copy', hash_final($fork) === hash($name, substr($message, 0, 1007) . 'another'));
    hash_update($twin, substr($message, 1007));
    $is($name, 'clone', hash_final($twin) === $digest);
    $is($name, 'hash_final', hash_equals($digest, hash_final($c)));
    $c = hash_init($name);
    $is($name, 'hash_update_file', hash_update_file($c, $file));
    $c = unserialize(serialize($c));
    $is($name, 'serialize', hash_final($c) === $digest);
    // A context that is never finalized.
    hash_update(hash_init($name), 'x');
    if (isset($crypto[$name])) {
        $block = strlen(hash($name, '', true));
        $code = hash_hmac($name, $message, 'key');
        $is($name, 'hash_hmac_file', hash_hmac_file($name, $file, 'key') === $code);
        $c = hash_init($name, HASH_HMAC, 'key');
        hash_update($c, $message);
        $is($name, 'HASH_HMAC', hash_final($c) === $code);
        // A key longer than any block is replaced by its digest.
        $long = str_repeat('long key', 50);
        $is($name, 'a long key', hash_hmac($name, $message, $long) === hash_hmac($name, $message, hash($name, $long, true)));
        $is($name, 'hash_pbkdf2', hash_pbkdf2($name, 'password', 'salt', 1, 0) === hash_hmac($name, "salt\0\0\0\1", 'password'));
        $is($name, 'hash_hkdf', strlen(hash_hkdf($name, 'key', 2 * $block)) === 2 * $block);
    } else {
        try {
            hash_hmac($name, $message, 'key');
            $is($name, 'HMAC of a checksum', false);
        } catch (ValueError $e) {
        }
    }
}
unlink($file);
// HMAC needs a digest no longer than a block; otherwise PHP would write beyond the block.
var_dump(in_array('cubehash512', $own), isset($crypto['cubehash512']));
var_dump($wrong, $tried > 180);
?>
--EXPECT--
bool(true)
bool(false)
int(0)
bool(true)
