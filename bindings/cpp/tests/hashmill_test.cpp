// Tests the C++ header's additions to the C library: types, values, concepts, errors.

#include <hashmill.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace hm = hashmill;
using namespace std::string_view_literals;

namespace {

constexpr auto abc_sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// Concepts, checked at compile time.
static_assert(hm::hash_algorithm<hm::md5> && hm::hash_algorithm<hm::sha512> && hm::hash_algorithm<hm::xxh3>);
static_assert(hm::hash_algorithm<hm::cubehash<16, 32, 512>>);
static_assert(hm::byte_range<std::string> && hm::byte_range<std::vector<std::byte>> && hm::byte_range<std::list<char8_t>>);
static_assert(hm::wide_range<std::vector<int>> && !hm::byte_range<std::vector<int>>);
static_assert(!hm::element_range<std::vector<bool>> && !hm::element_range<std::vector<float>> && !hm::element_range<std::vector<std::string>>);

template <class H, class R>
concept takes_without_order = requires(H h, R r) { h.update(r); };
static_assert(takes_without_order<hm::md5, std::string> && !takes_without_order<hm::md5, std::vector<int>>);
static_assert(!takes_without_order<hm::md5, std::vector<double>>);

/// The requirements that Boost.Hash2's documentation states for a hash algorithm.
template <class H>
concept boost_hash_algorithm =
    std::is_default_constructible_v<H> && std::is_copy_constructible_v<H> && std::is_copy_assignable_v<H> &&
    std::constructible_from<H, std::uint64_t> && std::constructible_from<H, const void*, std::size_t> &&
    requires(H h, const void* p, std::size_t n) {
        typename H::result_type;
        requires std::unsigned_integral<typename H::result_type> || requires(typename H::result_type r) {
            { r.size() } -> std::convertible_to<std::size_t>;
            { r[0] } -> std::convertible_to<unsigned char>;
            { r.data() } -> std::convertible_to<unsigned char*>;
        };
        { H::block_size } -> std::convertible_to<int>;
        h.update(p, n);
        { h.result() } -> std::same_as<typename H::result_type>;
    };
static_assert(boost_hash_algorithm<hm::md5> && boost_hash_algorithm<hm::sha3_256> && boost_hash_algorithm<hm::siphash_2_4>);
static_assert(boost_hash_algorithm<hm::cubehash<16, 32, 512>> && boost_hash_algorithm<hm::header_only::sha256>);

// Digests are ranges that can be hashed, compared and viewed as any other.
static_assert(std::ranges::contiguous_range<hm::digest<20>> && std::ranges::contiguous_range<const hm::digest<20>&>);
static_assert(std::ranges::contiguous_range<hm::any_digest&> && std::ranges::contiguous_range<const hm::any_digest&>);
static_assert(hm::byte_range<hm::digest<20>> && hm::byte_range<hm::any_digest> && !hm::byte_range<std::vector<int>> && hm::wide_range<std::vector<int>>);
static_assert(!hm::element<bool> && !hm::element<double> && hm::element<char16_t> && hm::element<std::byte>);

TEST(Fixed, OneShotAndPieces) {
    EXPECT_EQ(to_string(hm::sha256::hash("abc"sv)), abc_sha256);
    hm::sha256 h;
    h.update("ab"sv).update("c"sv);
    EXPECT_EQ(to_string(h.result()), abc_sha256);
    EXPECT_EQ(to_string(h.result()), abc_sha256) << "repeated";
    h.reset();
    h.update("abc"sv);
    EXPECT_EQ(h.result(), hm::sha256::hash("abc"sv));
    std::ostringstream out;
    out << h.result();
    EXPECT_EQ(out.str(), abc_sha256);
    EXPECT_EQ(hm::sha256::block_size, 64);
    EXPECT_EQ((to_string(hm::cubehash<16, 32, 512>::hash("abc"sv))), to_string(hm::cubehash512::hash("abc"sv)));
    EXPECT_EQ((to_string(hm::cubehash<8, 1, 512>::hash(""sv))),
              "90bc3f2948f7374065a811f1e47a208a53b1a2f3be1c0072759ed49c9c6c7f28f26eb30d5b0658c563077d599da23f97df0c2c0ac6cce734ffe87b2e76ff7294");
}

TEST(Fixed, ACopyIsAFork) {
    hm::sha256 h;
    h.update("ab"sv);
    hm::sha256 fork = h;
    h.update("x"sv);
    fork.update("c"sv);
    EXPECT_EQ(to_string(fork.result()), abc_sha256);
    h = fork;
    EXPECT_EQ(to_string(h.result()), abc_sha256);
    h = *&h;
    EXPECT_EQ(to_string(h.result()), abc_sha256);
    std::vector<hm::sha256> moved;
    for (int i = 0; i < 20; ++i) moved.push_back(fork);
    EXPECT_EQ(to_string(moved[7].result()), abc_sha256);
    hm::md5 other;
    std::swap(other, *std::make_unique<hm::md5>());
}

TEST(Fixed, ByteOrder) {
    const std::vector<std::uint16_t> words = {0x6162, 0x6364};
    EXPECT_EQ(hm::md5::hash(std::endian::big, words), hm::md5::hash("abcd"sv));
    EXPECT_EQ(hm::md5::hash(std::endian::little, words), hm::md5::hash("badc"sv));
    const std::list<std::int64_t> wide = {0x6162636465666768};
    EXPECT_EQ(hm::md5::hash(std::endian::big, wide), hm::md5::hash("abcdefgh"sv));
    EXPECT_EQ(hm::md5::hash(std::endian::little, wide), hm::md5::hash("hgfedcba"sv));
    enum class color : std::uint32_t { red = 0x61626364 };
    const color colors[] = {color::red};
    EXPECT_EQ(hm::md5::hash(std::endian::big, colors), hm::md5::hash("abcd"sv));
    // More than the buffer holds, and not a multiple of its size.
    std::vector<std::uint32_t> many(5000, 0x61626364);
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "abcd";
    EXPECT_EQ(hm::sha1::hash(std::endian::big, many), hm::sha1::hash(text));
    EXPECT_EQ(hm::sha1::hash(std::endian::big, std::list(many.begin(), many.end())), hm::sha1::hash(text));
}

/// Checks that the library and the header-only digests put the same bytes in front of a message.
template <class Library, class Header>
void same_front() {
    const std::string key(200, 'k');
    EXPECT_EQ(Library(7).update("abc"sv).result(), Header(7).update("abc"sv).result());
    for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 55, 56, 64, 111, 112, 128, 200})
        EXPECT_EQ(Library(key.data(), n).update("abc"sv).result(), Header(key.data(), n).update("abc"sv).result()) << n;
}

TEST(Fixed, SeedsAndKeys) {
    same_front<hm::md4, hm::header_only::md4>();
    same_front<hm::md5, hm::header_only::md5>();
    same_front<hm::sha0, hm::header_only::sha0>();
    same_front<hm::sha1, hm::header_only::sha1>();
    same_front<hm::sha224, hm::header_only::sha224>();
    same_front<hm::sha256, hm::header_only::sha256>();
    same_front<hm::sha512, hm::header_only::sha512>();
    same_front<hm::sha512_224, hm::header_only::sha512_224>();
    same_front<hm::cubehash<16, 32, 512>, hm::header_only::cubehash<16, 32, 512>>();
    // xxh64 has a seed of its own.
    hm::xxh64 seeded(7);
    seeded.update("abc"sv);
    auto by_name = hm::hasher::make("xxh64:seed=7").value();
    by_name.update("abc"sv);
    EXPECT_EQ(to_string(seeded.result()), to_string(by_name.result()));
    // SHA-3 has no seed of its own, so the seed becomes a block before the message, which ends with the seed's length.
    const auto block = [](std::string seed) {
        const auto n = static_cast<char>(seed.size());
        seed += '\x80';
        seed.resize(hm::sha3_256::block_size - 8);
        return seed + n + std::string(7, '\0');
    };
    hm::sha3_256 prefixed(7);
    prefixed.update("abc"sv);
    EXPECT_EQ(prefixed.result(), hm::sha3_256::hash(block("\x07" + std::string(7, '\0')) + "abc"));
    EXPECT_EQ(hm::md5(0).result(), hm::md5().result());
    EXPECT_EQ(hm::sha3_256("key", 3).result(), hm::sha3_256::hash(block("key")));
    EXPECT_EQ(hm::fnv1a64("key", 3).result(), hm::fnv1a64::hash("key\x80\x03\0\0\0\0\0\0\0"sv));
    // With MD4's construction, the key is padded like a complete message.
    EXPECT_EQ(hm::md5("key", 3).update("abc"sv).result(), hm::md5::hash("key\x80" + std::string(52, '\0') + '\x18' + std::string(7, '\0') + "abc"));
    EXPECT_EQ(hm::md5("", 0).result(), hm::md5().result());
    hm::siphash_2_4 sip("0123456789abcdef", 16);
    EXPECT_NE(std::as_const(sip).result(), hm::siphash_2_4().result());
    sip.update("abc"sv);
    const auto code = std::as_const(sip).result();
    sip.reset();
    sip.update("abc"sv);
    EXPECT_EQ(sip.result(), code) << "until result the key stays";
    EXPECT_THROW(sip.reset(), std::logic_error);
    // Keys of other lengths are shortened.
    const auto long_key = hm::sha512::hash("short"sv);
    EXPECT_EQ(hm::siphash_2_4("short", 5).update("abc"sv).result(), hm::siphash_2_4(long_key.data(), 16).update("abc"sv).result());
    EXPECT_EQ(hm::blake3("short", 5).update("abc"sv).result(), hm::blake3(long_key.data(), 32).update("abc"sv).result());
    const std::string longer(65, 'k');
    const auto shortened = hm::sha512::hash(longer);
    EXPECT_EQ(hm::blake2b_512(longer.data(), 65).result(), hm::blake2b_512(shortened.data(), 64).result());
    // What XXH3_generateSecret of xxHash 0.8.1 makes of "abc".
    const auto secret = hm::detail::xxh3_secret(reinterpret_cast<const unsigned char*>("abc"), 3);
    EXPECT_EQ(to_string(hm::sha256::hash(secret)), "08ab8ac869d8aeca1588d2f155330202ca3e34b9ea106fdefa51230f190bce0d");
    EXPECT_EQ(hm::xxh3("abc", 3).update("abc"sv).result(), hm::xxh3(secret.data(), secret.size()).update("abc"sv).result());
    // Inputs that an algorithm does not take are still errors.
    hm::inputs in;
    in.key = std::as_bytes(std::span("short"));
    EXPECT_EQ(hm::siphash_2_4::with(in).error().code(), HM_BAD_KEY);
}

/// After `result`, a hasher has a digest and nothing else.
TEST(Fixed, AfterTheResult) {
    hm::sha256 h("key", 3);
    h.update("abc"sv);
    EXPECT_EQ(std::as_const(h).result(), std::as_const(h).result());
    h.update("d"sv);
    hm::sha256 again("key", 3);
    const auto d = h.result();
    EXPECT_EQ(d, again.update("abcd"sv).result()) << "reading it from a const hasher changes nothing";
    EXPECT_EQ(h.result(), d);
    hm::sha256 copy = h;
    EXPECT_EQ(copy.result(), d);
    EXPECT_EQ(h.update(""sv).result(), d) << "nothing more";
    // More is hashed with the digest as the key.
    hm::sha256 expected(d.data(), d.size());
    EXPECT_EQ(h.update("more"sv).result(), expected.update("more"sv).result());
    EXPECT_EQ(copy.result(), d);
    EXPECT_THROW(copy.reset(), std::logic_error);
    EXPECT_EQ(copy.export_state().error().code(), HM_BAD_ARGUMENT);
    // Without a seed, there is nothing to lose.
    hm::sha256 plain;
    plain.update("abc"sv).result();
    plain.reset();
    EXPECT_EQ(to_string(plain.update("abc"sv).result()), abc_sha256);
    // A seed that was hashed comes back until there is a result, also in a copy.
    hm::crc32 seeded(7);
    hm::crc32 fork = seeded.update("abc"sv);
    fork.reset();
    EXPECT_EQ(fork.update("x"sv).result(), hm::crc32(7).update("x"sv).result());
    EXPECT_NE(seeded.result(), hm::crc32::hash("abc"sv));
}

TEST(Hasher, AtRunTime) {
    hm::hasher h("sha256");
    h.update("abc"sv);
    EXPECT_EQ(to_string(h.result()), abc_sha256);
    EXPECT_EQ(h.result(), hm::any_digest(hm::sha256::hash("abc"sv)));
    EXPECT_EQ(h.get_algorithm(), hm::algorithm("SHA2-256"));
    EXPECT_THROW(hm::hasher("sha265"), hm::error);
    const auto none = hm::hasher::make("sha265");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code(), HM_UNKNOWN_ALGORITHM);
    EXPECT_NE(none.error().message().find("sha256"), std::string::npos);
    EXPECT_THROW((void)none.value(), hm::error);
    EXPECT_EQ(hm::hasher::make(std::string("md5\0x", 5)).error().code(), HM_UNKNOWN_ALGORITHM);
    EXPECT_EQ(hm::algorithm("md5").with_digest_len(8).error().code(), HM_BAD_PARAMETER);
    EXPECT_EQ(hm::algorithm("shake128").with_digest_len(64).value().digest_len(), 64u);
    EXPECT_FALSE(hm::algorithm("md5").aliases().empty());
    EXPECT_FALSE(hm::algorithm("md5").kernels().empty());
    EXPECT_EQ(hm::algorithm("md5").security(), HM_BROKEN);
    EXPECT_GT(hm::algorithm::all().size(), 200u);
}

TEST(Hasher, StatesGoOnElsewhere) {
    hm::sha256 h;
    h.update("ab"sv);
    const auto state = h.export_state().value();
    auto later = hm::sha256::resume(state).value();
    later.update("c"sv);
    EXPECT_EQ(to_string(later.result()), abc_sha256);
    auto any = hm::hasher::resume(state, "portable").value();
    any.update("c"sv);
    EXPECT_EQ(to_string(any.result()), abc_sha256);
    EXPECT_EQ(any.get_algorithm().name(), "sha256");
    const auto other = hm::md5::resume(state);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code(), HM_BAD_STATE);
    EXPECT_EQ(hm::hasher::resume({}).error().code(), HM_BAD_STATE);
    hm::inputs in;
    in.key = std::as_bytes(std::span("0123456789abcdef", 16));
    EXPECT_EQ(hm::siphash_2_4::with(in).value().export_state().error().code(), HM_SECRET_STATE);
}

TEST(Hasher, OutputsAndBits) {
    hm::shake128 h;
    h.update("abc"sv);
    std::byte all[100], first[7], second[93];
    ASSERT_TRUE(h.output(all));
    auto x = hm::xof::of(h).value();
    x.read(first);
    x.read(second);
    EXPECT_TRUE(std::equal(std::begin(first), std::end(first), all) && std::equal(std::begin(second), std::end(second), all + 7));
    EXPECT_EQ(hm::sha256().output(all).error().code(), HM_NOT_EXTENDABLE);
    EXPECT_EQ(hm::crc32().update_bits("\x80", 1).error().code(), HM_BAD_BITS);
    const auto part = hm::crc32::hash("one part"sv), rest = hm::crc32::hash(" and another"sv);
    EXPECT_EQ(hm::combine<hm::crc32>(part, rest, 12).value(), hm::crc32::hash("one part and another"sv));
    hm::inputs in;
    in.resume_from = std::as_bytes(std::span(part));
    auto crc = hm::crc32::with(in).value();
    crc.update(" and another"sv);
    EXPECT_EQ(crc.result(), hm::crc32::hash("one part and another"sv));
    EXPECT_EQ(hm::md5::with(in).error().code(), HM_WRONG_LENGTH);
}

TEST(Hmac, CodesAndCopies) {
    hm::hmac code(hm::algorithm("sha256"), std::as_bytes(std::span("key", 3)));
    code.update("The quick brown fox "sv);
    hm::hmac fork = code;
    code.update("jumps over the lazy dog"sv);
    fork.update("jumps over the lazy dog"sv);
    EXPECT_EQ(to_string(code.result()), "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
    EXPECT_EQ(code.result(), fork.result());
    const auto want = code.result();
    EXPECT_TRUE(code.verify(std::as_bytes(std::span(want))));
    EXPECT_FALSE(code.verify(std::as_bytes(std::span(want)).first(31)));
    EXPECT_EQ(hm::hmac::make(hm::algorithm("crc32"), {}).error().code(), HM_BAD_KEY);
}

TEST(Many, RangesOfRanges) {
    const std::vector<std::string> messages = {"hello", "", "word"};
    const auto d = hm::digest_many<hm::crc32>(messages);
    ASSERT_EQ(d.size(), 3u);
    EXPECT_EQ(to_string(d[0]) + to_string(d[1]) + to_string(d[2]), "3610a68600000000c3f17511");
    const std::list<std::list<char>> scattered = {{'h', 'e', 'l', 'l', 'o'}, {}, {'w', 'o', 'r', 'd'}};
    EXPECT_EQ(hm::digest_many<hm::crc32>(scattered), d);
    EXPECT_EQ(hm::digest_many<hm::crc32>(messages | std::views::transform([](const std::string& s) { return s + ""; })), d) << "temporaries";
    EXPECT_TRUE(hm::digest_many<hm::md5>(std::vector<std::string>()).empty());
    const std::vector<std::string> large(700, std::string(3001, 'l'));
    EXPECT_EQ(hm::digest_many<hm::md5>(large, 3), hm::digest_many<hm::md5>(large));
    const auto hex = hm::digest_many(hm::algorithm("crc32"), std::vector{"hello"sv, "word"sv}, HM_HEX);
    EXPECT_EQ(std::string(hex.begin(), hex.end()), "3610a686c3f17511");
    const std::int32_t offsets[] = {0, 5, 9}, bad[] = {0, -5, 9};
    const std::string column = "helloword";
    std::string out(16, ' ');
    const auto room = std::as_writable_bytes(std::span(out));
    ASSERT_TRUE(hm::digest_column(hm::algorithm("crc32"), std::span<const std::int32_t>(offsets), std::as_bytes(std::span(column)), HM_HEX, room));
    EXPECT_EQ(out, "3610a686c3f17511");
    EXPECT_EQ(hm::digest_column(hm::algorithm("crc32"), std::span<const std::int32_t>(bad), std::as_bytes(std::span(column)), HM_HEX, room).error().code(), HM_BAD_OFFSETS);
    std::vector<std::uint64_t> ends(large.size() + 1);
    std::string all;
    for (std::size_t i = 0; i < large.size(); i++) all += large[i], ends[i + 1] = all.size();
    std::vector<hm::md5::result_type> digests(large.size());
    ASSERT_TRUE(hm::digest_column(hm::algorithm("md5"), std::span<const std::uint64_t>(ends), std::as_bytes(std::span(all)), HM_RAW,
                                  std::as_writable_bytes(std::span(digests)), 3));
    EXPECT_EQ(digests, hm::digest_many<hm::md5>(large));
}

TEST(Digests, AreValues) {
    const auto d = hm::md5::hash("abc"sv), e = hm::md5::hash("abd"sv);
    EXPECT_NE(d, e);
    EXPECT_NE(d < e, e < d);
    std::unordered_set<hm::digest<16>> set = {d, e, d};
    EXPECT_EQ(set.size(), 2u);
    std::map<hm::digest<16>, int> map = {{d, 1}, {e, 2}};
    EXPECT_EQ(map[e], 2);
    hm::digest<16> read;
    ASSERT_TRUE(hm::from_hex(to_string(d), read));
    EXPECT_EQ(read, d);
    EXPECT_FALSE(hm::from_hex("900150983cd24fb0d6963f7d28e17f7", read));
    EXPECT_FALSE(hm::from_hex("g00150983cd24fb0d6963f7d28e17f72", read));
    EXPECT_EQ(read, d) << "unchanged";
    std::unordered_set<hm::any_digest> any = {d, hm::sha1::hash("abc"sv), d};
    EXPECT_EQ(any.size(), 2u);
}

TEST(Files, DescriptorsAndProgress) {
    const auto path = std::filesystem::temp_directory_path() / ("hashmill-cpp-" + std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id())));
    const std::string text(1000000, 'x');
    std::FILE* f = std::fopen(path.c_str(), "w+b");
    ASSERT_NE(f, nullptr);
    std::filesystem::remove(path);
    ASSERT_EQ(std::fwrite(text.data(), 1, text.size(), f), text.size());
    std::fflush(f);
    std::rewind(f);
    hm::sha256 h;
    std::uint64_t seen = 0;
    EXPECT_EQ(h.update_fd(fileno(f), [&](std::uint64_t done) { return seen = done, true; }).value(), text.size());
    EXPECT_EQ(seen, text.size());
    EXPECT_EQ(h.result(), hm::sha256::hash(text));
    std::rewind(f);
    EXPECT_EQ(hm::sha256().update_fd(fileno(f), [](std::uint64_t) { return false; }).error().code(), HM_CANCELLED);
    EXPECT_EQ(hm::sha256().update_fd(-1).error().code(), HM_IO);
    std::fclose(f);
}

TEST(Files, ManyByTheirPaths) {
    const auto folder = std::filesystem::temp_directory_path() / ("hashmill-cpp-files-" + std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id())));
    std::filesystem::create_directories(folder);
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < 30; ++i) {
        paths.push_back(folder / std::to_string(i));
        texts.emplace_back(i * 1001, static_cast<char>('a' + i));
        std::ofstream(paths.back(), std::ios::binary) << texts.back();
    }
    paths.push_back(folder / "none");
    paths.push_back(folder);
    const auto found = hm::digest_files<hm::sha256>(paths);
    ASSERT_EQ(found.size(), 32u);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(found[i].value(), hm::sha256::hash(texts[i]));
    EXPECT_EQ(found[30].error().code(), HM_IO);
    EXPECT_EQ(found[30].error().message(), "no such file or directory");
    EXPECT_EQ(found[31].error().message(), "is a directory");

    // Several algorithms, texts as paths, and progress.
    const std::vector<hm::algorithm> both = {hm::algorithm("md5"), hm::algorithm("shake128:7")};
    std::uint64_t files = 0;
    const auto some = hm::digest_files(both, std::vector{paths[3].string(), paths[30].string(), paths[5].string()},
                                       {.threads = 1, .progress = [&](const hm_files_progress& p) { return files = p.files, true; }});
    EXPECT_EQ(files, 3u);
    ASSERT_TRUE(some[0] && !some[1] && some[2]);
    EXPECT_EQ((*some[0])[0], hm::any_digest(hm::md5::hash(texts[3])));
    EXPECT_EQ((*some[2])[1], hm::hasher(both[1]).update(texts[5]).result());
    EXPECT_TRUE(hm::digest_files<hm::md5>(std::vector<std::string>()).empty());

    // A callback can end the call by its result or by an exception, even while an endless file is read.
    const std::vector zeros = {"/dev/zero"sv};
    const auto ended = hm::digest_files<hm::md5>(zeros, {.progress = [](const hm_files_progress&) { return false; }});
    EXPECT_EQ(ended[0].error().code(), HM_CANCELLED);
    EXPECT_THROW(hm::digest_files<hm::md5>(zeros, {.progress = [](const hm_files_progress&) -> bool { throw std::out_of_range("enough"); }}), std::out_of_range);
    EXPECT_THROW(hm::digest_files(std::span<const hm::algorithm>(), zeros), hm::error);
    std::filesystem::remove_all(folder);
}

/// Several threads read one hasher at the same time, and each continues from a fork.
TEST(Threads, OneHasherAndItsForks) {
    hm::sha256 shared;
    shared.update("shared "sv);
    const hm::sha256& seen = shared;
    std::vector<std::thread> threads;
    std::array<bool, 4> right{};
    for (std::size_t t = 0; t < right.size(); ++t) {
        threads.emplace_back([&, t] {
            bool all = true;
            for (int i = 0; i < 50; ++i) {
                hm::sha256 fork = seen;
                const auto own = std::to_string(t) + " " + std::to_string(i);
                all = all && fork.update(own).result() == hm::sha256::hash("shared " + own) && seen.result() == hm::sha256::hash("shared "sv);
            }
            right[t] = all;
        });
    }
    for (auto& t : threads) t.join();
    for (const bool r : right) EXPECT_TRUE(r);
}

/// Each of several threads has its own hasher and its own last error.
TEST(Threads, EachHasItsOwn) {
    std::vector<std::thread> threads;
    std::vector<int> good(8);
    for (std::size_t t = 0; t < good.size(); ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; ++i) {
                const std::string name = "nothing" + std::to_string(t);
                const auto none = hm::hasher::make(name);
                good[t] += !none && none.error().message().find(name) != std::string::npos && to_string(hm::sha256::hash("abc"sv)) == abc_sha256 &&
                           hm::digest_many<hm::md5>(std::vector(20, "abc"sv))[19] == hm::md5::hash("abc"sv);
            }
        });
    for (auto& t : threads) t.join();
    EXPECT_EQ(good, std::vector<int>(8, 200));
}

}  // namespace
