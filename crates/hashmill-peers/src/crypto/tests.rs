use super::*;
use crate::peer::libcrypto::Libcrypto;
use hashmill_measure::random::Random;

/// Returns the providers that are available.
fn providers() -> Vec<Provider> {
    match Libcrypto::load() {
        Ok(_) => vec![Provider::AwsLc, Provider::RustCrypto, Provider::Openssl],
        Err(e) => {
            assert!(std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_none_or(|v| v != "1"), "{e}");
            println!("skipped: {e}");
            vec![Provider::AwsLc, Provider::RustCrypto]
        }
    }
}

fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).map(|c| u8::from_str_radix(str::from_utf8(c).unwrap(), 16).unwrap()).collect()
}

fn uses() -> impl Iterator<Item = (CipherKind, CipherUse)> {
    let both = [false, true];
    CIPHERS.into_iter().flat_map(move |kind| {
        let uses = both.into_iter().flat_map(move |tls| both.map(|decrypt| CipherUse { decrypt, tls }));
        uses.filter(move |u| kind.aead || !u.tls).map(move |u| (kind, u))
    })
}

fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 % 251) as u8).collect()
}

const SIZES: [usize; 8] = [1, 2, 16, 31, 100, 136, 1024, 8192];

/// SP 800-38A F.2.1 and F.5.5; the GCM submission's test case 4; RFC 8439, 2.8.2. Name, key, IV, additional data,
/// message, ciphertext, tag.
const KNOWN: [[&str; 7]; 4] = [
    [
        "aes-128-cbc",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "000102030405060708090a0b0c0d0e0f",
        "",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
        "",
    ],
    [
        "aes-256-ctr",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        "",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
        "",
    ],
    [
        "aes-128-gcm",
        "feffe9928665731c6d6a8f9467308308",
        "cafebabefacedbaddecaf888",
        "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
        "5bc94fbc3221a5db94fae95ae7121a47",
    ],
    [
        "chacha20-poly1305",
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        "070000004041424344454647",
        "50515253c0c1c2c3c4c5c6c7",
        "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a204966204920636f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73637265656e20776f756c642062652069742e",
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116",
        "1ae10b594f09e26a7e902ecbd0600691",
    ],
];

#[test]
fn known_answers_of_ciphers() {
    for provider in providers() {
        for [name, key, iv, aad, plain, text, tag] in KNOWN {
            let kind = cipher_named(name).unwrap();
            let [key, iv, aad, plain, text, tag] = [key, iv, aad, plain, text, tag].map(unhex);
            let material = Material { key: &key, iv: &iv, aad: &aad };
            let make = |decrypt| cipher_with(provider, kind, CipherUse { decrypt, tls: kind.aead }, &material).unwrap();
            let mut data = plain.clone();
            make(false).run(&mut data, 1).unwrap();
            assert_eq!(data, text, "{provider:?} {name}");
            let mut decrypter = make(true);
            if kind.aead {
                decrypter.run(&mut plain.clone(), 0).unwrap();
                let sealed = decrypter.sealed().unwrap();
                assert_eq!((&sealed.text, &sealed.tag[..]), (&text, &tag[..]), "{provider:?} {name}");
                data.fill(0);
            }
            decrypter.run(&mut data, 1).unwrap();
            assert_eq!(data, plain, "{provider:?} {name}");
        }
    }
}

#[test]
fn providers_agree_on_ciphers() {
    let providers = providers();
    for (kind, usage) in uses() {
        for len in SIZES {
            let endless = kind.name == "chacha20-poly1305" && !usage.tls;
            let run = |provider, times| {
                let mut crypter = cipher(provider, kind, usage).unwrap();
                let mut data = message(len);
                crypter.run(&mut data, times).unwrap();
                (data, crypter.sealed().cloned())
            };
            // RustCrypto's whole messages and the others' endless message begin alike when encrypting.
            if endless && !usage.decrypt {
                let made: Vec<_> = providers.iter().map(|&p| run(p, 1)).collect();
                assert!(made.iter().all(|m| *m == made[0]), "{} {usage:?} {len}", kind.name);
            }
            let alike = |p: &Provider| !endless || *p != Provider::RustCrypto;
            let made: Vec<_> = providers.iter().copied().filter(alike).map(|p| run(p, 2)).collect();
            assert!(made.iter().all(|m| *m == made[0]), "{} {usage:?} {len}", kind.name);
            assert!(!made.is_empty());
        }
    }
}

/// Random keys, IVs, messages and additional data of random lengths, in pieces if the cipher supports that.
#[test]
fn providers_agree_on_random_input() {
    let providers = providers();
    let seed = getrandom::u64().unwrap();
    let mut random = Random(seed);
    let mut bytes = |len: usize| {
        let mut bytes = vec![0; len];
        random.fill(&mut bytes);
        bytes
    };
    for round in 0..50 {
        for (kind, usage) in uses() {
            let (key, iv) = (bytes(kind.key_len), bytes(kind.iv_len));
            let lens: Vec<usize> = bytes(6).chunks(2).map(|c| usize::from(c[0]) * usize::from(c[1]) / 16).collect();
            let aad = if usage.tls { bytes(lens[0] % 40) } else { Vec::new() };
            let messages: Vec<Vec<u8>> = lens.iter().map(|&n| bytes(n + 1)).collect();
            let run = |provider| {
                let material = Material { key: &key, iv: &iv, aad: &aad };
                let mut crypter = cipher_with(provider, kind, usage, &material).unwrap();
                let run = |m: &Vec<u8>| {
                    let mut data = m.clone();
                    crypter.run(&mut data, 1).unwrap();
                    (data, crypter.sealed().cloned())
                };
                messages.iter().map(run).collect::<Vec<_>>()
            };
            let endless = kind.name == "chacha20-poly1305" && !usage.tls;
            let alike = |p: &Provider| !endless || *p != Provider::RustCrypto;
            let made: Vec<_> = providers.iter().copied().filter(alike).map(run).collect();
            let what = || format!("seed {seed:#x}, round {round}: {} {usage:?} {lens:?}", kind.name);
            assert!(made.iter().all(|m| *m == made[0]), "{}", what());
        }
    }
}

#[test]
fn decrypting_gives_the_message_back() {
    for provider in providers() {
        for (kind, usage) in uses().filter(|(_, u)| u.decrypt) {
            // CBC has no room for the encrypted padding of a partial last block.
            for len in SIZES.into_iter().filter(|n| !kind.name.ends_with("-cbc") || n % 16 == 0) {
                let encrypting = CipherUse { decrypt: false, ..usage };
                let mut encrypter = cipher(provider, kind, encrypting).unwrap();
                let mut decrypter = cipher(provider, kind, usage).unwrap();
                let shown = format!("{provider:?} {} {usage:?} {len}", kind.name);
                decrypter.run(&mut message(len), 0).unwrap();
                // Two buffers: the second continues where the first ended.
                let mut buffers = [message(len), message(len)];
                for data in &mut buffers {
                    encrypter.run(data, 1).unwrap();
                    assert_ne!(*data, message(len), "{shown}");
                    if let Some(sealed) = decrypter.sealed() {
                        assert_eq!(sealed.text, *data, "{shown}");
                        data.fill(0);
                    }
                }
                for data in &mut buffers {
                    decrypter.run(data, 1).unwrap();
                    assert_eq!(*data, message(len), "{shown}");
                }
            }
        }
    }
}

#[test]
fn a_changed_message_or_tag_is_refused() {
    for provider in providers() {
        for kind in CIPHERS.into_iter().filter(|k| k.aead) {
            let mut decrypter = cipher(provider, kind, CipherUse { decrypt: true, tls: true }).unwrap();
            assert_eq!(decrypter.sealed(), None);
            let mut data = message(100);
            decrypter.run(&mut data, 1).unwrap();
            decrypter.sealed().unwrap().tag[15] ^= 1;
            let e = decrypter.run(&mut data, 1).unwrap_err().to_string();
            assert!(e.starts_with(&decrypter.version()) && e.ends_with("failed"), "{e}");
            decrypter.sealed().unwrap().tag[15] ^= 1;
            decrypter.run(&mut data, 1).unwrap();
            decrypter.sealed().unwrap().text[99] ^= 1;
            decrypter.run(&mut data, 1).unwrap_err();
        }
    }
}

#[test]
fn a_last_part_of_a_block_is_run_as_a_block() {
    for provider in providers() {
        let kind = cipher_named("AES-192-CBC").unwrap();
        let mut padded = message(31);
        padded.push(0);
        let mut part = message(31);
        cipher(provider, kind, CipherUse::default()).unwrap().run(&mut padded, 1).unwrap();
        cipher(provider, kind, CipherUse::default()).unwrap().run(&mut part, 1).unwrap();
        assert_eq!(part, padded[..31], "{provider:?}");
    }
}

#[test]
fn what_a_cipher_cannot_is_an_error() {
    for provider in providers() {
        let tls = CipherUse { decrypt: false, tls: true };
        let e = cipher(provider, cipher_named("aes-128 cbc").unwrap(), tls).err().unwrap();
        assert_eq!(e.to_string(), "aes-128-cbc has no authentication");
        let none = CipherKind { name: "aes-129-cbc", ..CIPHERS[0] };
        let e = cipher(provider, none, CipherUse::default()).err().unwrap();
        assert!(e.to_string().ends_with(" has no aes-129-cbc"), "{e}");
    }
}

/// Returns every key that exists, with its number of primes.
fn all_keys() -> impl Iterator<Item = (KeyKind, usize)> {
    let primes = |kind| match kind {
        KeyKind::Rsa(4096) => 2..=4,
        KeyKind::Rsa(1024..) => 2..=3,
        _ => 2..=2,
    };
    KEYS.into_iter().flat_map(move |(_, kind)| primes(kind).map(move |n| (kind, n)))
}

#[test]
fn what_one_signs_or_encrypts_the_other_verifies_or_decrypts() {
    let providers = providers();
    for (kind, primes) in all_keys() {
        let has = |p: &Provider| *p != Provider::AwsLc || primes == 2;
        let mut pairs: Vec<_> = providers.iter().copied().filter(has).map(|p| key(p, kind, primes).unwrap()).collect();
        for pair in &mut pairs {
            pair.sign(2).unwrap();
            pair.verify(2).unwrap();
            if let KeyKind::Rsa(_) = kind {
                pair.encrypt(2).unwrap();
                pair.decrypt(2).unwrap();
            } else {
                let none = format!("{} has no encryption with {}", pair.version(), kind.name());
                assert_eq!(pair.encrypt(1).unwrap_err().to_string(), none);
                assert_eq!(pair.decrypt(1).unwrap_err().to_string(), none);
            }
        }
        let made: Vec<Made> = pairs.iter_mut().map(|p| p.made().clone()).collect();
        for (i, pair) in pairs.iter_mut().enumerate() {
            for (j, theirs) in made.iter().enumerate() {
                // RSA signature padding and Ed25519 are not randomized.
                let same = made[i].signature == theirs.signature;
                assert_eq!(same, i == j || kind != KeyKind::EcdsaP256, "{kind:?}");
                pair.made().clone_from(theirs);
                pair.verify(1).unwrap();
                if let KeyKind::Rsa(_) = kind {
                    pair.decrypt(1).unwrap();
                }
            }
        }
        for pair in &mut pairs {
            *pair.made().signature.last_mut().unwrap() ^= 1;
            let e = pair.verify(1).unwrap_err().to_string();
            assert!(e.starts_with(&pair.version()) && e.ends_with("failed"), "{e}");
        }
    }
}

#[test]
fn keys_have_their_size_and_stay_the_same() {
    use rsa::traits::{PrivateKeyParts, PublicKeyParts};
    for (kind, primes) in all_keys() {
        if let KeyKind::Rsa(bits) = kind {
            let key = keys::rsa(bits, primes).unwrap();
            assert_eq!((key.n().bits(), key.primes().len()), (bits as usize, primes));
            key.validate().unwrap();
        }
    }
    for provider in providers() {
        let primes = if provider == Provider::AwsLc { 2 } else { 3 };
        let mut made = [(); 2].map(|()| key(provider, KeyKind::Rsa(1024), primes).unwrap().made().signature.clone());
        assert_eq!(made[0], made[1]);
        made[0].clear();
        for (bits, primes) in [(512, 3), (1024, 4), (4096, 5), (2048, 1), (777, 2)] {
            let e = key(provider, KeyKind::Rsa(bits), primes).err().unwrap().to_string();
            let many = if primes == 2 { String::new() } else { format!(" with {primes} primes") };
            assert!(e.ends_with(&format!(" has no rsa{bits} key{many}")), "{e}");
        }
    }
    let e = key(Provider::AwsLc, KeyKind::Rsa(2048), 3).err().unwrap().to_string();
    assert!(e.starts_with("AWS-LC ") && e.ends_with(" has no rsa2048 key with 3 primes"), "{e}");
}

/// RFC 8032, 7.1, test 1; RFC 6979, A.2.5, SHA-256 of "sample".
#[test]
fn known_answers_of_keys() {
    let expected = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";
    for provider in providers() {
        let mut pair = key_with(provider, KeyKind::Ed25519, 2, b"").unwrap();
        assert_eq!(pair.made().signature, unhex(expected), "{provider:?}");
        pair.verify(2).unwrap();
    }
    let digest = unhex("af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf");
    let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716";
    let s = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";
    let signature = unhex(&format!("3046022100{r}022100{s}"));
    for provider in providers() {
        let mut pair = key_with(provider, KeyKind::EcdsaP256, 2, &digest).unwrap();
        if provider == Provider::RustCrypto {
            assert_eq!(pair.made().signature, signature);
        }
        pair.made().signature.clone_from(&signature);
        pair.verify(2).unwrap();
    }
}

#[test]
fn one_shot_digests_and_hmac() {
    if providers().len() < 2 {
        return;
    }
    for name in ["md5", "SHA1", "sha256", "sha512-256", "sha3-256", "blake2b-512", "blake2s256", "ripemd160", "sm3"] {
        let mut digest = match openssl_digest(name) {
            Ok(digest) => digest,
            // A library may be built or configured without these.
            Err(e @ PeerError::NoDigest { .. }) if ["ripemd160", "sm3"].contains(&name) => {
                println!("skipped: {e}");
                continue;
            }
            Err(e) => panic!("{e}"),
        };
        let ours: hashmill::Algorithm = name.parse().unwrap();
        for len in SIZES {
            digest.run(&message(len), 2).unwrap();
            assert_eq!(digest.output(&message(len)).unwrap(), ours.digest(&message(len)).as_bytes(), "{name} {len}");
        }
        let mut hmac = openssl_hmac(name).unwrap();
        hmac.run(&message(100), 2).unwrap();
        assert_eq!(hmac.output(&message(100)).unwrap(), hmac_by_hand(ours, HMAC_KEY, &message(100)), "{name}");
        assert!(hmac.version().starts_with("OpenSSL"));
    }
    assert!(openssl_digest("xxh64").err().unwrap().to_string().ends_with("has no xxh64"));
    assert!(openssl_hmac("xxh64").err().unwrap().to_string().ends_with("has no hmac(xxh64)"));
}

/// Computes HMAC as in RFC 2104, for a key that is no longer than a block.
fn hmac_by_hand(algorithm: hashmill::Algorithm, key: &[u8], message: &[u8]) -> Vec<u8> {
    let pad = |byte: u8| {
        let mut block = vec![byte; algorithm.block_len()];
        block.iter_mut().zip(key).for_each(|(b, k)| *b ^= k);
        block
    };
    let inner = algorithm.digest(&[&pad(0x36), message].concat());
    algorithm.digest(&[&pad(0x5c), inner.as_bytes()].concat()).as_bytes().to_vec()
}

#[test]
fn names() {
    for kind in CIPHERS {
        assert_eq!(cipher_named(kind.name), Some(kind));
        assert_eq!(cipher_named(kind.old_name), Some(kind));
        assert_eq!(cipher_named(&kind.name.to_uppercase()), Some(kind));
    }
    for (name, kind) in KEYS {
        assert_eq!(key_named(name), Some(kind));
        assert_eq!(kind.name(), name);
    }
    assert_eq!(key_named("ECDSA-P256"), Some(KeyKind::EcdsaP256));
    assert_eq!((cipher_named("md5"), key_named("rsa"), key_named("rsa777")), (None, None, None));
}
