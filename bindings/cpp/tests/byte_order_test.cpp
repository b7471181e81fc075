// Elements of 16, 32 and 64 bits in either byte order, from every form of input, with the library and header-only. This
// test stands alone, so that it can be compiled for machines of the other byte order.

#include <hashmill.hpp>

#include <cstdio>
#include <deque>
#include <forward_list>
#include <list>
#include <vector>

namespace {

int passed = 0, failed = 0;

void check(bool ok, const char* what, std::size_t bits, const char* order) {
    if (ok) {
        ++passed;
    } else {
        ++failed;
        std::printf("%s, elements of %zu bits, %s: failed\n", what, bits, order);
    }
}

/// A range that can be read only once.
template <class T>
struct once {
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;
    const T* at = nullptr;

    T operator*() const { return *at; }
    once& operator++() {
        ++at;
        return *this;
    }
    void operator++(int) { ++at; }
    friend bool operator==(const once&, const once&) = default;
};

template <class H, class T>
void forms(std::endian order, std::size_t n) {
    const char* name = order == std::endian::big ? "big" : "little";
    std::vector<T> values(n);
    std::vector<unsigned char> bytes;
    std::uint64_t random = 0x0123456789abcdefU + n;
    for (T& v : values) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        v = static_cast<T>(random >> (64 - 8 * sizeof(T)));
        // Arithmetic alone gives the same result on every machine.
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            const std::size_t at = order == std::endian::little ? i : sizeof(T) - 1 - i;
            bytes.push_back(static_cast<unsigned char>(static_cast<std::uint64_t>(v) >> (8 * at)));
        }
    }
    const auto expect = H::hash(bytes.data(), bytes.size());
    const auto is = [&](const H& h, const char* what) { check(h.result() == expect, what, 8 * sizeof(T), name); };
    check(H::hash(order, values) == expect, "hash", 8 * sizeof(T), name);
    is(H().update(order, values), "a vector");
    is(H().update(order, std::span<const T>(values)), "a span");
    is(H().update(order, values.begin(), values.end()), "iterators");
    is(H().update(order, std::deque<T>(values.begin(), values.end())), "a deque");
    is(H().update(order, std::list<T>(values.begin(), values.end())), "a list");
    const std::forward_list<T> forward(values.begin(), values.end());
    is(H().update(order, forward.begin(), forward.end()), "a forward list");
    is(H().update(order, once<T>{values.data()}, once<T>{values.data() + n}), "input iterators");
    is(H().update(order, values | std::views::transform([](T v) { return v; })), "a view");
    H h;
    const auto behind = h.update_n(order, values.begin(), n / 2);
    h.update_n(order, behind, n - n / 2);
    is(h, "update_n");
    // Starts in the middle of an element.
    std::vector<unsigned char> shifted(1 + n * sizeof(T));
    H odd;
    odd.update(shifted.data(), 1).update(order, values);
    shifted.resize(1);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    check(odd.result() == H::hash(shifted.data(), shifted.size()), "behind an odd byte", 8 * sizeof(T), name);
}

template <class H>
void all() {
    constexpr std::size_t lengths[] = {0, 1, 7, 64, 513, 1000, 2048, 5000};
    for (const std::size_t n : lengths) {
        for (const auto order : {std::endian::little, std::endian::big}) {
            forms<H, std::uint16_t>(order, n);
            forms<H, std::uint32_t>(order, n);
            forms<H, std::uint64_t>(order, n);
            forms<H, std::int16_t>(order, n);
            forms<H, std::int64_t>(order, n);
            forms<H, char16_t>(order, n);
            forms<H, char32_t>(order, n);
        }
    }
}

}  // namespace

int main() {
    using namespace std::string_view_literals;
    all<hashmill::sha256>();
    all<hashmill::xxh3>();
    all<hashmill::header_only::md5>();
    all<hashmill::header_only::sha512>();
    all<hashmill::header_only::cubehash<16, 32, 512>>();
    // Published digests show that both forms are correct, not merely equal.
    check(to_string(hashmill::header_only::sha1::hash("abc"sv)) == "a9993e364706816aba3e25717850c26c9cd0d89d", "SHA-1", 8, "no order");
    check(to_string(hashmill::md5::hash(std::endian::big, std::vector<std::uint32_t>{0x61626364})) == "e2fc714c4727ee9395f324cd2e7f331f", "MD5 of abcd", 32, "big");
    check(to_string(hashmill::md5::hash(std::endian::little, std::vector<std::uint32_t>{0x64636261})) == "e2fc714c4727ee9395f324cd2e7f331f", "MD5 of abcd", 32, "little");
    std::printf("test result: %s. %d passed; %d failed\n", failed == 0 ? "ok" : "FAILED", passed, failed);
    return failed == 0 ? 0 : 1;
}
