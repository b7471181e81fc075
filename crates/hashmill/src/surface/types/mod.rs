//! One type per digest with the traits of the [`digest`] crate, so that what is built on them (hmac, pbkdf2, hkdf,
//! signatures) runs on our kernels. Needs the feature `digest`.
//!
//! ```
//! use hashmill::types::{Digest, Sha256, Skein512};
//! let d = Sha256::digest(b"abc");
//! assert_eq!(d[..4], [0xba, 0x78, 0x16, 0xbf]);
//! assert_eq!(Skein512::new().chain_update(b"a").chain_update(b"bc").finalize(), Skein512::digest(b"abc"));
//! ```
//!
//! The types of functions that process a block as soon as it is full have `digest`'s block-level core too, so
//! `hmac::Hmac`, `pbkdf2::pbkdf2_hmac` and `hkdf::Hkdf` take them. BLAKE2, Skein and BLAKE3 hold back their last block;
//! with those use `hmac::SimpleHmac` and `hkdf::SimpleHkdf`, as with everybody's.
//!
//! [`Hasher`] implements [`DynDigest`] for algorithms chosen at run time.

mod block;

use crate::engine::hasher::Hasher;
use crate::engine::xof::Xof;
use crate::registry::algorithm::Algorithm;
use ::digest::block_api::{AlgorithmName, BlockSizeUser, Eager, Lazy, OutputSizeUser};
use ::digest::consts::*;
pub use ::digest::{self, Digest};
use ::digest::{
    DynDigest, ExtendableOutput, ExtendableOutputReset, FixedOutput, FixedOutputReset, HashMarker, InvalidBufferSize,
    Output, Reset, Update, XofReader,
};
use std::fmt;
use std::sync::OnceLock;

use block::{Core, Named, sealed};

/// The algorithm of a name, looked up once.
macro_rules! found {
    ($name:literal) => {{
        static FOUND: OnceLock<Algorithm> = OnceLock::new();
        *FOUND.get_or_init(|| $name.parse().expect("the name stands in the registry"))
    }};
}

/// `Named` for a type.
macro_rules! named {
    ($type:ident, $name:literal, $block:ty, $size:ty, $kind:ty) => {
        impl sealed::Sealed for $type {}

        impl Named for $type {
            const NAME: &'static str = $name;
            type Block = $block;
            type Size = $size;
            type Kind = $kind;

            fn algorithm() -> Algorithm {
                found!($name)
            }
        }
    };
}

/// Types of functions made of blocks: name, block and digest in bytes, and whether a full block is processed at once.
macro_rules! fixed {
    ($($type:ident $name:literal $block:ty, $size:ty, $kind:ty;)*) => {
        $(
            ::digest::buffer_fixed!(
                #[doc = concat!("`", $name, "`")]
                pub struct $type(Core<marks::$type>);
                impl: BaseFixedTraits AlgorithmName Default Clone HashMarker Reset FixedOutputReset;
            );
        )*

        /// What tells the cores apart: a type of its own for each, since a core cannot name the type that it is part
        /// of.
        mod marks {
            use super::*;
            $(
                #[doc = concat!("Of `", $name, "`.")]
                pub enum $type {}
                named!($type, $name, $block, $size, $kind);
            )*
        }

        #[cfg(test)]
        fn fixed_types() -> Vec<tests::Type> {
            vec![$(tests::describe::<$type>($name)),*]
        }
    };
}

/// Types of extendable-output functions; each has a digest of the usual length too.
macro_rules! extendable {
    ($($type:ident $name:literal $block:ty, $size:ty;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            #[derive(Clone)]
            pub struct $type(Hasher);

            impl Default for $type {
                fn default() -> Self {
                    $type(Hasher::new(found!($name)))
                }
            }

            impl HashMarker for $type {}

            impl BlockSizeUser for $type {
                type BlockSize = $block;
            }

            impl OutputSizeUser for $type {
                type OutputSize = $size;
            }

            impl Update for $type {
                fn update(&mut self, data: &[u8]) {
                    self.0.update(data);
                }
            }

            impl Reset for $type {
                fn reset(&mut self) {
                    self.0.reset();
                }
            }

            impl FixedOutput for $type {
                fn finalize_into(self, out: &mut Output<Self>) {
                    self.0.finish(out);
                }
            }

            impl FixedOutputReset for $type {
                fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                    self.0.finish(out);
                    self.0.reset();
                }
            }

            impl ExtendableOutput for $type {
                type Reader = Xof;
                fn finalize_xof(self) -> Xof {
                    self.0.finalize_xof().expect("it is extendable")
                }
            }

            impl ExtendableOutputReset for $type {
                fn finalize_xof_reset(&mut self) -> Xof {
                    let xof = self.0.finalize_xof().expect("it is extendable");
                    self.0.reset();
                    xof
                }
            }

            impl AlgorithmName for $type {
                fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str($name)
                }
            }

            impl fmt::Debug for $type {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(concat!(stringify!($type), " { ... }"))
                }
            }
        )*

        #[cfg(test)]
        fn extendable_types() -> Vec<tests::Type> {
            vec![$(tests::describe::<$type>($name)),*]
        }
    };
}

fixed! {
    Md2 "md2" U16, U16, Eager;
    Md5 "md5" U64, U16, Eager;
    Sha1 "sha1" U64, U20, Eager;
    Sha224 "sha224" U64, U28, Eager;
    Sha256 "sha256" U64, U32, Eager;
    Sha384 "sha384" U128, U48, Eager;
    Sha512 "sha512" U128, U64, Eager;
    Sha512_224 "sha512-224" U128, U28, Eager;
    Sha512_256 "sha512-256" U128, U32, Eager;
    Sha3_224 "sha3-224" U144, U28, Eager;
    Sha3_256 "sha3-256" U136, U32, Eager;
    Sha3_384 "sha3-384" U104, U48, Eager;
    Sha3_512 "sha3-512" U72, U64, Eager;
    Keccak224 "keccak224" U144, U28, Eager;
    Keccak256 "keccak256" U136, U32, Eager;
    Keccak384 "keccak384" U104, U48, Eager;
    Keccak512 "keccak512" U72, U64, Eager;
    Blake224 "blake224" U64, U28, Eager;
    Blake256 "blake256" U64, U32, Eager;
    Blake384 "blake384" U128, U48, Eager;
    Blake512 "blake512" U128, U64, Eager;
    Blake2b512 "blake2b-512" U128, U64, Lazy;
    Blake2s256 "blake2s-256" U64, U32, Lazy;
    Groestl224 "groestl224" U64, U28, Eager;
    Groestl256 "groestl256" U64, U32, Eager;
    Groestl384 "groestl384" U128, U48, Eager;
    Groestl512 "groestl512" U128, U64, Eager;
    Jh224 "jh224" U64, U28, Eager;
    Jh256 "jh256" U64, U32, Eager;
    Jh384 "jh384" U64, U48, Eager;
    Jh512 "jh512" U64, U64, Eager;
    Tiger128 "tiger128-3" U64, U16, Eager;
    Tiger160 "tiger160-3" U64, U20, Eager;
    Tiger192 "tiger192-3" U64, U24, Eager;
    Tiger128With4Passes "tiger128-4" U64, U16, Eager;
    Tiger160With4Passes "tiger160-4" U64, U20, Eager;
    Tiger192With4Passes "tiger192-4" U64, U24, Eager;
    Tiger2 "tiger2" U64, U24, Eager;
    Snefru128 "snefru128" U48, U16, Eager;
    Snefru256 "snefru256" U32, U32, Eager;
    Whirlpool "whirlpool" U64, U64, Eager;
    Gost94 "gost94" U32, U32, Eager;
    Gost94CryptoPro "gost94-cryptopro" U32, U32, Eager;
    Streebog256 "streebog256" U64, U32, Eager;
    Streebog512 "streebog512" U64, U64, Eager;
    Sm3 "sm3" U64, U32, Eager;
    Md4 "md4" U64, U16, Eager;
    Sha0 "sha0" U64, U20, Eager;
    Ripemd128 "ripemd128" U64, U16, Eager;
    Ripemd160 "ripemd160" U64, U20, Eager;
    Ripemd256 "ripemd256" U64, U32, Eager;
    Ripemd320 "ripemd320" U64, U40, Eager;
    Haval128With3Passes "haval128-3" U128, U16, Eager;
    Haval128With4Passes "haval128-4" U128, U16, Eager;
    Haval128With5Passes "haval128-5" U128, U16, Eager;
    Haval160With3Passes "haval160-3" U128, U20, Eager;
    Haval160With4Passes "haval160-4" U128, U20, Eager;
    Haval160With5Passes "haval160-5" U128, U20, Eager;
    Haval192With3Passes "haval192-3" U128, U24, Eager;
    Haval192With4Passes "haval192-4" U128, U24, Eager;
    Haval192With5Passes "haval192-5" U128, U24, Eager;
    Haval224With3Passes "haval224-3" U128, U28, Eager;
    Haval224With4Passes "haval224-4" U128, U28, Eager;
    Haval224With5Passes "haval224-5" U128, U28, Eager;
    Haval256With3Passes "haval256-3" U128, U32, Eager;
    Haval256With4Passes "haval256-4" U128, U32, Eager;
    Haval256With5Passes "haval256-5" U128, U32, Eager;
    Skein256 "skein256-256" U32, U32, Lazy;
    Skein512 "skein512-512" U64, U64, Lazy;
    Skein1024 "skein1024-1024" U128, U128, Lazy;
    CubeHash512 "cubehash512" U32, U64, Eager;
}

extendable! {
    Shake128 "shake128" U168, U32;
    Shake256 "shake256" U136, U64;
    Blake3 "blake3" U64, U32;
}

impl XofReader for Xof {
    fn read(&mut self, buffer: &mut [u8]) {
        self.fill(buffer);
    }
}

/// For algorithms chosen at run time: `Box<dyn DynDigest>`.
impl DynDigest for Hasher {
    fn update(&mut self, data: &[u8]) {
        Hasher::update(self, data);
    }

    fn finalize_into(self, out: &mut [u8]) -> Result<(), InvalidBufferSize> {
        Hasher::finalize_into(&self, out).map_err(|_| InvalidBufferSize)
    }

    fn finalize_into_reset(&mut self, out: &mut [u8]) -> Result<(), InvalidBufferSize> {
        Hasher::finalize_into(self, out).map_err(|_| InvalidBufferSize)?;
        Hasher::reset(self);
        Ok(())
    }

    fn reset(&mut self) {
        Hasher::reset(self);
    }

    fn output_size(&self) -> usize {
        self.algorithm().digest_len()
    }

    fn box_clone(&self) -> Box<dyn DynDigest> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hmac, Security};
    use hmac::{KeyInit, Mac, SimpleHmac};

    pub(super) struct Type {
        name: &'static str,
        block: usize,
        size: usize,
        /// The digest of a message fed in pieces, and that of the same hasher after a reset.
        digest: fn(&[u8]) -> [Vec<u8>; 2],
        hmac: fn(&[u8], &[u8]) -> Vec<u8>,
    }

    pub(super) fn describe<T>(name: &'static str) -> Type
    where
        T: Digest + FixedOutputReset + BlockSizeUser + Clone,
    {
        Type {
            name,
            block: <T as BlockSizeUser>::block_size(),
            size: <T as OutputSizeUser>::output_size(),
            digest: |m| {
                let mut h = <T as Digest>::new();
                for piece in m.chunks(37) {
                    Digest::update(&mut h, piece);
                    h = h.clone();
                }
                let first = Digest::finalize_reset(&mut h).to_vec();
                Digest::update(&mut h, m);
                [first, Digest::finalize(h).to_vec()]
            },
            hmac: |key, m| {
                let mut h = <SimpleHmac<T> as KeyInit>::new_from_slice(key).expect("a key of any length");
                Mac::update(&mut h, m);
                h.finalize().into_bytes().to_vec()
            },
        }
    }

    #[test]
    fn every_type_is_its_algorithm() {
        let message: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for t in fixed_types().into_iter().chain(extendable_types()) {
            let a: Algorithm = t.name.parse().expect("registered");
            assert_eq!((t.name, t.block, t.size), (&*a.name(), a.block_len(), a.digest_len()));
            for n in [0, 1, 5, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000] {
                let m = &message[..n];
                assert_eq!((t.digest)(m), [a.digest(m).as_bytes(), a.digest(m).as_bytes()], "{a}, {n} bytes");
            }
            for key in [&b""[..], b"key", &message[..t.block], &message[..t.block + 1]] {
                // RustCrypto's SimpleHmac is an independent HMAC over our digest. With a key longer than the block,
                // HMAC is undefined if the digest is longer, too.
                if key.len() > t.block && t.size > t.block {
                    continue;
                }
                let mut ours = Hmac::new(a, key).expect("a key");
                ours.update(&message);
                assert_eq!(ours.finalize().as_bytes(), (t.hmac)(key, &message), "hmac-{a}, key of {} bytes", key.len());
            }
        }
    }

    #[test]
    fn every_cryptographic_digest_has_a_type() {
        let named: Vec<&str> = fixed_types().into_iter().chain(extendable_types()).map(|t| t.name).collect();
        for a in Algorithm::all().filter(|a| a.security() != Security::NotCryptographic) {
            assert!(named.contains(&a.base_name()), "{a} has no type");
        }
    }

    /// RFC 6070, RFC 5869 and RFC 7914 (section 11): the `pbkdf2` and `hkdf` crates over our types.
    #[test]
    fn pbkdf2_and_hkdf() {
        let mut key = [0; 20];
        pbkdf2::pbkdf2_hmac::<Sha1>(b"password", b"salt", 4096, &mut key);
        assert_eq!(crate::base::hex::text(&key), "4b007901b765489abead49d926f721d065a429c1");
        let mut key = [0; 64];
        pbkdf2::pbkdf2_hmac::<Sha256>(b"passwd", b"salt", 1, &mut key);
        assert_eq!(crate::base::hex::text(&key[..16]), "55ac046e56e3089fec1691c22544b605");
        let (_, hkdf) = hkdf::Hkdf::<Sha256>::extract(Some(&(0..13).collect::<Vec<u8>>()), &[0x0b; 22]);
        let mut okm = [0; 42];
        hkdf.expand(&(0xf0..0xfa).collect::<Vec<u8>>(), &mut okm).expect("short enough");
        assert_eq!(
            crate::base::hex::text(&okm),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        );
        let mut mac = <hmac::Hmac<Md5> as KeyInit>::new_from_slice(b"Jefe").expect("a key");
        Mac::update(&mut mac, b"what do ya want for nothing?");
        assert_eq!(crate::base::hex::text(&mac.finalize().into_bytes()), "750c783e6ab0b503eaa86e310a5db738");
    }

    #[test]
    fn extendable_output() {
        let mut out = [0; 300];
        let mut h = Shake128::default();
        Update::update(&mut h, b"message");
        h.clone().finalize_xof().read(&mut out);
        let a: Algorithm = "shake128:300".parse().expect("known");
        assert_eq!(out[..], a.digest(b"message").as_bytes()[..]);
        h.finalize_xof_reset();
        Update::update(&mut h, b"message");
        let mut again = [0; 300];
        h.finalize_xof_into(&mut again);
        assert_eq!(out, again);
    }

    #[test]
    fn chosen_at_run_time() {
        for name in ["sha256", "crc32", "shake128:7"] {
            let a: Algorithm = name.parse().expect("known");
            let mut h: Box<dyn DynDigest> = Box::new(Hasher::new(a));
            h.update(b"ab");
            let mut twin = h.box_clone();
            twin.update(b"c");
            let mut out = vec![0; twin.output_size()];
            twin.finalize_into_reset(&mut out).expect("the right size");
            assert_eq!(out, a.digest(b"abc").as_bytes());
            twin.finalize_into_reset(&mut out).expect("the right size");
            assert_eq!(out, a.digest(b"").as_bytes());
            assert!(h.finalize_into_reset(&mut out[1..]).is_err());
        }
    }

    #[test]
    fn names() {
        struct Name;
        impl fmt::Display for Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                <Sha3_256 as AlgorithmName>::write_alg_name(f)
            }
        }
        assert_eq!(Name.to_string(), "sha3-256");
        assert_eq!(format!("{:?}", Sha256::new()), "Sha256 { ... }");
    }
}
