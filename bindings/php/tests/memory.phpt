--TEST--
Nothing is lost, however a context ends
--SKIPIF--
<?php
require __DIR__ . '/allocated.inc';
try { allocated(); } catch (FFI\Exception $e) { die('skip needs mallinfo2'); }
?>
--EXTENSIONS--
ffi
hashmill
--FILE--
<?php
require __DIR__ . '/allocated.inc';
$key = str_repeat('k', 32);
$round = function () use ($key) {
    foreach (['blake3', 'sm3', 'crc64-nvme', 'groestl256'] as $name) {
        hash($name, 'abc');
        $c = hash_init($name);
        hash_update($c, 'abc');
        $d = hash_copy($c);
        unset($c);
        serialize($d);
        hash_final($d);
        hashmill\hash_many($name, ['a', 'b']);
    }
    $c = hash_init('blake3', 0, '', ['key' => $key]);
    $d = clone $c;
    try {
        hash('blake3', 'abc', false, ['key' => 'short']);
    } catch (ValueError $e) {
    }
    try {
        hash_init('sm3', 0, '', ['key' => $key]);
    } catch (ValueError $e) {
    }
};
for ($i = 0; $i < 2000; $i++) $round();
$before = [memory_get_usage(), allocated()];
for ($i = 0; $i < 20000; $i++) $round();
$after = [memory_get_usage(), allocated()];
var_dump($after[0] - $before[0] < 4096, $after[1] - $before[1] < 20000);
?>
--EXPECT--
bool(true)
bool(true)
