--TEST--
What is wrong: PHP's own errors, a result of false, nothing that ends the process
--EXTENSIONS--
hashmill
--INI--
memory_limit=64M
error_reporting=-1
--FILE--
<?php
$shown = function (callable $call) {
    set_error_handler(function ($level, $text) {
        $text = preg_replace('/\(.*\/hashmill\w+\)/', '(FILE)', $text);
        echo "warning: $text\n";
        return true;
    });
    try {
        var_dump($call());
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
    restore_error_handler();
};
$stream = fopen(__FILE__, 'rb');
fclose($stream);
$shown(fn () => hash_update_stream(hash_init('blake3'), $stream));
$gone = tempnam(sys_get_temp_dir(), 'hashmill');
unlink($gone);
$shown(fn () => hash_file('sm3', $gone));
$shown(fn () => hash('blake3x', 'abc'));
$shown(fn () => hash_init('skein513'));
$shown(fn () => hash_hmac('crc64-nvme', 'abc', 'key'));
$shown(fn () => hash_init('cubehash512', HASH_HMAC, 'key'));
$shown(fn () => hashmill\hash());
$shown(fn () => hashmill\hash('md5', []));
$shown(fn () => hashmill\hash_many('md5', [null]));
$shown(fn () => hashmill\hash_many('md5', 'abc'));
// A finalized context.
$context = hash_init('groestl256');
hash_final($context);
$shown(fn () => hash_update($context, 'abc'));
$shown(fn () => hash_final($context));
$shown(fn () => hash_copy($context));
$shown(fn () => serialize($context));
// More digests than the memory limit allows: PHP's own error, in a separate process.
$code = 'hashmill\hash_many("shake256:100000", array_fill(0, 2000, "x"), true); echo "not reached";';
exec(escapeshellarg(PHP_BINARY) . ' -n -d memory_limit=32M -d extension=' . escapeshellarg(getenv('HASHMILL_SO')) . ' -r ' . escapeshellarg($code) . ' 2>&1', $out, $status);
echo $status, ' ', implode(' ', array_filter($out)), "\n";
?>
--EXPECTF--
TypeError: hash_update_stream(): supplied resource is not a valid stream resource
warning: hash_file(FILE): Failed to open stream: No such file or directory
bool(false)
ValueError: hash(): Argument #1 ($algo) must be a valid hashing algorithm
ValueError: hash_init(): Argument #1 ($algo) must be a valid hashing algorithm
ValueError: hash_hmac(): Argument #1 ($algo) must be a valid cryptographic hashing algorithm
ValueError: hash_init(): Argument #1 ($algo) must be a cryptographic hashing algorithm if HMAC is requested
ArgumentCountError: hashmill\hash() expects at least 2 arguments, 0 given
TypeError: hashmill\hash(): Argument #2 ($data) must be of type string, array given
TypeError: hashmill\hash_many(): Argument #2 ($messages) must be an array of strings, null found
TypeError: hashmill\hash_many(): Argument #2 ($messages) must be of type array, string given
TypeError: hash_update(): Argument #1 ($context) must be a valid, non-finalized HashContext
TypeError: hash_final(): Argument #1 ($context) must be a valid, non-finalized HashContext
TypeError: hash_copy(): Argument #1 ($context) must be a valid, non-finalized HashContext
Exception: HashContext for algorithm "groestl256" cannot be serialized
255 %SAllowed memory size of 33554432 bytes exhausted%S
