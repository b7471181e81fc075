// Every line of the shared vectors, through every form of input. The other bindings' tests read the same files.

#include <hashmill.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <deque>
#include <filesystem>
#include <forward_list>
#include <fstream>
#include <list>
#include <map>
#include <sstream>

using json = nlohmann::json;
namespace hm = hashmill;

namespace {

using bytes = std::vector<unsigned char>;

bytes from_hex(const std::string& text) {
    bytes b(text.size() / 2);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
    return b;
}

bytes message_of(const json& v) {
    if (v.contains("message_hex")) return from_hex(v["message_hex"]);
    if (v["message_pattern"] == "mod251") {
        bytes b(v["length"].get<std::size_t>());
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<unsigned char>(i % 251);
        return b;
    }
    bytes b, unit = from_hex(v["unit_hex"]);
    for (std::size_t i = 0; i < v["count"].get<std::size_t>(); ++i) b.insert(b.end(), unit.begin(), unit.end());
    return b;
}

std::span<const std::byte> span_of(const bytes& b) { return std::as_bytes(std::span(b)); }

/// Returns the elements of `T` that consist of these bytes in this order; the number of bytes is a multiple of the
/// element's size.
template <class T>
std::vector<T> words_of(const bytes& b, std::endian order) {
    std::vector<T> words(b.size() / sizeof(T));
    for (std::size_t i = 0; i < words.size(); ++i) {
        T word = 0;
        for (std::size_t k = 0; k < sizeof(T); ++k) {
            const std::size_t at = order == std::endian::big ? k : sizeof(T) - 1 - k;
            word = static_cast<T>(static_cast<std::uint64_t>(word) << 8 | b[i * sizeof(T) + at]);
        }
        words[i] = word;
    }
    return words;
}

/// Checks that a message gives this digest in every form of input.
void every_form(const hm::hasher& fresh, const bytes& m, const std::string& want) {
    const auto is = [&](const char* form, auto&& take) {
        hm::hasher h = fresh;
        take(h);
        EXPECT_EQ(to_string(h.result()), want) << form;
    };
    is("pointer", [&](auto& h) { h.update(m.data(), m.size()); });
    is("span of bytes", [&](auto& h) { h.update(span_of(m)); });
    is("contiguous range", [&](auto& h) { h.update(m); });
    is("contiguous iterators", [&](auto& h) { h.update(m.begin(), m.end()); });
    is("n from a pointer", [&](auto& h) { EXPECT_EQ(h.update_n(m.data(), m.size()), m.data() + m.size()); });
    // A stream of the rest of the message, and pieces of all lengths.
    is("pieces", [&](auto& h) {
        for (std::size_t at = 0, n = 1; at < m.size(); at += n, n = n % 67 + 1) h.update(m.data() + at, std::min(n, m.size() - at));
    });
    if (m.size() > 20000) return;
    const std::deque<char> deque(m.begin(), m.end());
    is("random-access range", [&](auto& h) { h.update(deque); });
    is("random-access iterators", [&](auto& h) { h.update(deque.begin(), deque.end()); });
    is("n from a random-access iterator", [&](auto& h) { EXPECT_EQ(h.update_n(deque.begin(), deque.size()), deque.end()); });
    const std::list<unsigned char> list(m.begin(), m.end());
    is("sized range", [&](auto& h) { h.update(list); });
    is("bidirectional iterators", [&](auto& h) { h.update(list.begin(), list.end()); });
    const std::forward_list<signed char> forward(m.begin(), m.end());
    is("forward range", [&](auto& h) { h.update(forward); });
    const std::string text(m.begin(), m.end());
    is("input iterators", [&](auto& h) {
        std::istringstream in(text);
        h.update(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    });
    is("stream", [&](auto& h) {
        std::istringstream in(text);
        EXPECT_EQ(h.update(in), m.size());
    });
    is("view", [&](auto& h) { h.update(m | std::views::transform([](unsigned char c) { return static_cast<std::byte>(c); })); });
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        if (m.size() % 2 == 0) is("16 bits", [&](auto& h) { h.update(order, words_of<std::uint16_t>(m, order)); });
        if (m.size() % 4 == 0) {
            const auto words = words_of<std::int32_t>(m, order);
            is("32 bits", [&](auto& h) { h.update(order, words); });
            const std::deque<std::int32_t> scattered(words.begin(), words.end());
            is("32 bits, scattered", [&](auto& h) { h.update(order, scattered.begin(), scattered.end()); });
        }
        if (m.size() % 8 == 0) {
            const auto words = words_of<std::uint64_t>(m, order);
            is("64 bits", [&](auto& h) { h.update(order, words.begin(), words.end()); });
            const std::list<std::uint64_t> scattered(words.begin(), words.end());
            is("64 bits, scattered", [&](auto& h) { EXPECT_EQ(h.update_n(order, scattered.begin(), scattered.size()), scattered.end()); });
        }
    }
}

/// Returns the algorithm of a vector, with the digest's length and the seed.
hm::algorithm algorithm_of(const json& v) {
    hm::algorithm a(v["algorithm"].get<std::string>());
    const std::size_t len = v["digest_hex"].get<std::string>().size() / 2;
    if (a.digest_len() != len) a = a.with_digest_len(len).value();
    if (v.contains("seed")) a = a.with_seed(v["seed"].get<std::uint64_t>()).value();
    return a;
}

void one(const json& v) {
    const std::string want = v["digest_hex"];
    const auto a = algorithm_of(v);
    const bytes m = message_of(v);
    bytes key, salt, personal;
    std::string context;
    if (v.contains("key_hex")) key = from_hex(v["key_hex"]);
    if (v.value("mode", "") == "hmac") {
        hm::hmac code(a, span_of(key));
        code.update(m);
        EXPECT_EQ(to_string(code.result()), want);
        EXPECT_TRUE(code.verify(span_of(from_hex(want))));
        return;
    }
    hm::inputs in;
    if (v.contains("salt_hex")) salt = from_hex(v["salt_hex"]), in.salt = span_of(salt);
    if (v.contains("personal_hex")) personal = from_hex(v["personal_hex"]), in.personal = span_of(personal);
    if (v.contains("context")) context = v["context"], in.context = std::as_bytes(std::span(context));
    if (v.contains("key_hex") && !key.empty()) in.key = span_of(key);
    const bool plain = !in.salt && !in.personal && !in.context && !in.key;
    hm::hasher fresh = plain ? hm::hasher(a) : hm::hasher::with(a, in).value();
    if (v.contains("bit_length")) {
        ASSERT_TRUE(fresh.update_bits(m.data(), v["bit_length"].get<std::uint64_t>()));
        EXPECT_EQ(to_string(fresh.result()), want);
        return;
    }
    every_form(fresh, m, want);
    if (!plain) return;
    std::vector<unsigned char> digest(a.digest_len());
    ASSERT_EQ(hm_digest(a.get(), m.data(), m.size(), digest.data(), digest.size()), HM_OK);
    EXPECT_EQ(digest, from_hex(want));
    // In lanes, with messages of other lengths.
    const std::vector<bytes> three = {m, bytes(m.size() / 2), m};
    const auto many = hm::digest_many(a, three);
    EXPECT_TRUE(std::equal(digest.begin(), digest.end(), many.begin()));
    EXPECT_TRUE(std::equal(digest.begin(), digest.end(), many.end() - static_cast<std::ptrdiff_t>(digest.size())));
}

TEST(Vectors, EveryFileThroughEveryForm) {
    std::map<std::string, int> algorithms;
    int lines = 0, bits = 0;
    for (const auto& file : std::filesystem::directory_iterator(VECTORS)) {
        if (file.path().extension() != ".jsonl") continue;
        std::ifstream in(file.path());
        std::string line;
        for (int number = 1; std::getline(in, line); ++number) {
            const json v = json::parse(line);
            // Skips chains of a million digests, and lines without a digest.
            if (!v.contains("digest_hex") || v.contains("monte")) continue;
            // Skips bits counted from the high end, as only the vectors of Keccak's submission have them.
            if (v.contains("bit_length") && v["algorithm"].get<std::string>().starts_with("keccak")) continue;
            SCOPED_TRACE(file.path().filename().string() + ":" + std::to_string(number) + " " + v["algorithm"].get<std::string>());
            one(v);
            ++lines;
            bits += v.contains("bit_length");
            ++algorithms[hm::algorithm(v["algorithm"].get<std::string>()).name()];
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GE(lines, 9000);
    EXPECT_GE(bits, 100);
    // Every algorithm has a vector.
    for (const auto& a : hm::algorithm::all()) EXPECT_GT(algorithms[a.name()], 0) << a.name();
    std::cout << lines << " vectors of " << algorithms.size() << " algorithms\n";
}

}  // namespace
