// hashmill/core.hpp: digests, concepts, and what every hasher makes of ranges, iterators and streams.
//
// Licensed as hashmill is (MIT or Apache 2.0), and under the Boost Software License 1.0 as well.

#ifndef HASHMILL_CORE_HPP
#define HASHMILL_CORE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Everything of this library.
namespace hashmill {

/// A digest of N bytes, in the order in which tools print them.
template <std::size_t N>
struct digest {
    /// The bytes.
    unsigned char bytes[N == 0 ? 1 : N] = {};

    using value_type = unsigned char;
    using size_type = std::size_t;
    using iterator = unsigned char*;
    using const_iterator = const unsigned char*;

    constexpr iterator begin() noexcept { return bytes; }
    constexpr iterator end() noexcept { return bytes + N; }
    constexpr const_iterator begin() const noexcept { return bytes; }
    constexpr const_iterator end() const noexcept { return bytes + N; }
    constexpr unsigned char* data() noexcept { return bytes; }
    constexpr const unsigned char* data() const noexcept { return bytes; }
    static constexpr std::size_t size() noexcept { return N; }
    constexpr unsigned char& operator[](std::size_t i) { return bytes[i]; }
    constexpr const unsigned char& operator[](std::size_t i) const { return bytes[i]; }

    /// Takes time that depends on the length alone.
    friend constexpr bool operator==(const digest& a, const digest& b) noexcept {
        unsigned different = 0;
        for (std::size_t i = 0; i < N; ++i) different |= static_cast<unsigned>(a.bytes[i] ^ b.bytes[i]);
        return different == 0;
    }

    /// The order of the bytes, for sets and maps.
    friend constexpr std::strong_ordering operator<=>(const digest& a, const digest& b) noexcept {
        for (std::size_t i = 0; i < N; ++i)
            if (a.bytes[i] != b.bytes[i]) return a.bytes[i] <=> b.bytes[i];
        return std::strong_ordering::equal;
    }
};

namespace detail {

constexpr void put_hex(const unsigned char* bytes, std::size_t n, char* text) noexcept {
    constexpr char digits[] = "0123456789abcdef";
    for (std::size_t i = 0; i < n; ++i) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
}

constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace detail

/// A digest as lower-case hexadecimal digits.
template <std::size_t N>
constexpr std::string to_string(const digest<N>& d) {
    std::string text(2 * N, '\0');
    detail::put_hex(d.data(), N, text.data());
    return text;
}

/// Writes the hexadecimal digits.
template <std::size_t N>
std::ostream& operator<<(std::ostream& out, const digest<N>& d) {
    char text[2 * N + 1] = {};
    detail::put_hex(d.data(), N, text);
    return out << std::string_view(text, 2 * N);
}

/// Reads a digest from 2 N hexadecimal digits of either case into `d`. False, and nothing is changed, if the text is anything else.
template <std::size_t N>
constexpr bool from_hex(std::string_view text, digest<N>& d) noexcept {
    if (text.size() != 2 * N) return false;
    digest<N> read;
    for (std::size_t i = 0; i < N; ++i) {
        const int high = detail::hex_value(text[2 * i]), low = detail::hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        read[i] = static_cast<unsigned char>(high << 4 | low);
    }
    d = read;
    return true;
}

/// What a message can be made of: integers of 8 to 64 bits, std::byte, and enumerations over such integers. bool is none, since its bytes are
/// not of one meaning.
template <class T>
concept element = (std::integral<std::remove_cv_t<T>> || std::is_enum_v<std::remove_cv_t<T>>) &&
                  !std::same_as<std::remove_cv_t<T>, bool> && sizeof(T) <= 8;

/// An element of one byte, which has no byte order.
template <class T>
concept byte_like = element<T> && sizeof(T) == 1;

/// Iterators over elements.
template <class I>
concept element_iterator = std::input_iterator<I> && element<std::iter_value_t<I>>;

/// Ranges of elements.
template <class R>
concept element_range = std::ranges::input_range<R> && element<std::ranges::range_value_t<R>>;

/// Ranges of bytes: these need no byte order.
template <class R>
concept byte_range = element_range<R> && byte_like<std::ranges::range_value_t<R>>;

/// Ranges of longer elements: for these, the order of their bytes must be said.
template <class R>
concept wide_range = element_range<R> && !byte_like<std::ranges::range_value_t<R>>;

/// What every hasher has: update of bytes, result, and value semantics.
template <class H>
concept hash_algorithm = std::semiregular<H> && requires(H h, const H c, const unsigned char* p, std::size_t n) {
    typename H::result_type;
    { h.update(p, n) };
    { c.result() } -> std::same_as<typename H::result_type>;
    { h.reset() };
};

namespace detail {

/// The bytes of an element in memory order `Order`.
template <std::endian Order, element T>
constexpr std::array<unsigned char, sizeof(T)> to_bytes(T value) noexcept {
    using U = std::conditional_t<sizeof(T) == 1, std::uint8_t,
              std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    const U word = static_cast<U>(value);
    std::array<unsigned char, sizeof(T)> bytes{};
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        const std::size_t at = Order == std::endian::little ? i : sizeof(T) - 1 - i;
        bytes[i] = static_cast<unsigned char>(word >> (8 * at));
    }
    return bytes;
}

/// Whether elements lie in memory as they are to be hashed.
template <class T>
constexpr bool as_they_lie(std::endian order) noexcept {
    return sizeof(T) == 1 || order == std::endian::native;
}

/// Bytes that are collected before they are handed over: enough that the call costs nothing, few enough for the first-level cache.
inline constexpr std::size_t at_once = 4096;

}  // namespace detail

/// What a hasher makes of ranges, iterators and streams. `H` has `void take(const unsigned char*, std::size_t)`.
///
/// A contiguous range whose elements lie in memory as they are to be hashed is one call, and nothing is copied. All others are collected in a buffer of
/// 4 KiB. Elements of more than one byte need their byte order: `h.update(std::endian::big, words)`.
template <class H>
class updatable {
    constexpr H& self() noexcept { return static_cast<H&>(*this); }

    template <std::endian Order, class I, class More>
    constexpr I collect(I i, More more) {
        using T = std::iter_value_t<I>;
        unsigned char buffer[detail::at_once] = {};
        for (;;) {
            std::size_t fill = 0;
            for (; fill + sizeof(T) <= detail::at_once && more(i); ++i) {
                const auto bytes = detail::to_bytes<Order>(static_cast<T>(*i));
                for (std::size_t k = 0; k < sizeof(T); ++k) buffer[fill + k] = bytes[k];
                fill += sizeof(T);
            }
            if (fill == 0) return i;
            self().take(buffer, fill);
        }
    }

    /// Of iterators that can jump, as many elements at a time as the buffer holds: a loop whose length is known, which compilers unroll.
    template <std::endian Order, class I>
    constexpr I collect_n(I i, std::size_t n) {
        using T = std::iter_value_t<I>;
        constexpr std::size_t most = detail::at_once / sizeof(T);
        unsigned char buffer[detail::at_once] = {};
        while (n > 0) {
            const std::size_t some = std::min(n, most);
            for (std::size_t k = 0; k < some; ++k, ++i) {
                const auto bytes = detail::to_bytes<Order>(static_cast<T>(*i));
                for (std::size_t j = 0; j < sizeof(T); ++j) buffer[k * sizeof(T) + j] = bytes[j];
            }
            self().take(buffer, some * sizeof(T));
            n -= some;
        }
        return i;
    }

    template <std::endian Order, class I, class S>
    constexpr I take_all(I first, S last) {
        if constexpr (std::contiguous_iterator<I> && std::sized_sentinel_for<S, I>) {
            return take_n<Order>(first, static_cast<std::size_t>(last - first));
        } else if constexpr (std::sized_sentinel_for<S, I>) {
            return collect_n<Order>(std::move(first), static_cast<std::size_t>(last - first));
        } else {
            return collect<Order>(std::move(first), [&](const I& i) { return i != last; });
        }
    }

    template <std::endian Order, class I>
    constexpr I take_n(I first, std::size_t n) {
        using T = std::iter_value_t<I>;
        if constexpr (std::contiguous_iterator<I> && (sizeof(T) == 1 || Order == std::endian::native)) {
            if (n == 0) return first;
            const auto* at = std::to_address(first);
            if constexpr (std::same_as<std::remove_cv_t<T>, unsigned char>) {
                self().take(at, n);
                return first + static_cast<std::iter_difference_t<I>>(n);
            } else if (!std::is_constant_evaluated()) {
                self().take(reinterpret_cast<const unsigned char*>(at), n * sizeof(T));
                return first + static_cast<std::iter_difference_t<I>>(n);
            }
        }
        return collect_n<Order>(std::move(first), n);
    }

public:
    /// Takes `n` bytes.
    H& update(const void* bytes, std::size_t n) {
        if (n > 0) self().take(static_cast<const unsigned char*>(bytes), n);
        return self();
    }

    /// Takes `n` bytes, at compile time too.
    constexpr H& update(const unsigned char* bytes, std::size_t n) {
        if (n > 0) self().take(bytes, n);
        return self();
    }

    /// Takes a range of bytes: a string, a vector or span of bytes, a list, a view. Beware that an array of characters is a range, too: with the zero
    /// at the end of a literal. Use a string_view: "…"sv.
    template <byte_range R>
    constexpr H& update(R&& range) {
        if constexpr (std::ranges::sized_range<R>) {
            take_n<std::endian::native>(std::ranges::begin(range), static_cast<std::size_t>(std::ranges::size(range)));
        } else {
            take_all<std::endian::native>(std::ranges::begin(range), std::ranges::end(range));
        }
        return self();
    }

    /// Takes a range of integers, each in this byte order.
    template <element_range R>
    constexpr H& update(std::endian order, R&& range) {
        const auto go = [&]<std::endian Order>(std::integral_constant<std::endian, Order>) {
            if constexpr (std::ranges::sized_range<R>) {
                take_n<Order>(std::ranges::begin(range), static_cast<std::size_t>(std::ranges::size(range)));
            } else {
                take_all<Order>(std::ranges::begin(range), std::ranges::end(range));
            }
        };
        if (order == std::endian::little) {
            go(std::integral_constant<std::endian, std::endian::little>{});
        } else {
            go(std::integral_constant<std::endian, std::endian::big>{});
        }
        return self();
    }

    /// Integers of more than one byte without a byte order: say it, std::endian::little or std::endian::big.
    template <wide_range R>
    constexpr H& update(R&& range) = delete;

    /// Takes the bytes from `first` up to `last`.
    template <element_iterator I, std::sentinel_for<I> S>
        requires byte_like<std::iter_value_t<I>>
    constexpr H& update(I first, S last) {
        take_all<std::endian::native>(std::move(first), std::move(last));
        return self();
    }

    /// Takes the integers from `first` up to `last`, each in this byte order.
    template <element_iterator I, std::sentinel_for<I> S>
    constexpr H& update(std::endian order, I first, S last) {
        if (order == std::endian::little) {
            take_all<std::endian::little>(std::move(first), std::move(last));
        } else {
            take_all<std::endian::big>(std::move(first), std::move(last));
        }
        return self();
    }

    /// Takes `n` bytes from `first` on, and returns the iterator behind them.
    template <element_iterator I>
        requires byte_like<std::iter_value_t<I>>
    constexpr I update_n(I first, std::size_t n) {
        return take_n<std::endian::native>(std::move(first), n);
    }

    /// Takes `n` integers from `first` on, each in this byte order, and returns the iterator behind them.
    template <element_iterator I>
    constexpr I update_n(std::endian order, I first, std::size_t n) {
        return order == std::endian::little ? take_n<std::endian::little>(std::move(first), n)
                                            : take_n<std::endian::big>(std::move(first), n);
    }

    /// Takes all that the stream still has. Returns how many bytes that were; the stream says whether reading failed (`bad`).
    std::uint64_t update(std::istream& in) {
        // On the heap: as large as a read pays, and too large for some stacks.
        std::string buffer(std::size_t{256} * 1024, '\0');
        std::uint64_t total = 0;
        while (in) {
            in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
            const auto n = static_cast<std::size_t>(in.gcount());
            if (n == 0) break;
            self().take(reinterpret_cast<const unsigned char*>(buffer.data()), n);
            total += n;
        }
        return total;
    }
};

}  // namespace hashmill

/// Digests are good keys of unordered containers as they are: their first bytes are as good a hash as any.
template <std::size_t N>
struct std::hash<hashmill::digest<N>> {
    std::size_t operator()(const hashmill::digest<N>& d) const noexcept {
        std::size_t h = 0;
        std::memcpy(&h, d.data(), std::min(N, sizeof h));
        return h;
    }
};

#endif
