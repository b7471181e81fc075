--TEST--
A message of more than 2 GiB, in pieces
--EXTENSIONS--
hashmill
--INI--
memory_limit=256M
--FILE--
<?php
// 2^31 + 2^25 bytes: their number exceeds a signed 32-bit integer, and the number of bits an unsigned one.
$piece = str_repeat('hashmill', 1 << 22);
$contexts = [hash_init('crc64-nvme'), hash_init('blake3'), hash_init('crc32b')];
for ($i = 0; $i < 65; $i++) {
    foreach ($contexts as $c) hash_update($c, $piece);
}
[$crc, $blake3, $zip] = array_map('hash_final', $contexts);
// Another way to the same digest: hash the first 40 pieces, and resume from that digest with the rest.
$half = hash_init('crc64-nvme');
for ($i = 0; $i < 40; $i++) hash_update($half, $piece);
$whole = hash_init('crc64-nvme', 0, '', ['resume_from' => hash_final($half, true)]);
for ($i = 40; $i < 65; $i++) hash_update($whole, $piece);
var_dump(hash_final($whole) === $crc, strlen($blake3));
// crc32b is computed by PHP's own code.
$own = hashmill\hash('crc32b', $piece, true);
for ($i = 1; $i < 65; $i++) $own = hashmill\hash('crc32b', $piece, true, ['resume_from' => $own]);
var_dump(bin2hex($own) === $zip);
?>
--EXPECT--
bool(true)
int(64)
bool(true)
