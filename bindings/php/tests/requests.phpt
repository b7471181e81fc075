--TEST--
10 000 requests to PHP's built-in server: its memory does not grow
--SKIPIF--
<?php if (!is_readable('/proc/self/status') || !function_exists('proc_open')) die('skip needs /proc and proc_open'); ?>
--EXTENSIONS--
hashmill
--FILE--
<?php
$router = tempnam(sys_get_temp_dir(), 'hashmill');
file_put_contents($router, <<<'PHP'
<?php
$key = str_repeat('k', 32);
$n = (int) substr($_SERVER['REQUEST_URI'], 1);
$context = hash_init('blake3', 0, '', ['key' => $key]);
hash_update($context, "$n");
$copy = hash_copy($context);
$many = hashmill\hash_many('md5', ["$n", 'b', 'c']);
$files = hashmill\hash_files(['sha256', 'xxh3'], [__FILE__, '/none'], 2, fn () => true);
try {
    hash('siphash-2-4', 'abc', false, ['key' => 'short']);
} catch (ValueError $e) {
}
$half = unserialize(serialize(hash_init('sm3')));
$GLOBALS['kept'] = [$context, $copy, $half, $files, $e];
if ($n % 100 === 99) {
    // It ends in the middle.
    undefined_function();
}
echo $many[0], ' ', count($files), ' ', $n === 0 ? getmypid() : '';
PHP);
$command = [PHP_BINARY, '-n', '-d', 'extension=' . getenv('HASHMILL_SO'), '-d', 'display_errors=0', '-d', 'log_errors=0'];
if (extension_loaded('Zend OPcache')) array_push($command, '-d', 'zend_extension=opcache', '-d', 'opcache.enable=1');
for ($try = 0; $try < 20; $try++) {
    $address = '127.0.0.1:' . random_int(20000, 50000);
    $server = proc_open([...$command, '-S', $address, $router], [1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
    for ($i = 0; $i < 100 && !($socket = @stream_socket_client("tcp://$address")) && proc_get_status($server)['running']; $i++) usleep(50000);
    if ($socket) break;
}
$request = function (int $n) use ($address): string {
    $socket = stream_socket_client("tcp://$address");
    fwrite($socket, "GET /$n HTTP/1.0\r\n\r\n");
    return explode("\r\n\r\n", stream_get_contents($socket), 2)[1] ?? '';
};
$pid = (int) explode(' ', $request(0))[2];
$resident = fn () => (int) preg_replace('/.*VmRSS:\s*(\d+).*/s', '$1', file_get_contents("/proc/$pid/status"));
$wrong = 0;
$before = 0;
for ($n = 1; $n <= 10000; $n++) {
    $right = $n % 100 === 99 ? '' : md5("$n") . ' 2 ';
    $wrong += $request($n) !== $right;
    if ($n === 2000) $before = $resident();
}
$growth = $resident() - $before;
proc_terminate($server);
proc_close($server);
unlink($router);
var_dump($wrong, $before > 1000, $growth < 1024 ? 'no growth' : "$growth KiB more");
?>
--EXPECT--
int(0)
bool(true)
string(9) "no growth"
