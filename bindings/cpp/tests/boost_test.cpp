// hashmill's types under the real Boost.Hash2 (Boost 1.87 or later): hash_append and HMAC give the same results over
// our types as over Boost's own, and our digests equal those of Boost's independent implementations.

#include <hashmill.hpp>

#include <boost/describe/class.hpp>
#include <boost/hash2/fnv1a.hpp>
#include <boost/hash2/get_integral_result.hpp>
#include <boost/hash2/hash_append.hpp>
#include <boost/hash2/hmac.hpp>
#include <boost/hash2/md5.hpp>
#include <boost/hash2/ripemd.hpp>
#include <boost/hash2/sha1.hpp>
#include <boost/hash2/sha2.hpp>
#include <boost/hash2/sha3.hpp>
#include <boost/hash2/siphash.hpp>
#include <boost/hash2/xxhash.hpp>

#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace hash2 = boost::hash2;

namespace {

int passed = 0, failed = 0;

void check(bool ok, const char* what) {
    if (ok) {
        ++passed;
    } else {
        ++failed;
        std::printf("%s: failed\n", what);
    }
}

struct point {
    int x;
    std::uint64_t y;
    std::string name;
};
BOOST_DESCRIBE_STRUCT(point, (), (x, y, name))

enum class color : std::uint16_t { red = 1, green = 2 };

/// Compares one of our digests with one of Boost's; a short one of Boost's is an integer, whose most significant byte
/// is printed first.
template <std::size_t N, class Theirs>
bool same(const hashmill::digest<N>& ours, const Theirs& theirs) {
    if constexpr (std::is_integral_v<Theirs>) {
        std::uint64_t value = 0;
        for (const unsigned char byte : ours) value = value << 8 | byte;
        return value == theirs;
    } else {
        return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end());
    }
}

std::vector<unsigned char> message(std::size_t n) {
    std::vector<unsigned char> m(n);
    std::uint32_t random = static_cast<std::uint32_t>(n) + 1;
    for (auto& byte : m) byte = static_cast<unsigned char>((random = random * 1664525 + 1013904223) >> 24);
    return m;
}

/// Compares the digests of the same messages in the same pieces.
template <class Ours, class Theirs>
void digests(const char* what) {
    for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 3, 8, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 200, 1000, 5000}) {
        const auto m = message(n);
        Ours ours;
        Theirs theirs;
        for (std::size_t at = 0; at < n;) {
            const std::size_t some = std::min(n - at, at % 97 + 1);
            ours.update(static_cast<const void*>(m.data() + at), some);
            theirs.update(static_cast<const void*>(m.data() + at), some);
            at += some;
        }
        check(same(ours.result(), theirs.result()), what);
    }
}

/// Compares digests with seeds and keys, which precede the message.
template <class Ours, class Theirs>
void prefixes(const char* what) {
    const auto m = message(100), key = message(77);
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x123456789abcdef}}) {
        Ours ours(seed);
        Theirs theirs(seed);
        ours.update(m.data(), m.size());
        theirs.update(m.data(), m.size());
        check(same(ours.result(), theirs.result()), what);
    }
    for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 64, 77}) {
        Ours ours(static_cast<const void*>(key.data()), n);
        Theirs theirs(static_cast<const void*>(key.data()), n);
        ours.update(m.data(), m.size());
        theirs.update(m.data(), m.size());
        check(same(ours.result(), theirs.result()), what);
    }
}

/// Compares hash_append of all supported types, in either byte order.
template <class Ours, class Theirs>
void appended(const char* what) {
    const auto both = [&](const auto& flavor, const auto& value) {
        Ours ours;
        Theirs theirs;
        hash2::hash_append(ours, flavor, value);
        hash2::hash_append(theirs, flavor, value);
        check(same(ours.result(), theirs.result()), what);
    };
    const auto each = [&](const auto& flavor) {
        both(flavor, 42);
        both(flavor, 1.5);
        both(flavor, color::green);
        both(flavor, std::string("text"));
        both(flavor, std::vector<std::uint32_t>{1, 2, 3});
        both(flavor, std::vector<std::string>{"a", "", "list"});
        both(flavor, std::array<std::uint16_t, 4>{1, 2, 3, 4});
        both(flavor, std::tuple<int, char, std::uint64_t>(1, 'c', 3));
        both(flavor, std::map<int, std::string>{{1, "one"}, {2, "two"}});
        both(flavor, std::set<std::uint64_t>{7, 8});
        both(flavor, point{1, 2, "described"});
        both(flavor, std::vector<point>{{1, 2, "a"}, {3, 4, "b"}});
    };
    each(hash2::default_flavor());
    each(hash2::little_endian_flavor());
    each(hash2::big_endian_flavor());
}

template <class Ours, class Theirs>
void codes(const char* what) {
    const auto m = message(1000);
    for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 20, 63, 64, 65, 128, 129, 300}) {
        const auto key = message(n);
        hash2::hmac<Ours> over_ours(static_cast<const void*>(key.data()), key.size());
        hash2::hmac<Theirs> theirs(static_cast<const void*>(key.data()), key.size());
        over_ours.update(m.data(), m.size());
        theirs.update(m.data(), m.size());
        const auto expect = theirs.result();
        check(same(over_ours.result(), expect), what);
        if constexpr (requires { Ours::get_algorithm(); }) {
            hashmill::hmac own(hashmill::algorithm(Ours::get_algorithm()), std::as_bytes(std::span(key)));
            own.update(m.data(), m.size());
            const auto code = own.result();
            check(std::equal(code.begin(), code.end(), expect.begin(), expect.end()), what);
        }
    }
}

template <class Ours, class Theirs>
void digest_of(const char* what) {
    digests<Ours, Theirs>(what);
    prefixes<Ours, Theirs>(what);
    appended<Ours, Theirs>(what);
    codes<Ours, Theirs>(what);
}

}  // namespace

int main() {
    namespace hm = hashmill;
    digest_of<hm::md5, hash2::md5_128>("MD5");
    digest_of<hm::sha1, hash2::sha1_160>("SHA-1");
    digest_of<hm::sha224, hash2::sha2_224>("SHA-224");
    digest_of<hm::sha256, hash2::sha2_256>("SHA-256");
    digest_of<hm::sha384, hash2::sha2_384>("SHA-384");
    digest_of<hm::sha512, hash2::sha2_512>("SHA-512");
    digest_of<hm::sha512_256, hash2::sha2_512_256>("SHA-512/256");
    digest_of<hm::ripemd160, hash2::ripemd_160>("RIPEMD-160");
    digest_of<hm::ripemd128, hash2::ripemd_128>("RIPEMD-128");
    digests<hm::sha3_256, hash2::sha3_256>("SHA3-256");
    digests<hm::sha3_512, hash2::sha3_512>("SHA3-512");
    codes<hm::sha3_256, hash2::sha3_256>("HMAC of SHA3-256");
    digests<hm::xxh32, hash2::xxhash_32>("XXH32");
    digests<hm::xxh64, hash2::xxhash_64>("XXH64");
    digests<hm::fnv1a32, hash2::fnv1a_32>("FNV-1a, 32 bits");
    digests<hm::fnv1a64, hash2::fnv1a_64>("FNV-1a, 64 bits");
    digest_of<hm::header_only::md5, hash2::md5_128>("MD5 in the header");
    digest_of<hm::header_only::sha1, hash2::sha1_160>("SHA-1 in the header");
    digest_of<hm::header_only::sha256, hash2::sha2_256>("SHA-256 in the header");
    digest_of<hm::header_only::sha512, hash2::sha2_512>("SHA-512 in the header");

    // Boost's SipHash takes a key of 16 bytes unchanged.
    const auto key = message(16), m = message(321);
    hash2::siphash_64 theirs(static_cast<const void*>(key.data()), key.size());
    hm::siphash_2_4 ours(static_cast<const void*>(key.data()), key.size());
    theirs.update(m.data(), m.size());
    ours.update(m.data(), m.size());
    const auto d = ours.result();
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | d[i];
    check(value == theirs.result(), "SipHash-2-4");

    // Unordered containers, and an integer made from a digest.
    const std::unordered_set<std::string> set{"a", "b", "c"};
    hm::sha256 h;
    hash2::sha2_256 t;
    hash2::hash_append(h, hash2::default_flavor(), set);
    hash2::hash_append(t, hash2::default_flavor(), set);
    check(same(h.result(), t.result()), "an unordered set");
    hm::sha256 a;
    hash2::sha2_256 b;
    check(hash2::get_integral_result<std::uint64_t>(a) == hash2::get_integral_result<std::uint64_t>(b), "an integer of a digest");
    check(hash2::get_integral_result<std::uint32_t>(a) != 0, "of 32 bits");

    // At compile time, with Boost's functions over our digest.
    constexpr auto at_compile_time = [] {
        hm::header_only::sha256 c;
        hash2::hash_append(c, hash2::little_endian_flavor(), std::array<std::uint32_t, 2>{1, 2});
        return c.result();
    }();
    hash2::sha2_256 at_run_time;
    hash2::hash_append(at_run_time, hash2::little_endian_flavor(), std::array<std::uint32_t, 2>{1, 2});
    check(same(at_compile_time, at_run_time.result()), "at compile time");
    std::printf("test result: %s. %d passed; %d failed\n", failed == 0 ? "ok" : "FAILED", passed, failed);
    return failed == 0 ? 0 : 1;
}
