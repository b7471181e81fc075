--TEST--
pcntl_fork() with a context that both go on with
--EXTENSIONS--
hashmill
pcntl
--FILE--
<?php
$c = hash_init('blake3');
hash_update($c, 'before ');
$child = pcntl_fork();
hash_update($c, $child === 0 ? 'child' : 'parent');
$right = hash_final($c) === hash('blake3', 'before ' . ($child === 0 ? 'child' : 'parent')) && hashmill\hash_many('md5', ['a', 'b'])[1] === md5('b');
if ($child === 0) {
    exit($right ? 7 : 1);
}
pcntl_waitpid($child, $status);
var_dump($right, pcntl_wexitstatus($status));
?>
--EXPECT--
bool(true)
int(7)
