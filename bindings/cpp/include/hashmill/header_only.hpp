// hashmill/header_only.hpp: MD4, MD5, SHA-0, SHA-1, SHA-2 and CubeHash in pure C++: nothing to link, and digests at
// compile time.
//
// Licensed as hashmill is (MIT or Apache 2.0), and under the Boost Software License 1.0 as well.
//
// MD4, MD5, SHA-0 and SHA-1 are broken: it is possible to construct two messages with the same digest. Use them only
// where they are already in use.

#ifndef HASHMILL_HEADER_ONLY_HPP
#define HASHMILL_HEADER_ONLY_HPP

#include "core.hpp"

/// Algorithms that need no library.
namespace hashmill::header_only {

/// Building blocks of the algorithms; not part of the interface.
namespace impl {

// Compilers consider a compression function too large to inline its steps, which would put the working variables in
// memory instead of registers.
#if defined(_MSC_VER) && !defined(__clang__)
#define HASHMILL_ALWAYS_INLINE [[msvc::forceinline]]
#else
#define HASHMILL_ALWAYS_INLINE [[gnu::always_inline]]
#endif

using detail::byte_swapped;

/// Reads a word in byte order `Order`, from any address.
template <std::endian Order, std::unsigned_integral W>
constexpr W load(const unsigned char* from) noexcept {
    if (std::is_constant_evaluated()) {
        W w = 0;
        for (std::size_t i = 0; i < sizeof w; ++i)
            w |= static_cast<W>(W{from[i]} << (8 * (Order == std::endian::little ? i : sizeof w - 1 - i)));
        return w;
    }
    W w;
    std::memcpy(&w, from, sizeof w);
    if constexpr (Order != std::endian::native) w = byte_swapped(w);
    return w;
}

/// Writes a word in byte order `Order`, to any address.
template <std::endian Order, std::unsigned_integral W>
constexpr void store(W w, unsigned char* to) noexcept {
    if (std::is_constant_evaluated()) {
        std::ranges::copy(detail::to_bytes<Order>(w), to);
    } else {
        if constexpr (Order != std::endian::native) w = byte_swapped(w);
        std::memcpy(to, &w, sizeof w);
    }
}

/// The words of a block.
template <std::endian Order, std::unsigned_integral W, std::size_t... Step>
HASHMILL_ALWAYS_INLINE constexpr std::array<W, sizeof...(Step)> load(const unsigned char* from, std::index_sequence<Step...>) noexcept {
    return {load<Order, W>(from + sizeof(W) * Step)...};
}

/// A sum that must be complete before anything else is added to it. LLVM moves constants to the end of a sum, where the
/// next step has to wait for them.
template <std::unsigned_integral W>
HASHMILL_ALWAYS_INLINE constexpr W first(W sum) noexcept {
#ifdef __clang__
    if constexpr (sizeof(W) <= sizeof(void*))
        if (!std::is_constant_evaluated()) asm("" : "+r"(sum));
#endif
    return sum;
}

/// Calls A::step<Step>(args…) for every Step: a loop whose indices, rotations and choices are all constants.
template <class A, std::size_t... Step, class... Args>
HASHMILL_ALWAYS_INLINE constexpr void unroll(std::index_sequence<Step...>, Args&&... args) noexcept {
    (A::template step<Step>(args...), ...);
}

/// Working variable J (a is 0, b is 1, …) of a step. In the specification every step shifts the values by one name;
/// here the names move instead.
template <std::size_t Step, std::size_t J, class W, std::size_t N>
constexpr W& role(std::array<W, N>& v) noexcept {
    return std::get<(J + Step * (N - 1)) % N>(v);
}

/// A message in progress: the chaining value, and the bytes that do not fill a block yet.
template <class Rules>
class running {
    typename Rules::state state_ = Rules::initial;
    unsigned char rest_[Rules::block] = {};
    std::uint64_t length_ = 0;

public:
    constexpr void take(const unsigned char* bytes, std::size_t n) {
        const auto fill = static_cast<std::size_t>(length_ % Rules::block);
        length_ += n;
        if (fill > 0) {
            const std::size_t some = std::min(n, Rules::block - fill);
            std::copy_n(bytes, some, rest_ + fill);
            if (fill + some < Rules::block) return;
            Rules::compress(state_, rest_, 1);
            bytes += some;
            n -= some;
        }
        // Whole blocks are read in place.
        const std::size_t blocks = n / Rules::block;
        if (blocks > 0) Rules::compress(state_, bytes, blocks);
        std::copy_n(bytes + blocks * Rules::block, n % Rules::block, rest_);
    }

    constexpr digest<Rules::digest_len> result() const {
        auto s = state_;
        Rules::finish(s, rest_, length_);
        unsigned char all[sizeof s] = {};
        for (std::size_t i = 0; i < s.size(); ++i) store<Rules::order>(s[i], all + i * sizeof s[0]);
        digest<Rules::digest_len> d;
        std::copy_n(all, d.size(), d.data());
        return d;
    }
};

/// The interface of every algorithm. `Rules` has the state and its initial value, block and digest_len in bytes, the
/// byte order of words, and the functions compress and finish.
template <class Self, class Rules>
class hasher : public updatable<Self> {
    friend updatable<Self>;

    /// The message so far, and its beginning behind a seed or key.
    running<Rules> now_, start_;
    /// After `result`, when nothing else is left.
    digest<Rules::digest_len> digest_;
    bool ended_ = false, seeded_ = false;

    constexpr void take(const unsigned char* bytes, std::size_t n) {
        if (bytes == nullptr) detail::null_with_length();
        if (ended_) {
            const auto seed = digest_;
            *this = hasher();
            prefix(seed.data(), seed.size());
        }
        now_.take(bytes, n);
    }

    /// A key or seed before the message, padded to a whole block, like Boost.Hash2's digests, which finish a message
    /// there and go on.
    constexpr void prefix(const unsigned char* bytes, std::size_t n) {
        if (n == 0) return;
        if (bytes == nullptr) detail::null_with_length();
        now_.take(bytes, n);
        unsigned char rest[2 * Rules::block + 9] = {};
        if constexpr (requires { Rules::ends_with_length; }) {
            now_.take(rest, detail::put_padding(rest, n, Rules::block, Rules::order));
        } else {
            now_.take(rest, detail::put_length(rest, n, Rules::block));
        }
        start_ = now_;
        seeded_ = true;
    }

public:
    using result_type = digest<Rules::digest_len>;
    /// For HMAC.
    static constexpr int block_size = Rules::block;

    constexpr hasher() noexcept = default;

    /// With a seed: its eight bytes, least significant first, are hashed before the message, padded to a whole block:
    /// with the padding of a message, which gives the result of Boost.Hash2; for CubeHash with a 1 bit, zeros and the
    /// number of bytes, in eight bytes, least significant first. Seed 0 means none.
    constexpr explicit hasher(std::uint64_t seed) noexcept {
        if (seed == 0) return;
        const auto bytes = detail::to_bytes<std::endian::little>(seed);
        prefix(bytes.data(), bytes.size());
    }

    /// With a key, which is hashed before the message as a seed is. This is not a message authentication code. An empty
    /// key means none.
    constexpr hasher(const unsigned char* key, std::size_t n) { prefix(key, n); }
    hasher(const void* key, std::size_t n) : hasher(static_cast<const unsigned char*>(key), n) {}

    /// The digest of everything so far, after which neither the message nor the seed or key is in the object. Called
    /// again, it returns the same digest; if more follows, that is hashed with this digest as the key.
    constexpr result_type result() {
        if (ended_) return digest_;
        digest_ = now_.result();
        now_ = start_ = running<Rules>();
        if (!std::is_constant_evaluated()) {
            detail::wipe(&now_, sizeof now_);
            detail::wipe(&start_, sizeof start_);
        }
        ended_ = true;
        return digest_;
    }

    /// The digest of everything so far. The object stays as it is, and more of the message may follow.
    constexpr result_type result() const { return ended_ ? digest_ : now_.result(); }

    /// Back to the beginning, with the same seed or key. Where there was one, it is gone after `result`, and this throws
    /// std::logic_error.
    constexpr void reset() {
        if (ended_) {
            if (seeded_) detail::seed_is_gone();
            *this = hasher();
        } else {
            now_ = start_;
        }
    }

    /// The digest of one message.
    static constexpr result_type hash(const unsigned char* message, std::size_t n) {
        running<Rules> r;
        if (n > 0) {
            if (message == nullptr) detail::null_with_length();
            r.take(message, n);
        }
        return r.result();
    }
    static result_type hash(const void* message, std::size_t n) { return hash(static_cast<const unsigned char*>(message), n); }

    /// The digest of a range of bytes.
    template <byte_range R>
    static constexpr result_type hash(R&& range) {
        Self h;
        h.update(std::forward<R>(range));
        return h.result();
    }

    /// The digest of a range of integers, each in this byte order.
    template <element_range R>
    static constexpr result_type hash(std::endian order, R&& range) {
        using T = std::ranges::range_value_t<R>;
        if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R>)
            if (!std::is_constant_evaluated() && (sizeof(T) == 1 || order == std::endian::native))
                return hash(static_cast<const void*>(std::ranges::data(range)), static_cast<std::size_t>(std::ranges::size(range)) * sizeof(T));
        Self h;
        h.update(order, std::forward<R>(range));
        return h.result();
    }

    /// Integers of more than one byte need a byte order: std::endian::little or std::endian::big.
    template <wide_range R>
    static constexpr result_type hash(R&& range) = HASHMILL_DELETED("elements of more than one byte need their byte order: hash(std::endian::little, range)");

    /// Not a message: messages consist of integers of 8 to 64 bits, characters, std::byte or enumerations.
    template <no_message R>
    static constexpr result_type hash(R&& range) = HASHMILL_DELETED("a message is a range of integers of 8 to 64 bits, characters, std::byte or enumerations");
};

/// The construction of MD4 and its successors: the message ends with a 1 bit, zeros, and its length in bits in two
/// words; the result of the steps is added to the chaining value. `Function` has the steps.
template <class Function>
struct merkle_damgard : Function {
    using state = std::remove_const_t<decltype(Function::start)>;
    using word = typename state::value_type;
    static constexpr std::size_t block = 16 * sizeof(word);
    static constexpr state initial = Function::start;
    static constexpr bool ends_with_length = true;

    // No loop: not every compiler unrolls it early enough to keep `v` in registers.
    template <std::size_t... Step>
    HASHMILL_ALWAYS_INLINE static constexpr void add(state& v, const state& before, std::index_sequence<Step...>) noexcept {
        ((v[Step] += before[Step]), ...);
    }

    static constexpr void compress(state& s, const unsigned char* bytes, std::size_t blocks) noexcept {
        state v = s;
        for (; blocks > 0; --blocks, bytes += block) {
            const state before = v;
            Function::steps(v, bytes);
            add(v, before, std::make_index_sequence<std::tuple_size_v<state>>{});
        }
        s = v;
    }

    static constexpr void finish(state& s, const unsigned char* rest, std::uint64_t length) noexcept {
        unsigned char last[2 * block] = {};
        const auto fill = static_cast<std::size_t>(length % block);
        std::copy_n(rest, fill, last);
        last[fill] = 0x80;
        const std::size_t blocks = fill < block - 2 * sizeof(word) ? 1 : 2, end = blocks * block;
        store<Function::order>(length << 3, last + end - 8);
        // The part of a 128-bit length that does not fit into 64 bits.
        if constexpr (sizeof(word) == 8) last[end - 9] = static_cast<unsigned char>(length >> 61);
        compress(s, last, blocks);
    }
};

/// MD4: RFC 1320.
struct md4_function {
    static constexpr std::size_t digest_len = 16;
    static constexpr std::endian order = std::endian::little;
    static constexpr std::array<std::uint32_t, 4> start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

    static constexpr std::size_t indices[3][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                                   {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15},
                                                   {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}};
    static constexpr int rotations[3][4] = {{3, 7, 11, 19}, {3, 5, 9, 13}, {3, 9, 11, 15}};
    static constexpr std::uint32_t constants[3] = {0, 0x5a827999, 0x6ed9eba1};

    template <std::size_t Step>
    HASHMILL_ALWAYS_INLINE static constexpr void step(std::array<std::uint32_t, 4>& v, const unsigned char* block) noexcept {
        constexpr std::size_t round = Step / 16;
        auto& a = role<Step, 0>(v);
        const auto b = role<Step, 1>(v), c = role<Step, 2>(v), d = role<Step, 3>(v);
        a = first(a + load<order, std::uint32_t>(block + 4 * indices[round][Step % 16]) + constants[round]);
        // The majority function is a sum of two terms that have no bit in common, so only one of them waits for b, the
        // result of the last step.
        if constexpr (round == 0) a += d ^ (b & (c ^ d));
        if constexpr (round == 1) a += c & d, a += b & (c ^ d);
        if constexpr (round == 2) a += b ^ (c ^ d);
        a = std::rotl(a, rotations[round][Step % 4]);
    }

    HASHMILL_ALWAYS_INLINE static constexpr void steps(std::array<std::uint32_t, 4>& v, const unsigned char* block) noexcept {
        unroll<md4_function>(std::make_index_sequence<48>{}, v, block);
    }
};

/// MD5: RFC 1321.
struct md5_function {
    static constexpr std::size_t digest_len = 16;
    static constexpr std::endian order = std::endian::little;
    static constexpr std::array<std::uint32_t, 4> start = md4_function::start;

    static constexpr int rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static constexpr std::uint32_t constants[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    };

    template <std::size_t Step>
    HASHMILL_ALWAYS_INLINE static constexpr void step(std::array<std::uint32_t, 4>& v, const unsigned char* block) noexcept {
        constexpr std::size_t round = Step / 16;
        constexpr std::size_t index = (round == 0 ? Step : round == 1 ? 5 * Step + 1 : round == 2 ? 3 * Step + 5 : 7 * Step) % 16;
        auto& a = role<Step, 0>(v);
        const auto b = role<Step, 1>(v), c = role<Step, 2>(v), d = role<Step, 3>(v);
        a = first(a + load<order, std::uint32_t>(block + 4 * index) + constants[Step]);
        // The choice function of the second round is a sum of two terms that have no bit in common, so only one of them
        // waits for b, the result of the last step.
        if constexpr (round == 0) a += d ^ (b & (c ^ d));
        if constexpr (round == 1) a += c & ~d, a += b & d;
        if constexpr (round == 2) a += b ^ (c ^ d);
        if constexpr (round == 3) a += c ^ (b | ~d);
        a = std::rotl(a, rotations[round][Step % 4]) + b;
    }

    HASHMILL_ALWAYS_INLINE static constexpr void steps(std::array<std::uint32_t, 4>& v, const unsigned char* block) noexcept {
        unroll<md5_function>(std::make_index_sequence<64>{}, v, block);
    }
};

/// SHA-1: FIPS 180-4. SHA-0: FIPS 180 (1993), which is the same without the rotation in the schedule.
template <int Rotation>
struct sha1_function {
    static constexpr std::size_t digest_len = 20;
    static constexpr std::endian order = std::endian::big;
    static constexpr std::array<std::uint32_t, 5> start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

    static constexpr std::uint32_t constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

    /// `w` are the last sixteen words of the schedule.
    template <std::size_t Step>
    HASHMILL_ALWAYS_INLINE static constexpr void step(std::array<std::uint32_t, 5>& v, std::array<std::uint32_t, 16>& w) noexcept {
        constexpr std::size_t round = Step / 20;
        const auto a = role<Step, 0>(v), c = role<Step, 2>(v), d = role<Step, 3>(v);
        auto &b = role<Step, 1>(v), &e = role<Step, 4>(v), &x = w[Step % 16];
        if constexpr (Step >= 16) x = std::rotl(w[(Step + 13) % 16] ^ w[(Step + 8) % 16] ^ w[(Step + 2) % 16] ^ x, Rotation);
        e = first(e + x + constants[round]);
        if constexpr (round == 0) e += d ^ (b & (c ^ d));
        if constexpr (round == 2) e += c & d, e += b & (c ^ d);
        if constexpr (round % 2 == 1) e += b ^ c ^ d;
        e += std::rotl(a, 5);
        b = std::rotl(b, 30);
    }

    HASHMILL_ALWAYS_INLINE static constexpr void steps(std::array<std::uint32_t, 5>& v, const unsigned char* block) noexcept {
        auto w = load<order, std::uint32_t>(block, std::make_index_sequence<16>{});
        unroll<sha1_function>(std::make_index_sequence<80>{}, v, w);
    }
};

/// The first 64 bits of the fractional parts of the cube roots of the first 80 primes; SHA-256 uses the first 32 bits of
/// the first 64.
inline constexpr std::array<std::uint64_t, 80> cube_roots{
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

/// The same of the square roots of the first eight primes, and of the next eight.
inline constexpr std::array<std::uint64_t, 8> square_roots{0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                                           0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
inline constexpr std::array<std::uint64_t, 8> next_square_roots{0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
                                                                0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};

/// 32 bits of each number.
template <std::size_t N>
constexpr std::array<std::uint32_t, N> halves(const std::array<std::uint64_t, N>& numbers, int shift) noexcept {
    std::array<std::uint32_t, N> h{};
    for (std::size_t i = 0; i < N; ++i) h[i] = static_cast<std::uint32_t>(numbers[i] >> shift);
    return h;
}

/// SHA-2: FIPS 180-4, on words of 32 or 64 bits.
template <class W>
struct sha2_steps {
    static constexpr std::endian order = std::endian::big;
    static constexpr bool wide = sizeof(W) == 8;
    static constexpr std::size_t rounds = wide ? 80 : 64;

    using second_sixteen = std::index_sequence<16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31>;
    static constexpr auto constants = [] {
        if constexpr (wide) return cube_roots;
        else return halves(cube_roots, 32);
    }();

    /// Two rotations and a third, or a shift: by the first three numbers in SHA-256, by the last three in SHA-512.
    template <int A, int B, int C, int A64, int B64, int C64>
    static constexpr W rotations(W x) noexcept {
        return std::rotr(x, wide ? A64 : A) ^ std::rotr(x, wide ? B64 : B) ^ std::rotr(x, wide ? C64 : C);
    }
    template <int A, int B, int C, int A64, int B64, int C64>
    static constexpr W rotations_and_shift(W x) noexcept {
        return std::rotr(x, wide ? A64 : A) ^ std::rotr(x, wide ? B64 : B) ^ x >> (wide ? C64 : C);
    }

    /// `w` are the last sixteen words of the schedule, `bc` is b ^ c, which the previous step has computed as a ^ b.
    template <std::size_t Step>
    HASHMILL_ALWAYS_INLINE static constexpr void step(std::array<W, 8>& v, std::array<W, 16>& w, W& bc, const W* k) noexcept {
        const W a = role<Step, 0>(v), b = role<Step, 1>(v), e = role<Step, 4>(v), f = role<Step, 5>(v), g = role<Step, 6>(v);
        W &d = role<Step, 3>(v), &h = role<Step, 7>(v);
        if constexpr (Step >= 16)
            w[Step % 16] += rotations_and_shift<7, 18, 3, 1, 8, 7>(w[(Step + 1) % 16]) + w[(Step + 9) % 16] +
                         rotations_and_shift<17, 19, 10, 19, 61, 6>(w[(Step + 14) % 16]);
        h = first(h + k[Step % 16] + w[Step % 16]);
        h += g ^ (e & (f ^ g));
        h += rotations<6, 11, 25, 14, 18, 41>(e);
        d += h;
        h += rotations<2, 13, 22, 28, 34, 39>(a);
        // The majority of a, b and c.
        const W ab = a ^ b;
        h += b ^ (ab & bc);
        bc = ab;
    }

    HASHMILL_ALWAYS_INLINE static constexpr void steps(std::array<W, 8>& v, const unsigned char* block) noexcept {
        auto w = load<order, W>(block, std::make_index_sequence<16>{});
        W bc = v[1] ^ v[2];
        const W* k = constants.data();
        unroll<sha2_steps>(std::make_index_sequence<16>{}, v, w, bc, k);
        for (k += 16; k != constants.data() + rounds; k += 16) unroll<sha2_steps>(second_sixteen{}, v, w, bc, k);
    }
};

struct sha224_function : sha2_steps<std::uint32_t> {
    static constexpr std::size_t digest_len = 28;
    static constexpr auto start = halves(next_square_roots, 0);
};

struct sha256_function : sha2_steps<std::uint32_t> {
    static constexpr std::size_t digest_len = 32;
    static constexpr auto start = halves(square_roots, 32);
};

struct sha384_function : sha2_steps<std::uint64_t> {
    static constexpr std::size_t digest_len = 48;
    static constexpr auto start = next_square_roots;
};

struct sha512_function : sha2_steps<std::uint64_t> {
    static constexpr std::size_t digest_len = 64;
    static constexpr auto start = square_roots;
};

/// SHA-512/t: its initial value is the state of another SHA-512 after the name of the function (FIPS 180-4, 5.3.6).
template <std::size_t T>
struct sha512_t_function : sha2_steps<std::uint64_t> {
    static constexpr std::size_t digest_len = T / 8;
    static constexpr auto start = [] {
        constexpr unsigned char name[] = {'S', 'H', 'A', '-', '5', '1', '2', '/', '0' + T / 100, '0' + T / 10 % 10, '0' + T % 10};
        auto s = square_roots;
        for (auto& word : s) word ^= 0xa5a5a5a5a5a5a5a5;
        merkle_damgard<sha512_function>::finish(s, name, sizeof name);
        return s;
    }();
};

/// Four words side by side.
struct quad {
    std::uint32_t w[4];

    constexpr quad operator+(const quad& o) const noexcept { return {{w[0] + o.w[0], w[1] + o.w[1], w[2] + o.w[2], w[3] + o.w[3]}}; }
    constexpr quad operator^(const quad& o) const noexcept { return {{w[0] ^ o.w[0], w[1] ^ o.w[1], w[2] ^ o.w[2], w[3] ^ o.w[3]}}; }
    template <int N>
    constexpr quad rotated() const noexcept {
        return {{std::rotl(w[0], N), std::rotl(w[1], N), std::rotl(w[2], N), std::rotl(w[3], N)}};
    }
    /// Word i goes where word i ^ N was.
    template <std::size_t N>
    constexpr quad swapped() const noexcept {
        return {{w[0 ^ N], w[1 ^ N], w[2 ^ N], w[3 ^ N]}};
    }
};

#if defined(__GNUC__) && (defined(__clang__) || __GNUC__ >= 12)
/// The same in a vector register, at run time. GCC and clang compile vector types for every machine, but vectorize
/// `quad` only sometimes.
struct fast_quad {
    using vector [[gnu::vector_size(16)]] = std::uint32_t;
    vector v;

    fast_quad operator+(const fast_quad& o) const noexcept { return {v + o.v}; }
    fast_quad operator^(const fast_quad& o) const noexcept { return {v ^ o.v}; }
    template <int N>
    fast_quad rotated() const noexcept {
        return {v << N | v >> (32 - N)};
    }
    template <std::size_t N>
    fast_quad swapped() const noexcept {
        return {__builtin_shufflevector(v, v, 0 ^ N, 1 ^ N, 2 ^ N, 3 ^ N)};
    }
};
#else
using fast_quad = quad;
#endif

/// CubeHash: D. J. Bernstein's submission to the SHA-3 competition (2009).
template <unsigned R, unsigned B, unsigned Bits, unsigned Initial, unsigned Final>
struct cubehash_rules {
    static_assert(Bits % 8 == 0 && Bits >= 8 && Bits <= 512, "CubeHash: the digest has 8 to 512 bits, in whole bytes");
    static_assert(R >= 1 && B >= 1 && B <= 128, "CubeHash: at least one round, and blocks of 1 to 128 bytes");

    using word = std::uint32_t;
    using state = std::array<word, 32>;
    static constexpr std::size_t block = B, digest_len = Bits / 8;
    static constexpr std::endian order = std::endian::little;

    template <class Quad>
    struct quads {
        Quad x[8];
    };

    /// Half a round: x[0] to x[3] are the words 0jklm, x[4] to x[7] the words 1jklm. Each swap exchanges the words whose indices differ in one bit,
    /// Swap0 or Swap1.
    template <int Rotation, std::size_t Swap0, std::size_t Swap1, class Quad, std::size_t... J>
    HASHMILL_ALWAYS_INLINE static constexpr void half_round(Quad (&x)[8], std::index_sequence<J...>) noexcept {
        ((x[4 + J] = x[4 + J] + x[J]), ...);
        const Quad rotated[] = {x[J ^ Swap0 / 4].template rotated<Rotation>()...};
        ((x[J] = rotated[J] ^ x[4 + J]), ...);
        ((x[4 + J] = x[4 + J].template swapped<Swap1>()), ...);
    }

    template <class Quad>
    HASHMILL_ALWAYS_INLINE static constexpr void rounds(Quad (&x)[8], unsigned n) noexcept {
        for (; n > 0; --n) {
            half_round<7, 8, 2>(x, std::make_index_sequence<4>{});
            half_round<11, 4, 1>(x, std::make_index_sequence<4>{});
        }
    }

    template <class Quad>
    HASHMILL_ALWAYS_INLINE static constexpr Quad load_quad(const unsigned char* from) noexcept {
        return std::bit_cast<Quad>(load<order, word>(from, std::make_index_sequence<4>{}));
    }

    static constexpr state initial = [] {
        quads<quad> q{{{{Bits / 8, B, R, 0}}}};
        rounds(q.x, Initial);
        return std::bit_cast<state>(q);
    }();

    template <class Quad>
    static constexpr void run(state& s, const unsigned char* bytes, std::size_t blocks, bool last) noexcept {
        auto q = std::bit_cast<quads<Quad>>(s);
        auto& x = q.x;
        for (; blocks > 0; --blocks, bytes += B) {
            for (std::size_t i = 0; i < B / 16; ++i) x[i] = x[i] ^ load_quad<Quad>(bytes + 16 * i);
            if constexpr (B % 16 != 0) {
                unsigned char rest[16] = {};
                std::copy_n(bytes + B / 16 * 16, B % 16, rest);
                x[B / 16] = x[B / 16] ^ load_quad<Quad>(rest);
            }
            rounds(x, R);
        }
        if (last) {
            x[7] = x[7] ^ std::bit_cast<Quad>(quad{0, 0, 0, 1});
            rounds(x, Final);
        }
        s = std::bit_cast<state>(q);
    }

    static constexpr void compress(state& s, const unsigned char* bytes, std::size_t blocks, bool last = false) noexcept {
        if (std::is_constant_evaluated())
            run<quad>(s, bytes, blocks, last);
        else
            run<fast_quad>(s, bytes, blocks, last);
    }

    static constexpr void finish(state& s, const unsigned char* rest, std::uint64_t length) noexcept {
        unsigned char block_with_end[B] = {};
        const auto fill = static_cast<std::size_t>(length % B);
        std::copy_n(rest, fill, block_with_end);
        block_with_end[fill] = 0x80;
        compress(s, block_with_end, 1, true);
    }
};

#undef HASHMILL_ALWAYS_INLINE

}  // namespace impl

/// MD4 (RFC 1320). Broken.
class md4 : public impl::hasher<md4, impl::merkle_damgard<impl::md4_function>> {
public:
    using hasher::hasher;
};

/// MD5 (RFC 1321). Broken.
class md5 : public impl::hasher<md5, impl::merkle_damgard<impl::md5_function>> {
public:
    using hasher::hasher;
};

/// SHA-0 (FIPS 180). Broken.
class sha0 : public impl::hasher<sha0, impl::merkle_damgard<impl::sha1_function<0>>> {
public:
    using hasher::hasher;
};

/// SHA-1 (FIPS 180-4). Broken.
class sha1 : public impl::hasher<sha1, impl::merkle_damgard<impl::sha1_function<1>>> {
public:
    using hasher::hasher;
};

/// SHA-224 (FIPS 180-4).
class sha224 : public impl::hasher<sha224, impl::merkle_damgard<impl::sha224_function>> {
public:
    using hasher::hasher;
};

/// SHA-256 (FIPS 180-4).
class sha256 : public impl::hasher<sha256, impl::merkle_damgard<impl::sha256_function>> {
public:
    using hasher::hasher;
};

/// SHA-384 (FIPS 180-4).
class sha384 : public impl::hasher<sha384, impl::merkle_damgard<impl::sha384_function>> {
public:
    using hasher::hasher;
};

/// SHA-512 (FIPS 180-4).
class sha512 : public impl::hasher<sha512, impl::merkle_damgard<impl::sha512_function>> {
public:
    using hasher::hasher;
};

/// SHA-512/224 (FIPS 180-4).
class sha512_224 : public impl::hasher<sha512_224, impl::merkle_damgard<impl::sha512_t_function<224>>> {
public:
    using hasher::hasher;
};

/// SHA-512/256 (FIPS 180-4).
class sha512_256 : public impl::hasher<sha512_256, impl::merkle_damgard<impl::sha512_t_function<256>>> {
public:
    using hasher::hasher;
};

/// CubeHashI+R/B+F-H: R rounds per block of B bytes, Initial and Final rounds before and after (ten times R in
/// CubeHashR/B-H), a digest of `Bits` bits (D. J. Bernstein).
template <unsigned R, unsigned B, unsigned Bits, unsigned Initial = 10 * R, unsigned Final = 10 * R>
class cubehash : public impl::hasher<cubehash<R, B, Bits, Initial, Final>, impl::cubehash_rules<R, B, Bits, Initial, Final>> {
public:
    using impl::hasher<cubehash, impl::cubehash_rules<R, B, Bits, Initial, Final>>::hasher;
};

}  // namespace hashmill::header_only

#endif
