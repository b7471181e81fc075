// Every type as a hash algorithm of Boost.Hash2: construction from any seed, different seeds, and what is left in the
// object after result().

#include <hashmill.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace hm = hashmill;

namespace {

/// Bytes that occur nowhere else.
std::vector<unsigned char> distinct(std::size_t n, unsigned start) {
    std::vector<unsigned char> bytes(n);
    unsigned x = start;
    for (auto& byte : bytes) byte = static_cast<unsigned char>((x = x * 1664525 + 1013904223) >> 24);
    return bytes;
}

/// Every eight bytes in a row of these.
std::unordered_set<std::uint64_t> windows(const unsigned char* at, std::size_t n) {
    std::unordered_set<std::uint64_t> all;
    for (std::size_t i = 0; i + 8 <= n; ++i) {
        std::uint64_t window;
        std::memcpy(&window, at + i, 8);
        all.insert(window);
    }
    return all;
}

std::unordered_set<std::uint64_t> windows(const std::vector<unsigned char>& bytes) { return windows(bytes.data(), bytes.size()); }

/// Checks that none of these is in the object.
template <class H>
void has_none_of(const H& h, const std::unordered_set<std::uint64_t>& what, const char* name) {
    for (const auto window : windows(reinterpret_cast<const unsigned char*>(&h), sizeof h)) ASSERT_EQ(what.count(window), 0u) << name;
}

/// Seeds of every length, and short ones that differ only in their length.
std::vector<std::vector<unsigned char>> seeds() {
    std::vector<std::vector<unsigned char>> all = {{}, {0}, {0, 0}, {0, 0, 0}, {1}, {0x80}, {0, 0x80}};
    for (std::size_t n = 4; n <= 300; ++n) all.push_back(std::vector<unsigned char>(n, 0));
    for (std::size_t n = 1; n <= 300; ++n) all.push_back(distinct(n, 7));
    return all;
}

template <class H>
void seeds_differ(const char* name) {
    std::map<std::string, std::string> seen;
    std::size_t same = 0;
    // Shorter digests may meet by chance.
    constexpr bool all_differ = H::result_type::size() >= 8;
    const auto add = [&](H& h, const std::string& seed) {
        // XXH3 uses all of a secret for messages of more than 240 bytes.
        const auto message = distinct(1000, 1);
        h.update(static_cast<const void*>(message.data()), message.size());
        const auto d = h.result();
        const auto [at, fresh] = seen.emplace(std::string(d.begin(), d.end()), seed);
        same += !fresh;
        if (all_differ) {
            ASSERT_TRUE(fresh) << name << ": " << seed << " and " << at->second;
        }
    };
    for (const auto& seed : seeds()) {
        const std::string_view type = name;
        const bool zeros = std::count(seed.begin(), seed.end(), 0) == static_cast<std::ptrdiff_t>(seed.size());
        // SipHash without a key has one of zeros, and a secret of XXH3 is not hashed with its length.
        if (zeros && (type.substr(0, 7) == "siphash" ? seed.size() == 16 : seed.size() > 136 && (type == "xxh3" || type == "xxh128"))) continue;
        std::optional<H> h;
        ASSERT_NO_THROW(h.emplace(static_cast<const void*>(seed.data()), seed.size())) << name << ", " << seed.size() << " bytes";
        add(*h, std::to_string(seed.size()) + " bytes, the first " + (seed.empty() ? "none" : std::to_string(seed[0])));
    }
    for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
        // Fletcher's sums are modulo numbers of all ones, so they do not tell such words from zeros.
        if (~seed == 0 && std::string_view(name).substr(0, 8) == "fletcher") continue;
        std::optional<H> h;
        ASSERT_NO_THROW(h.emplace(seed)) << name << ", seed " << seed;
        add(*h, "seed " + std::to_string(seed));
    }
    if (H::result_type::size() == 4) {
        EXPECT_LE(same, 1u) << name;
    }
    // The shortest seeds differ wherever a digest has more than a few bits.
    if (H::result_type::size() >= 2) {
        std::vector<std::string> shortest;
        for (std::size_t n = 0; n <= 3; ++n) {
            const std::array<unsigned char, 3> zeros{};
            const auto d = H(static_cast<const void*>(zeros.data()), n).result();
            shortest.emplace_back(d.begin(), d.end());
        }
        std::sort(shortest.begin(), shortest.end());
        EXPECT_EQ(std::unique(shortest.begin(), shortest.end()), shortest.end()) << name;
    }
    // No seed.
    EXPECT_EQ(H(std::uint64_t{0}).result(), H().result()) << name;
    EXPECT_EQ(H(static_cast<const void*>(nullptr), 0).result(), H().result()) << name;
}

template <class H>
void nothing_stays(const char* name) {
    const auto message = distinct(5000, 21), seed = distinct(300, 22);
    const auto of_message = windows(message), of_seed = windows(seed);
    for (const std::size_t n : std::initializer_list<std::size_t>{8, 16, 31, 32, 40, 63, 64, 127, 135, 140, 200, 300}) {
        for (const std::size_t m : std::initializer_list<std::size_t>{0, 8, 33, 60, 100, 127, 250, 1100, 5000}) {
            H h(static_cast<const void*>(seed.data()), n);
            h.update(static_cast<const void*>(message.data()), m);
            const auto d = h.result();
            has_none_of(h, of_message, name);
            has_none_of(h, of_seed, name);
            ASSERT_EQ(h.result(), d) << name;
            // More is hashed with the digest as the key.
            H expected(static_cast<const void*>(d.data()), d.size());
            h.update(static_cast<const void*>(message.data()), m);
            expected.update(static_cast<const void*>(message.data()), m);
            if (m > 0) {
                ASSERT_EQ(h.result(), expected.result()) << name;
            }
            has_none_of(h, of_message, name);
        }
    }
    H numbered(std::uint64_t{0x1122334455667788});
    numbered.update(static_cast<const void*>(message.data()), 50);
    numbered.result();
    has_none_of(numbered, windows({0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}), name);
}

template <class H>
void every(const char* name) {
    ASSERT_NO_FATAL_FAILURE(seeds_differ<H>(name));
    ASSERT_NO_FATAL_FAILURE(nothing_stays<H>(name));
}

TEST(HashAlgorithm, EveryType) {
    // A line for each type of hashmill/types.hpp, written by CMake.
#include "every_type.inc"
}

TEST(HashAlgorithm, Others) {
    every<hm::cubehash<16, 32, 512>>("cubehash<16, 32, 512>");
    every<hm::cubehash<8, 1, 512>>("cubehash<8, 1, 512>");
    every<hm::header_only::md4>("header_only::md4");
    every<hm::header_only::md5>("header_only::md5");
    every<hm::header_only::sha0>("header_only::sha0");
    every<hm::header_only::sha1>("header_only::sha1");
    every<hm::header_only::sha224>("header_only::sha224");
    every<hm::header_only::sha256>("header_only::sha256");
    every<hm::header_only::sha384>("header_only::sha384");
    every<hm::header_only::sha512>("header_only::sha512");
    every<hm::header_only::sha512_256>("header_only::sha512_256");
    every<hm::header_only::cubehash<16, 32, 512>>("header_only::cubehash<16, 32, 512>");
    every<hm::header_only::cubehash<8, 1, 512>>("header_only::cubehash<8, 1, 512>");
}

}  // namespace
