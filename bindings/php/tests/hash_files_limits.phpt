--TEST--
hash_files: memory and time that run out, signals, open_basedir: PHP's own errors, and no thread is left
--SKIPIF--
<?php if (!is_readable('/proc/self/task') || !function_exists('pcntl_fork')) die('skip needs /proc and pcntl'); ?>
--EXTENSIONS--
hashmill
pcntl
posix
--FILE--
<?php
$run = function (string $code, string ...$options) {
    $command = [PHP_BINARY, '-n', ...array_map(fn ($o) => "-d$o", $options), '-d', 'display_errors=1', '-d', 'html_errors=0', '-d', 'log_errors=0'];
    foreach (['extension_dir', 'extension'] as $key) if (ini_get($key) !== false) $command[] = "-d$key=" . ini_get($key);
    $process = proc_open([...$command, '-d', 'extension=' . getenv('HASHMILL_SO'), '-r', $code], [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
    $out = stream_get_contents($pipes[1]);
    return '[' . proc_close($process) . '] ' . trim($out);
};
// The memory limit, while results are collected and in the caller's callback.
echo $run('$p = []; for ($i = 0; $i < 30000; $i++) $p[] = "/dev/null" . str_repeat("/", $i % 7) . "/../null" . $i; $r = hashmill\hash_files("sha512", $p); echo count($r);', 'memory_limit=16M'), "\n";
echo $run('hashmill\hash_files("md5", ["/dev/zero"], 2, function () { $x = str_repeat("x", 1 << 30); });', 'memory_limit=16M'), "\n";
// The time limit, while only zeros are read.
echo $run('set_time_limit(1); hashmill\hash_files(["md5", "sha1"], ["/dev/zero"]); echo "not reached";'), "\n";
// exit() in the callback.
echo $run('hashmill\hash_files("md5", ["/dev/zero"], 2, function () { exit(3); });'), "\n";
// A folder that open_basedir does not allow.
echo $run('foreach (hashmill\hash_files("md5", ["/etc/passwd", "/tmp/../etc/passwd", "/dev/null"]) as $r) echo is_string($r) ? $r : $r->getMessage(), "\n";', 'open_basedir=/dev'), "\n";
// Signals reach the script while it hashes, and only its own thread is left.
pcntl_async_signals(true);
$signals = 0;
pcntl_signal(SIGALRM, function () use (&$signals) { $signals++; });
pcntl_alarm(1);
$ticks = 0;
hashmill\hash_files('sha1', ['/dev/zero'], 2, function () use (&$signals, &$ticks) { return $signals === 0 && ++$ticks < 600; });
var_dump($signals, count(glob('/proc/self/task/*')));
// A child forked afterwards can hash, too.
$pid = pcntl_fork();
if ($pid === 0) {
    $r = hashmill\hash_files('md5', ['/dev/null', __FILE__]);
    exit(count(array_filter($r, 'is_string')));
}
pcntl_waitpid($pid, $status);
var_dump(pcntl_wexitstatus($status));
?>
--EXPECTF--
[255] %AFatal error: Allowed memory size of 16777216 bytes exhausted (tried to allocate %d bytes) in Command line code on line 1
[255] %AFatal error: Allowed memory size of 16777216 bytes exhausted (tried to allocate %d bytes) in Command line code on line 1
[255] %AFatal error: Maximum execution time of 1 second exceeded in Command line code on line 1
[3]%w
[0] /etc/passwd: open_basedir does not allow it
/tmp/../etc/passwd: open_basedir does not allow it
d41d8cd98f00b204e9800998ecf8427e
int(1)
int(1)
int(2)
