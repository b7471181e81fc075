//! The keys that are timed, always the same so that runs are comparable. They are test keys. Anyone can read them here,
//! so they must never protect anything.

use rsa::traits::{PrivateKeyParts, PublicKeyParts};
use rsa::{BigUint, RsaPrivateKey};

/// ECDSA private key over P-256, from RFC 6979, A.2.5.
pub(super) const P256: [u8; 32] = [
    0xc9, 0xaf, 0xa9, 0xd8, 0x45, 0xba, 0x75, 0x16, 0x6b, 0x5c, 0x21, 0x57, 0x67, 0xb1, 0xd6, 0x93, 0x4e, 0x50, 0xc3,
    0xdb, 0x36, 0xe8, 0x9b, 0x12, 0x7b, 0x8a, 0x62, 0x2b, 0x12, 0x0f, 0x67, 0x21,
];

/// Ed25519 private key, from RFC 8032, 7.1, test 1.
pub(super) const ED25519: [u8; 32] = [
    0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49, 0xc5,
    0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
];

/// Returns the RSA key with a modulus of `bits` bits and this many primes, if there is one.
pub(super) fn rsa(bits: u32, primes: usize) -> Option<RsaPrivateKey> {
    let parse = |text: &&str| BigUint::parse_bytes(text.as_bytes(), 16);
    let found = RSA.iter().filter(|all| all.len() == primes).find_map(|all| {
        let all: Vec<BigUint> = all.iter().map(parse).collect::<Option<_>>()?;
        let modulus: BigUint = all.iter().product();
        (modulus.bits() == bits as usize).then_some(all)
    })?;
    RsaPrivateKey::from_primes(found, BigUint::from(65537u32)).ok()
}

/// Encodes the key as a PKCS#1 RSAPrivateKey in DER, with any number of primes.
pub(super) fn rsa_der(key: &RsaPrivateKey) -> Vec<u8> {
    let primes = key.primes();
    // What goes with each prime: the private exponent and the inverse of a number, both modulo that prime.
    let exponent = |prime: &BigUint| key.d() % (prime - 1u8);
    let inverse = |of: &BigUint, prime: &BigUint| of.modpow(&(prime - 2u8), prime);
    let [p, q, others @ ..] = primes else { return Vec::new() };
    let version = BigUint::from(u8::from(!others.is_empty()));
    let numbers = [version, key.n().clone(), key.e().clone(), key.d().clone(), p.clone(), q.clone()];
    let mut content = numbers.map(|n| integer(&n)).concat();
    for n in [exponent(p), exponent(q), inverse(q, p)] {
        content.extend(integer(&n));
    }
    if !others.is_empty() {
        let mut before = p * q;
        let mut infos = Vec::new();
        for prime in others {
            let info = [prime.clone(), exponent(prime), inverse(&before, prime)];
            infos.extend(tagged(SEQUENCE, &info.map(|n| integer(&n)).concat()));
            before *= prime;
        }
        content.extend(tagged(SEQUENCE, &infos));
    }
    tagged(SEQUENCE, &content)
}

/// Encodes a P-256 key as a SEC 1 ECPrivateKey in DER.
pub(super) fn p256_der(key: &[u8; 32]) -> Vec<u8> {
    // prime256v1, 1.2.840.10045.3.1.7
    let curve = tagged(OBJECT, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]);
    let parts = [integer(&BigUint::from(1u8)), tagged(OCTETS, key), tagged(PARAMETERS, &curve)];
    tagged(SEQUENCE, &parts.concat())
}

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const OBJECT: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const PARAMETERS: u8 = 0xa0;

fn integer(n: &BigUint) -> Vec<u8> {
    let mut bytes = n.to_bytes_be();
    // With the top bit set, it would be a negative number.
    if bytes.first().is_none_or(|b| b & 0x80 != 0) {
        bytes.insert(0, 0);
    }
    tagged(INTEGER, &bytes)
}

/// Encodes tag, length and content.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let len = content.len();
    let mut out = vec![tag];
    if len < 0x80 {
        out.push(len as u8);
    } else {
        let bytes = len.to_be_bytes();
        let bytes = &bytes[len.leading_zeros() as usize / 8..];
        out.push(0x80 | bytes.len() as u8);
        out.extend(bytes);
    }
    out.extend(content);
    out
}

/// Primes of the RSA keys, in hexadecimal, generated for this purpose.
const RSA: [&[&str]; 10] = [
    // 512 bits, 2 primes
    &[
        "f7a93d7cf67989ae5810c49515cdff878abe2fcf678987af3c5b54323fe9dfdb",
        "c3c4ac9b6eb7ba83ca77331b131d6380ecd05fdfd3190d2066ea59a4a51e1fc9",
    ],
    // 1024 bits, 2 primes
    &[
        "f1525f247484415e4c9b925994e6f9db568082f0d7b3f542e861be52c81c6b3e7e109e3711fd3bea1c62484fbf708e45b9fbd9b5393355\
         a25428d29228dbb503",
        "cd8ee7f024cdccde2c09ffb71186442b6bce0019ed6fd37f5f6f4d90377a547e923a684e2cf71c75aa52416ee90bba7548302046bd6be7\
         53bdbd82489ca9d9cf",
    ],
    // 1024 bits, 3 primes
    &[
        "39656180f3133a20474386df9e94977934c48c96d062b5a52ceaa41324fb0694aec0d0b043d76fe052f143",
        "1dce4b9005bd405a096ab3df57d51f29e34ea914a888b06f7a6891fd156bb6563c65f2cfd84133de2afe55",
        "1d2e2f43f6fb275feb2a61ed6fb7aa3e876481a65a6f6fb278145f0c8a26202b1ae6a4f78e2ee397d72f47",
    ],
    // 2048 bits, 2 primes
    &[
        "fe5a4689b96c2aca4ea0fd5b043ec43a8d5fb53c232bcf5b89f9360a7d9dbac7edb385f048def71516ba71ebc947f038087d5040a5e104\
         26b8c326efcdf4f47257acea72cdac122a9d51111fad41072f5d7c38f4042ea84266ba3f2beaf02e4c9b30433fe0d600a34485b4ec11df\
         a7e8b09cc6bb207cc083a4eab5563280ce11",
        "b869ca80ffad9f183ef0ec9c76ad36a57712608b22b940c41863aa1718ca169d19e38327f8be1783497e5895c35f74405b580d1a07c5c9\
         3034e0cd6b3f37b0bd0e5c5ab60720c9dd70185c60d538617add1d457ddb44bd2697a8c91c9676cef29cd3d270f00cf9ad0facf7808901\
         5efb25d0ecceefddda3d065ec2f4afd829bd",
    ],
    // 2048 bits, 3 primes
    &[
        "7ffd8f641e34e5a79a53699c4c164402866c661b5aaecbddbe6639d117b50d17f348cdcba69240519324c092713d53fa9afa09a474dd23\
         a4a9c8b187f146985f99e5e7008ab6f85dc0f1e4655a67f1462b73f6bd6f3",
        "6aa4a7176fc5e91e799ce8960c8f39e07f8cb98910267c2929e39eab4126e84a52076a603ae8d2cb592f238a196e560fe397456e0dbe0d\
         b724ce813e013f5a677640ad5e487c957ae67aa8f5b5e59b6d2295808aa05",
        "38ec95fcbb98be2ac6f7ac2518f95d0178c99337fb3d8cee046ec44d54b561601d1dafabd955622d4dbf5ebf5941543750a7e59ac7b976\
         93a507d22a837e5b6d2d6b687164267ce1e6aeb21784ba6439c19cf4e3891",
    ],
    // 3072 bits, 2 primes
    &[
        "fb5b414af2b896268ceeb1d53e3ce48bd57e27460c1482ac5ea1eaadfcb8c1193951feabf008f6d79904f24defc4e894bbf271de803fdf\
         bdfae518d14e6977836b5ca4982cf79ea39b646ffde44a6d6428bfe0dda5afe6bc87ade0e14d7323b2ad263c711bc0a6345178afaa0c6c\
         1f6057052377bc5140bccf4da3b08a43c1f8e5809e96eb241a57eb918b5f42b237279f4c3b24cb3b6b86ad2d2ac15ee541bdbbccbe8b39\
         9562bebee603e6f89947c9f941a9c9b40c3624029b1014a9acbe51",
        "f8c31f664ac4871fb1d092fe8925d1c95e7c04f56c2b72b028782190b39c167dfb8d141cd9d4c17a8c6edb4b45610408d379d07522302b\
         50b9e0d56e97c6d25065ae0b843849a173a104710202c2395edf8a3d8897513d571f2c447accfebd84ef96c2361467e04064354c258e5d\
         98af6284949a608a6376f4636ea030582c72642274a3dae3941d98fadc38037ab4b96bd61c8985825fbd18b25fbda4d260865229869ebc\
         493b24679eb9dc7f5f7710cd5f28fe50736c45284a0ce4915f1731",
    ],
    // 3072 bits, 3 primes
    &[
        "f943e89da96cf4f4118da07999061bfadb6178bf446fd194ed8518d9d86cee8b3287426c9e8bfaa2ad7de41a603da4ec20167b40b7220e\
         4cd9d49adbf6d89013ca6dee46066d8eb9f58279b8ed538520e14a0a24bb07d82b8897bc12c0485f9d678618410b669d633f5ffc9a135b\
         123f31ea8f9fbdd8a0ba8bbb0bf85b489833",
        "d39dc42d8e9efee674192a28ec142caf72b26be85df30c3d35dbca20348e9e0f63992504a03359a9a92208c227a102ce45771a4aad3ff6\
         60bc9661cd6026e1942c40283fe0434dd89f5a902ce249cde684da69eb3066bcf94e3d2b4b69dc7de152b071fdecaa13a1f89802790b41\
         a9b9ca1ea711e6df73d48d6c972a6f2e56f1",
        "defe131d946e4ed9ee63f9135ec1b92e79ecbef2b9c4438079b94a1993314333a264eddf5ee8ada9e57d056d2b1822e150a476679b84a1\
         af44706e8c0b8576b3c30054d1242dc36e282a91a8363e920c905f0f5ea8cb380d7237c19250049efb3406e9186c077ec32db9c4c5ed0e\
         5cf8f508432a65de751d1f50f0e4d71de231",
    ],
    // 4096 bits, 2 primes
    &[
        "d2be58d2721c9f08b159b2c6576371d8d0e16e94ccd1be33a90117a7e01b01d5ec586d9d42b56d215a5aad998da1e0d400cf2df88724ed\
         a9428e97e8de9684b6aa701eb69e98a68688083a298377bcd5363afa836bc2df90936d2ad0cec15d2c937acc06bf0614492593c927d3a4\
         48cd6a6360fe25c6b9d8d9618c6e864b647392b20fa0b9c365ded4dd0381e2128c40c55f964974a6ab3c38eaf6867c2981d128a51d0906\
         d0728f4c4060fec8b5e960e57a4a06376c1d2d38972b9165f444610eda71731a41f55e03c357c3fabf527be33ca80df37d75a0cd486f84\
         4a844ffcfbaeb6e702bdcc94f5ba51d623b9f17c862448bfa1b07266f60408644f1dc035",
        "cfce35cee6dc7202bce146c3723f905e9093c7d532e5439d0e6f33daacdf873839de1171fcd7cdd9897bf23ed5b633162bd334c1504918\
         bbe0d2d6a45c1d71d2d46870c7a6f2c64dd110515a33bd3c5d3b671c1cbd7967067960e4e9857d35a2ee8731c8c0ac8e59b8ae6ecd30e8\
         0cad4cb4625de223aea75206775627bc329edcf0ccdb308811220fa7818ed83dd656bd4e4ccdc6b27674c3390ebc4470435d41b6710cbc\
         908e5f02ed9b7369186d2e57333179183675cd9c0ee67e3ca36959563b81a0c3b080a42b0200cad65197c4ef5bd501b74ffc1835fc7759\
         c04abb2a09f995f8d174cba72ebbc84bda99884c2ad3a8da4a8a5864658a143a806f3fc9",
    ],
    // 4096 bits, 3 primes
    &[
        "34fc9fd7721b69d8d619f9432bd87fefcc7c50022401d523cdd866cf53dfc433b32c224082688b3d8a8600631e65506dddb43d13ba6750\
         b854bf5c2f93ff62565b35532fc0e0b289480be24d7152b28ab09e2402e21a64a0816ba6bdbb9df140b0afea882da785bd9eec5bdece6d\
         81c3e8bc0e482b95ff19e3a96cc46e5676378a70ecc7039fc2e8c5643ef790679a6297fc8239de9f7c2480c50627bb62128d5e0fe76783\
         01c8487bac63",
        "1934074faf3a4cadef51bf80dba9b75d2caa315cdc22c7744a023f9a5a8289f978397dc50ab207805d8d2e4037d89ae4d0f379800c06bc\
         6e6db16f112b960aad20da04109b462088bbfb2eaeca5a6d742c3e59b4a0053ac03656bed1e3241afa563b42f0b82f8d8ab632f032dd8f\
         228132e4c37c174397b33562ea58788430243d3f225859481896967aa2e60916fc07c41cdc29a746d683c62c1bc60c763bb0848964a539\
         3c396a2ad41d",
        "1cc0cd3307fe9ee1b32e8d5b78c7a96fb37b3f48ef93a312919ec97b81f9e184a6b0cc7692550893063f78e1dbc2f0ed1fc1196107e608\
         e2ffeb3b7439541e080be4919f3ec9ff9b095413c44b987da2eafc5763c24f9b836a5777f65961371d6ccada0a5decb038c91f2e83c110\
         f5777424551e5d5fc34d724b84d3bdfc98c307ac3df0bd48bba58768d0a10479dd202416c06157b92d4ded4e21b0443fe221cb742f532c\
         92d68d03a711",
    ],
    // 4096 bits, 4 primes
    &[
        "ca96a9e486ad2e6a404720c3b2e06d2680f21b64af42021ff862a853e24978fc07b6bbee7665118f7ad1ef613323df57823bcbbce03966\
         651a4102e9c8d674ee7c1d6018c26b485890ce4740db18c454643ec978eec1c9582636f94b613f608b8eec8a3bc116b070b170a7f3677e\
         1c698d28863b64a93f8c8db07edf8b96ec3b",
        "c34857739b3d384a4f7355add3dab43ebdca25640ed86e1c2f8247be452bb6bf371dfd42df29c36e61c08519f72a5057deb9e6ac8817c9\
         925557ec858f47521c4421fe53d5765b377f0d0b972431d824dd2a68dd2573d8846e11d45dcf71af65f3d42f9e554f8aeb07b6b973ca12\
         4fab293fd6ac32c72097a23da69604590cb3",
        "f46747d46318a94eb0b4e1471b33b9f959e9cf7e449b9c2a179e82a96e01a6d8cf97589a0923b1963c8d564df8ec2b9cdcfdeab0e8ae55\
         583680655842ee6845097e18334a71994e4430a13155d4ab9903294db61cac43b43510a4f6e6f2343910de9431ffe22059b5f9670be790\
         d4d324a013b864238aec75bb7c9d57347045",
        "ffe727f0422711e612ded750e8a2a9b87fdcabe962ec0ae7fd38c27a185555c0e72956a7ba2ebc714c32712a71b418fc3841f508f35a8d\
         8953119eef687db5cc6ffda8df2c5fb7d68be1a7fed2b0f1822ec3ba9512e4a8749562ca33df8e840097b3052928bc0a8c5788621ae157\
         9ededef9973345bedca10fc3a072dc0670d7",
    ],
];
