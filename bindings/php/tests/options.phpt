--TEST--
Keys, seeds, salts and lengths in the options array
--EXTENSIONS--
hashmill
--FILE--
<?php
$key = str_repeat('k', 16);
var_dump(hash('siphash-2-4', 'abc', false, ['key' => $key]) === hashmill\hash('siphash-2-4', 'abc', false, ['key' => $key]));
var_dump(hashmill\hash('xxh64', 'abc', false, ['seed' => 7]) === hashmill\hash('xxh64:seed=7', 'abc'));
var_dump(hashmill\hash('xxh64', 'abc', false, ['seed' => 7]) === hash('xxh64', 'abc', false, ['seed' => 7]));
var_dump(hashmill\hash('shake128', 'abc', false, ['length' => 5]) === substr(hashmill\hash('shake128:500', 'abc'), 0, 10));
var_dump(hash('shake256-512', 'abc') === hashmill\hash('shake256:64', 'abc'), hashmill\hash('shake256-512', 'abc') === hashmill\hash('shake256:64', 'abc'));
var_dump(hashmill\hash('crc32b', '6789', false, ['resume_from' => hashmill\hash('crc32b', '12345', true)]) === hash('crc32b', '123456789'));
var_dump(hash('blake2b', 'abc', false, ['key' => 'k', 'salt' => 's', 'personal' => 'p']) !== hash('blake2b', 'abc'));
$seed = 7;
$k = 'k';
var_dump(hashmill\hash('xxh64', 'abc', false, ['seed' => &$seed]) === hashmill\hash('xxh64:seed=7', 'abc'), hash('blake2b', 'abc', false, ['key' => &$k]) !== hash('blake2b', 'abc'));
$refused = [
    fn () => hashmill\hash('blake2b', 'abc', false, ['kei' => 'k']),
    fn () => hash('blake2b', 'abc', false, ['k']),
    fn () => hash('siphash-2-4', 'abc', false, ['key' => 'short']),
    fn () => hash('siphash-2-4', 'abc', false, ['key' => 5]),
    fn () => hash('blake2b', 'abc', false, ['seed' => 5]),
    fn () => hash('blake2b', 'abc', false, ['length' => 5]),
    fn () => hash_init('sm3', 0, '', ['key' => 'k']),
    fn () => hashmill\hash('sha256', 'abc', false, ['length' => 5]),
    fn () => hashmill\hash('shake128', 'abc', false, ['length' => -5]),
    fn () => hashmill\hash('sha265', 'abc'),
    fn () => hashmill\hash("sha256\0", 'abc'),
    fn () => hashmill\hash_many('sha256', ['a', 5]),
    fn () => hashmill\hash_many('sha256x', ['a']),
    fn () => serialize(hash_init('blake3', 0, '', ['key' => str_repeat('k', 32)])),
];
foreach ($refused as $call) {
    try {
        $call();
        echo "not refused\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
ValueError: hashmill: there is no option "kei": key, secret, seed, salt, personal, context, resume_from and length are all
ValueError: hashmill: there is no option "": key, %s
ValueError: hashmill: siphash-2-4: a key must have 16 bytes, not 5
TypeError: hashmill: the option "key" must be of type string, int given
ValueError: hashmill: %s
ValueError: hashmill: %s
ValueError: hashmill: %s
ValueError: hashmill: %s
ValueError: hashmill: the option "length" must be a number of bytes
ValueError: hashmill\hash(): Argument #1 ($algo) must be a valid hashing algorithm: unknown algorithm 'sha265'; did you mean sha256?
ValueError: hashmill\hash(): Argument #1 ($algo) must not contain any null bytes
TypeError: hashmill\hash_many(): Argument #2 ($messages) must be an array of strings, int found
ValueError: hashmill\hash_many(): Argument #1 ($algo) must be a valid hashing algorithm: %s
Exception: HashContext for algorithm "blake3" cannot be serialized
