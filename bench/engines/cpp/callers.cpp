// What a user's program makes of the headers: compiled into a shared object by each compiler at each level, with the library and (HASHMILL_HEADER_ONLY)
// without. engine.cpp calls these. All have one shape: hash the message so many times, leave the last digest.

#include <hashmill.hpp>

#include <deque>
#include <iterator>
#include <list>
#include <ranges>
#include <span>
#include <streambuf>

namespace {

/// The compiler must not find that all rounds of a loop do the same.
template <class T>
T hidden(T value) {
    asm volatile("" : "+r"(value) : : "memory");
    return value;
}

/// An input iterator: it can be read once, and its end is found by comparing.
class once {
    const unsigned char* at_ = nullptr;

public:
    using value_type = unsigned char;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    once() = default;
    explicit once(const unsigned char* at) : at_(at) {}
    unsigned char operator*() const { return *at_; }
    once& operator++() {
        ++at_;
        return *this;
    }
    void operator++(int) { ++at_; }
    friend bool operator==(const once& a, const once& b) = default;
};
static_assert(std::input_iterator<once> && !std::forward_iterator<once>);

/// A message as a stream.
struct memory : std::streambuf {
    memory(const unsigned char* m, std::size_t n) {
        auto* begin = const_cast<char*>(reinterpret_cast<const char*>(m));
        setg(begin, begin, begin + n);
    }
};

/// The message in a container: made when the message changes, so that only walking it is measured.
template <class C>
const C& kept(const unsigned char* m, std::size_t n) {
    static C container;
    static const unsigned char* of = nullptr;
    static std::size_t bytes = 0;
    if (of != m || bytes != n) container.assign(m, m + n), of = m, bytes = n;
    return container;
}

template <class H, class F>
void loop(std::uint64_t times, unsigned char* out, F one) {
    typename H::result_type d{};
    for (; times > 0; --times) d = one();
    std::copy(d.begin(), d.end(), out);
}

}  // namespace

#define FORM(algorithm, H, form, expression)                                                                                          \
    extern "C" void algorithm##_##form(const unsigned char* m, std::size_t n, std::uint64_t times, unsigned char* out) {              \
        loop<H>(times, out, [&]() -> H::result_type { return expression; });                                                         \
    }

#define FORMS(algorithm, H)                                                                                                           \
    FORM(algorithm, H, pointer, H::hash(hidden(m), n))                                                                                \
    FORM(algorithm, H, contiguous, H::hash(std::span(hidden(m), n)))                                                                  \
    FORM(algorithm, H, words, H::hash(std::endian::native, std::span(reinterpret_cast<const std::uint32_t*>(hidden(m)), n / 4)))      \
    FORM(algorithm, H, other_words, H::hash(std::endian::big, std::span(reinterpret_cast<const std::uint32_t*>(hidden(m)), n / 4)))   \
    FORM(algorithm, H, deque, H::hash(kept<std::deque<unsigned char>>(hidden(m), n)))                                                 \
    FORM(algorithm, H, reversed, H::hash(std::span(hidden(m), n) | std::views::reverse))                                              \
    FORM(algorithm, H, computed, H::hash(std::span(hidden(m), n) | std::views::transform([](unsigned char c) -> unsigned char { return c ^ 1; }))) \
    FORM(algorithm, H, input, [&] { m = hidden(m); H h; h.update(once(m), once(m + n)); return h.result(); }())                       \
    FORM(algorithm, H, list, H::hash(kept<std::list<unsigned char>>(hidden(m), n)))                                                   \
    FORM(algorithm, H, streambuf, [&] { memory b(hidden(m), n); H h; h.update(std::istreambuf_iterator<char>(&b), std::istreambuf_iterator<char>()); return h.result(); }()) \
    FORM(algorithm, H, pieces, [&] { H h; for (std::size_t i = 0; i < n; i += 64) h.update(hidden(m) + i, std::min<std::size_t>(64, n - i)); return h.result(); }())

using cubehash512 = hashmill::cubehash<16, 32, 512>;

FORMS(md5, hashmill::md5)
FORMS(sha1, hashmill::sha1)
FORMS(sha512, hashmill::sha512)
FORMS(cubehash512, cubehash512)

#ifndef HASHMILL_HEADER_ONLY

FORMS(sha256, hashmill::sha256)
FORMS(xxh3, hashmill::xxh3)

/// One call of the C function.
#define CALL(algorithm, constant, bytes)                                                                                  \
    extern "C" void algorithm##_call(const unsigned char* m, std::size_t n, std::uint64_t times, unsigned char* out) {    \
        for (; times > 0; --times) hm_digest(&constant, hidden(m), n, out, bytes);                                        \
    }                                                                                                                     \
    extern "C" void algorithm##_hasher(const unsigned char* m, std::size_t n, std::uint64_t times, unsigned char* out) {  \
        hm_hasher h;                                                                                                      \
        for (; times > 0; --times) {                                                                                      \
            hm_hasher_init(&h, &constant, nullptr);                                                                       \
            hm_hasher_update(&h, hidden(m), n);                                                                           \
            hm_hasher_final(&h, out, bytes);                                                                              \
            hm_hasher_free(&h);                                                                                           \
        }                                                                                                                 \
    }

CALL(md5, HM_MD5, 16)
CALL(sha1, HM_SHA1, 20)
CALL(sha256, HM_SHA256, 32)
CALL(xxh3, HM_XXH3, 8)
CALL(crc32c, HM_CRC32C, 4)
CALL(blake3, HM_BLAKE3, 32)

#endif
