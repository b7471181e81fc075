// hashmill/core.hpp: digests, concepts, and how every hasher handles ranges, iterators and streams.
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
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// Why a call is refused, if the compiler can say so (C++26).
#if defined(__clang__) && __cpp_deleted_function >= 202403L
// clang can in every language mode, but would warn about it.
#define HASHMILL_DELETED(reason) \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wc++26-extensions\"") delete (reason) _Pragma("clang diagnostic pop")
#elif defined(__cpp_deleted_function) && __cpp_deleted_function >= 202403L
#define HASHMILL_DELETED(reason) delete (reason)
#else
#define HASHMILL_DELETED(reason) delete
#endif

#if defined(__GNUC__) || defined(_MSC_VER)
#define HASHMILL_RESTRICT __restrict
#else
#define HASHMILL_RESTRICT
#endif

/// Everything of this library.
namespace hashmill {

/// A digest of N bytes, in the order in which tools print them.
template <std::size_t N>
struct digest {
    /// The bytes.
    unsigned char bytes[N == 0 ? 1 : N] = {};

    using value_type = unsigned char;               ///< A byte.
    using size_type = std::size_t;                  ///< For its length.
    using iterator = unsigned char*;                ///< A pointer.
    using const_iterator = const unsigned char*;    ///< A pointer.

    constexpr iterator begin() noexcept { return bytes; }                              ///< Its first byte.
    constexpr iterator end() noexcept { return bytes + N; }                            ///< Behind its last byte.
    constexpr const_iterator begin() const noexcept { return bytes; }                  ///< Its first byte.
    constexpr const_iterator end() const noexcept { return bytes + N; }                ///< Behind its last byte.
    constexpr unsigned char* data() noexcept { return bytes; }                         ///< Where the bytes are.
    constexpr const unsigned char* data() const noexcept { return bytes; }             ///< Where the bytes are.
    static constexpr std::size_t size() noexcept { return N; }                         ///< How many there are.
    constexpr unsigned char& operator[](std::size_t i) { return bytes[i]; }            ///< Byte i, which has to be below N.
    constexpr const unsigned char& operator[](std::size_t i) const { return bytes[i]; }  ///< Byte i, which has to be below N.

    /// Takes time that depends only on the length.
    friend constexpr bool operator==(const digest& a, const digest& b) noexcept {
        unsigned different = 0;
        for (std::size_t i = 0; i < N; ++i) different |= static_cast<unsigned>(a.bytes[i] ^ b.bytes[i]);
        return different == 0;
    }

    /// Lexicographic order of the bytes, for sets and maps.
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

/// Reads a digest from 2 N hexadecimal digits, in either case, into `d`. If the text is anything else, returns false
/// and changes nothing.
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

/// What a message can be made of: integers of 8 to 64 bits, std::byte, and enumerations over such integers. bool is
/// excluded, since its representation is not defined.
template <class T>
concept element = (std::integral<std::remove_cv_t<T>> || std::is_enum_v<std::remove_cv_t<T>>) &&
                  !std::same_as<std::remove_cv_t<T>, bool> && sizeof(T) <= 8;

/// An element of one byte, which has no byte order.
template <class T>
concept byte_like = element<T> && sizeof(T) == 1;

/// Iterators over elements.
template <class Iter>
concept element_iterator = std::input_iterator<Iter> && element<std::iter_value_t<Iter>>;

/// Ranges of elements.
template <class R>
concept element_range = std::ranges::input_range<R> && element<std::ranges::range_value_t<R>>;

/// Ranges of bytes: these need no byte order.
template <class R>
concept byte_range = element_range<R> && byte_like<std::ranges::range_value_t<R>>;

/// Ranges of longer elements: for these, a byte order must be given.
template <class R>
concept wide_range = element_range<R> && !byte_like<std::ranges::range_value_t<R>>;

/// Iterators over elements longer than a byte.
template <class Iter>
concept wide_iterator = element_iterator<Iter> && !byte_like<std::iter_value_t<Iter>>;

/// Not a message: a range of something else, or not a range.
template <class T>
concept no_message = !element_range<T> && !std::derived_from<std::remove_cvref_t<T>, std::istream>;

/// Iterators over anything that is not an element.
template <class Iter>
concept no_message_iterator = std::input_iterator<Iter> && !element<std::iter_value_t<Iter>>;

/// What every hasher has: update of bytes, result, and value semantics.
template <class H>
concept hash_algorithm = std::semiregular<H> && requires(H h, const H c, const unsigned char* p, std::size_t n) {
    typename H::result_type;
    { h.update(p, n) };
    { c.result() } -> std::same_as<typename H::result_type>;
    { h.reset() };
};

namespace detail {

/// A word with its bytes reversed. Compilers recognize these as one instruction.
constexpr std::uint16_t byte_swapped(std::uint16_t w) noexcept { return static_cast<std::uint16_t>(w << 8 | w >> 8); }
constexpr std::uint32_t byte_swapped(std::uint32_t w) noexcept { return std::rotl((w & 0xff00ff00U) >> 8 | (w & 0x00ff00ffU) << 8, 16); }
constexpr std::uint64_t byte_swapped(std::uint64_t w) noexcept {
    return std::uint64_t{byte_swapped(static_cast<std::uint32_t>(w))} << 32 | byte_swapped(static_cast<std::uint32_t>(w >> 32));
}

/// The unsigned integer of N bytes.
template <std::size_t N>
using word_of = std::conditional_t<N == 1, std::uint8_t, std::conditional_t<N == 2, std::uint16_t, std::conditional_t<N == 4, std::uint32_t, std::uint64_t>>>;

/// The bytes of an element in memory order `Order`.
template <std::endian Order, element T>
constexpr std::array<unsigned char, sizeof(T)> to_bytes(T value) noexcept {
    const auto word = static_cast<word_of<sizeof(T)>>(value);
    std::array<unsigned char, sizeof(T)> bytes{};
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        const std::size_t at = Order == std::endian::little ? i : sizeof(T) - 1 - i;
        bytes[i] = static_cast<unsigned char>(word >> (8 * at));
    }
    return bytes;
}

/// Writes the padding for a message of n bytes in MD4's construction and its successors (RFC 1320, FIPS 180-4): a 1
/// bit, zeros, and the length in bits in an eighth of a block. Returns its length in bytes, at most a block and an
/// eighth.
constexpr std::size_t put_padding(unsigned char* out, std::size_t n, std::size_t block, std::endian order) noexcept {
    const std::size_t field = block / 8, zeros = (2 * block - 1 - field - n % block) % block;
    out[0] = 0x80;
    for (std::size_t i = 0; i < zeros + field; ++i) out[1 + i] = 0;
    const auto low = to_bytes<std::endian::little>(static_cast<std::uint64_t>(n) << 3);
    const auto high = static_cast<unsigned char>(static_cast<std::uint64_t>(n) >> 61);
    for (std::size_t i = 0; i < std::min<std::size_t>(field, 9); ++i)
        out[order == std::endian::little ? 1 + zeros + i : zeros + field - i] = i < 8 ? low[i] : high;
    return 1 + zeros + field;
}

/// Writes what follows a seed or key of n bytes that is hashed before a message, for algorithms without such a padding of
/// their own: a 1 bit, zeros, and n in eight bytes, least significant first, up to the end of a block. So no two seeds
/// are followed by the same bytes. Returns its length in bytes, at most a block and eight.
constexpr std::size_t put_length(unsigned char* out, std::size_t n, std::size_t block) noexcept {
    const std::size_t zeros = (block - (n + 9) % block) % block;
    out[0] = 0x80;
    for (std::size_t i = 0; i < zeros; ++i) out[1 + i] = 0;
    const auto length = to_bytes<std::endian::little>(static_cast<std::uint64_t>(n));
    for (std::size_t i = 0; i < 8; ++i) out[1 + zeros + i] = length[i];
    return 9 + zeros;
}

/// Overwrites memory with zeros, also if nothing reads it afterwards.
inline void wipe(void* memory, std::size_t n) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    std::memset(memory, 0, n);
    asm volatile("" : : "r"(memory) : "memory");
#else
    for (volatile unsigned char* at = static_cast<unsigned char*>(memory); n > 0; --n) *at++ = 0;
#endif
}

/// How many bytes are collected before they are passed on: enough to make the cost of the call negligible, few enough
/// for the first-level cache.
inline constexpr std::size_t at_once = 4096;

/// A deque's iterators: std::copy copies them by contiguous pieces.
template <class Iter>
concept deque_iterator = std::same_as<Iter, typename std::deque<std::iter_value_t<Iter>>::iterator> ||
                         std::same_as<Iter, typename std::deque<std::iter_value_t<Iter>>::const_iterator>;

/// N elements. Compilers vectorize a loop of known length if it writes to memory that nothing else points to.
template <std::size_t N, class Iter, class T>
void copy_all(Iter i, T* HASHMILL_RESTRICT out) {
    for (std::size_t k = 0; k < N; ++k) out[k] = static_cast<T>(i[static_cast<std::iter_difference_t<Iter>>(k)]);
}

/// Contiguous bytes, reversed.
template <class Iter>
inline constexpr bool reversed_bytes = false;
template <std::contiguous_iterator Iter>
inline constexpr bool reversed_bytes<std::reverse_iterator<Iter>> = byte_like<std::iter_value_t<Iter>>;

/// N bytes backwards from `end` on, eight at a time.
template <class T>
void copy_reversed(const T* end, std::size_t n, T* out) {
    for (; n >= 8; n -= 8, out += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, end -= 8, sizeof word);
        word = byte_swapped(word);
        std::memcpy(out, &word, sizeof word);
    }
    for (; n > 0; --n) *out++ = *--end;
}

/// The message is null, but its length is not 0.
[[noreturn]] inline void null_with_length() {
#ifndef HASHMILL_NO_EXCEPTIONS
    throw std::invalid_argument("hashmill: the message is null, with a length that is not 0");
#else
    std::fputs("hashmill: the message is null, with a length that is not 0\n", stderr);
    std::abort();
#endif
}

/// A hasher with a seed or key is to go back to its beginning after `result`.
[[noreturn]] inline void seed_is_gone() {
#ifndef HASHMILL_NO_EXCEPTIONS
    throw std::logic_error("hashmill: reset after result: the seed or key is no longer in the hasher; copy the hasher before");
#else
    std::fputs("hashmill: reset after result: the seed or key is no longer in the hasher; copy the hasher before\n", stderr);
    std::abort();
#endif
}

}  // namespace detail

/// Turns ranges, iterators and streams into bytes for a hasher. `H` has `void take(const unsigned char*, std::size_t)`.
///
/// A contiguous range whose elements are in memory as they are to be hashed takes one call, and nothing is copied. All
/// others are collected in a buffer of 4 KiB. Elements of more than one byte need a byte order:
/// `h.update(std::endian::big, words)`.
template <class H>
class updatable {
    constexpr H& self() noexcept { return static_cast<H&>(*this); }

    /// Elements in the machine's byte order, passed on in `Order`.
    template <std::endian Order, class T>
    void hand_over(T* elements, std::size_t n) {
        if constexpr (sizeof(T) > 1 && Order != std::endian::native) {
            const auto swap = [&](std::size_t k) {
                elements[k] = static_cast<T>(detail::byte_swapped(static_cast<detail::word_of<sizeof(T)>>(elements[k])));
            };
            constexpr std::size_t most = detail::at_once / sizeof(T);
            // Compilers vectorize a loop of known length without being asked to.
            if (n == most)
                for (std::size_t k = 0; k < most; ++k) swap(k);
            else
                for (std::size_t k = 0; k < n; ++k) swap(k);
        }
        self().take(reinterpret_cast<const unsigned char*>(elements), n * sizeof(T));
    }

    /// At compile time, where the bytes of an integer are not accessible: element by element.
    template <std::endian Order, class Iter, class More>
    constexpr Iter take_each(Iter i, More more) {
        for (; more(i); ++i) {
            const auto bytes = detail::to_bytes<Order>(static_cast<std::iter_value_t<Iter>>(*i));
            self().take(bytes.data(), bytes.size());
        }
        return i;
    }

    template <std::endian Order, class Iter, class S>
    constexpr Iter collect(Iter i, S last) {
        if (std::is_constant_evaluated()) return take_each<Order>(std::move(i), [&](const Iter& at) { return at != last; });
        using T = std::remove_cv_t<std::iter_value_t<Iter>>;
        constexpr std::size_t most = detail::at_once / sizeof(T);
        T buffer[most];
        for (;;) {
            std::size_t n = 0;
            // g++ does not unroll this by itself, and two jumps per element take longer than SHA-1.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 8
#endif
            for (; n < most; ++n, ++i) {
                if (i == last) break;
                buffer[n] = static_cast<T>(*i);
            }
            if (n == 0) return i;
            hand_over<Order>(buffer, n);
        }
    }

    /// As many elements at a time as fit into the buffer.
    template <std::endian Order, class Iter>
    constexpr Iter collect_n(Iter i, std::size_t n) {
        if (std::is_constant_evaluated()) return take_each<Order>(std::move(i), [&](const Iter&) { return n-- > 0; });
        using T = std::remove_cv_t<std::iter_value_t<Iter>>;
        constexpr std::size_t most = detail::at_once / sizeof(T);
        T buffer[most];
        while (n > 0) {
            const std::size_t some = std::min(n, most);
            if constexpr (detail::deque_iterator<Iter>) {
                const Iter end = i + static_cast<std::iter_difference_t<Iter>>(some);
                std::copy(i, end, buffer);
                i = end;
            } else if constexpr (std::random_access_iterator<Iter>) {
                if constexpr (detail::reversed_bytes<Iter>) {
                    detail::copy_reversed<T>(std::to_address(i.base()), some, buffer);
                } else if (some == most) {
                    detail::copy_all<most>(i, buffer);
                } else {
                    for (std::size_t k = 0; k < some; ++k) buffer[k] = static_cast<T>(i[static_cast<std::iter_difference_t<Iter>>(k)]);
                }
                i += static_cast<std::iter_difference_t<Iter>>(some);
            } else {
                for (std::size_t k = 0; k < some; ++k, ++i) buffer[k] = static_cast<T>(*i);
            }
            hand_over<Order>(buffer, some);
            n -= some;
        }
        return i;
    }

    template <std::endian Order, class Iter, class S>
    constexpr Iter take_all(Iter first, S last) {
        if constexpr (std::contiguous_iterator<Iter> && std::sized_sentinel_for<S, Iter>) {
            return take_n<Order>(first, static_cast<std::size_t>(last - first));
        } else if constexpr (std::sized_sentinel_for<S, Iter>) {
            return collect_n<Order>(std::move(first), static_cast<std::size_t>(last - first));
        } else {
            return collect<Order>(std::move(first), std::move(last));
        }
    }

    template <std::endian Order, class Iter>
    constexpr Iter take_n(Iter first, std::size_t n) {
        using T = std::iter_value_t<Iter>;
        if constexpr (std::contiguous_iterator<Iter> && (sizeof(T) == 1 || Order == std::endian::native)) {
            if (n == 0) return first;
            const auto* at = std::to_address(first);
            if constexpr (std::same_as<std::remove_cv_t<T>, unsigned char>) {
                self().take(at, n);
                return first + static_cast<std::iter_difference_t<Iter>>(n);
            } else if (!std::is_constant_evaluated()) {
                self().take(reinterpret_cast<const unsigned char*>(at), n * sizeof(T));
                return first + static_cast<std::iter_difference_t<Iter>>(n);
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

    /// A null pointer constant; valid only with length 0.
    H& update(std::nullptr_t, std::size_t n) { return update(static_cast<const void*>(nullptr), n); }

    /// Takes `n` bytes, at compile time too.
    constexpr H& update(const unsigned char* bytes, std::size_t n) {
        if (n > 0) self().take(bytes, n);
        return self();
    }

    /// Takes a range of bytes: a string, a vector or span of bytes, a list, a view. Beware: an array of characters is a
    /// range, too, and a literal includes its terminating zero. Use a string_view: "…"sv.
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

    /// Integers of more than one byte need a byte order: std::endian::little or std::endian::big.
    template <wide_range R>
    constexpr H& update(R&& range) = HASHMILL_DELETED("elements of more than one byte need their byte order: update(std::endian::little, range)");

    /// Integers of more than one byte need a byte order: std::endian::little or std::endian::big.
    template <wide_iterator Iter, std::sentinel_for<Iter> S>
    constexpr H& update(Iter first, S last) = HASHMILL_DELETED("elements of more than one byte need their byte order: update(std::endian::little, first, last)");

    /// Not a message: messages consist of integers of 8 to 64 bits, characters, std::byte or enumerations.
    template <no_message R>
    constexpr H& update(R&& range) = HASHMILL_DELETED("a message is a range of integers of 8 to 64 bits, characters, std::byte or enumerations");

    /// Not a message: messages consist of integers of 8 to 64 bits, characters, std::byte or enumerations.
    template <no_message R>
    constexpr H& update(std::endian order, R&& range) = HASHMILL_DELETED("a message is a range of integers of 8 to 64 bits, characters, std::byte or enumerations");

    /// Not a message: messages consist of integers of 8 to 64 bits, characters, std::byte or enumerations.
    template <no_message_iterator Iter, std::sentinel_for<Iter> S>
    constexpr H& update(Iter first, S last) = HASHMILL_DELETED("a message is made of integers of 8 to 64 bits, characters, std::byte or enumerations");

    /// Takes the bytes from `first` up to `last`.
    template <element_iterator Iter, std::sentinel_for<Iter> S>
        requires byte_like<std::iter_value_t<Iter>>
    constexpr H& update(Iter first, S last) {
        take_all<std::endian::native>(std::move(first), std::move(last));
        return self();
    }

    /// Takes the integers from `first` up to `last`, each in this byte order.
    template <element_iterator Iter, std::sentinel_for<Iter> S>
    constexpr H& update(std::endian order, Iter first, S last) {
        if (order == std::endian::little) {
            take_all<std::endian::little>(std::move(first), std::move(last));
        } else {
            take_all<std::endian::big>(std::move(first), std::move(last));
        }
        return self();
    }

    /// Takes `n` bytes starting at `first`, and returns the iterator after them.
    template <element_iterator Iter>
        requires byte_like<std::iter_value_t<Iter>>
    constexpr Iter update_n(Iter first, std::size_t n) {
        return take_n<std::endian::native>(std::move(first), n);
    }

    /// Takes `n` integers starting at `first`, each in this byte order, and returns the iterator after them.
    template <element_iterator Iter>
    constexpr Iter update_n(std::endian order, Iter first, std::size_t n) {
        return order == std::endian::little ? take_n<std::endian::little>(std::move(first), n)
                                            : take_n<std::endian::big>(std::move(first), n);
    }

    /// Takes the rest of the stream and returns the number of bytes; the stream says whether reading failed (`bad`).
    std::uint64_t update(std::istream& in) {
        // On the heap: large enough to make a read worthwhile, but too large for some stacks.
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

/// @cond
// Digests work as keys of unordered containers: their first bytes are as good a hash as any.
template <std::size_t N>
struct std::hash<hashmill::digest<N>> {
    std::size_t operator()(const hashmill::digest<N>& d) const noexcept {
        std::size_t h = 0;
        std::memcpy(&h, d.data(), std::min(N, sizeof h));
        return h;
    }
};
/// @endcond

#endif
