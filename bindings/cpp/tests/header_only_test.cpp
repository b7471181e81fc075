// Tests of hashmill/header_only.hpp: published digests at compile time, digests by other programs at run time, and
// every form of input compared with a single call.
//
// Licensed as hashmill is (MIT or Apache 2.0), and under the Boost Software License 1.0 as well.

#include "hashmill/header_only.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <forward_list>
#include <fstream>
#include <list>
#include <numeric>
#include <random>
#include <sstream>
#include <unordered_set>
#include <vector>

namespace {

using namespace hashmill::header_only;
using namespace std::literals;

/// Returns a digest from its hexadecimal digits.
template <class H>
constexpr typename H::result_type hex(std::string_view text) {
    typename H::result_type d;
    if (!hashmill::from_hex(text, d)) std::abort();
    return d;
}

// Published digests, at compile time.

constexpr auto two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"sv;
constexpr auto two_long_blocks =
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"sv;
constexpr auto digits = "12345678901234567890123456789012345678901234567890123456789012345678901234567890"sv;

// RFC 1320
static_assert(md4::hash(""sv) == hex<md4>("31d6cfe0d16ae931b73c59d7e0c089c0"));
static_assert(md4::hash("abc"sv) == hex<md4>("a448017aaf21d8525fc10ae87aa6729d"));
static_assert(md4::hash(digits) == hex<md4>("e33b4ddc9c38f2199c3e7b164fcc0536"));
// RFC 1321
static_assert(md5::hash(""sv) == hex<md5>("d41d8cd98f00b204e9800998ecf8427e"));
static_assert(md5::hash("abc"sv) == hex<md5>("900150983cd24fb0d6963f7d28e17f72"));
static_assert(md5::hash(digits) == hex<md5>("57edf4a22be3c955ac49da2e2107b67a"));
// FIPS 180
static_assert(sha0::hash(""sv) == hex<sha0>("f96cea198ad1dd5617ac084a3d92c6107708c0ef"));
static_assert(sha0::hash("abc"sv) == hex<sha0>("0164b8a914cd2a5e74c4f7ff082c4d97f1edf880"));
static_assert(sha0::hash(two_blocks) == hex<sha0>("d2516ee1acfa5baf33dfc1c471e438449ef134c8"));
// FIPS 180-4 and NIST's examples
static_assert(sha1::hash(""sv) == hex<sha1>("da39a3ee5e6b4b0d3255bfef95601890afd80709"));
static_assert(sha1::hash("abc"sv) == hex<sha1>("a9993e364706816aba3e25717850c26c9cd0d89d"));
static_assert(sha1::hash(two_blocks) == hex<sha1>("84983e441c3bd26ebaae4aa1f95129e5e54670f1"));
static_assert(sha224::hash(""sv) == hex<sha224>("d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"));
static_assert(sha224::hash("abc"sv) == hex<sha224>("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"));
static_assert(sha224::hash(two_blocks) == hex<sha224>("75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"));
static_assert(sha256::hash(""sv) == hex<sha256>("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
static_assert(sha256::hash("abc"sv) == hex<sha256>("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
static_assert(sha256::hash(two_blocks) == hex<sha256>("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
static_assert(sha384::hash(""sv) == hex<sha384>("38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da"
                                                "274edebfe76f65fbd51ad2f14898b95b"));
static_assert(sha384::hash("abc"sv) == hex<sha384>("cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                                                   "8086072ba1e7cc2358baeca134c825a7"));
static_assert(sha384::hash(two_long_blocks) == hex<sha384>("09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712"
                                                           "fcc7c71a557e2db966c3e9fa91746039"));
static_assert(sha512::hash(""sv) == hex<sha512>("cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                                                "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"));
static_assert(sha512::hash("abc"sv) == hex<sha512>("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                                                   "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"));
static_assert(sha512::hash(two_long_blocks) == hex<sha512>("8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                                                           "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"));
static_assert(sha512_224::hash(""sv) == hex<sha512_224>("6ed0dd02806fa89e25de060c19d3ac86cabb87d6a0ddd05c333b84f4"));
static_assert(sha512_224::hash("abc"sv) == hex<sha512_224>("4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"));
static_assert(sha512_224::hash(two_long_blocks) == hex<sha512_224>("23fec5bb94d60b23308192640b0c453335d664734fe40e7268674af9"));
static_assert(sha512_256::hash(""sv) == hex<sha512_256>("c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"));
static_assert(sha512_256::hash("abc"sv) == hex<sha512_256>("53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"));
static_assert(sha512_256::hash(two_long_blocks) == hex<sha512_256>("3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"));
// Bernstein's examples. The second has ten times the rounds of a block before and after the message, as in the first
// two rounds of the competition.
static_assert(cubehash<16, 32, 512, 16, 32>::hash("Hello"sv) == hex<cubehash<16, 32, 512, 16, 32>>("a3c2b3d38c940b46b51c286b0159bceb34fa7ae4d307234f48a2ca4662a21ddc"
                                                                                 "5875fda2c2a5994bb4d45dbbb3218381174d5dd5f0aae87db87d086dff46e3ae"));
static_assert(cubehash<8, 1, 512>::hash(""sv) == hex<cubehash<8, 1, 512>>("90bc3f2948f7374065a811f1e47a208a53b1a2f3be1c0072759ed49c9c6c7f28"
                                                                                        "f26eb30d5b0658c563077d599da23f97df0c2c0ac6cce734ffe87b2e76ff7294"));

// Everything else that must work at compile time.

static_assert([] {
    constexpr std::array<std::uint32_t, 2> words{0x64636261, 0x68676665};
    sha256 h;
    h.update("abcd"sv).update("efgh"sv);
    const sha256 fork = h;
    h.update(std::endian::little, words);
    return fork.result() == sha256::hash("abcdefgh"sv) && h.result() == sha256::hash("abcdefghabcdefgh"sv) && h.result() == h.result() &&
           sha256::hash(std::endian::big, words) == sha256::hash("dcbahgfe"sv);
}());

static_assert([] {
    md5 h(0x0807060504030201);
    h.update("message"sv);
    const auto first = std::as_const(h).result();
    h.reset();
    h.update("message"sv);
    constexpr unsigned char key[] = {1, 2, 3, 4, 5, 6, 7, 8};
    md5 keyed(key, sizeof key);
    keyed.update("message"sv);
    return h.result() == first && keyed.result() == first && first != md5::hash("message"sv);
}());

/// Bytes 0, 1, …, 250, 0, …
constexpr std::array<unsigned char, 4096> make_pattern() {
    std::array<unsigned char, 4096> p{};
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = static_cast<unsigned char>(i % 251);
    return p;
}
constexpr auto pattern = make_pattern();

// Digests by other programs: Python's hashlib, sphlib, PHP, and a model of CubeHash in Python. The messages are
// beginnings of `pattern`.

struct answer {
    std::size_t length;
    std::string_view digest;
};

template <class H>
void agree(std::initializer_list<answer> answers) {
    for (const auto& a : answers) {
        EXPECT_EQ(to_string(H::hash(pattern.data(), a.length)), a.digest) << a.length << " bytes";
        EXPECT_EQ(H::hash(pattern.data(), a.length), hex<H>(a.digest));
    }
}

TEST(HeaderOnly, OtherPrograms) {
    agree<md5>({
        {1, "93b885adfe0da089cdf634904fd59f71"},
        {55, "6912ee65fff2d9f9ce2508cddf8bcda0"},
        {56, "51fdd1acda72405dfdfa03fcb85896d7"},
        {111, "4fad3ab7d8546851ec1bb63ea7e6f5a8"},
        {112, "d1fec2ac3715e791ca5f489f300381b3"},
        {128, "37eff01866ba3f538421b30b7cbefcac"},
        {1000, "a24f1e3ef66950e1327f210e3997ba2c"},
    });
    agree<sha1>({
        {1, "5ba93c9db0cff93f52b521d7420e43f6eda2784f"},
        {55, "8ae2d46729cfe68ff927af5eec9c7d1b66d65ac2"},
        {56, "636e2ec698dac903498e648bd2f3af641d3c88cb"},
        {111, "bc544e24573d592290fdaff8ecf3f7f2b00cd483"},
        {112, "e4ce142d09a84a8645338dd6535cbfaaf800d320"},
        {128, "e6434bc401f98603d7eda504790c98c67385d535"},
        {1000, "c9c960a0b925474fab83942cc27d504fc24ac37b"},
    });
    agree<sha224>({
        {1, "fff9292b4201617bdc4d3053fce02734166a683d7d858a7f5f59b073"},
        {55, "8991dfba74284e04dc7581c7c3e4068ff6cb7a63733361429834bb56"},
        {56, "2b2cd637c16ad7290bb067ad7d8fd04e204fa43a84366afc7130f4ef"},
        {111, "1aeef583c448a9ae00fbc931b50bc0da5bb8323e616b11076cee8b44"},
        {112, "01e5abf50619b5c2078e754eddedcf4de8d31185a2219313cb91a8c9"},
        {128, "67d88da33fd632d8742424791dface672ff59d597fe38b3f2a998386"},
        {1000, "c182669a7f6629dc7fd8a9198f15af15adbbaeffa1842e854f681357"},
    });
    agree<sha256>({
        {1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"},
        {55, "463eb28e72f82e0a96c0a4cc53690c571281131f672aa229e0d45ae59b598b59"},
        {56, "da2ae4d6b36748f2a318f23e7ab1dfdf45acdc9d049bd80e59de82a60895f562"},
        {111, "60780e9451bdc43cf4530ffc95cbb0c4eb24dae2c39f55f334d679e076c08065"},
        {112, "09373f127d34e61dbbaa8bc4499c87074f2ddb10e1b465f506d7d70a15011979"},
        {128, "471fb943aa23c511f6f72f8d1652d9c880cfa392ad80503120547703e56a2be5"},
        {1000, "4e4c294b331f7a2099a379bec34b9f9fc03dc46ab465d998f4d683da53487e6d"},
    });
    agree<sha384>({
        {1, "bec021b4f368e3069134e012c2b4307083d3a9bdd206e24e5f0d86e13d6636655933ec2b413465966817a9c208a11717"},
        {55, "dcedb6b590edb4efa849c801e6b6490657a5c1e64f69269f5f63c9267f6223de24cea7aaa6b267d9bcecc15147b6c875"},
        {56, "7b9132d597b8873ad55bbc30f18ed3f2c9f340e7de69fb5774056c71a06d9bc2b14137e9e1c68b6b645fed28b188249d"},
        {111, "f5f9fe110d809d34029de262a01b208356caec6e054c7f926b2591f6c9780579d4b59f5578c6f531a84f158a33660cef"},
        {112, "33ba080ec0ccb378e4e95fed3b26c23aa1a280476e007519ee47f60cd9c5c8a65d627259a9aa2fd33ca06d3c14ee5548"},
        {128, "ca2385773319124534111a36d0581fc3f00815e907034b90cff9c3a861e126a741d5dfcff65a417b6d7296863ac0ec17"},
        {1000, "7a2f8c7f12344964a13cb9260492b845e56615d6152b9eb9e54b580fc88405e64f31813bfda10de2a642fdf1676c61b4"},
    });
    agree<sha512>({
        {1, "b8244d028981d693af7b456af8efa4cad63d282e19ff14942c246e50d9351d22704a802a71c3580b6370de4ceb293c324a8423342557d4e5c38438f0e36910ee"},
        {55, "6856647f269c2ee3d8128f0b25427659d880641ef343300dd3cd4679168f58d6527fda70b4ebc854e2065e172b7d58c1536992c0810599259ba84a2b40c65414"},
        {56, "8b12b2f6fe400a51d29656e2b8c42a1bbfe6fcf3e425da430db05d1a2dda14790dee20fa8b22d8762afffe4988a5c98a4430d22a17e41e23d90fa61ab75671a9"},
        {111, "a1a111449b198d9b1f538bad7f3fc1022b3a5b1a5e90a0bc860de8512746cbc31599e6c834de3a3235327af0b51ff57bf7acf1974a73014d9c3953812edc7c8d"},
        {112, "c5fbd731d19d2ae1180f001be72c2c1aaba1d7b094b3748880e24593b8e117a750e11c1bd867cc2f96dace8c8b74abd2d5c4f236be444e77d30d1916174070b9"},
        {128, "1dffd5e3adb71d45d2245939665521ae001a317a03720a45732ba1900ca3b8351fc5c9b4ca513eba6f80bc7b1d1fdad4abd13491cb824d61b08d8c0e1561b3f7"},
        {1000, "5096498d96f50f9a137c4db5b8b0cd38383ad55350fb5a98805fedc31fa1262f1f0cf4d6f12d7ecd8dedd933a4c9126344fe22e937a8ad35fdeae1e876ae698b"},
    });
    agree<sha512_224>({
        {1, "283bb59af7081ed08197227d8f65b9591ffe1155be43e9550e57f941"},
        {55, "4bc333b55c3237ed85ac21b6b3dfb70987c33ce04e20c2de6142d681"},
        {56, "df1bb702813c49110142bc858073e618ab22af52faf8d5f0403d3ff0"},
        {111, "f8810ee322210d0f4cbd7a4e92e7d7e72b63d2777dcb531e13ddd690"},
        {112, "8099918892ebbd31215c9bb5e4e53c0b52927b000ced0720d2c65a22"},
        {128, "49a64b72a88a3c93432b6e4c59a1b4908403f70e46e13bf7494fbe88"},
        {1000, "c37d5044d175f42e9993f2e3a059e14980cd85b209681dd218aa8a6b"},
    });
    agree<sha512_256>({
        {1, "10baad1713566ac2333467bddb0597dec9066120dd72ac2dcb8394221dcbe43d"},
        {55, "7dd58a7c3285d6436f4b8876a4e3ce63bae92a11a5453c46a6032c5e469bf40c"},
        {56, "c06d2d4f6d22414491b36e215de341782922ec36900cfca39f4a707a5379f51a"},
        {111, "bd209f60b0d04102a09175297fd255367e54b5a5605b928635c606306914363f"},
        {112, "2cafeb0882cc405167e9a255b8581a66dc683212474902dd453dbca20a94e61a"},
        {128, "2ff11194b2aec1f943cb5f130ba647c151334068083194d7281a55d607ae255f"},
        {1000, "974bc1ca87fcb8f487f65a650d1eeeebdc0cc269381b9eeb708cc4ea6d4954f2"},
    });
    agree<md4>({
        {2, "9e7a1dde4d280e7f389018a5ccc3abf2"},
        {56, "b8e94b6408bbfa6ec9805bf21bc05cbd"},
        {64, "2de6578f0e7898fa17acd84b79685d3a"},
        {112, "594691b38126e028352da5b28adfd416"},
        {118, "b7c9daaa89a29f2805dede790dcb9575"},
        {128, "e1275970eb67d2d996e6e658270aa149"},
        {1000, "9146d274cb46d791aefb861959aa5e98"},
    });
    agree<sha0>({
        {2, "7c6bd11715091385672c864d27cf7b0940ae1281"},
        {56, "c2a39c635a688d3759182f4d352fbe744e5567b8"},
        {64, "bbe543eb4fe1d3f84daf70535919f20647e8959e"},
        {112, "369f0fcdcc6b466166a64a2cec7dba4f015ad703"},
        {118, "ae981b73b218d8c615997a8897fcb59847d140e7"},
        {128, "9acaab3a4b1c3acbaa840a070ede77d948bdfc75"},
        {1000, "109c7648ca5ccf9181942a553411726d907e9b35"},
    });
    agree<cubehash<16, 32, 512, 16, 32>>({
        {2, "9267f92fb450ecb47201742167c8c4ecd1c9d218364c394a82b7ca9431e2cee260f5525d2a843d716d642ba52c2ebabe8cf9713afc652fccaad8dd02d0ffb7b3"},
        {56, "dab1599f0684a36159167c4ecb5b679bf860f43b535c98ca1f2ef406d197608605a265b0096a736a2aa1b5848f3aad1186f77b2dde408e149a7bd09b3f007ae1"},
        {64, "2f8694d6d3e9d477b78c6d0cecd56f95144f6c80f9456509bfb0e0be5c9979aba978e17c598f0719bbf25a0d0b1e72e7493411d99cff6a2ef56b3814d1b363b6"},
        {118, "3bb876a92b8eda48692b3b82096b1bea237ee799bfb91d212c2b06043d5a9641ebabfcafea85254b8e0a11e6b0a51c90498dd8677a128be663d54c76dbb702a2"},
        {128, "8408e5146df2702eb3e1571971e63c498fb97a2a93afe6b85a93df7276c806d95af4505e4f3280238d317c57a20509f76a521ab179f42cf19cbc84c954e246b5"},
        {144, "ad129c7b02cc1e42180718e5085d2d93c966b0e6c30c79cfe0e882f9b02d626aa2c3fe4950b1611f717305d78bedb7a6155e55f2449b7650ba61cee5fd229f27"},
    });
    agree<cubehash<16, 32, 256, 16, 32>>({
        {2, "5d583c12f8cf028ca79f18ad462b6435a927aea9250ae771e7ba3a703ea08dc4"},
        {56, "ecddf5dd6faaaecde4f49537a9c0832db4505412082a963b266ddada5202f655"},
        {64, "09438c734d7467ccaf5105b7872e01e4e5a9d749c15dd1cb0068eba15b9b12b2"},
        {118, "5056809d38ea60bb42afbc7a2ce6fbc6b52e5ed7829de3c5b5c62ae69667303f"},
        {128, "bcbec26c58373331cbf5f1f8d39f8712d44d35ce74c4a2c669634b5b079942a3"},
        {144, "cde19885bf8f74a85f7f10b96c2195bc296d65c254eb73597bb9f536d2f2627f"},
    });
    agree<cubehash<16, 32, 224, 160, 160>>({
        {2, "ad6cd60f300d07667af29498e60aa9b9d89c869fd92050e5ee006154"},
        {64, "ad8349e6a0ee654d6dda3ad571f4f458e985f22c873d9a05ac1f4559"},
        {118, "dcdf048d24fe818e58380b27cda770bc4b80bfab24eff4e551a6e348"},
        {128, "ed62206d6e2658bb000b1e7097e7d4fca7387ef2fd803e063a1538e2"},
    });
    agree<cubehash<16, 32, 384, 160, 160>>({
        {2, "f38116e2fe3628856e52daa91d3f7dbd475504cbc54e88e115ad1903295924a1ab3f997c6bf0c11f26c0adaa3b458303"},
        {64, "8619577fe9d79d6c634961054a0e9eab3e9b9e047ccb73c9bd7a758a607cddcb24d4b1e4d733253230cc958fc4a050e8"},
        {118, "c3b73d09ed3931fb5841891a771fde74878eff3d48277af7d0b99d9368318406b2f0410e74ef076abc0492c3be5da587"},
        {128, "18891f375a12eeda07c7f4589fec993e32d31cb935d4effc79d1335f3e3a7f9dcbd427bba935f7f89d95dfb9ee9ec9b9"},
    });
    agree<cubehash<16, 32, 512>>({
        {2, "9a2a0befbd431a03a1606ba1340645632edb53036a625714ca1b3a7273f2ab6ab4eee907c8bd2b81aafe4fe5b39ad10285c453391d2d3d1dd2c4b180855f6816"},
        {64, "501336304d235cf9825da6f26623f20cf338c2efa1eac0f668dc1d99a1f67bf617453a1c861c9628f7b98dd5ca50baf6d75299f13fa43d28d39b40314161135f"},
        {118, "11b4e078e260b29cbd8bac5bcd7ba2569ed2f774f318d0bf751753b77a4dedbbee56b682ac9f45309a74c383e8b47d347d44a5e5e63d4f6f23d34a42a6ba8033"},
        {128, "8c20b7abdc66590a81726b8b3a09674375d0e0c2092b8cc895ba8b8a5ace624b9c7a342e61447401bf9359dcd6648459e1ee507dbc1049dd129bec1c2a1d101e"},
    });
    agree<cubehash<8, 1, 512>>({
        {0, "90bc3f2948f7374065a811f1e47a208a53b1a2f3be1c0072759ed49c9c6c7f28f26eb30d5b0658c563077d599da23f97df0c2c0ac6cce734ffe87b2e76ff7294"},
        {1, "a3e2219b89435fbb5ff10409d96afc92950afa6ff094f9765bf301bacec0338735a780d949986da945764d10dd0d6a5526acf503266716e64e087bebf9bdd591"},
        {11, "f12deb429f67f39f95e4962e2c4ea317d2ae3ebf14238d188ffe08ba2dea4eeb96dca633432f91afb3526cfdcf07a7139c58762befb6fee7dfc174b8bdae851c"},
        {12, "fa5c500c93277c1864c2357a73ff0aea2d168650f12e42dd772adaf50661cf66ff9ecf40978743676c1121f12ef4cacbf7cd528aa1e659d7a6ba7cb4da982927"},
        {126, "3d76c1422c85cc13bfbf0dbf5e478715152fd5b3a7f6cd735c54942f8c009b2fdad9f7016c4abdfc7252b16dc2d3b9992d916f35a74fd4ce1310de2456d7b4f3"},
        {300, "69e795e6e472f9dbad84a772bdbb4bb5995ae7d30ecfc639e884935805f397a2c4c5fbf1940637a7cbb605667f87789f1e0c2ee128e5fe0061f6c5445bd5ef68"},
    });
    agree<cubehash<2, 3, 160, 1, 2>>({
        {0, "494e50af5241626504979026175cd68a0c0fcf3f"},
        {1, "40fc826ad17b9a2486f3b6d85747f6cdda048316"},
        {11, "3ca61629e4d3ff0c18922286bd6377c535536982"},
        {12, "97ec73a28761d81611cc1f56696e4d9021c12022"},
        {126, "b57907fbb2549d4392ad72c0fc37b7e9d8f7fab0"},
        {300, "5038de6721903c7727c08b2799791b166f4a7275"},
    });
    agree<cubehash<1, 7, 8, 0, 0>>({
        {0, "82"},
        {1, "02"},
        {11, "5d"},
        {12, "5d"},
        {126, "a6"},
        {300, "25"},
    });
    agree<cubehash<3, 12, 256, 16, 32>>({
        {2, "096588209e394dfb0d92cd6592542445f73b6899a67ee995abaa567a5c31c0c3"},
    });
    agree<cubehash<1, 126, 248, 5, 7>>({
        {0, "abe06003ef9516eaa32c7b78f7eeb88404cacc501f1e86605b41cb82ddf484"},
        {1, "74ed3f6f7791e5f929654b512913de98cc72dd62561f40149fe1dfd9ea631e"},
        {11, "b6d33f707f058c891046a08405c442106a0e7f6626921be8205c11319764b7"},
        {12, "ea84ac85c276fc4db3162dd551c73f7ebd1d29b27066f962afb1a2be0d2ab5"},
        {126, "3247ac1c9bb036cc81f0a12cb5100e685747903659638ad392b6b7f77498e1"},
        {300, "8bf12621d47d71c295dd066c578e7bc168a4e7351aab5cfd8e9ee64b32d747"},
    });
    agree<cubehash<2, 128, 224, 16, 32>>({
        {2, "1065a36826084d10ace4b078d2fe6b4fb75f6ecb5e4a7c8607aec17e"},
    });
}

// Every form of input, compared with a single call.

template <class H>
class Every : public testing::Test {};

using algorithms = testing::Types<md4, md5, sha0, sha1, sha224, sha256, sha384, sha512, sha512_224, sha512_256, cubehash<16, 32, 512, 16, 32>, cubehash<16, 32, 256, 16, 32>,
                                  cubehash<8, 1, 512>, cubehash<2, 3, 160, 1, 2>, cubehash<3, 12, 256>, cubehash<1, 126, 248>, cubehash<2, 128, 224>>;
TYPED_TEST_SUITE(Every, algorithms);

TYPED_TEST(Every, IsAValue) {
    using H = TypeParam;
    static_assert(hashmill::hash_algorithm<H>);
    static_assert(std::is_trivially_copyable_v<H>);
    static_assert(std::is_nothrow_default_constructible_v<H>);
    static_assert(H::block_size > 0);
    static_assert(sizeof(typename H::result_type) == H::result_type::size());
    static_assert(!std::is_convertible_v<std::uint64_t, H>);
}

/// One constant per length, because compilers limit the work of a constant expression.
template <class H, std::size_t N>
constexpr auto early = H::hash(pattern.data(), N);

TYPED_TEST(Every, CompileTimeEqualsRunTime) {
    using H = TypeParam;
    const auto same = [](std::size_t n, const typename H::result_type& expected) {
        // A copy whose contents the compiler cannot know, at an odd address.
        std::vector<unsigned char> copy(n + 1);
        std::copy_n(pattern.data(), n, copy.data() + 1);
        EXPECT_EQ(H::hash(copy.data() + 1, n), expected) << n << " bytes";
    };
    same(0, early<H, 0>);
    same(1, early<H, 1>);
    same(55, early<H, 55>);
    same(56, early<H, 56>);
    same(64, early<H, 64>);
    same(111, early<H, 111>);
    same(112, early<H, 112>);
    same(130, early<H, 130>);
}

TYPED_TEST(Every, Pieces) {
    using H = TypeParam;
    std::mt19937 random(7);
    for (std::size_t n = 0; n <= 300; ++n) {
        const auto expected = H::hash(pattern.data(), n);
        for (int repeat = 0; repeat < 4; ++repeat) {
            H h;
            const auto most = repeat == 0 ? 1 : repeat == 1 ? 20 : 200;
            for (std::size_t at = 0; at < n;) {
                const auto some = std::min<std::size_t>(n - at, random() % static_cast<unsigned>(most) + 1);
                h.update(pattern.data() + at, some);
                if (repeat == 2) {
                    EXPECT_EQ(std::as_const(h).result(), H::hash(pattern.data(), at + some));
                }
                at += some;
            }
            EXPECT_EQ(h.result(), expected) << n;
        }
    }
}

TYPED_TEST(Every, Forks) {
    using H = TypeParam;
    H h;
    h.update(pattern.data(), 100);
    H fork = h;
    fork.update(pattern.data() + 100, 100);
    EXPECT_EQ(h.result(), H::hash(pattern.data(), 100));
    EXPECT_EQ(fork.result(), H::hash(pattern.data(), 200));
    h.reset();
    EXPECT_EQ(h.result(), H::hash(pattern.data(), 0));
}

TYPED_TEST(Every, Containers) {
    using H = TypeParam;
    const std::size_t n = 5000;
    std::vector<unsigned char> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<unsigned char>(i * 7 % 256);
    const auto expected = H::hash(bytes.data(), n);
    EXPECT_EQ(H::hash(bytes), expected);
    EXPECT_EQ(H::hash(std::span(bytes)), expected);
    EXPECT_EQ(H::hash(std::as_bytes(std::span(bytes))), expected);
    EXPECT_EQ(H::hash(static_cast<const void*>(bytes.data()), n), expected);
    EXPECT_EQ(H::hash(std::string(bytes.begin(), bytes.end())), expected);
    EXPECT_EQ(H::hash(std::list<unsigned char>(bytes.begin(), bytes.end())), expected);
    EXPECT_EQ(H::hash(std::forward_list<char>(bytes.begin(), bytes.end())), expected);
    EXPECT_EQ(H::hash(std::deque<signed char>(bytes.begin(), bytes.end())), expected);
    EXPECT_EQ(H::hash(bytes | std::views::transform([](unsigned char c) { return static_cast<char8_t>(c); })), expected);
    EXPECT_EQ(H::hash(bytes | std::views::filter([](unsigned char) { return true; })), expected);

    H h;
    const std::list<unsigned char> list(bytes.begin(), bytes.end());
    h.update(list.begin(), list.end());
    EXPECT_EQ(h.result(), expected);
    h.reset();
    const auto after = h.update_n(list.begin(), 4321);
    EXPECT_EQ(std::distance(list.begin(), after), 4321);
    EXPECT_EQ(std::as_const(h).result(), H::hash(bytes.data(), 4321));
    h.update(after, list.end());
    EXPECT_EQ(h.result(), expected);
}

TYPED_TEST(Every, Streams) {
    using H = TypeParam;
    std::string text(600'000, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i % 253);
    std::istringstream in(text);
    H h;
    EXPECT_EQ(h.update(in), text.size());
    EXPECT_EQ(h.result(), H::hash(text));

    std::istringstream again(text);
    h.reset();
    h.update(std::istreambuf_iterator<char>(again), std::istreambuf_iterator<char>());
    EXPECT_EQ(h.result(), H::hash(text));
}

template <class H, class T>
void order_of() {
    std::vector<T> words;
    std::string little, big;
    for (std::size_t i = 0; i < 3000; ++i) {
        const T word = static_cast<T>(0x9e3779b97f4a7c15 * (i + 1) >> (64 - 8 * sizeof(T)));
        words.push_back(word);
        for (std::size_t k = 0; k < sizeof(T); ++k) {
            little += static_cast<char>(word >> (8 * k));
            big += static_cast<char>(word >> (8 * (sizeof(T) - 1 - k)));
        }
    }
    EXPECT_EQ(H::hash(std::endian::little, words), H::hash(little));
    EXPECT_EQ(H::hash(std::endian::big, words), H::hash(big));
    EXPECT_EQ(H::hash(std::endian::big, std::list<T>(words.begin(), words.end())), H::hash(big));
    EXPECT_EQ(H::hash(std::endian::little, std::deque<T>(words.begin(), words.end())), H::hash(little));
    H h;
    h.update(std::endian::big, words.begin(), words.end());
    h.update_n(std::endian::little, words.begin(), words.size());
    EXPECT_EQ(h.result(), H::hash(big + little));
}

TYPED_TEST(Every, ByteOrder) {
    using H = TypeParam;
    order_of<H, std::uint16_t>();
    order_of<H, std::int32_t>();
    order_of<H, char32_t>();
    order_of<H, std::uint64_t>();
}

template <class H>
constexpr bool is_cubehash = false;
template <unsigned R, unsigned B, unsigned Bits, unsigned Initial, unsigned Final>
constexpr bool is_cubehash<hashmill::header_only::cubehash<R, B, Bits, Initial, Final>> = true;

/// Returns the bytes put in front of a message, padded to whole blocks: with zeros for CubeHash, and like a complete
/// message for all others.
template <class H>
std::string whole(std::string front) {
    constexpr std::size_t unit = H::block_size;
    if (front.empty()) return front;
    if constexpr (is_cubehash<H>) {
        const std::size_t n = front.size();
        front += '\x80';
        while ((front.size() + 8) % unit != 0) front += '\0';
        for (std::size_t i = 0; i < 8; ++i) front += static_cast<char>(i < sizeof n ? n >> (8 * i) : 0);
        return front;
    }
    const std::uint64_t bits = front.size() * 8;
    front += '\x80';
    while (front.size() % unit != unit - unit / 8) front += '\0';
    const bool little = H::result_type::size() == 16;
    for (std::size_t i = 0; i < unit / 8; ++i) {
        const std::size_t at = little ? i : unit / 8 - 1 - i;
        front += at < 8 ? static_cast<char>(bits >> (8 * at)) : '\0';
    }
    return front;
}

TYPED_TEST(Every, SeedAndKey) {
    using H = TypeParam;
    const auto message = "the message"s;

    const std::uint64_t seed = 0xf0debc9a78563412;
    const std::string front = whole<H>("\x12\x34\x56\x78\x9a\xbc\xde\xf0"s);
    H seeded(seed);
    seeded.update(message);
    EXPECT_EQ(std::as_const(seeded).result(), H::hash(front + message));
    seeded.reset();
    seeded.update(message);
    EXPECT_EQ(seeded.result(), H::hash(front + message));
    EXPECT_THROW(seeded.reset(), std::logic_error);
    EXPECT_EQ(H(std::uint64_t{0}).update(message).result(), H::hash(message));

    for (std::size_t n = 0; n <= 300; ++n) {
        std::string key(reinterpret_cast<const char*>(pattern.data()) + 1, n);
        H keyed(key.data(), n);
        H at_compile_time(pattern.data() + 1, n);
        key = whole<H>(key);
        EXPECT_EQ(std::as_const(keyed).result(), H::hash(key));
        keyed.update(message);
        EXPECT_EQ(std::as_const(keyed).result(), H::hash(key + message));
        keyed.reset();
        EXPECT_EQ(keyed.result(), H::hash(key));
        EXPECT_EQ(at_compile_time.update(message).result(), H::hash(key + message));
    }
}

TEST(HeaderOnly, DigestsAreKeys) {
    std::unordered_set<md5::result_type> seen;
    for (std::size_t n = 0; n < 100; ++n) seen.insert(md5::hash(pattern.data(), n));
    EXPECT_EQ(seen.size(), 100U);
    EXPECT_TRUE(seen.contains(md5::hash(""sv)));
    EXPECT_LT(hex<md4>("00000000000000000000000000000001"), hex<md4>("00000000000000000000000000000100"));
    std::ostringstream out;
    out << sha1::hash("abc"sv);
    EXPECT_EQ(out.str(), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(HeaderOnly, AMillionBytes) {
    const std::string a(1'000'000, 'a');
    EXPECT_EQ(to_string(sha0::hash(a)), "3232affa48628a26653b5aaa44541fd90d690603");
    EXPECT_EQ(to_string(sha1::hash(a)), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    EXPECT_EQ(to_string(sha256::hash(a)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_EQ(to_string(sha512::hash(a)), "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b");
}

}  // namespace
