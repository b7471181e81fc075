// Written by `go test -run TestConstants -update` of what the library says; do not edit.

package hashmill

import "hash"

var entries = [...]entry{
	{name: "md2"},
	{name: "md4"},
	{name: "md5"},
	{name: "sha0"},
	{name: "sha1"},
	{name: "sha224"},
	{name: "sha256"},
	{name: "sha384"},
	{name: "sha512"},
	{name: "sha512-224"},
	{name: "sha512-256"},
	{name: "sha3-224"},
	{name: "sha3-256"},
	{name: "sha3-384"},
	{name: "sha3-512"},
	{name: "shake128"},
	{name: "shake256"},
	{name: "keccak224"},
	{name: "keccak256"},
	{name: "keccak384"},
	{name: "keccak512"},
	{name: "blake224"},
	{name: "blake256"},
	{name: "blake384"},
	{name: "blake512"},
	{name: "blake2b-512"},
	{name: "blake2s-256"},
	{name: "blake3"},
	{name: "groestl224"},
	{name: "groestl256"},
	{name: "groestl384"},
	{name: "groestl512"},
	{name: "jh224"},
	{name: "jh256"},
	{name: "jh384"},
	{name: "jh512"},
	{name: "skein256-256"},
	{name: "skein512-512"},
	{name: "skein1024-1024"},
	{name: "cubehash512"},
	{name: "ripemd128"},
	{name: "ripemd160"},
	{name: "ripemd256"},
	{name: "ripemd320"},
	{name: "haval128-3"},
	{name: "haval128-4"},
	{name: "haval128-5"},
	{name: "haval160-3"},
	{name: "haval160-4"},
	{name: "haval160-5"},
	{name: "haval192-3"},
	{name: "haval192-4"},
	{name: "haval192-5"},
	{name: "haval224-3"},
	{name: "haval224-4"},
	{name: "haval224-5"},
	{name: "haval256-3"},
	{name: "haval256-4"},
	{name: "haval256-5"},
	{name: "tiger128-3"},
	{name: "tiger160-3"},
	{name: "tiger192-3"},
	{name: "tiger128-4"},
	{name: "tiger160-4"},
	{name: "tiger192-4"},
	{name: "tiger2"},
	{name: "whirlpool"},
	{name: "snefru128"},
	{name: "snefru256"},
	{name: "gost94"},
	{name: "gost94-cryptopro"},
	{name: "streebog256"},
	{name: "streebog512"},
	{name: "sm3"},
	{name: "xxh32"},
	{name: "xxh64"},
	{name: "xxh3"},
	{name: "xxh128"},
	{name: "murmur3a"},
	{name: "murmur3c"},
	{name: "murmur3f"},
	{name: "siphash-2-4"},
	{name: "siphash-2-4-128"},
	{name: "fnv132"},
	{name: "fnv1a32"},
	{name: "fnv164"},
	{name: "fnv1a64"},
	{name: "joaat"},
	{name: "adler32"},
	{name: "fletcher16"},
	{name: "fletcher32"},
	{name: "fletcher64"},
	{name: "sum-bsd"},
	{name: "sum-sysv"},
	{name: "cksum"},
	{name: "crc32-php"},
	{name: "crc3-gsm"},
	{name: "crc3-rohc"},
	{name: "crc4-g-704"},
	{name: "crc4-interlaken"},
	{name: "crc5-epc-c1g2"},
	{name: "crc5-g-704"},
	{name: "crc5-usb"},
	{name: "crc6-cdma2000-a"},
	{name: "crc6-cdma2000-b"},
	{name: "crc6-darc"},
	{name: "crc6-g-704"},
	{name: "crc6-gsm"},
	{name: "crc7-mmc"},
	{name: "crc7-rohc"},
	{name: "crc7-umts"},
	{name: "crc8-autosar"},
	{name: "crc8-bluetooth"},
	{name: "crc8-cdma2000"},
	{name: "crc8-darc"},
	{name: "crc8-dvb-s2"},
	{name: "crc8-gsm-a"},
	{name: "crc8-gsm-b"},
	{name: "crc8-hitag"},
	{name: "crc8-i-432-1"},
	{name: "crc8-i-code"},
	{name: "crc8-lte"},
	{name: "crc8-maxim-dow"},
	{name: "crc8-mifare-mad"},
	{name: "crc8-nrsc-5"},
	{name: "crc8-opensafety"},
	{name: "crc8-rohc"},
	{name: "crc8-sae-j1850"},
	{name: "crc8-smbus"},
	{name: "crc8-tech-3250"},
	{name: "crc8-wcdma"},
	{name: "crc10-atm"},
	{name: "crc10-cdma2000"},
	{name: "crc10-gsm"},
	{name: "crc11-flexray"},
	{name: "crc11-umts"},
	{name: "crc12-cdma2000"},
	{name: "crc12-dect"},
	{name: "crc12-gsm"},
	{name: "crc12-umts"},
	{name: "crc13-bbc"},
	{name: "crc14-darc"},
	{name: "crc14-gsm"},
	{name: "crc15-can"},
	{name: "crc15-mpt1327"},
	{name: "crc16-arc"},
	{name: "crc16-cdma2000"},
	{name: "crc16-cms"},
	{name: "crc16-dds-110"},
	{name: "crc16-dect-r"},
	{name: "crc16-dect-x"},
	{name: "crc16-dnp"},
	{name: "crc16-en-13757"},
	{name: "crc16-genibus"},
	{name: "crc16-gsm"},
	{name: "crc16-ibm-3740"},
	{name: "crc16-ibm-sdlc"},
	{name: "crc16-iso-iec-14443-3-a"},
	{name: "crc16-kermit"},
	{name: "crc16-lj1200"},
	{name: "crc16-m17"},
	{name: "crc16-maxim-dow"},
	{name: "crc16-mcrf4xx"},
	{name: "crc16-modbus"},
	{name: "crc16-nrsc-5"},
	{name: "crc16-opensafety-a"},
	{name: "crc16-opensafety-b"},
	{name: "crc16-profibus"},
	{name: "crc16-riello"},
	{name: "crc16-spi-fujitsu"},
	{name: "crc16-t10-dif"},
	{name: "crc16-teledisk"},
	{name: "crc16-tms37157"},
	{name: "crc16-umts"},
	{name: "crc16-usb"},
	{name: "crc16-xmodem"},
	{name: "crc17-can-fd"},
	{name: "crc21-can-fd"},
	{name: "crc24-ble"},
	{name: "crc24-flexray-a"},
	{name: "crc24-flexray-b"},
	{name: "crc24-interlaken"},
	{name: "crc24-lte-a"},
	{name: "crc24-lte-b"},
	{name: "crc24-openpgp"},
	{name: "crc24-os-9"},
	{name: "crc30-cdma"},
	{name: "crc31-philips"},
	{name: "crc32-aixm"},
	{name: "crc32-autosar"},
	{name: "crc32-base91-d"},
	{name: "crc32-bzip2"},
	{name: "crc32-cd-rom-edc"},
	{name: "crc32-cksum"},
	{name: "crc32c"},
	{name: "crc32"},
	{name: "crc32-jamcrc"},
	{name: "crc32-mef"},
	{name: "crc32-mpeg-2"},
	{name: "crc32-xfer"},
	{name: "crc40-gsm"},
	{name: "crc64-ecma-182"},
	{name: "crc64-go-iso"},
	{name: "crc64-ms"},
	{name: "crc64-nvme"},
	{name: "crc64-redis"},
	{name: "crc64-we"},
	{name: "crc64-xz"},
	{name: "crc82-darc"},
}

// Every algorithm, with its usual parameters.
var (
	// MD2 is md2, 128 bits (MD, 1989). Broken: collisions and preimages faster than brute force; withdrawn by RFC 6149. Source: RFC 1319.
	MD2 = Algorithm{&entries[0]}
	// MD4 is md4, 128 bits (MD, 1990). Broken: collisions in a few operations since 2004, preimages faster than brute force; RFC 6150 retired it. Source: RFC 1320.
	MD4 = Algorithm{&entries[1]}
	// MD5 is md5, 128 bits (MD, 1992). Broken: collisions in seconds since 2004; chosen-prefix collisions since 2007. Source: RFC 1321.
	MD5 = Algorithm{&entries[2]}
	// SHA0 is sha0, 160 bits (SHA-0, 1993). Broken: collisions since 2004, in 2^34 operations since 2008; replaced by SHA-1 in 1995. Source: FIPS 180 (1993).
	SHA0 = Algorithm{&entries[3]}
	// SHA1 is sha1, 160 bits (SHA-1, 1995). Broken: collisions since 2017 (SHAttered), chosen-prefix since 2020. Source: FIPS 180-4.
	SHA1 = Algorithm{&entries[4]}
	// SHA224 is sha224, 224 bits (SHA-2, 2004). Sound: no attack on the full function. Source: FIPS 180-4.
	SHA224 = Algorithm{&entries[5]}
	// SHA256 is sha256, 256 bits (SHA-2, 2001). Sound: no attack on the full function; length extension is possible, use HMAC with keys. Source: FIPS 180-4.
	SHA256 = Algorithm{&entries[6]}
	// SHA384 is sha384, 384 bits (SHA-2, 2001). Sound: no attack on the full function. Source: FIPS 180-4.
	SHA384 = Algorithm{&entries[7]}
	// SHA512 is sha512, 512 bits (SHA-2, 2001). Sound: no attack on the full function; length extension is possible, use HMAC with keys. Source: FIPS 180-4.
	SHA512 = Algorithm{&entries[8]}
	// SHA512_224 is sha512-224, 224 bits (SHA-2, 2012). Sound: no attack on the full function. Source: FIPS 180-4.
	SHA512_224 = Algorithm{&entries[9]}
	// SHA512_256 is sha512-256, 256 bits (SHA-2, 2012). Sound: no attack on the full function. Source: FIPS 180-4.
	SHA512_256 = Algorithm{&entries[10]}
	// SHA3_224 is sha3-224, 224 bits (SHA-3, 2015). Sound: no attack beyond a few of its 24 rounds. Source: FIPS 202.
	SHA3_224 = Algorithm{&entries[11]}
	// SHA3_256 is sha3-256, 256 bits (SHA-3, 2015). Sound: no attack beyond a few of its 24 rounds. Source: FIPS 202.
	SHA3_256 = Algorithm{&entries[12]}
	// SHA3_384 is sha3-384, 384 bits (SHA-3, 2015). Sound: no attack beyond a few of its 24 rounds. Source: FIPS 202.
	SHA3_384 = Algorithm{&entries[13]}
	// SHA3_512 is sha3-512, 512 bits (SHA-3, 2015). Sound: no attack beyond a few of its 24 rounds. Source: FIPS 202.
	SHA3_512 = Algorithm{&entries[14]}
	// SHAKE128 is shake128, 256 bits (SHA-3, 2015). Sound: no attack beyond a few of its 24 rounds. Source: FIPS 202.
	SHAKE128 = Algorithm{&entries[15]}
	// SHAKE256 is shake256, 512 bits (SHA-3, 2015). Sound: no attack beyond a few of its 24 rounds. Source: FIPS 202.
	SHAKE256 = Algorithm{&entries[16]}
	// KECCAK224 is keccak224, 224 bits (Keccak, 2011). Sound: no attack beyond a few of its 24 rounds. Source: The Keccak SHA-3 submission, version 3.
	KECCAK224 = Algorithm{&entries[17]}
	// KECCAK256 is keccak256, 256 bits (Keccak, 2011). Sound: no attack beyond a few of its 24 rounds. Source: The Keccak SHA-3 submission, version 3.
	KECCAK256 = Algorithm{&entries[18]}
	// KECCAK384 is keccak384, 384 bits (Keccak, 2011). Sound: no attack beyond a few of its 24 rounds. Source: The Keccak SHA-3 submission, version 3.
	KECCAK384 = Algorithm{&entries[19]}
	// KECCAK512 is keccak512, 512 bits (Keccak, 2011). Sound: no attack beyond a few of its 24 rounds. Source: The Keccak SHA-3 submission, version 3.
	KECCAK512 = Algorithm{&entries[20]}
	// BLAKE224 is blake224, 224 bits (BLAKE, 2010). Sound: no attack on the full function; distinguishers reach about 8 rounds of its permutation. Source: SHA-3 proposal BLAKE, version 1.4 (2011).
	BLAKE224 = Algorithm{&entries[21]}
	// BLAKE256 is blake256, 256 bits (BLAKE, 2010). Sound: no attack on the full function; distinguishers reach about 8 rounds of its permutation. Source: SHA-3 proposal BLAKE, version 1.4 (2011).
	BLAKE256 = Algorithm{&entries[22]}
	// BLAKE384 is blake384, 384 bits (BLAKE, 2010). Sound: no attack on the full function; distinguishers reach about 8 rounds of its permutation. Source: SHA-3 proposal BLAKE, version 1.4 (2011).
	BLAKE384 = Algorithm{&entries[23]}
	// BLAKE512 is blake512, 512 bits (BLAKE, 2010). Sound: no attack on the full function; distinguishers reach about 8 rounds of its permutation. Source: SHA-3 proposal BLAKE, version 1.4 (2011).
	BLAKE512 = Algorithm{&entries[24]}
	// BLAKE2B_512 is blake2b-512, 512 bits (BLAKE2, 2012). Sound: no attack on the full function. Source: RFC 7693.
	BLAKE2B_512 = Algorithm{&entries[25]}
	// BLAKE2S_256 is blake2s-256, 256 bits (BLAKE2, 2012). Sound: no attack on the full function. Source: RFC 7693.
	BLAKE2S_256 = Algorithm{&entries[26]}
	// BLAKE3 is blake3, 256 bits (BLAKE3, 2020). Sound: no attack on the full function; 7 rounds leave less margin than BLAKE2's. Source: BLAKE3 paper (2020).
	BLAKE3 = Algorithm{&entries[27]}
	// GROESTL224 is groestl224, 224 bits (Groestl, 2011). Sound: no attack on the full function; collisions reach 5 of its 10 rounds. Source: Grøstl, SHA-3 submission of 2011 (P. Gauravaram et al.).
	GROESTL224 = Algorithm{&entries[28]}
	// GROESTL256 is groestl256, 256 bits (Groestl, 2011). Sound: no attack on the full function; collisions reach 5 of its 10 rounds. Source: Grøstl, SHA-3 submission of 2011 (P. Gauravaram et al.).
	GROESTL256 = Algorithm{&entries[29]}
	// GROESTL384 is groestl384, 384 bits (Groestl, 2011). Sound: no attack on the full function; collisions reach 3 of its 14 rounds. Source: Grøstl, SHA-3 submission of 2011 (P. Gauravaram et al.).
	GROESTL384 = Algorithm{&entries[30]}
	// GROESTL512 is groestl512, 512 bits (Groestl, 2011). Sound: no attack on the full function; collisions reach 3 of its 14 rounds. Source: Grøstl, SHA-3 submission of 2011 (P. Gauravaram et al.).
	GROESTL512 = Algorithm{&entries[31]}
	// JH224 is jh224, 224 bits (JH, 2011). Sound: no attack on the full function; its permutation alone can be told from a random one. Source: JH, SHA-3 submission of 2011 (H. Wu).
	JH224 = Algorithm{&entries[32]}
	// JH256 is jh256, 256 bits (JH, 2011). Sound: no attack on the full function; its permutation alone can be told from a random one. Source: JH, SHA-3 submission of 2011 (H. Wu).
	JH256 = Algorithm{&entries[33]}
	// JH384 is jh384, 384 bits (JH, 2011). Sound: no attack on the full function; its permutation alone can be told from a random one. Source: JH, SHA-3 submission of 2011 (H. Wu).
	JH384 = Algorithm{&entries[34]}
	// JH512 is jh512, 512 bits (JH, 2011). Sound: no attack on the full function; its permutation alone can be told from a random one. Source: JH, SHA-3 submission of 2011 (H. Wu).
	JH512 = Algorithm{&entries[35]}
	// SKEIN256_256 is skein256-256, 256 bits (Skein, 2008). Sound: no attack on the full function; distinguishers reach half the rounds of its compression function. Source: The Skein Hash Function Family 1.3 (2010).
	SKEIN256_256 = Algorithm{&entries[36]}
	// SKEIN512_512 is skein512-512, 512 bits (Skein, 2008). Sound: no attack on the full function; distinguishers reach half the rounds of its compression function. Source: The Skein Hash Function Family 1.3 (2010).
	SKEIN512_512 = Algorithm{&entries[37]}
	// SKEIN1024_1024 is skein1024-1024, 1024 bits (Skein, 2008). Sound: no attack on the full function; distinguishers reach half the rounds of its compression function. Source: The Skein Hash Function Family 1.3 (2010).
	SKEIN1024_1024 = Algorithm{&entries[38]}
	// CUBEHASH512 is cubehash512, 512 bits (CubeHash, 2008). Sound: no attack on its 16 rounds; preimages cost 2^384 by design, not 2^512. Source: CubeHash specification, 2.B.1 (D. J. Bernstein, 2009).
	CUBEHASH512 = Algorithm{&entries[39]}
	// RIPEMD128 is ripemd128, 128 bits (RIPEMD, 1996). Weak: 128 bits: two messages with one digest are found in 2^64 tries; its compression function collides in 2^61.6 operations (2013). Source: RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996); ISO/IEC 10118-3.
	RIPEMD128 = Algorithm{&entries[40]}
	// RIPEMD160 is ripemd160, 160 bits (RIPEMD, 1996). Weak: 160 bits: two messages with one digest are found in 2^80 tries; no attack on all 80 steps; collisions reach about half of them. Source: RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996); ISO/IEC 10118-3.
	RIPEMD160 = Algorithm{&entries[41]}
	// RIPEMD256 is ripemd256, 256 bits (RIPEMD, 1996). Weak: no attack on the full function, but promises no more than RIPEMD-128: 2^64 tries for a collision. Source: RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996), optional extensions.
	RIPEMD256 = Algorithm{&entries[42]}
	// RIPEMD320 is ripemd320, 320 bits (RIPEMD, 1996). Weak: no attack on the full function, but promises no more than RIPEMD-160: 2^80 tries for a collision. Source: RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996), optional extensions.
	RIPEMD320 = Algorithm{&entries[43]}
	// HAVAL128_3 is haval128-3, 128 bits (HAVAL, 1992). Broken: collisions in a few operations since 2004. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL128_3 = Algorithm{&entries[44]}
	// HAVAL128_4 is haval128-4, 128 bits (HAVAL, 1992). Broken: practical collisions since 2006. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL128_4 = Algorithm{&entries[45]}
	// HAVAL128_5 is haval128-5, 128 bits (HAVAL, 1992). Weak: 128 bits: two messages with one digest are found in 2^64 tries; collisions in 2^123 operations (2006), which matters to 256 bits; its relatives with fewer passes are broken. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL128_5 = Algorithm{&entries[46]}
	// HAVAL160_3 is haval160-3, 160 bits (HAVAL, 1992). Broken: collisions in a few operations since 2004. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL160_3 = Algorithm{&entries[47]}
	// HAVAL160_4 is haval160-4, 160 bits (HAVAL, 1992). Broken: practical collisions since 2006. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL160_4 = Algorithm{&entries[48]}
	// HAVAL160_5 is haval160-5, 160 bits (HAVAL, 1992). Weak: 160 bits: two messages with one digest are found in 2^80 tries; collisions in 2^123 operations (2006), which matters to 256 bits; its relatives with fewer passes are broken. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL160_5 = Algorithm{&entries[49]}
	// HAVAL192_3 is haval192-3, 192 bits (HAVAL, 1992). Broken: collisions in a few operations since 2004. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL192_3 = Algorithm{&entries[50]}
	// HAVAL192_4 is haval192-4, 192 bits (HAVAL, 1992). Broken: practical collisions since 2006. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL192_4 = Algorithm{&entries[51]}
	// HAVAL192_5 is haval192-5, 192 bits (HAVAL, 1992). Weak: 192 bits: two messages with one digest are found in 2^96 tries; collisions in 2^123 operations (2006), which matters to 256 bits; its relatives with fewer passes are broken. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL192_5 = Algorithm{&entries[52]}
	// HAVAL224_3 is haval224-3, 224 bits (HAVAL, 1992). Broken: collisions in a few operations since 2004. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL224_3 = Algorithm{&entries[53]}
	// HAVAL224_4 is haval224-4, 224 bits (HAVAL, 1992). Broken: practical collisions since 2006. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL224_4 = Algorithm{&entries[54]}
	// HAVAL224_5 is haval224-5, 224 bits (HAVAL, 1992). Weak: collisions in 2^123 operations (2006), which matters to 256 bits; its relatives with fewer passes are broken. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL224_5 = Algorithm{&entries[55]}
	// HAVAL256_3 is haval256-3, 256 bits (HAVAL, 1992). Broken: collisions in a few operations since 2004. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL256_3 = Algorithm{&entries[56]}
	// HAVAL256_4 is haval256-4, 256 bits (HAVAL, 1992). Broken: practical collisions since 2006. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL256_4 = Algorithm{&entries[57]}
	// HAVAL256_5 is haval256-5, 256 bits (HAVAL, 1992). Weak: collisions in 2^123 operations (2006), which matters to 256 bits; its relatives with fewer passes are broken. Source: HAVAL (Zheng, Pieprzyk, Seberry, AUSCRYPT '92).
	HAVAL256_5 = Algorithm{&entries[58]}
	// TIGER128_3 is tiger128-3, 128 bits (Tiger, 1996). Weak: 128 bits: two messages with one digest are found in 2^64 tries; three passes leave no margin (preimages of 192 bits in 2^188.8, 2010). Source: Tiger: A Fast New Hash Function (FSE 1996).
	TIGER128_3 = Algorithm{&entries[59]}
	// TIGER160_3 is tiger160-3, 160 bits (Tiger, 1996). Weak: 160 bits: two messages with one digest are found in 2^80 tries; three passes leave no margin (preimages of 192 bits in 2^188.8, 2010). Source: Tiger: A Fast New Hash Function (FSE 1996).
	TIGER160_3 = Algorithm{&entries[60]}
	// TIGER192_3 is tiger192-3, 192 bits (Tiger, 1996). Weak: 192 bits: two messages with one digest are found in 2^96 tries; preimages of the full function in 2^188.8 (2010); three passes leave no margin. Source: Tiger: A Fast New Hash Function (FSE 1996).
	TIGER192_3 = Algorithm{&entries[61]}
	// TIGER128_4 is tiger128-4, 128 bits (Tiger, 1996). Weak: 128 bits: two messages with one digest are found in 2^64 tries; attacks reach all of three passes (2010), none is known on four; little studied. Source: Tiger: A Fast New Hash Function (FSE 1996).
	TIGER128_4 = Algorithm{&entries[62]}
	// TIGER160_4 is tiger160-4, 160 bits (Tiger, 1996). Weak: 160 bits: two messages with one digest are found in 2^80 tries; attacks reach all of three passes (2010), none is known on four; little studied. Source: Tiger: A Fast New Hash Function (FSE 1996).
	TIGER160_4 = Algorithm{&entries[63]}
	// TIGER192_4 is tiger192-4, 192 bits (Tiger, 1996). Weak: 192 bits: two messages with one digest are found in 2^96 tries; attacks reach all of three passes (2010), none is known on four; little studied. Source: Tiger: A Fast New Hash Function (FSE 1996).
	TIGER192_4 = Algorithm{&entries[64]}
	// TIGER2 is tiger2, 192 bits (Tiger, 2005). Weak: 192 bits: two messages with one digest are found in 2^96 tries; preimages of the full function in 2^188.8 (2010); three passes leave no margin. Source: Tiger2 (R. Anderson, E. Biham, 2005).
	TIGER2 = Algorithm{&entries[65]}
	// WHIRLPOOL is whirlpool, 512 bits (Whirlpool, 2003). Sound: no attack on the full hash; collisions reach 6.5 of its ten rounds, preimages 7.75 (2024). Source: ISO/IEC 10118-3.
	WHIRLPOOL = Algorithm{&entries[66]}
	// SNEFRU128 is snefru128, 128 bits (Snefru, 1990). Weak: 128 bits: two messages with one digest are found in 2^64 tries; variants of up to four passes are broken (1991). Source: A Fast Software One-Way Hash Function (R. Merkle, 1990), version 2.5.
	SNEFRU128 = Algorithm{&entries[67]}
	// SNEFRU256 is snefru256, 256 bits (Snefru, 1990). Weak: differential cryptanalysis finds collisions of all eight passes in 2^88.5 instead of 2^128. Source: A Fast Software One-Way Hash Function (R. Merkle, 1990), version 2.5.
	SNEFRU256 = Algorithm{&entries[68]}
	// GOST94 is gost94, 256 bits (GOST, 1994). Weak: collisions in 2^105 and preimages in 2^192 steps (2008); replaced by Streebog in 2013. Source: GOST R 34.11-94; RFC 5831, RFC 4357.
	GOST94 = Algorithm{&entries[69]}
	// GOST94_CRYPTOPRO is gost94-cryptopro, 256 bits (GOST, 1994). Weak: collisions in 2^105 and preimages in 2^192 steps (2008); replaced by Streebog in 2013. Source: GOST R 34.11-94; RFC 5831, RFC 4357.
	GOST94_CRYPTOPRO = Algorithm{&entries[70]}
	// STREEBOG256 is streebog256, 256 bits (Streebog, 2012). Sound: no attack on the full function; its S-box has a structure that its designers did not explain. Source: GOST R 34.11-2012; RFC 6986.
	STREEBOG256 = Algorithm{&entries[71]}
	// STREEBOG512 is streebog512, 512 bits (Streebog, 2012). Sound: second preimages of very long messages in 2^266 steps; its S-box has a structure that its designers did not explain. Source: GOST R 34.11-2012; RFC 6986.
	STREEBOG512 = Algorithm{&entries[72]}
	// SM3 is sm3, 256 bits (SM3, 2010). Sound: no attack on the full function; length extension is possible, use HMAC with keys. Source: GB/T 32905-2016; ISO/IEC 10118-3:2018.
	SM3 = Algorithm{&entries[73]}
	// XXH32 is xxh32, 32 bits (xxHash, 2012). Not cryptographic: fast and well mixed; collisions can be made at will. Source: xxHash specification 0.2.0 (Y. Collet).
	XXH32 = Algorithm{&entries[74]}
	// XXH64 is xxh64, 64 bits (xxHash, 2014). Not cryptographic: fast and well mixed; collisions can be made at will. Source: xxHash specification 0.2.0 (Y. Collet).
	XXH64 = Algorithm{&entries[75]}
	// XXH3 is xxh3, 64 bits (xxHash, 2020). Not cryptographic: fast and well mixed; collisions can be made at will. Source: xxHash specification 0.2.0 (Y. Collet).
	XXH3 = Algorithm{&entries[76]}
	// XXH128 is xxh128, 128 bits (xxHash, 2020). Not cryptographic: fast and well mixed; collisions can be made at will. Source: xxHash specification 0.2.0 (Y. Collet).
	XXH128 = Algorithm{&entries[77]}
	// MURMUR3A is murmur3a, 32 bits (MurmurHash, 2011). Not cryptographic: well mixed, but collisions are made at will, whatever the seed. Source: smhasher, MurmurHash3.cpp (A. Appleby).
	MURMUR3A = Algorithm{&entries[78]}
	// MURMUR3C is murmur3c, 128 bits (MurmurHash, 2011). Not cryptographic: well mixed, but collisions are made at will, whatever the seed. Source: smhasher, MurmurHash3.cpp (A. Appleby).
	MURMUR3C = Algorithm{&entries[79]}
	// MURMUR3F is murmur3f, 128 bits (MurmurHash, 2011). Not cryptographic: well mixed, but collisions are made at will, whatever the seed. Source: smhasher, MurmurHash3.cpp (A. Appleby).
	MURMUR3F = Algorithm{&entries[80]}
	// SIPHASH_2_4 is siphash-2-4, 64 bits (SipHash, 2012). Not cryptographic: a MAC and PRF under a secret key, unbroken as such; no collision-resistant hash. Source: SipHash: a fast short-input PRF (Aumasson, Bernstein).
	SIPHASH_2_4 = Algorithm{&entries[81]}
	// SIPHASH_2_4_128 is siphash-2-4-128, 128 bits (SipHash, 2012). Not cryptographic: a MAC and PRF under a secret key, unbroken as such; no collision-resistant hash. Source: SipHash: a fast short-input PRF (Aumasson, Bernstein).
	SIPHASH_2_4_128 = Algorithm{&entries[82]}
	// FNV132 is fnv132, 32 bits (FNV, 1991). Not cryptographic: for hash tables; its steps can be run backwards, so collisions are made at will. Source: RFC 9923.
	FNV132 = Algorithm{&entries[83]}
	// FNV1A32 is fnv1a32, 32 bits (FNV, 1991). Not cryptographic: for hash tables; its steps can be run backwards, so collisions are made at will. Source: RFC 9923.
	FNV1A32 = Algorithm{&entries[84]}
	// FNV164 is fnv164, 64 bits (FNV, 1991). Not cryptographic: for hash tables; its steps can be run backwards, so collisions are made at will. Source: RFC 9923.
	FNV164 = Algorithm{&entries[85]}
	// FNV1A64 is fnv1a64, 64 bits (FNV, 1991). Not cryptographic: for hash tables; its steps can be run backwards, so collisions are made at will. Source: RFC 9923.
	FNV1A64 = Algorithm{&entries[86]}
	// JOAAT is joaat, 32 bits (Jenkins, 1997). Not cryptographic: for hash tables; its steps can be run backwards, so collisions are made at will. Source: Dr. Dobb's Journal, September 1997 (B. Jenkins).
	JOAAT = Algorithm{&entries[87]}
	// ADLER32 is adler32, 32 bits (Adler, 1995). Not cryptographic: a sum: detects accidents; anyone can make a message with a given value. Source: RFC 1950.
	ADLER32 = Algorithm{&entries[88]}
	// FLETCHER16 is fletcher16, 16 bits (Fletcher, 1982). Not cryptographic: a sum: detects accidents; anyone can make a message with a given value. Source: IEEE Transactions on Communications 30 (J. G. Fletcher).
	FLETCHER16 = Algorithm{&entries[89]}
	// FLETCHER32 is fletcher32, 32 bits (Fletcher, 1982). Not cryptographic: a sum: detects accidents; anyone can make a message with a given value. Source: IEEE Transactions on Communications 30 (J. G. Fletcher).
	FLETCHER32 = Algorithm{&entries[90]}
	// FLETCHER64 is fletcher64, 64 bits (Fletcher, 1982). Not cryptographic: a sum: detects accidents; anyone can make a message with a given value. Source: IEEE Transactions on Communications 30 (J. G. Fletcher).
	FLETCHER64 = Algorithm{&entries[91]}
	// SUM_BSD is sum-bsd, 16 bits (sum, 1979). Not cryptographic: a sum: detects accidents; anyone can make a message with a given value. Source: GNU coreutils, sum.
	SUM_BSD = Algorithm{&entries[92]}
	// SUM_SYSV is sum-sysv, 16 bits (sum, 1983). Not cryptographic: a sum: detects accidents; anyone can make a message with a given value. Source: GNU coreutils, sum.
	SUM_SYSV = Algorithm{&entries[93]}
	// CKSUM is cksum, 32 bits (CRC, 1992). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: POSIX, cksum.
	CKSUM = Algorithm{&entries[94]}
	// CRC32_PHP is crc32-php, 32 bits (CRC, 1999). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: PHP, hash('crc32'): CRC-32/BZIP2 with its bytes reversed.
	CRC32_PHP = Algorithm{&entries[95]}
	// CRC3_GSM is crc3-gsm, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC3_GSM = Algorithm{&entries[96]}
	// CRC3_ROHC is crc3-rohc, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC3_ROHC = Algorithm{&entries[97]}
	// CRC4_G_704 is crc4-g-704, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC4_G_704 = Algorithm{&entries[98]}
	// CRC4_INTERLAKEN is crc4-interlaken, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC4_INTERLAKEN = Algorithm{&entries[99]}
	// CRC5_EPC_C1G2 is crc5-epc-c1g2, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC5_EPC_C1G2 = Algorithm{&entries[100]}
	// CRC5_G_704 is crc5-g-704, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC5_G_704 = Algorithm{&entries[101]}
	// CRC5_USB is crc5-usb, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC5_USB = Algorithm{&entries[102]}
	// CRC6_CDMA2000_A is crc6-cdma2000-a, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC6_CDMA2000_A = Algorithm{&entries[103]}
	// CRC6_CDMA2000_B is crc6-cdma2000-b, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC6_CDMA2000_B = Algorithm{&entries[104]}
	// CRC6_DARC is crc6-darc, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC6_DARC = Algorithm{&entries[105]}
	// CRC6_G_704 is crc6-g-704, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC6_G_704 = Algorithm{&entries[106]}
	// CRC6_GSM is crc6-gsm, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC6_GSM = Algorithm{&entries[107]}
	// CRC7_MMC is crc7-mmc, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC7_MMC = Algorithm{&entries[108]}
	// CRC7_ROHC is crc7-rohc, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC7_ROHC = Algorithm{&entries[109]}
	// CRC7_UMTS is crc7-umts, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC7_UMTS = Algorithm{&entries[110]}
	// CRC8_AUTOSAR is crc8-autosar, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_AUTOSAR = Algorithm{&entries[111]}
	// CRC8_BLUETOOTH is crc8-bluetooth, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_BLUETOOTH = Algorithm{&entries[112]}
	// CRC8_CDMA2000 is crc8-cdma2000, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_CDMA2000 = Algorithm{&entries[113]}
	// CRC8_DARC is crc8-darc, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_DARC = Algorithm{&entries[114]}
	// CRC8_DVB_S2 is crc8-dvb-s2, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_DVB_S2 = Algorithm{&entries[115]}
	// CRC8_GSM_A is crc8-gsm-a, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_GSM_A = Algorithm{&entries[116]}
	// CRC8_GSM_B is crc8-gsm-b, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_GSM_B = Algorithm{&entries[117]}
	// CRC8_HITAG is crc8-hitag, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_HITAG = Algorithm{&entries[118]}
	// CRC8_I_432_1 is crc8-i-432-1, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_I_432_1 = Algorithm{&entries[119]}
	// CRC8_I_CODE is crc8-i-code, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_I_CODE = Algorithm{&entries[120]}
	// CRC8_LTE is crc8-lte, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_LTE = Algorithm{&entries[121]}
	// CRC8_MAXIM_DOW is crc8-maxim-dow, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_MAXIM_DOW = Algorithm{&entries[122]}
	// CRC8_MIFARE_MAD is crc8-mifare-mad, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_MIFARE_MAD = Algorithm{&entries[123]}
	// CRC8_NRSC_5 is crc8-nrsc-5, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_NRSC_5 = Algorithm{&entries[124]}
	// CRC8_OPENSAFETY is crc8-opensafety, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_OPENSAFETY = Algorithm{&entries[125]}
	// CRC8_ROHC is crc8-rohc, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_ROHC = Algorithm{&entries[126]}
	// CRC8_SAE_J1850 is crc8-sae-j1850, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_SAE_J1850 = Algorithm{&entries[127]}
	// CRC8_SMBUS is crc8-smbus, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_SMBUS = Algorithm{&entries[128]}
	// CRC8_TECH_3250 is crc8-tech-3250, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_TECH_3250 = Algorithm{&entries[129]}
	// CRC8_WCDMA is crc8-wcdma, 8 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC8_WCDMA = Algorithm{&entries[130]}
	// CRC10_ATM is crc10-atm, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC10_ATM = Algorithm{&entries[131]}
	// CRC10_CDMA2000 is crc10-cdma2000, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC10_CDMA2000 = Algorithm{&entries[132]}
	// CRC10_GSM is crc10-gsm, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC10_GSM = Algorithm{&entries[133]}
	// CRC11_FLEXRAY is crc11-flexray, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC11_FLEXRAY = Algorithm{&entries[134]}
	// CRC11_UMTS is crc11-umts, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC11_UMTS = Algorithm{&entries[135]}
	// CRC12_CDMA2000 is crc12-cdma2000, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC12_CDMA2000 = Algorithm{&entries[136]}
	// CRC12_DECT is crc12-dect, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC12_DECT = Algorithm{&entries[137]}
	// CRC12_GSM is crc12-gsm, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC12_GSM = Algorithm{&entries[138]}
	// CRC12_UMTS is crc12-umts, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC12_UMTS = Algorithm{&entries[139]}
	// CRC13_BBC is crc13-bbc, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC13_BBC = Algorithm{&entries[140]}
	// CRC14_DARC is crc14-darc, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC14_DARC = Algorithm{&entries[141]}
	// CRC14_GSM is crc14-gsm, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC14_GSM = Algorithm{&entries[142]}
	// CRC15_CAN is crc15-can, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC15_CAN = Algorithm{&entries[143]}
	// CRC15_MPT1327 is crc15-mpt1327, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC15_MPT1327 = Algorithm{&entries[144]}
	// CRC16_ARC is crc16-arc, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_ARC = Algorithm{&entries[145]}
	// CRC16_CDMA2000 is crc16-cdma2000, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_CDMA2000 = Algorithm{&entries[146]}
	// CRC16_CMS is crc16-cms, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_CMS = Algorithm{&entries[147]}
	// CRC16_DDS_110 is crc16-dds-110, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_DDS_110 = Algorithm{&entries[148]}
	// CRC16_DECT_R is crc16-dect-r, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_DECT_R = Algorithm{&entries[149]}
	// CRC16_DECT_X is crc16-dect-x, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_DECT_X = Algorithm{&entries[150]}
	// CRC16_DNP is crc16-dnp, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_DNP = Algorithm{&entries[151]}
	// CRC16_EN_13757 is crc16-en-13757, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_EN_13757 = Algorithm{&entries[152]}
	// CRC16_GENIBUS is crc16-genibus, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_GENIBUS = Algorithm{&entries[153]}
	// CRC16_GSM is crc16-gsm, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_GSM = Algorithm{&entries[154]}
	// CRC16_IBM_3740 is crc16-ibm-3740, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_IBM_3740 = Algorithm{&entries[155]}
	// CRC16_IBM_SDLC is crc16-ibm-sdlc, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_IBM_SDLC = Algorithm{&entries[156]}
	// CRC16_ISO_IEC_14443_3_A is crc16-iso-iec-14443-3-a, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_ISO_IEC_14443_3_A = Algorithm{&entries[157]}
	// CRC16_KERMIT is crc16-kermit, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_KERMIT = Algorithm{&entries[158]}
	// CRC16_LJ1200 is crc16-lj1200, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_LJ1200 = Algorithm{&entries[159]}
	// CRC16_M17 is crc16-m17, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_M17 = Algorithm{&entries[160]}
	// CRC16_MAXIM_DOW is crc16-maxim-dow, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_MAXIM_DOW = Algorithm{&entries[161]}
	// CRC16_MCRF4XX is crc16-mcrf4xx, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_MCRF4XX = Algorithm{&entries[162]}
	// CRC16_MODBUS is crc16-modbus, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_MODBUS = Algorithm{&entries[163]}
	// CRC16_NRSC_5 is crc16-nrsc-5, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_NRSC_5 = Algorithm{&entries[164]}
	// CRC16_OPENSAFETY_A is crc16-opensafety-a, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_OPENSAFETY_A = Algorithm{&entries[165]}
	// CRC16_OPENSAFETY_B is crc16-opensafety-b, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_OPENSAFETY_B = Algorithm{&entries[166]}
	// CRC16_PROFIBUS is crc16-profibus, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_PROFIBUS = Algorithm{&entries[167]}
	// CRC16_RIELLO is crc16-riello, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_RIELLO = Algorithm{&entries[168]}
	// CRC16_SPI_FUJITSU is crc16-spi-fujitsu, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_SPI_FUJITSU = Algorithm{&entries[169]}
	// CRC16_T10_DIF is crc16-t10-dif, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_T10_DIF = Algorithm{&entries[170]}
	// CRC16_TELEDISK is crc16-teledisk, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_TELEDISK = Algorithm{&entries[171]}
	// CRC16_TMS37157 is crc16-tms37157, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_TMS37157 = Algorithm{&entries[172]}
	// CRC16_UMTS is crc16-umts, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_UMTS = Algorithm{&entries[173]}
	// CRC16_USB is crc16-usb, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_USB = Algorithm{&entries[174]}
	// CRC16_XMODEM is crc16-xmodem, 16 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC16_XMODEM = Algorithm{&entries[175]}
	// CRC17_CAN_FD is crc17-can-fd, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC17_CAN_FD = Algorithm{&entries[176]}
	// CRC21_CAN_FD is crc21-can-fd, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC21_CAN_FD = Algorithm{&entries[177]}
	// CRC24_BLE is crc24-ble, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC24_BLE = Algorithm{&entries[178]}
	// CRC24_FLEXRAY_A is crc24-flexray-a, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC24_FLEXRAY_A = Algorithm{&entries[179]}
	// CRC24_FLEXRAY_B is crc24-flexray-b, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC24_FLEXRAY_B = Algorithm{&entries[180]}
	// CRC24_INTERLAKEN is crc24-interlaken, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC24_INTERLAKEN = Algorithm{&entries[181]}
	// CRC24_LTE_A is crc24-lte-a, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC24_LTE_A = Algorithm{&entries[182]}
	// CRC24_LTE_B is crc24-lte-b, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC24_LTE_B = Algorithm{&entries[183]}
	// CRC24_OPENPGP is crc24-openpgp, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC24_OPENPGP = Algorithm{&entries[184]}
	// CRC24_OS_9 is crc24-os-9, 24 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC24_OS_9 = Algorithm{&entries[185]}
	// CRC30_CDMA is crc30-cdma, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC30_CDMA = Algorithm{&entries[186]}
	// CRC31_PHILIPS is crc31-philips, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC31_PHILIPS = Algorithm{&entries[187]}
	// CRC32_AIXM is crc32-aixm, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_AIXM = Algorithm{&entries[188]}
	// CRC32_AUTOSAR is crc32-autosar, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_AUTOSAR = Algorithm{&entries[189]}
	// CRC32_BASE91_D is crc32-base91-d, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_BASE91_D = Algorithm{&entries[190]}
	// CRC32_BZIP2 is crc32-bzip2, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_BZIP2 = Algorithm{&entries[191]}
	// CRC32_CD_ROM_EDC is crc32-cd-rom-edc, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_CD_ROM_EDC = Algorithm{&entries[192]}
	// CRC32_CKSUM is crc32-cksum, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_CKSUM = Algorithm{&entries[193]}
	// CRC32C is crc32c, 32 bits (CRC, 1993). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: RFC 3720.
	CRC32C = Algorithm{&entries[194]}
	// CRC32 is crc32, 32 bits (CRC, 1975). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: ISO/IEC 13239; ITU-T V.42; ZIP.
	CRC32 = Algorithm{&entries[195]}
	// CRC32_JAMCRC is crc32-jamcrc, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_JAMCRC = Algorithm{&entries[196]}
	// CRC32_MEF is crc32-mef, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_MEF = Algorithm{&entries[197]}
	// CRC32_MPEG_2 is crc32-mpeg-2, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_MPEG_2 = Algorithm{&entries[198]}
	// CRC32_XFER is crc32-xfer, 32 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC32_XFER = Algorithm{&entries[199]}
	// CRC40_GSM is crc40-gsm, 40 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC40_GSM = Algorithm{&entries[200]}
	// CRC64_ECMA_182 is crc64-ecma-182, 64 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC64_ECMA_182 = Algorithm{&entries[201]}
	// CRC64_GO_ISO is crc64-go-iso, 64 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC64_GO_ISO = Algorithm{&entries[202]}
	// CRC64_MS is crc64-ms, 64 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC64_MS = Algorithm{&entries[203]}
	// CRC64_NVME is crc64-nvme, 64 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC64_NVME = Algorithm{&entries[204]}
	// CRC64_REDIS is crc64-redis, 64 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC64_REDIS = Algorithm{&entries[205]}
	// CRC64_WE is crc64-we, 64 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC64_WE = Algorithm{&entries[206]}
	// CRC64_XZ is crc64-xz, 64 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC64_XZ = Algorithm{&entries[207]}
	// CRC82_DARC is crc82-darc, 88 bits (CRC, 1961). Not cryptographic: detects accidents; anyone can make a message with a given value. Source: CRC RevEng, Catalogue of parametrised CRC algorithms.
	CRC82_DARC = Algorithm{&entries[208]}
)

// NewMD2 makes a hash of [MD2], whose digest has 16 bytes.
func NewMD2() hash.Hash { return MD2.plain() }

// NewMD4 makes a hash of [MD4], whose digest has 16 bytes.
func NewMD4() hash.Hash { return MD4.plain() }

// NewMD5 makes a hash of [MD5], whose digest has 16 bytes.
func NewMD5() hash.Hash { return MD5.plain() }

// NewSHA0 makes a hash of [SHA0], whose digest has 20 bytes.
func NewSHA0() hash.Hash { return SHA0.plain() }

// NewSHA1 makes a hash of [SHA1], whose digest has 20 bytes.
func NewSHA1() hash.Hash { return SHA1.plain() }

// NewSHA224 makes a hash of [SHA224], whose digest has 28 bytes.
func NewSHA224() hash.Hash { return SHA224.plain() }

// NewSHA256 makes a hash of [SHA256], whose digest has 32 bytes.
func NewSHA256() hash.Hash { return SHA256.plain() }

// NewSHA384 makes a hash of [SHA384], whose digest has 48 bytes.
func NewSHA384() hash.Hash { return SHA384.plain() }

// NewSHA512 makes a hash of [SHA512], whose digest has 64 bytes.
func NewSHA512() hash.Hash { return SHA512.plain() }

// NewSHA512_224 makes a hash of [SHA512_224], whose digest has 28 bytes.
func NewSHA512_224() hash.Hash { return SHA512_224.plain() }

// NewSHA512_256 makes a hash of [SHA512_256], whose digest has 32 bytes.
func NewSHA512_256() hash.Hash { return SHA512_256.plain() }

// NewSHA3_224 makes a hash of [SHA3_224], whose digest has 28 bytes.
func NewSHA3_224() hash.Hash { return SHA3_224.plain() }

// NewSHA3_256 makes a hash of [SHA3_256], whose digest has 32 bytes.
func NewSHA3_256() hash.Hash { return SHA3_256.plain() }

// NewSHA3_384 makes a hash of [SHA3_384], whose digest has 48 bytes.
func NewSHA3_384() hash.Hash { return SHA3_384.plain() }

// NewSHA3_512 makes a hash of [SHA3_512], whose digest has 64 bytes.
func NewSHA3_512() hash.Hash { return SHA3_512.plain() }

// NewSHAKE128 makes a hash of [SHAKE128], whose digest has 32 bytes.
func NewSHAKE128() hash.Hash { return SHAKE128.plain() }

// NewSHAKE128XOF makes an XOF of [SHAKE128]: output of any length.
func NewSHAKE128XOF() *XOF { return SHAKE128.plainXOF() }

// NewSHAKE256 makes a hash of [SHAKE256], whose digest has 64 bytes.
func NewSHAKE256() hash.Hash { return SHAKE256.plain() }

// NewSHAKE256XOF makes an XOF of [SHAKE256]: output of any length.
func NewSHAKE256XOF() *XOF { return SHAKE256.plainXOF() }

// NewKECCAK224 makes a hash of [KECCAK224], whose digest has 28 bytes.
func NewKECCAK224() hash.Hash { return KECCAK224.plain() }

// NewKECCAK256 makes a hash of [KECCAK256], whose digest has 32 bytes.
func NewKECCAK256() hash.Hash { return KECCAK256.plain() }

// NewKECCAK384 makes a hash of [KECCAK384], whose digest has 48 bytes.
func NewKECCAK384() hash.Hash { return KECCAK384.plain() }

// NewKECCAK512 makes a hash of [KECCAK512], whose digest has 64 bytes.
func NewKECCAK512() hash.Hash { return KECCAK512.plain() }

// NewBLAKE224 makes a hash of [BLAKE224], whose digest has 28 bytes.
func NewBLAKE224() hash.Hash { return BLAKE224.plain() }

// NewBLAKE256 makes a hash of [BLAKE256], whose digest has 32 bytes.
func NewBLAKE256() hash.Hash { return BLAKE256.plain() }

// NewBLAKE384 makes a hash of [BLAKE384], whose digest has 48 bytes.
func NewBLAKE384() hash.Hash { return BLAKE384.plain() }

// NewBLAKE512 makes a hash of [BLAKE512], whose digest has 64 bytes.
func NewBLAKE512() hash.Hash { return BLAKE512.plain() }

// NewBLAKE2B_512 makes a hash of [BLAKE2B_512], whose digest has 64 bytes.
func NewBLAKE2B_512() hash.Hash { return BLAKE2B_512.plain() }

// NewBLAKE2S_256 makes a hash of [BLAKE2S_256], whose digest has 32 bytes.
func NewBLAKE2S_256() hash.Hash { return BLAKE2S_256.plain() }

// NewBLAKE3 makes a hash of [BLAKE3], whose digest has 32 bytes.
func NewBLAKE3() hash.Hash { return BLAKE3.plain() }

// NewBLAKE3XOF makes an XOF of [BLAKE3]: output of any length.
func NewBLAKE3XOF() *XOF { return BLAKE3.plainXOF() }

// NewGROESTL224 makes a hash of [GROESTL224], whose digest has 28 bytes.
func NewGROESTL224() hash.Hash { return GROESTL224.plain() }

// NewGROESTL256 makes a hash of [GROESTL256], whose digest has 32 bytes.
func NewGROESTL256() hash.Hash { return GROESTL256.plain() }

// NewGROESTL384 makes a hash of [GROESTL384], whose digest has 48 bytes.
func NewGROESTL384() hash.Hash { return GROESTL384.plain() }

// NewGROESTL512 makes a hash of [GROESTL512], whose digest has 64 bytes.
func NewGROESTL512() hash.Hash { return GROESTL512.plain() }

// NewJH224 makes a hash of [JH224], whose digest has 28 bytes.
func NewJH224() hash.Hash { return JH224.plain() }

// NewJH256 makes a hash of [JH256], whose digest has 32 bytes.
func NewJH256() hash.Hash { return JH256.plain() }

// NewJH384 makes a hash of [JH384], whose digest has 48 bytes.
func NewJH384() hash.Hash { return JH384.plain() }

// NewJH512 makes a hash of [JH512], whose digest has 64 bytes.
func NewJH512() hash.Hash { return JH512.plain() }

// NewSKEIN256_256 makes a hash of [SKEIN256_256], whose digest has 32 bytes.
func NewSKEIN256_256() hash.Hash { return SKEIN256_256.plain() }

// NewSKEIN512_512 makes a hash of [SKEIN512_512], whose digest has 64 bytes.
func NewSKEIN512_512() hash.Hash { return SKEIN512_512.plain() }

// NewSKEIN1024_1024 makes a hash of [SKEIN1024_1024], whose digest has 128 bytes.
func NewSKEIN1024_1024() hash.Hash { return SKEIN1024_1024.plain() }

// NewCUBEHASH512 makes a hash of [CUBEHASH512], whose digest has 64 bytes.
func NewCUBEHASH512() hash.Hash { return CUBEHASH512.plain() }

// NewRIPEMD128 makes a hash of [RIPEMD128], whose digest has 16 bytes.
func NewRIPEMD128() hash.Hash { return RIPEMD128.plain() }

// NewRIPEMD160 makes a hash of [RIPEMD160], whose digest has 20 bytes.
func NewRIPEMD160() hash.Hash { return RIPEMD160.plain() }

// NewRIPEMD256 makes a hash of [RIPEMD256], whose digest has 32 bytes.
func NewRIPEMD256() hash.Hash { return RIPEMD256.plain() }

// NewRIPEMD320 makes a hash of [RIPEMD320], whose digest has 40 bytes.
func NewRIPEMD320() hash.Hash { return RIPEMD320.plain() }

// NewHAVAL128_3 makes a hash of [HAVAL128_3], whose digest has 16 bytes.
func NewHAVAL128_3() hash.Hash { return HAVAL128_3.plain() }

// NewHAVAL128_4 makes a hash of [HAVAL128_4], whose digest has 16 bytes.
func NewHAVAL128_4() hash.Hash { return HAVAL128_4.plain() }

// NewHAVAL128_5 makes a hash of [HAVAL128_5], whose digest has 16 bytes.
func NewHAVAL128_5() hash.Hash { return HAVAL128_5.plain() }

// NewHAVAL160_3 makes a hash of [HAVAL160_3], whose digest has 20 bytes.
func NewHAVAL160_3() hash.Hash { return HAVAL160_3.plain() }

// NewHAVAL160_4 makes a hash of [HAVAL160_4], whose digest has 20 bytes.
func NewHAVAL160_4() hash.Hash { return HAVAL160_4.plain() }

// NewHAVAL160_5 makes a hash of [HAVAL160_5], whose digest has 20 bytes.
func NewHAVAL160_5() hash.Hash { return HAVAL160_5.plain() }

// NewHAVAL192_3 makes a hash of [HAVAL192_3], whose digest has 24 bytes.
func NewHAVAL192_3() hash.Hash { return HAVAL192_3.plain() }

// NewHAVAL192_4 makes a hash of [HAVAL192_4], whose digest has 24 bytes.
func NewHAVAL192_4() hash.Hash { return HAVAL192_4.plain() }

// NewHAVAL192_5 makes a hash of [HAVAL192_5], whose digest has 24 bytes.
func NewHAVAL192_5() hash.Hash { return HAVAL192_5.plain() }

// NewHAVAL224_3 makes a hash of [HAVAL224_3], whose digest has 28 bytes.
func NewHAVAL224_3() hash.Hash { return HAVAL224_3.plain() }

// NewHAVAL224_4 makes a hash of [HAVAL224_4], whose digest has 28 bytes.
func NewHAVAL224_4() hash.Hash { return HAVAL224_4.plain() }

// NewHAVAL224_5 makes a hash of [HAVAL224_5], whose digest has 28 bytes.
func NewHAVAL224_5() hash.Hash { return HAVAL224_5.plain() }

// NewHAVAL256_3 makes a hash of [HAVAL256_3], whose digest has 32 bytes.
func NewHAVAL256_3() hash.Hash { return HAVAL256_3.plain() }

// NewHAVAL256_4 makes a hash of [HAVAL256_4], whose digest has 32 bytes.
func NewHAVAL256_4() hash.Hash { return HAVAL256_4.plain() }

// NewHAVAL256_5 makes a hash of [HAVAL256_5], whose digest has 32 bytes.
func NewHAVAL256_5() hash.Hash { return HAVAL256_5.plain() }

// NewTIGER128_3 makes a hash of [TIGER128_3], whose digest has 16 bytes.
func NewTIGER128_3() hash.Hash { return TIGER128_3.plain() }

// NewTIGER160_3 makes a hash of [TIGER160_3], whose digest has 20 bytes.
func NewTIGER160_3() hash.Hash { return TIGER160_3.plain() }

// NewTIGER192_3 makes a hash of [TIGER192_3], whose digest has 24 bytes.
func NewTIGER192_3() hash.Hash { return TIGER192_3.plain() }

// NewTIGER128_4 makes a hash of [TIGER128_4], whose digest has 16 bytes.
func NewTIGER128_4() hash.Hash { return TIGER128_4.plain() }

// NewTIGER160_4 makes a hash of [TIGER160_4], whose digest has 20 bytes.
func NewTIGER160_4() hash.Hash { return TIGER160_4.plain() }

// NewTIGER192_4 makes a hash of [TIGER192_4], whose digest has 24 bytes.
func NewTIGER192_4() hash.Hash { return TIGER192_4.plain() }

// NewTIGER2 makes a hash of [TIGER2], whose digest has 24 bytes.
func NewTIGER2() hash.Hash { return TIGER2.plain() }

// NewWHIRLPOOL makes a hash of [WHIRLPOOL], whose digest has 64 bytes.
func NewWHIRLPOOL() hash.Hash { return WHIRLPOOL.plain() }

// NewSNEFRU128 makes a hash of [SNEFRU128], whose digest has 16 bytes.
func NewSNEFRU128() hash.Hash { return SNEFRU128.plain() }

// NewSNEFRU256 makes a hash of [SNEFRU256], whose digest has 32 bytes.
func NewSNEFRU256() hash.Hash { return SNEFRU256.plain() }

// NewGOST94 makes a hash of [GOST94], whose digest has 32 bytes.
func NewGOST94() hash.Hash { return GOST94.plain() }

// NewGOST94_CRYPTOPRO makes a hash of [GOST94_CRYPTOPRO], whose digest has 32 bytes.
func NewGOST94_CRYPTOPRO() hash.Hash { return GOST94_CRYPTOPRO.plain() }

// NewSTREEBOG256 makes a hash of [STREEBOG256], whose digest has 32 bytes.
func NewSTREEBOG256() hash.Hash { return STREEBOG256.plain() }

// NewSTREEBOG512 makes a hash of [STREEBOG512], whose digest has 64 bytes.
func NewSTREEBOG512() hash.Hash { return STREEBOG512.plain() }

// NewSM3 makes a hash of [SM3], whose digest has 32 bytes.
func NewSM3() hash.Hash { return SM3.plain() }

// NewXXH32 makes a hash of [XXH32]: its Sum32 is the digest as a number, the first byte the highest.
func NewXXH32() hash.Hash32 { return XXH32.plain32() }

// NewXXH64 makes a hash of [XXH64]: its Sum64 is the digest as a number, the first byte the highest.
func NewXXH64() hash.Hash64 { return XXH64.plain64() }

// NewXXH3 makes a hash of [XXH3]: its Sum64 is the digest as a number, the first byte the highest.
func NewXXH3() hash.Hash64 { return XXH3.plain64() }

// NewXXH128 makes a hash of [XXH128], whose digest has 16 bytes.
func NewXXH128() hash.Hash { return XXH128.plain() }

// NewMURMUR3A makes a hash of [MURMUR3A]: its Sum32 is the digest as a number, the first byte the highest.
func NewMURMUR3A() hash.Hash32 { return MURMUR3A.plain32() }

// NewMURMUR3C makes a hash of [MURMUR3C], whose digest has 16 bytes.
func NewMURMUR3C() hash.Hash { return MURMUR3C.plain() }

// NewMURMUR3F makes a hash of [MURMUR3F], whose digest has 16 bytes.
func NewMURMUR3F() hash.Hash { return MURMUR3F.plain() }

// NewSIPHASH_2_4 makes a hash of [SIPHASH_2_4]: its Sum64 is the digest as a number, the first byte the highest.
func NewSIPHASH_2_4() hash.Hash64 { return SIPHASH_2_4.plain64() }

// NewSIPHASH_2_4_128 makes a hash of [SIPHASH_2_4_128], whose digest has 16 bytes.
func NewSIPHASH_2_4_128() hash.Hash { return SIPHASH_2_4_128.plain() }

// NewFNV132 makes a hash of [FNV132]: its Sum32 is the digest as a number, the first byte the highest.
func NewFNV132() hash.Hash32 { return FNV132.plain32() }

// NewFNV1A32 makes a hash of [FNV1A32]: its Sum32 is the digest as a number, the first byte the highest.
func NewFNV1A32() hash.Hash32 { return FNV1A32.plain32() }

// NewFNV164 makes a hash of [FNV164]: its Sum64 is the digest as a number, the first byte the highest.
func NewFNV164() hash.Hash64 { return FNV164.plain64() }

// NewFNV1A64 makes a hash of [FNV1A64]: its Sum64 is the digest as a number, the first byte the highest.
func NewFNV1A64() hash.Hash64 { return FNV1A64.plain64() }

// NewJOAAT makes a hash of [JOAAT]: its Sum32 is the digest as a number, the first byte the highest.
func NewJOAAT() hash.Hash32 { return JOAAT.plain32() }

// NewADLER32 makes a hash of [ADLER32]: its Sum32 is the digest as a number, the first byte the highest.
func NewADLER32() hash.Hash32 { return ADLER32.plain32() }

// NewFLETCHER16 makes a hash of [FLETCHER16], whose digest has 2 bytes.
func NewFLETCHER16() hash.Hash { return FLETCHER16.plain() }

// NewFLETCHER32 makes a hash of [FLETCHER32]: its Sum32 is the digest as a number, the first byte the highest.
func NewFLETCHER32() hash.Hash32 { return FLETCHER32.plain32() }

// NewFLETCHER64 makes a hash of [FLETCHER64]: its Sum64 is the digest as a number, the first byte the highest.
func NewFLETCHER64() hash.Hash64 { return FLETCHER64.plain64() }

// NewSUM_BSD makes a hash of [SUM_BSD], whose digest has 2 bytes.
func NewSUM_BSD() hash.Hash { return SUM_BSD.plain() }

// NewSUM_SYSV makes a hash of [SUM_SYSV], whose digest has 2 bytes.
func NewSUM_SYSV() hash.Hash { return SUM_SYSV.plain() }

// NewCKSUM makes a hash of [CKSUM]: its Sum32 is the digest as a number, the first byte the highest.
func NewCKSUM() hash.Hash32 { return CKSUM.plain32() }

// NewCRC32_PHP makes a hash of [CRC32_PHP]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_PHP() hash.Hash32 { return CRC32_PHP.plain32() }

// NewCRC3_GSM makes a hash of [CRC3_GSM], whose digest has 1 bytes.
func NewCRC3_GSM() hash.Hash { return CRC3_GSM.plain() }

// NewCRC3_ROHC makes a hash of [CRC3_ROHC], whose digest has 1 bytes.
func NewCRC3_ROHC() hash.Hash { return CRC3_ROHC.plain() }

// NewCRC4_G_704 makes a hash of [CRC4_G_704], whose digest has 1 bytes.
func NewCRC4_G_704() hash.Hash { return CRC4_G_704.plain() }

// NewCRC4_INTERLAKEN makes a hash of [CRC4_INTERLAKEN], whose digest has 1 bytes.
func NewCRC4_INTERLAKEN() hash.Hash { return CRC4_INTERLAKEN.plain() }

// NewCRC5_EPC_C1G2 makes a hash of [CRC5_EPC_C1G2], whose digest has 1 bytes.
func NewCRC5_EPC_C1G2() hash.Hash { return CRC5_EPC_C1G2.plain() }

// NewCRC5_G_704 makes a hash of [CRC5_G_704], whose digest has 1 bytes.
func NewCRC5_G_704() hash.Hash { return CRC5_G_704.plain() }

// NewCRC5_USB makes a hash of [CRC5_USB], whose digest has 1 bytes.
func NewCRC5_USB() hash.Hash { return CRC5_USB.plain() }

// NewCRC6_CDMA2000_A makes a hash of [CRC6_CDMA2000_A], whose digest has 1 bytes.
func NewCRC6_CDMA2000_A() hash.Hash { return CRC6_CDMA2000_A.plain() }

// NewCRC6_CDMA2000_B makes a hash of [CRC6_CDMA2000_B], whose digest has 1 bytes.
func NewCRC6_CDMA2000_B() hash.Hash { return CRC6_CDMA2000_B.plain() }

// NewCRC6_DARC makes a hash of [CRC6_DARC], whose digest has 1 bytes.
func NewCRC6_DARC() hash.Hash { return CRC6_DARC.plain() }

// NewCRC6_G_704 makes a hash of [CRC6_G_704], whose digest has 1 bytes.
func NewCRC6_G_704() hash.Hash { return CRC6_G_704.plain() }

// NewCRC6_GSM makes a hash of [CRC6_GSM], whose digest has 1 bytes.
func NewCRC6_GSM() hash.Hash { return CRC6_GSM.plain() }

// NewCRC7_MMC makes a hash of [CRC7_MMC], whose digest has 1 bytes.
func NewCRC7_MMC() hash.Hash { return CRC7_MMC.plain() }

// NewCRC7_ROHC makes a hash of [CRC7_ROHC], whose digest has 1 bytes.
func NewCRC7_ROHC() hash.Hash { return CRC7_ROHC.plain() }

// NewCRC7_UMTS makes a hash of [CRC7_UMTS], whose digest has 1 bytes.
func NewCRC7_UMTS() hash.Hash { return CRC7_UMTS.plain() }

// NewCRC8_AUTOSAR makes a hash of [CRC8_AUTOSAR], whose digest has 1 bytes.
func NewCRC8_AUTOSAR() hash.Hash { return CRC8_AUTOSAR.plain() }

// NewCRC8_BLUETOOTH makes a hash of [CRC8_BLUETOOTH], whose digest has 1 bytes.
func NewCRC8_BLUETOOTH() hash.Hash { return CRC8_BLUETOOTH.plain() }

// NewCRC8_CDMA2000 makes a hash of [CRC8_CDMA2000], whose digest has 1 bytes.
func NewCRC8_CDMA2000() hash.Hash { return CRC8_CDMA2000.plain() }

// NewCRC8_DARC makes a hash of [CRC8_DARC], whose digest has 1 bytes.
func NewCRC8_DARC() hash.Hash { return CRC8_DARC.plain() }

// NewCRC8_DVB_S2 makes a hash of [CRC8_DVB_S2], whose digest has 1 bytes.
func NewCRC8_DVB_S2() hash.Hash { return CRC8_DVB_S2.plain() }

// NewCRC8_GSM_A makes a hash of [CRC8_GSM_A], whose digest has 1 bytes.
func NewCRC8_GSM_A() hash.Hash { return CRC8_GSM_A.plain() }

// NewCRC8_GSM_B makes a hash of [CRC8_GSM_B], whose digest has 1 bytes.
func NewCRC8_GSM_B() hash.Hash { return CRC8_GSM_B.plain() }

// NewCRC8_HITAG makes a hash of [CRC8_HITAG], whose digest has 1 bytes.
func NewCRC8_HITAG() hash.Hash { return CRC8_HITAG.plain() }

// NewCRC8_I_432_1 makes a hash of [CRC8_I_432_1], whose digest has 1 bytes.
func NewCRC8_I_432_1() hash.Hash { return CRC8_I_432_1.plain() }

// NewCRC8_I_CODE makes a hash of [CRC8_I_CODE], whose digest has 1 bytes.
func NewCRC8_I_CODE() hash.Hash { return CRC8_I_CODE.plain() }

// NewCRC8_LTE makes a hash of [CRC8_LTE], whose digest has 1 bytes.
func NewCRC8_LTE() hash.Hash { return CRC8_LTE.plain() }

// NewCRC8_MAXIM_DOW makes a hash of [CRC8_MAXIM_DOW], whose digest has 1 bytes.
func NewCRC8_MAXIM_DOW() hash.Hash { return CRC8_MAXIM_DOW.plain() }

// NewCRC8_MIFARE_MAD makes a hash of [CRC8_MIFARE_MAD], whose digest has 1 bytes.
func NewCRC8_MIFARE_MAD() hash.Hash { return CRC8_MIFARE_MAD.plain() }

// NewCRC8_NRSC_5 makes a hash of [CRC8_NRSC_5], whose digest has 1 bytes.
func NewCRC8_NRSC_5() hash.Hash { return CRC8_NRSC_5.plain() }

// NewCRC8_OPENSAFETY makes a hash of [CRC8_OPENSAFETY], whose digest has 1 bytes.
func NewCRC8_OPENSAFETY() hash.Hash { return CRC8_OPENSAFETY.plain() }

// NewCRC8_ROHC makes a hash of [CRC8_ROHC], whose digest has 1 bytes.
func NewCRC8_ROHC() hash.Hash { return CRC8_ROHC.plain() }

// NewCRC8_SAE_J1850 makes a hash of [CRC8_SAE_J1850], whose digest has 1 bytes.
func NewCRC8_SAE_J1850() hash.Hash { return CRC8_SAE_J1850.plain() }

// NewCRC8_SMBUS makes a hash of [CRC8_SMBUS], whose digest has 1 bytes.
func NewCRC8_SMBUS() hash.Hash { return CRC8_SMBUS.plain() }

// NewCRC8_TECH_3250 makes a hash of [CRC8_TECH_3250], whose digest has 1 bytes.
func NewCRC8_TECH_3250() hash.Hash { return CRC8_TECH_3250.plain() }

// NewCRC8_WCDMA makes a hash of [CRC8_WCDMA], whose digest has 1 bytes.
func NewCRC8_WCDMA() hash.Hash { return CRC8_WCDMA.plain() }

// NewCRC10_ATM makes a hash of [CRC10_ATM], whose digest has 2 bytes.
func NewCRC10_ATM() hash.Hash { return CRC10_ATM.plain() }

// NewCRC10_CDMA2000 makes a hash of [CRC10_CDMA2000], whose digest has 2 bytes.
func NewCRC10_CDMA2000() hash.Hash { return CRC10_CDMA2000.plain() }

// NewCRC10_GSM makes a hash of [CRC10_GSM], whose digest has 2 bytes.
func NewCRC10_GSM() hash.Hash { return CRC10_GSM.plain() }

// NewCRC11_FLEXRAY makes a hash of [CRC11_FLEXRAY], whose digest has 2 bytes.
func NewCRC11_FLEXRAY() hash.Hash { return CRC11_FLEXRAY.plain() }

// NewCRC11_UMTS makes a hash of [CRC11_UMTS], whose digest has 2 bytes.
func NewCRC11_UMTS() hash.Hash { return CRC11_UMTS.plain() }

// NewCRC12_CDMA2000 makes a hash of [CRC12_CDMA2000], whose digest has 2 bytes.
func NewCRC12_CDMA2000() hash.Hash { return CRC12_CDMA2000.plain() }

// NewCRC12_DECT makes a hash of [CRC12_DECT], whose digest has 2 bytes.
func NewCRC12_DECT() hash.Hash { return CRC12_DECT.plain() }

// NewCRC12_GSM makes a hash of [CRC12_GSM], whose digest has 2 bytes.
func NewCRC12_GSM() hash.Hash { return CRC12_GSM.plain() }

// NewCRC12_UMTS makes a hash of [CRC12_UMTS], whose digest has 2 bytes.
func NewCRC12_UMTS() hash.Hash { return CRC12_UMTS.plain() }

// NewCRC13_BBC makes a hash of [CRC13_BBC], whose digest has 2 bytes.
func NewCRC13_BBC() hash.Hash { return CRC13_BBC.plain() }

// NewCRC14_DARC makes a hash of [CRC14_DARC], whose digest has 2 bytes.
func NewCRC14_DARC() hash.Hash { return CRC14_DARC.plain() }

// NewCRC14_GSM makes a hash of [CRC14_GSM], whose digest has 2 bytes.
func NewCRC14_GSM() hash.Hash { return CRC14_GSM.plain() }

// NewCRC15_CAN makes a hash of [CRC15_CAN], whose digest has 2 bytes.
func NewCRC15_CAN() hash.Hash { return CRC15_CAN.plain() }

// NewCRC15_MPT1327 makes a hash of [CRC15_MPT1327], whose digest has 2 bytes.
func NewCRC15_MPT1327() hash.Hash { return CRC15_MPT1327.plain() }

// NewCRC16_ARC makes a hash of [CRC16_ARC], whose digest has 2 bytes.
func NewCRC16_ARC() hash.Hash { return CRC16_ARC.plain() }

// NewCRC16_CDMA2000 makes a hash of [CRC16_CDMA2000], whose digest has 2 bytes.
func NewCRC16_CDMA2000() hash.Hash { return CRC16_CDMA2000.plain() }

// NewCRC16_CMS makes a hash of [CRC16_CMS], whose digest has 2 bytes.
func NewCRC16_CMS() hash.Hash { return CRC16_CMS.plain() }

// NewCRC16_DDS_110 makes a hash of [CRC16_DDS_110], whose digest has 2 bytes.
func NewCRC16_DDS_110() hash.Hash { return CRC16_DDS_110.plain() }

// NewCRC16_DECT_R makes a hash of [CRC16_DECT_R], whose digest has 2 bytes.
func NewCRC16_DECT_R() hash.Hash { return CRC16_DECT_R.plain() }

// NewCRC16_DECT_X makes a hash of [CRC16_DECT_X], whose digest has 2 bytes.
func NewCRC16_DECT_X() hash.Hash { return CRC16_DECT_X.plain() }

// NewCRC16_DNP makes a hash of [CRC16_DNP], whose digest has 2 bytes.
func NewCRC16_DNP() hash.Hash { return CRC16_DNP.plain() }

// NewCRC16_EN_13757 makes a hash of [CRC16_EN_13757], whose digest has 2 bytes.
func NewCRC16_EN_13757() hash.Hash { return CRC16_EN_13757.plain() }

// NewCRC16_GENIBUS makes a hash of [CRC16_GENIBUS], whose digest has 2 bytes.
func NewCRC16_GENIBUS() hash.Hash { return CRC16_GENIBUS.plain() }

// NewCRC16_GSM makes a hash of [CRC16_GSM], whose digest has 2 bytes.
func NewCRC16_GSM() hash.Hash { return CRC16_GSM.plain() }

// NewCRC16_IBM_3740 makes a hash of [CRC16_IBM_3740], whose digest has 2 bytes.
func NewCRC16_IBM_3740() hash.Hash { return CRC16_IBM_3740.plain() }

// NewCRC16_IBM_SDLC makes a hash of [CRC16_IBM_SDLC], whose digest has 2 bytes.
func NewCRC16_IBM_SDLC() hash.Hash { return CRC16_IBM_SDLC.plain() }

// NewCRC16_ISO_IEC_14443_3_A makes a hash of [CRC16_ISO_IEC_14443_3_A], whose digest has 2 bytes.
func NewCRC16_ISO_IEC_14443_3_A() hash.Hash { return CRC16_ISO_IEC_14443_3_A.plain() }

// NewCRC16_KERMIT makes a hash of [CRC16_KERMIT], whose digest has 2 bytes.
func NewCRC16_KERMIT() hash.Hash { return CRC16_KERMIT.plain() }

// NewCRC16_LJ1200 makes a hash of [CRC16_LJ1200], whose digest has 2 bytes.
func NewCRC16_LJ1200() hash.Hash { return CRC16_LJ1200.plain() }

// NewCRC16_M17 makes a hash of [CRC16_M17], whose digest has 2 bytes.
func NewCRC16_M17() hash.Hash { return CRC16_M17.plain() }

// NewCRC16_MAXIM_DOW makes a hash of [CRC16_MAXIM_DOW], whose digest has 2 bytes.
func NewCRC16_MAXIM_DOW() hash.Hash { return CRC16_MAXIM_DOW.plain() }

// NewCRC16_MCRF4XX makes a hash of [CRC16_MCRF4XX], whose digest has 2 bytes.
func NewCRC16_MCRF4XX() hash.Hash { return CRC16_MCRF4XX.plain() }

// NewCRC16_MODBUS makes a hash of [CRC16_MODBUS], whose digest has 2 bytes.
func NewCRC16_MODBUS() hash.Hash { return CRC16_MODBUS.plain() }

// NewCRC16_NRSC_5 makes a hash of [CRC16_NRSC_5], whose digest has 2 bytes.
func NewCRC16_NRSC_5() hash.Hash { return CRC16_NRSC_5.plain() }

// NewCRC16_OPENSAFETY_A makes a hash of [CRC16_OPENSAFETY_A], whose digest has 2 bytes.
func NewCRC16_OPENSAFETY_A() hash.Hash { return CRC16_OPENSAFETY_A.plain() }

// NewCRC16_OPENSAFETY_B makes a hash of [CRC16_OPENSAFETY_B], whose digest has 2 bytes.
func NewCRC16_OPENSAFETY_B() hash.Hash { return CRC16_OPENSAFETY_B.plain() }

// NewCRC16_PROFIBUS makes a hash of [CRC16_PROFIBUS], whose digest has 2 bytes.
func NewCRC16_PROFIBUS() hash.Hash { return CRC16_PROFIBUS.plain() }

// NewCRC16_RIELLO makes a hash of [CRC16_RIELLO], whose digest has 2 bytes.
func NewCRC16_RIELLO() hash.Hash { return CRC16_RIELLO.plain() }

// NewCRC16_SPI_FUJITSU makes a hash of [CRC16_SPI_FUJITSU], whose digest has 2 bytes.
func NewCRC16_SPI_FUJITSU() hash.Hash { return CRC16_SPI_FUJITSU.plain() }

// NewCRC16_T10_DIF makes a hash of [CRC16_T10_DIF], whose digest has 2 bytes.
func NewCRC16_T10_DIF() hash.Hash { return CRC16_T10_DIF.plain() }

// NewCRC16_TELEDISK makes a hash of [CRC16_TELEDISK], whose digest has 2 bytes.
func NewCRC16_TELEDISK() hash.Hash { return CRC16_TELEDISK.plain() }

// NewCRC16_TMS37157 makes a hash of [CRC16_TMS37157], whose digest has 2 bytes.
func NewCRC16_TMS37157() hash.Hash { return CRC16_TMS37157.plain() }

// NewCRC16_UMTS makes a hash of [CRC16_UMTS], whose digest has 2 bytes.
func NewCRC16_UMTS() hash.Hash { return CRC16_UMTS.plain() }

// NewCRC16_USB makes a hash of [CRC16_USB], whose digest has 2 bytes.
func NewCRC16_USB() hash.Hash { return CRC16_USB.plain() }

// NewCRC16_XMODEM makes a hash of [CRC16_XMODEM], whose digest has 2 bytes.
func NewCRC16_XMODEM() hash.Hash { return CRC16_XMODEM.plain() }

// NewCRC17_CAN_FD makes a hash of [CRC17_CAN_FD], whose digest has 3 bytes.
func NewCRC17_CAN_FD() hash.Hash { return CRC17_CAN_FD.plain() }

// NewCRC21_CAN_FD makes a hash of [CRC21_CAN_FD], whose digest has 3 bytes.
func NewCRC21_CAN_FD() hash.Hash { return CRC21_CAN_FD.plain() }

// NewCRC24_BLE makes a hash of [CRC24_BLE], whose digest has 3 bytes.
func NewCRC24_BLE() hash.Hash { return CRC24_BLE.plain() }

// NewCRC24_FLEXRAY_A makes a hash of [CRC24_FLEXRAY_A], whose digest has 3 bytes.
func NewCRC24_FLEXRAY_A() hash.Hash { return CRC24_FLEXRAY_A.plain() }

// NewCRC24_FLEXRAY_B makes a hash of [CRC24_FLEXRAY_B], whose digest has 3 bytes.
func NewCRC24_FLEXRAY_B() hash.Hash { return CRC24_FLEXRAY_B.plain() }

// NewCRC24_INTERLAKEN makes a hash of [CRC24_INTERLAKEN], whose digest has 3 bytes.
func NewCRC24_INTERLAKEN() hash.Hash { return CRC24_INTERLAKEN.plain() }

// NewCRC24_LTE_A makes a hash of [CRC24_LTE_A], whose digest has 3 bytes.
func NewCRC24_LTE_A() hash.Hash { return CRC24_LTE_A.plain() }

// NewCRC24_LTE_B makes a hash of [CRC24_LTE_B], whose digest has 3 bytes.
func NewCRC24_LTE_B() hash.Hash { return CRC24_LTE_B.plain() }

// NewCRC24_OPENPGP makes a hash of [CRC24_OPENPGP], whose digest has 3 bytes.
func NewCRC24_OPENPGP() hash.Hash { return CRC24_OPENPGP.plain() }

// NewCRC24_OS_9 makes a hash of [CRC24_OS_9], whose digest has 3 bytes.
func NewCRC24_OS_9() hash.Hash { return CRC24_OS_9.plain() }

// NewCRC30_CDMA makes a hash of [CRC30_CDMA]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC30_CDMA() hash.Hash32 { return CRC30_CDMA.plain32() }

// NewCRC31_PHILIPS makes a hash of [CRC31_PHILIPS]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC31_PHILIPS() hash.Hash32 { return CRC31_PHILIPS.plain32() }

// NewCRC32_AIXM makes a hash of [CRC32_AIXM]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_AIXM() hash.Hash32 { return CRC32_AIXM.plain32() }

// NewCRC32_AUTOSAR makes a hash of [CRC32_AUTOSAR]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_AUTOSAR() hash.Hash32 { return CRC32_AUTOSAR.plain32() }

// NewCRC32_BASE91_D makes a hash of [CRC32_BASE91_D]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_BASE91_D() hash.Hash32 { return CRC32_BASE91_D.plain32() }

// NewCRC32_BZIP2 makes a hash of [CRC32_BZIP2]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_BZIP2() hash.Hash32 { return CRC32_BZIP2.plain32() }

// NewCRC32_CD_ROM_EDC makes a hash of [CRC32_CD_ROM_EDC]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_CD_ROM_EDC() hash.Hash32 { return CRC32_CD_ROM_EDC.plain32() }

// NewCRC32_CKSUM makes a hash of [CRC32_CKSUM]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_CKSUM() hash.Hash32 { return CRC32_CKSUM.plain32() }

// NewCRC32C makes a hash of [CRC32C]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32C() hash.Hash32 { return CRC32C.plain32() }

// NewCRC32 makes a hash of [CRC32]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32() hash.Hash32 { return CRC32.plain32() }

// NewCRC32_JAMCRC makes a hash of [CRC32_JAMCRC]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_JAMCRC() hash.Hash32 { return CRC32_JAMCRC.plain32() }

// NewCRC32_MEF makes a hash of [CRC32_MEF]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_MEF() hash.Hash32 { return CRC32_MEF.plain32() }

// NewCRC32_MPEG_2 makes a hash of [CRC32_MPEG_2]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_MPEG_2() hash.Hash32 { return CRC32_MPEG_2.plain32() }

// NewCRC32_XFER makes a hash of [CRC32_XFER]: its Sum32 is the digest as a number, the first byte the highest.
func NewCRC32_XFER() hash.Hash32 { return CRC32_XFER.plain32() }

// NewCRC40_GSM makes a hash of [CRC40_GSM], whose digest has 5 bytes.
func NewCRC40_GSM() hash.Hash { return CRC40_GSM.plain() }

// NewCRC64_ECMA_182 makes a hash of [CRC64_ECMA_182]: its Sum64 is the digest as a number, the first byte the highest.
func NewCRC64_ECMA_182() hash.Hash64 { return CRC64_ECMA_182.plain64() }

// NewCRC64_GO_ISO makes a hash of [CRC64_GO_ISO]: its Sum64 is the digest as a number, the first byte the highest.
func NewCRC64_GO_ISO() hash.Hash64 { return CRC64_GO_ISO.plain64() }

// NewCRC64_MS makes a hash of [CRC64_MS]: its Sum64 is the digest as a number, the first byte the highest.
func NewCRC64_MS() hash.Hash64 { return CRC64_MS.plain64() }

// NewCRC64_NVME makes a hash of [CRC64_NVME]: its Sum64 is the digest as a number, the first byte the highest.
func NewCRC64_NVME() hash.Hash64 { return CRC64_NVME.plain64() }

// NewCRC64_REDIS makes a hash of [CRC64_REDIS]: its Sum64 is the digest as a number, the first byte the highest.
func NewCRC64_REDIS() hash.Hash64 { return CRC64_REDIS.plain64() }

// NewCRC64_WE makes a hash of [CRC64_WE]: its Sum64 is the digest as a number, the first byte the highest.
func NewCRC64_WE() hash.Hash64 { return CRC64_WE.plain64() }

// NewCRC64_XZ makes a hash of [CRC64_XZ]: its Sum64 is the digest as a number, the first byte the highest.
func NewCRC64_XZ() hash.Hash64 { return CRC64_XZ.plain64() }

// NewCRC82_DARC makes a hash of [CRC82_DARC], whose digest has 11 bytes.
func NewCRC82_DARC() hash.Hash { return CRC82_DARC.plain() }
