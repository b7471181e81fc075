--TEST--
Every shared vector: hashmill\hash(), and hash() where the name is in PHP's registry
--EXTENSIONS--
hashmill
json
--SKIPIF--
<?php if (!glob((getenv('HASHMILL_SHARED_VECTORS') ?: dirname(__DIR__, 3) . '/vectors') . '/*.jsonl')) die('skip no vectors here'); ?>
--INI--
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/vectors.inc';
$registered = array_flip(hash_algos());
$hashed = $native = $codes = $wrong = 0;
foreach (vectors() as $where => [$name, $message, $digest, $options, $mode]) {
    // PHP uses the name crc32 for another function.
    $php = strtolower($name);
    if ($mode === 'hmac') {
        if (isset($registered[$php])) {
            $codes++;
            if (hash_hmac($php, $message, $options['key']) !== $digest && ++$wrong) echo "$where: hash_hmac\n";
        }
        continue;
    }
    $own = $php === 'crc32' ? 'crc32b' : $name;
    if (strlen($digest) !== strlen(hashmill\hash($own, ''))) {
        $options['length'] = strlen($digest) / 2;
    }
    $hashed++;
    if (hashmill\hash($own, $message, false, $options) !== $digest && ++$wrong) echo "$where: hashmill\\hash\n";
    if (!$options && isset($registered[$php]) && $php !== 'crc32') {
        $native++;
        if (hash($php, $message) !== $digest && ++$wrong) echo "$where: hash\n";
        $half = intdiv(strlen($message), 2);
        $context = hash_init($php);
        hash_update($context, substr($message, 0, $half));
        $fork = hash_copy($context);
        hash_update($context, 'of another message');
        hash_final($context);
        // PHP's own XXH3 cannot be serialized.
        if ($php !== 'xxh3' && $php !== 'xxh128') $fork = unserialize(serialize($fork));
        hash_update($fork, substr($message, $half));
        if (hash_final($fork) !== $digest && ++$wrong) echo "$where: in two pieces\n";
    }
}
var_dump($wrong, $hashed > 5000, $native > 4000, $codes > 300);
?>
--EXPECT--
int(0)
bool(true)
bool(true)
bool(true)
