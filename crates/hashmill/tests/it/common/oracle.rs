//! Digests of other implementations, which share no code with ours.

use super::{crcs, naive};
use shake::digest::{DynDigest, ExtendableOutput, XofReader};

/// An implementation that is fed in pieces.
pub(crate) trait Oracle {
    fn update(&mut self, m: &[u8]);
    fn finish(self: Box<Self>) -> Vec<u8>;
}

/// A digest that implements the `digest` crate's traits.
struct Fixed(Box<dyn DynDigest>);

impl Oracle for Fixed {
    fn update(&mut self, m: &[u8]) {
        self.0.update(m);
    }
    fn finish(self: Box<Self>) -> Vec<u8> {
        self.0.finalize().into_vec()
    }
}

/// An extendable-output function, with the output length that we use.
struct Extendable<D>(D, usize);

impl<D: ExtendableOutput> Oracle for Extendable<D> {
    fn update(&mut self, m: &[u8]) {
        self.0.update(m);
    }
    fn finish(self: Box<Self>) -> Vec<u8> {
        let mut out = vec![0; self.1];
        self.0.finalize_xof().read(&mut out);
        out
    }
}

/// A digest that implements an older release of those traits.
struct Older<D>(D);

impl<D: blake_hash::Digest> Oracle for Older<D> {
    fn update(&mut self, m: &[u8]) {
        self.0.update(m);
    }
    fn finish(self: Box<Self>) -> Vec<u8> {
        self.0.finalize().to_vec()
    }
}

/// A type that implements none of these traits, with functions that call its own methods.
struct Own<T>(T, fn(&mut T, &[u8]), fn(T) -> Vec<u8>);

impl<T> Oracle for Own<T> {
    fn update(&mut self, m: &[u8]) {
        self.1(&mut self.0, m);
    }
    fn finish(self: Box<Self>) -> Vec<u8> {
        self.2(self.0)
    }
}

/// Returns another implementation that supports streaming.
pub(crate) fn streamed(name: &str) -> Option<Box<dyn Oracle>> {
    fn of<D: DynDigest + Default + 'static>() -> Option<Box<dyn Oracle>> {
        Some(Box::new(Fixed(Box::new(D::default()))))
    }
    fn xof<D: ExtendableOutput + Default + 'static>(bytes: usize) -> Option<Box<dyn Oracle>> {
        Some(Box::new(Extendable(D::default(), bytes)))
    }
    fn older<D: blake_hash::Digest + 'static>() -> Option<Box<dyn Oracle>> {
        Some(Box::new(Older(D::new())))
    }
    fn own<T: 'static>(x: T, update: fn(&mut T, &[u8]), finish: fn(T) -> Vec<u8>) -> Option<Box<dyn Oracle>> {
        Some(Box::new(Own(x, update, finish)))
    }
    use std::hash::Hasher;
    use xxhash_rust::{xxh3::Xxh3, xxh32::Xxh32, xxh64::Xxh64};
    match name {
        "md2" => of::<md2::Md2>(),
        "md4" => of::<md4::Md4>(),
        "md5" => of::<md5::Md5>(),
        "sha1" => of::<sha1::Sha1>(),
        "ripemd128" => of::<ripemd::Ripemd128>(),
        "ripemd160" => of::<ripemd::Ripemd160>(),
        "ripemd256" => of::<ripemd::Ripemd256>(),
        "ripemd320" => of::<ripemd::Ripemd320>(),
        "sha224" => of::<sha2::Sha224>(),
        "sha256" => of::<sha2::Sha256>(),
        "sha384" => of::<sha2::Sha384>(),
        "sha512" => of::<sha2::Sha512>(),
        "sha512-224" => of::<sha2::Sha512_224>(),
        "sha512-256" => of::<sha2::Sha512_256>(),
        "sha3-224" => of::<sha3::Sha3_224>(),
        "sha3-256" => of::<sha3::Sha3_256>(),
        "sha3-384" => of::<sha3::Sha3_384>(),
        "sha3-512" => of::<sha3::Sha3_512>(),
        "keccak224" => of::<sha3::Keccak224>(),
        "keccak256" => of::<sha3::Keccak256>(),
        "keccak384" => of::<sha3::Keccak384>(),
        "keccak512" => of::<sha3::Keccak512>(),
        "shake128" => xof::<shake::Shake128>(32),
        "shake256" => xof::<shake::Shake256>(64),
        "blake224" => older::<blake_hash::Blake224>(),
        "blake256" => older::<blake_hash::Blake256>(),
        // The crate's 64-bit half exists for x86 only.
        #[cfg(target_arch = "x86_64")]
        "blake384" => older::<blake_hash::Blake384>(),
        #[cfg(target_arch = "x86_64")]
        "blake512" => older::<blake_hash::Blake512>(),
        "blake2b-512" => of::<blake2::Blake2b512>(),
        "blake2s-256" => of::<blake2::Blake2s256>(),
        "groestl224" => of::<groestl::Groestl224>(),
        "groestl256" => of::<groestl::Groestl256>(),
        "groestl384" => of::<groestl::Groestl384>(),
        "groestl512" => of::<groestl::Groestl512>(),
        // The crate mistakes big-endian machines for little-endian ones.
        #[cfg(target_endian = "little")]
        "jh224" => of::<jh::Jh224>(),
        #[cfg(target_endian = "little")]
        "jh256" => of::<jh::Jh256>(),
        #[cfg(target_endian = "little")]
        "jh384" => of::<jh::Jh384>(),
        #[cfg(target_endian = "little")]
        "jh512" => of::<jh::Jh512>(),
        "skein256-256" => of::<skein::Skein256_256>(),
        "skein512-512" => of::<skein::Skein512_512>(),
        "skein1024-1024" => of::<skein::Skein1024_1024>(),
        "cubehash512" => {
            // The crate's revision 2 is CubeHash160+16/32+160.
            let parameters = cubehash::CubeHashParams { revision: 2, hash_len_bits: 512 };
            own(cubehash::CubeHashBest::new(parameters), |h, m| h.update(m), |h| h.finalize())
        }
        "tiger192-3" => of::<tiger::Tiger>(),
        "tiger2" => of::<tiger::Tiger2>(),
        "whirlpool" => of::<whirlpool::Whirlpool>(),
        "gost94" => of::<gost94::Gost94Test>(),
        "gost94-cryptopro" => of::<gost94::Gost94CryptoPro>(),
        "streebog256" => of::<streebog::Streebog256>(),
        "streebog512" => of::<streebog::Streebog512>(),
        "sm3" => of::<sm3::Sm3>(),
        "blake3" => own(blake3::Hasher::new(), |h, m| _ = h.update(m), |h| h.finalize().as_bytes().to_vec()),
        "siphash-2-4" => {
            own(siphasher::sip::SipHasher24::new(), |h, m| h.write(m), |h| Hasher::finish(&h).to_le_bytes().to_vec())
        }
        "crc32" => own(crc32fast::Hasher::new(), |h, m| h.update(m), |h| h.finalize().to_be_bytes().to_vec()),
        "xxh32" => own(Xxh32::new(0), |h, m| h.update(m), |h| h.digest().to_be_bytes().to_vec()),
        "xxh64" => own(Xxh64::new(0), |h, m| h.update(m), |h| h.digest().to_be_bytes().to_vec()),
        "xxh3" => own(Xxh3::new(), |h, m| h.update(m), |h| h.digest().to_be_bytes().to_vec()),
        "xxh128" => own(Xxh3::new(), |h, m| h.update(m), |h| h.digest128().to_be_bytes().to_vec()),
        "adler32" => own(adler2::Adler32::new(), |h, m| h.write_slice(m), |h| h.checksum().to_be_bytes().to_vec()),
        _ => None,
    }
}

/// Returns the digest of a whole message by another implementation, or `None` if there is none.
pub(crate) fn oracle(name: &str, m: &[u8]) -> Option<Vec<u8>> {
    if let Some(mut h) = streamed(name) {
        h.update(m);
        return Some(h.finish());
    }
    match name {
        "sha0" => Some(naive::md::sha0(m)),
        "tiger160-3" => oracle("tiger192-3", m).map(|d| d[..20].to_vec()),
        "tiger128-3" => oracle("tiger192-3", m).map(|d| d[..16].to_vec()),
        "tiger192-4" => Some(naive::tiger::tiger(m, 4).to_vec()),
        "tiger160-4" => Some(naive::tiger::tiger(m, 4)[..20].to_vec()),
        "tiger128-4" => Some(naive::tiger::tiger(m, 4)[..16].to_vec()),
        "snefru128" => Some(naive::snefru::snefru(m, 16)),
        "snefru256" => Some(naive::snefru::snefru(m, 32)),
        "siphash-2-4-128" => Some(siphasher::sip128::SipHasher24::new().hash(m).as_bytes().to_vec()),
        "crc32-php" => crcs::crc("crc32-bzip2", m).map(|d| d.into_iter().rev().collect()),
        "cksum" => {
            let length = m.len().to_le_bytes();
            let used = length.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            crcs::crc("crc32-cksum", &[m, &length[..used]].concat())
        }
        "murmur3a" => Some(murmur3::murmur3_32(&mut &*m, 0).unwrap().to_be_bytes().to_vec()),
        "murmur3c" => {
            let h = murmur3::murmur3_x86_128(&mut &*m, 0).unwrap().to_le_bytes();
            Some(h.chunks(4).flat_map(|word| word.iter().rev().copied()).collect())
        }
        "murmur3f" => {
            let h = murmur3::murmur3_x64_128(&mut &*m, 0).unwrap().to_le_bytes();
            Some(h.chunks(8).flat_map(|word| word.iter().rev().copied()).collect())
        }
        "fletcher16" => Some(naive::sums::fletcher(m, 1)),
        "fletcher32" => Some(naive::sums::fletcher(m, 2)),
        "fletcher64" => Some(naive::sums::fletcher(m, 4)),
        "sum-bsd" => Some(naive::sums::sum_bsd(m).to_be_bytes().to_vec()),
        "sum-sysv" => Some(naive::sums::sum_sysv(m).to_be_bytes().to_vec()),
        "fnv132" => Some(naive::sums::fnv(m, 32, false)),
        "fnv1a32" => Some(naive::sums::fnv(m, 32, true)),
        "fnv164" => Some(naive::sums::fnv(m, 64, false)),
        "fnv1a64" => Some(naive::sums::fnv(m, 64, true)),
        "joaat" => Some(naive::sums::joaat(m).to_be_bytes().to_vec()),
        _ => match name.strip_prefix("haval").and_then(|rest| rest.split_once('-')) {
            Some((bits, passes)) => Some(naive::md::haval(m, passes.parse().ok()?, bits.parse().ok()?)),
            None => crcs::crc(name, m),
        },
    }
}
