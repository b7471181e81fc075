--TEST--
Nothing is lost, however a context ends
--EXTENSIONS--
hashmill
--FILE--
<?php
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
$resident = fn () => (int) preg_replace('/.*VmRSS:\s*(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
for ($i = 0; $i < 2000; $i++) $round();
$before = [memory_get_usage(), $resident()];
for ($i = 0; $i < 20000; $i++) $round();
$after = [memory_get_usage(), $resident()];
var_dump($after[0] - $before[0] < 4096, $after[1] - $before[1] < 1024);
?>
--SKIPIF--
<?php if (!is_readable('/proc/self/status')) die('skip no /proc'); ?>
--EXPECT--
bool(true)
bool(true)
