// hashmill.hpp: every message digest and checksum for C++20, over the C library.
//
// Licensed as hashmill is: MIT or Apache 2.0.
//
// HASHMILL_HEADER_ONLY     only the algorithms in hashmill/header_only.hpp, without the library: nothing to link, and
//                          digests at compile time
// HASHMILL_NO_EXCEPTIONS   nothing throws: whatever can fail returns a hashmill::expected

#ifndef HASHMILL_HPP
#define HASHMILL_HPP

#include "hashmill/core.hpp"
#include "hashmill/header_only.hpp"

#ifdef HASHMILL_HEADER_ONLY

namespace hashmill {
using namespace header_only;
}

#else

#include "hashmill.h"

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#ifndef HASHMILL_NO_EXCEPTIONS
#include <stdexcept>
#else
#include <cstdio>
#include <cstdlib>
#endif

namespace hashmill {

/// An error: a kind, whose number never changes, and one line of text.
class failure {
    hm_error code_;
    std::string message_;

public:
    /// With a kind and a line of text.
    failure(hm_error code, std::string message) : code_(code), message_(std::move(message)) {}

    /// The error of the last call on this thread that failed.
    static failure last(hm_error code) { return {code, hm_error_message()}; }

    /// Its kind.
    hm_error code() const noexcept { return code_; }
    /// As "HM_BAD_KEY".
    const char* name() const noexcept { return hm_error_name(code_); }
    /// One line: what, where, and what would be right.
    const std::string& message() const noexcept { return message_; }
};

#ifndef HASHMILL_NO_EXCEPTIONS
/// The exception for a failure.
class error : public std::runtime_error {
    hm_error code_;

public:
    /// For this failure; what() is its message.
    explicit error(const failure& f) : std::runtime_error(f.message()), code_(f.code()) {}

    /// Its kind.
    hm_error code() const noexcept { return code_; }
    /// As "HM_BAD_KEY".
    const char* name() const noexcept { return hm_error_name(code_); }
};
#endif

namespace detail {

/// For mistakes in the program: asking for a value that does not exist, where nothing can be thrown.
[[noreturn]] inline void raise(const failure& f) {
#ifndef HASHMILL_NO_EXCEPTIONS
    throw error(f);
#else
    std::fprintf(stderr, "hashmill: %s: %s\n", f.name(), f.message().c_str());
    std::abort();
#endif
}

inline void check(hm_error code) {
    if (code != HM_OK) [[unlikely]]
        raise(failure::last(code));
}

}  // namespace detail

/// A value, or why there is none.
template <class T>
class [[nodiscard]] expected {
    std::variant<T, failure> either_;

public:
    expected(T value) : either_(std::in_place_index<0>, std::move(value)) {}   ///< A value.
    expected(failure f) : either_(std::in_place_index<1>, std::move(f)) {}     ///< None, and why.

    bool has_value() const noexcept { return either_.index() == 0; }           ///< Whether there is one.
    explicit operator bool() const noexcept { return has_value(); }            ///< Whether there is one.

    /// The value. If there is none, throws the failure; with HASHMILL_NO_EXCEPTIONS, terminates the program.
    T& value() & {
        if (!has_value()) detail::raise(std::get<1>(either_));
        return *std::get_if<0>(&either_);
    }
    const T& value() const& { return const_cast<expected*>(this)->value(); }   ///< As above.
    T&& value() && { return std::move(value()); }                              ///< As above.
    T& operator*() & { return value(); }                                       ///< The value, as `value`.
    const T& operator*() const& { return value(); }                            ///< The value, as `value`.
    T&& operator*() && { return std::move(*this).value(); }                    ///< The value, as `value`.
    T* operator->() { return &value(); }                                       ///< Of the value, as `value`.
    const T* operator->() const { return &value(); }                           ///< Of the value, as `value`.

    /// Why there is no value; call only if there is none.
    const failure& error() const { return *std::get_if<1>(&either_); }
};

/// Success, or a failure.
template <>
class [[nodiscard]] expected<void> {
    std::optional<failure> failure_;

public:
    expected() = default;                                                ///< Success.
    expected(failure f) : failure_(std::move(f)) {}                      ///< None, and why.

    bool has_value() const noexcept { return !failure_; }                ///< Whether it is a success.
    explicit operator bool() const noexcept { return has_value(); }      ///< Whether it is a success.
    /// Throws the failure, if it is one.
    void value() const {
        if (failure_) detail::raise(*failure_);
    }
    const failure& error() const { return *failure_; }                   ///< Which one; only where it is no success.
};

/// A digest whose length is known only at run time.
class any_digest {
    std::vector<unsigned char> bytes_;

public:
    using value_type = unsigned char;             ///< A byte.
    using const_iterator = const unsigned char*;  ///< A pointer.

    /// Without bytes.
    any_digest() = default;
    /// n zero bytes.
    explicit any_digest(std::size_t n) : bytes_(n) {}
    /// From a digest of fixed length.
    template <std::size_t N>
    any_digest(const digest<N>& d) : bytes_(d.begin(), d.end()) {}

    unsigned char* data() noexcept { return bytes_.data(); }                ///< Where the bytes are.
    const unsigned char* data() const noexcept { return bytes_.data(); }    ///< Where the bytes are.
    std::size_t size() const noexcept { return bytes_.size(); }             ///< How many there are.
    unsigned char* begin() noexcept { return data(); }                      ///< Its first byte.
    unsigned char* end() noexcept { return data() + size(); }               ///< Behind its last byte.
    const_iterator begin() const noexcept { return data(); }                ///< Its first byte.
    const_iterator end() const noexcept { return data() + size(); }         ///< Behind its last byte.
    unsigned char& operator[](std::size_t i) { return bytes_[i]; }          ///< Byte i, which has to be below size().
    unsigned char operator[](std::size_t i) const { return bytes_[i]; }     ///< Byte i, which has to be below size().

    /// Takes time that depends only on the lengths.
    friend bool operator==(const any_digest& a, const any_digest& b) noexcept {
        return a.size() == b.size() && (a.size() == 0 || hm_equal(a.data(), a.size(), b.data(), b.size()));
    }
};

/// A digest as lower-case hexadecimal digits.
inline std::string to_string(const any_digest& d) {
    std::string text(2 * d.size(), '\0');
    detail::put_hex(d.data(), d.size(), text.data());
    return text;
}

/// Writes the hexadecimal digits.
inline std::ostream& operator<<(std::ostream& out, const any_digest& d) { return out << to_string(d); }

/// An algorithm: the function and its parameters. A plain value.
class algorithm {
    hm_algorithm a_;

    template <class F>
    std::string text(F f) const {
        std::string s(f(nullptr, 0), '\0');
        f(s.data(), s.size() + 1);
        return s;
    }

public:
    /// From an algorithm of the C library, such as HM_SHA256.
    algorithm(const hm_algorithm& a) noexcept : a_(a) {}

    /// The algorithm with this name and its parameters: "sha256", "shake128:64", "xxh64:seed=7".
    static expected<algorithm> parse(const std::string& name) {
        hm_algorithm a;
        // A name with a zero byte in it would be truncated there.
        const hm_error e = hm_algorithm_parse(name.find('\0') == name.npos ? name.c_str() : "", &a);
        if (e != HM_OK) return failure::last(e);
        return algorithm(a);
    }

#ifndef HASHMILL_NO_EXCEPTIONS
    /// As `parse`. Throws error.
    explicit algorithm(const std::string& name) : algorithm(parse(name).value()) {}
    /// As `parse`. Throws error.
    explicit algorithm(const char* name) : algorithm(std::string(name)) {}
#endif

    /// All of them, with their usual parameters.
    static std::vector<algorithm> all() {
        std::vector<algorithm> all;
        hm_algorithm a;
        for (std::size_t i = 0; i < hm_algorithm_count() && hm_algorithm_at(i, &a) == HM_OK; ++i) all.push_back(a);
        return all;
    }

    /// For the C library's functions.
    const hm_algorithm* get() const noexcept { return &a_; }

    /// The same function with a digest of this many bytes; HM_BAD_PARAMETER if there is none.
    expected<algorithm> with_digest_len(std::size_t bytes) const {
        algorithm other = *this;
        if (const hm_error e = hm_algorithm_with_digest_len(&a_, bytes, &other.a_); e != HM_OK) return failure::last(e);
        return other;
    }
    /// The same function with this seed; HM_BAD_PARAMETER if it takes none, or none with so many bits.
    expected<algorithm> with_seed(std::uint64_t seed) const {
        algorithm other = *this;
        if (const hm_error e = hm_algorithm_with_seed(&a_, seed, &other.a_); e != HM_OK) return failure::last(e);
        return other;
    }

    /// Its name with its parameters, which `parse` accepts.
    std::string name() const { return text([&](char* out, std::size_t n) { return hm_algorithm_name(&a_, out, n); }); }
    /// The family it belongs to: "SHA-2".
    std::string family() const { return text([&](char* out, std::size_t n) { return hm_algorithm_family(&a_, out, n); }); }
    /// Where it is defined.
    std::string specification() const {
        return text([&](char* out, std::size_t n) { return hm_algorithm_specification(&a_, out, n); });
    }
    /// The reason for what `security` says.
    std::string security_reason() const {
        return text([&](char* out, std::size_t n) { return hm_algorithm_security_reason(&a_, out, n); });
    }
    /// Its other names.
    std::vector<std::string> aliases() const {
        std::vector<std::string> all;
        for (;;) {
            std::string s = text([&](char* out, std::size_t n) { return hm_algorithm_alias(&a_, all.size(), out, n); });
            if (s.empty()) return all;
            all.push_back(std::move(s));
        }
    }
    /// The implementations of it, the preferred one first.
    std::vector<hm_kernel> kernels() const {
        std::vector<hm_kernel> all(hm_kernel_count(&a_));
        for (std::size_t i = 0; i < all.size(); ++i) hm_kernel_at(&a_, i, &all[i]);
        return all;
    }

    /// Length of a digest in bytes.
    std::size_t digest_len() const noexcept { return hm_algorithm_digest_len(&a_); }
    /// Length of a block in bytes; 1 if there are no blocks.
    std::size_t block_len() const noexcept { return hm_algorithm_block_len(&a_); }
    /// Length of the longest key in bytes; 0 if it takes none.
    std::size_t max_key_len() const noexcept { return hm_algorithm_max_key_len(&a_); }
    /// Number of bits of the seed; 0 if it has none.
    unsigned seed_bits() const noexcept { return hm_algorithm_seed_bits(&a_); }
    /// How far it can be trusted.
    hm_security security() const noexcept { return static_cast<hm_security>(hm_algorithm_security(&a_)); }
    /// Whether messages may end within a byte.
    bool takes_bits() const noexcept { return hm_algorithm_takes_bits(&a_); }
    /// Whether it has output of any length: SHAKE, BLAKE3.
    bool is_extendable() const noexcept { return hm_algorithm_is_extendable(&a_); }
    /// Whether a message can be hashed in parts, by several threads.
    bool is_divisible() const noexcept { return hm_algorithm_is_divisible(&a_); }

    /// Whether they are the same function with the same parameters.
    friend bool operator==(const algorithm& a, const algorithm& b) noexcept { return hm_algorithm_equal(&a.a_, &b.a_); }
};

/// What goes into a hash besides the message. Anything not set is not used.
struct inputs {
    std::optional<std::span<const std::byte>> key;          ///< BLAKE2, BLAKE3, SipHash; the secret of XXH3.
    std::optional<std::span<const std::byte>> salt;         ///< BLAKE2.
    std::optional<std::span<const std::byte>> personal;     ///< BLAKE2's personalization.
    std::optional<std::span<const std::byte>> context;      ///< BLAKE3's context string, to derive keys.
    std::optional<std::span<const std::byte>> resume_from;  ///< A digest to go on from: CRCs, Adler-32.
    /// A kernel to run on, for tests and benchmarks.
    std::string kernel;

    /// For the C library's functions; valid as long as this object is not moved.
    hm_inputs get() const noexcept {
        hm_inputs in = hm_inputs_none();
        // An empty key is a key, too, but an empty span may be null.
        const auto put = [](const auto& from, const void*& at, std::size_t& len) {
            if (from) at = from->data() ? static_cast<const void*>(from->data()) : "", len = from->size();
        };
        put(key, in.key, in.key_len);
        put(salt, in.salt, in.salt_len);
        put(personal, in.personal, in.personal_len);
        put(context, in.context, in.context_len);
        put(resume_from, in.resume_from, in.resume_from_len);
        in.kernel = kernel.empty() ? nullptr : kernel.c_str();
        return in;
    }
};

namespace detail {

/// A running hash, stored in the object: 4 KiB, with nothing allocated unless there are inputs. A copy is a fork.
class state {
    hm_hasher h_;

    /// A hasher begins with its mark; without one, there is none.
    bool is_nothing() const noexcept {
        std::uintptr_t mark;
        std::memcpy(&mark, &h_, sizeof mark);
        return mark == 0;
    }

    void copy(const state& other) {
        if (other.is_nothing()) {
            std::memset(&h_, 0, sizeof(void*));
        } else {
            check(hm_hasher_clone_to(&other.h_, &h_));
        }
    }

public:
    struct nothing {};

    /// Without a hasher, for code that creates one in it.
    explicit state(nothing) noexcept { std::memset(&h_, 0, sizeof(void*)); }
    explicit state(const hm_algorithm& a) { check(hm_hasher_init(&h_, &a, nullptr)); }
    state(const state& other) { copy(other); }
    state& operator=(const state& other) {
        if (this != &other) {
            hm_hasher_free(&h_);
            copy(other);
        }
        return *this;
    }
    ~state() { hm_hasher_free(&h_); }

    /// Leaves no hasher, and nothing of it.
    void end() noexcept {
        hm_hasher_free(&h_);
        wipe(&h_, sizeof h_);
    }

    hm_hasher* get() noexcept { return &h_; }
    const hm_hasher* get() const noexcept { return &h_; }
};

/// A copy of a state, outside the object: the beginning of a message behind a seed.
class beginning {
    std::unique_ptr<state> kept_;

public:
    beginning() = default;
    beginning(const beginning& other) : kept_(other.kept_ ? std::make_unique<state>(*other.kept_) : nullptr) {}
    beginning(beginning&&) noexcept = default;
    beginning& operator=(const beginning& other) { return *this = beginning(other); }
    beginning& operator=(beginning&&) noexcept = default;
    ~beginning() = default;

    void keep(const state& s) { kept_ = std::make_unique<state>(s); }
    const state* get() const noexcept { return kept_.get(); }
    void end() noexcept {
        if (kept_) kept_->end();
        kept_.reset();
    }
};

/// A secret of 192 bytes for XXH3, made from bytes of any number: XXH3_generateSecret of the xxHash library.
inline std::array<unsigned char, 192> xxh3_secret(const unsigned char* bytes, std::size_t n) {
    std::array<unsigned char, 192> secret;
    for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = bytes[i % n];
    // Digests are printed most significant byte first, and the secret's words are little-endian.
    const auto combine = [&](std::size_t at, const unsigned char* digest) {
        for (std::size_t i = 0; i < 16; ++i) secret[at + i] ^= digest[15 - i];
    };
    unsigned char scrambler[16], segment[16];
    check(hm_digest(&HM_XXH128, bytes, n, scrambler, sizeof scrambler));
    for (std::size_t k = 0; k < secret.size() / 16; ++k) {
        hm_algorithm seeded;
        check(hm_algorithm_with_seed(&HM_XXH128, k, &seeded));
        check(hm_digest(&seeded, scrambler, sizeof scrambler, segment, sizeof segment));
        combine(16 * k, segment);
    }
    combine(secret.size() - 16, scrambler);
    wipe(scrambler, sizeof scrambler);
    wipe(segment, sizeof segment);
    return secret;
}

/// The part that all hashers over the library share; `Self` is the derived type.
template <class Self>
class over_library : public updatable<Self> {
    friend class updatable<Self>;

protected:
    state s_;

    /// Before more of a message: for types whose `result` ends it.
    void go_on() noexcept {}

    void take(const unsigned char* bytes, std::size_t n) {
        static_cast<Self&>(*this).go_on();
        check(hm_hasher_update(s_.get(), bytes, n));
    }

    explicit over_library(state::nothing) : s_(state::nothing{}) {}
    explicit over_library(const hm_algorithm& a) : s_(a) {}

    /// With inputs.
    static expected<Self> made(Self h, const hm_algorithm& a, const inputs& in) {
        const hm_inputs c = in.get();
        hm_hasher_free(h.s_.get());
        if (const hm_error e = hm_hasher_init(h.s_.get(), &a, &c); e != HM_OK) return failure::last(e);
        return h;
    }

    static expected<Self> resumed(Self h, const hm_algorithm* a, std::span<const std::byte> state, const char* kernel) {
        hm_hasher_free(h.s_.get());
        if (const hm_error e = hm_hasher_import_to(state.data(), state.size(), kernel, h.s_.get()); e != HM_OK)
            return failure::last(e);
        hm_algorithm of;
        check(hm_hasher_algorithm(h.s_.get(), &of));
        if (a != nullptr && !hm_algorithm_equal(a, &of))
            return failure(HM_BAD_STATE, "a state of " + algorithm(of).name() + ", not of " + algorithm(*a).name());
        return h;
    }

public:
    /// Back to the beginning, with the same inputs.
    void reset() { check(hm_hasher_reset(s_.get())); }

    /// Takes the first `bits` bits of `bytes`.
    expected<void> update_bits(const void* bytes, std::uint64_t bits) {
        static_cast<Self&>(*this).go_on();
        if (const hm_error e = hm_hasher_update_bits(s_.get(), bytes, bits); e != HM_OK) return failure::last(e);
        return {};
    }

    /// Reads a descriptor up to its end and returns the number of bytes. `progress(done)`, if given, is called every
    /// 256 KiB; returning false stops the reading.
    template <class Progress = std::nullptr_t>
    expected<std::uint64_t> update_fd(int fd, Progress progress = {}) {
        static_cast<Self&>(*this).go_on();
        std::uint64_t taken = 0;
        hm_error e;
        if constexpr (std::is_same_v<Progress, std::nullptr_t>) {
            e = hm_hasher_update_fd(s_.get(), fd, UINT64_MAX, nullptr, nullptr, &taken);
        } else {
            const auto call = [](void* user, std::uint64_t done) noexcept { return (*static_cast<Progress*>(user))(done) ? 0 : 1; };
            e = hm_hasher_update_fd(s_.get(), fd, UINT64_MAX, call, &progress, &taken);
        }
        if (e != HM_OK) return failure::last(e);
        return taken;
    }

    /// The state so far, as bytes: for `resume`, later or elsewhere.
    expected<std::vector<std::byte>> export_state() const {
        std::vector<std::byte> bytes(HM_MAX_STATE_BYTES);
        std::size_t n = 0;
        if (const hm_error e = hm_hasher_export(s_.get(), bytes.data(), bytes.size(), &n); e != HM_OK) return failure::last(e);
        bytes.resize(n);
        return bytes;
    }

    /// The first bytes of the output of SHAKE or BLAKE3, filling `out`.
    expected<void> output(std::span<std::byte> out) const {
        hm_xof* x = nullptr;
        if (const hm_error e = hm_xof_new(s_.get(), &x); e != HM_OK) return failure::last(e);
        const hm_error e = hm_xof_read(x, out.data(), out.size());
        hm_xof_free(x);
        if (e != HM_OK) return failure::last(e);
        return {};
    }

    const hm_hasher* get() const noexcept { return s_.get(); }
};

}  // namespace detail

/// A hasher for an algorithm known at compile time: `Self::get_algorithm()` says which, N is the length of its digest
/// and Block that of its blocks, in bytes.
template <class Self, std::size_t N, int Block>
class fixed : public detail::over_library<Self> {
    using base = detail::over_library<Self>;
    friend base;

    /// The message's beginning behind a seed that was hashed.
    detail::beginning start_;
    /// After `result`, when nothing else is left.
    digest<N> digest_;
    bool ended_ = false, seeded_ = false;

    /// More follows a result: it is hashed with that as the key.
    void go_on() {
        if (!ended_) return;
        const digest<N> key = digest_;
        this->s_ = detail::state(Self::get_algorithm());
        ended_ = false;
        digest_ = {};
        put_key(key.data(), key.size());
    }

    /// Hashes a prefix, padded to a whole block, before the message: in MD4's construction with the padding of a
    /// message, like Boost.Hash2's digests, which finish a message there and go on; elsewhere with the prefix's length.
    void prefix(const unsigned char* bytes, std::size_t n) {
        constexpr std::size_t block = Block;
        unsigned char rest[2 * block + 9];
        std::size_t more = 0;
        if constexpr (Block >= 64) {
            const std::string family = algorithm(Self::get_algorithm()).family();
            const bool little = family == "MD" || family == "RIPEMD";
            if (little || family == "SHA-0" || family == "SHA-1" || family == "SHA-2")
                more = detail::put_padding(rest, n, block, little ? std::endian::little : std::endian::big);
        }
        if (more == 0) more = detail::put_length(rest, n, block);
        detail::check(hm_hasher_update(this->s_.get(), bytes, n));
        detail::check(hm_hasher_update(this->s_.get(), rest, more));
        start_.keep(this->s_);
    }

    /// Begins with the algorithm's own key. Returns whether it takes one of this length.
    bool begin_with(const unsigned char* key, std::size_t n) {
        inputs in;
        in.key = std::as_bytes(std::span(key, n));
        const hm_inputs c = in.get();
        hm_hasher_free(this->s_.get());
        const hm_error e = hm_hasher_init(this->s_.get(), &Self::get_algorithm(), &c);
        if (e != HM_BAD_KEY) detail::check(e);
        return e == HM_OK;
    }

    void put_key(const unsigned char* key, std::size_t n) {
        if (n == 0) return;
        if (key == nullptr) detail::null_with_length();
        seeded_ = true;
        const std::size_t longest = hm_algorithm_max_key_len(&Self::get_algorithm());
        if (longest == 0) return prefix(key, n);
        if (begin_with(key, n)) return;
        bool taken;
        if (hm_algorithm_seed_bits(&Self::get_algorithm()) > 0) {
            auto secret = detail::xxh3_secret(key, n);
            taken = begin_with(secret.data(), secret.size());
            detail::wipe(secret.data(), secret.size());
        } else {
            unsigned char other[64];
            detail::check(hm_digest(&HM_SHA512, key, n, other, sizeof other));
            taken = begin_with(other, std::min(longest, sizeof other));
            detail::wipe(other, sizeof other);
        }
        if (!taken) detail::check(HM_BAD_KEY);
    }

public:
    /// What `result` returns.
    using result_type = digest<N>;
    /// For HMAC.
    static constexpr int block_size = Block;

    /// For an empty message so far.
    fixed() : base(Self::get_algorithm()) {}

    /// With a seed: the algorithm's own, if it has one of so many bits; otherwise the seed's eight bytes, least
    /// significant first, are a key. Seed 0 means none.
    explicit fixed(std::uint64_t seed) : base(Self::get_algorithm()) {
        if (seed == 0) return;
        hm_algorithm a = Self::get_algorithm();
        if (hm_algorithm_seed_bits(&a) >= 64 || (hm_algorithm_seed_bits(&a) > 0 && seed <= UINT32_MAX)) {
            detail::check(hm_algorithm_with_seed(&a, seed, &a));
            this->s_ = detail::state(a);
            seeded_ = true;
        } else {
            const auto bytes = detail::to_bytes<std::endian::little>(seed);
            put_key(bytes.data(), bytes.size());
        }
    }

    /// With a key of any length; an empty one means none. If the algorithm takes a key of this length, it is that one.
    /// BLAKE2, BLAKE3 and SipHash take the first bytes of the SHA-512 of any other, as many as their longest key has;
    /// XXH3 stretches any other to a secret as XXH3_generateSecret does. Elsewhere the key is hashed before the message,
    /// padded to a whole block: with the padding of a message for MD4, MD5, RIPEMD and SHA-0 to SHA-2, which gives the
    /// result of Boost.Hash2; for all others with a 1 bit, zeros and the number of bytes, in eight bytes, least
    /// significant first. That is not a message authentication code; use `hmac` for one.
    fixed(const void* key, std::size_t n) : base(Self::get_algorithm()) { put_key(static_cast<const unsigned char*>(key), n); }

    /// With a key, salt, personalization, context, or a digest to resume from.
    static expected<Self> with(const inputs& in) {
        auto h = base::made(Self(), Self::get_algorithm(), in);
        if (h) static_cast<fixed&>(*h).seeded_ = in.key || in.salt || in.personal || in.context || in.resume_from;
        return h;
    }

    /// Resumes from an exported state.
    static expected<Self> resume(std::span<const std::byte> state, const char* kernel = nullptr) {
        auto h = base::resumed(Self(), &Self::get_algorithm(), state, kernel);
        // It may have a key.
        if (h) static_cast<fixed&>(*h).seeded_ = true;
        return h;
    }

    /// The digest of everything so far, after which neither the message nor the seed or key is in the object. Called
    /// again, it returns the same digest; if more follows, that is hashed with this digest as the key.
    result_type result() {
        if (!ended_) {
            detail::check(hm_hasher_final(this->s_.get(), digest_.data(), N));
            this->s_.end();
            start_.end();
            ended_ = true;
        }
        return digest_;
    }

    /// The digest of everything so far. The object stays as it is, and more of the message may follow.
    result_type result() const {
        if (ended_) return digest_;
        result_type d;
        detail::check(hm_hasher_final(this->s_.get(), d.data(), N));
        return d;
    }

    /// Back to the beginning, with the same seed, key or other inputs. Where there were any, they are gone after
    /// `result`, and this throws std::logic_error.
    void reset() {
        if (ended_) {
            if (seeded_) detail::seed_is_gone();
            this->s_ = detail::state(Self::get_algorithm());
            ended_ = false;
            digest_ = {};
        } else if (start_.get() != nullptr) {
            this->s_ = *start_.get();
        } else {
            base::reset();
        }
    }

    /// The digest of one message.
    static result_type hash(const void* message, std::size_t n) {
        result_type d;
        detail::check(hm_digest(&Self::get_algorithm(), message, n, d.data(), N));
        return d;
    }

    /// The digest of a range of bytes.
    template <byte_range R>
    static result_type hash(R&& range) {
        if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R>) {
            return hash(std::ranges::data(range), static_cast<std::size_t>(std::ranges::size(range)));
        } else {
            Self h;
            h.update(std::forward<R>(range));
            return h.result();
        }
    }

    /// The digest of a range of integers, each in this byte order.
    template <element_range R>
    static result_type hash(std::endian order, R&& range) {
        using T = std::ranges::range_value_t<R>;
        if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R>)
            if (sizeof(T) == 1 || order == std::endian::native)
                return hash(std::ranges::data(range), static_cast<std::size_t>(std::ranges::size(range)) * sizeof(T));
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

}  // namespace hashmill

#include "hashmill/types.hpp"

namespace hashmill {

/// CubeHashI+R/B+F-H: R rounds per block of B bytes, Initial and Final rounds before and after (ten times R in
/// CubeHashR/B-H), a digest of `Bits` bits (Daniel J. Bernstein's parameters).
template <unsigned R, unsigned B, unsigned Bits, unsigned Initial = 10 * R, unsigned Final = 10 * R>
class cubehash : public fixed<cubehash<R, B, Bits, Initial, Final>, Bits / 8, static_cast<int>(B)> {
    static_assert(Bits % 8 == 0 && Bits >= 8 && Bits <= 512, "CubeHash: the digest has 8 to 512 bits, in whole bytes");
    static_assert(R >= 1 && B >= 1 && B <= 128, "CubeHash: at least one round, and blocks of 1 to 128 bytes");

public:
    using fixed<cubehash, Bits / 8, static_cast<int>(B)>::fixed;

    /// This algorithm.
    static const hm_algorithm& get_algorithm() {
        static const hm_algorithm a = *algorithm::parse("cubehash" + std::to_string(Initial) + "+" + std::to_string(R) + "/" + std::to_string(B) +
                                                        "+" + std::to_string(Final) + "-" + std::to_string(Bits))
                                           .value()
                                           .get();
        return a;
    }
};

/// A hasher for an algorithm chosen at run time.
class hasher : public detail::over_library<hasher> {
    using base = detail::over_library<hasher>;
    friend base;
    hm_algorithm a_ = HM_SHA256;

public:
    /// What `result` returns.
    using result_type = any_digest;

    /// For this algorithm.
    explicit hasher(const algorithm& a) : base(*a.get()), a_(*a.get()) {}

#ifndef HASHMILL_NO_EXCEPTIONS
    /// By name. Throws error.
    explicit hasher(const std::string& name) : hasher(algorithm(name)) {}
    /// By name. Throws error.
    explicit hasher(const char* name) : hasher(algorithm(name)) {}
#endif

    /// By name.
    static expected<hasher> make(const std::string& name) {
        auto a = algorithm::parse(name);
        if (!a) return a.error();
        return hasher(*a);
    }

    /// With a key, salt, personalization, context, a digest to resume from, or a kernel.
    static expected<hasher> with(const algorithm& a, const inputs& in) { return base::made(hasher(a), *a.get(), in); }

    /// Resumes from an exported state, of any algorithm.
    static expected<hasher> resume(std::span<const std::byte> state, const char* kernel = nullptr) {
        auto h = base::resumed(hasher(algorithm(HM_SHA256)), nullptr, state, kernel);
        if (h) detail::check(hm_hasher_algorithm(h->s_.get(), &h->a_));
        return h;
    }

    /// Its algorithm.
    algorithm get_algorithm() const noexcept { return a_; }

    /// The digest of everything so far. May be called again, and more may follow.
    any_digest result() const {
        any_digest d(hm_algorithm_digest_len(&a_));
        detail::check(hm_hasher_final(s_.get(), d.data(), d.size()));
        return d;
    }
};

/// A message authentication code (RFC 2104) over a digest known at compile time, or over that of `hasher`.
class hmac : public updatable<hmac> {
    friend class updatable<hmac>;
    struct freed {
        void operator()(hm_hmac* m) const noexcept { hm_hmac_free(m); }
    };
    std::unique_ptr<hm_hmac, freed> m_;
    hm_algorithm a_;

    hmac(hm_hmac* m, const hm_algorithm& a) : m_(m), a_(a) {}

    void take(const unsigned char* bytes, std::size_t n) { detail::check(hm_hmac_update(m_.get(), bytes, n)); }

public:
    /// What `result` returns.
    using result_type = any_digest;

    /// With a key of any length.
    static expected<hmac> make(const algorithm& a, std::span<const std::byte> key) {
        hm_hmac* m = nullptr;
        if (const hm_error e = hm_hmac_new(a.get(), key.data(), key.size(), &m); e != HM_OK) return failure::last(e);
        return hmac(m, *a.get());
    }

#ifndef HASHMILL_NO_EXCEPTIONS
    /// With a key of any length. Throws error.
    hmac(const algorithm& a, std::span<const std::byte> key) : hmac(make(a, key).value()) {}
#endif

    /// A fork: both continue from here.
    hmac(const hmac& other) : a_(other.a_) {
        hm_hmac* m = nullptr;
        detail::check(hm_hmac_clone(other.m_.get(), &m));
        m_.reset(m);
    }
    hmac& operator=(const hmac& other) { return *this = hmac(other); }  ///< A fork.
    hmac(hmac&&) noexcept = default;                                    ///< What was moved from is good for nothing.
    hmac& operator=(hmac&&) noexcept = default;                         ///< What was moved from is good for nothing.
    ~hmac() = default;

    /// The code of everything so far. May be called again, and more may follow.
    any_digest result() const {
        any_digest code(hm_algorithm_digest_len(&a_));
        detail::check(hm_hmac_final(m_.get(), code.data(), code.size()));
        return code;
    }

    /// Whether these bytes are the whole code. The time does not reveal where they differ.
    bool verify(std::span<const std::byte> code) const noexcept { return hm_hmac_verify(m_.get(), code.data(), code.size()); }

    /// Back to the beginning, with the same key.
    void reset() { detail::check(hm_hmac_reset(m_.get())); }
};

/// The output of SHAKE or BLAKE3, of any length.
class xof {
    struct freed {
        void operator()(hm_xof* x) const noexcept { hm_xof_free(x); }
    };
    std::unique_ptr<hm_xof, freed> x_;

    explicit xof(hm_xof* x) : x_(x) {}

public:
    /// The output for everything that this hasher has taken, from its first byte on.
    template <class H>
    static expected<xof> of(const H& h) {
        hm_xof* x = nullptr;
        if (const hm_error e = hm_xof_new(h.get(), &x); e != HM_OK) return failure::last(e);
        return xof(x);
    }

    /// Writes the next bytes.
    void read(std::span<std::byte> out) { detail::check(hm_xof_read(x_.get(), out.data(), out.size())); }
};

namespace detail {

/// Messages in the form that the C library takes: in place if their memory is stable, otherwise collected in one
/// buffer.
class gathered {
    std::vector<hm_bytes> where_;
    std::vector<unsigned char> copies_;
    std::vector<std::size_t> starts_{0};
    bool copied_ = false;

    /// Collects a message's bytes.
    struct collector : updatable<collector> {
        std::vector<unsigned char>* to = nullptr;
        void take(const unsigned char* bytes, std::size_t n) { to->insert(to->end(), bytes, bytes + n); }
    };

public:
    template <class R>
    explicit gathered(R&& messages) {
        using M = std::ranges::range_reference_t<R>;
        if constexpr (std::ranges::sized_range<R>) where_.reserve(static_cast<std::size_t>(std::ranges::size(messages)));
        if constexpr (std::ranges::contiguous_range<M> && std::ranges::sized_range<M> &&
                      (std::is_lvalue_reference_v<M> || std::ranges::borrowed_range<M>)) {
            for (auto&& m : messages) where_.push_back({std::ranges::data(m), static_cast<std::size_t>(std::ranges::size(m))});
        } else {
            copied_ = true;
            collector c;
            c.to = &copies_;
            for (auto&& m : messages) {
                c.update(m);
                starts_.push_back(copies_.size());
            }
            for (std::size_t i = 0; i + 1 < starts_.size(); ++i)
                where_.push_back({copies_.data() + starts_[i], starts_[i + 1] - starts_[i]});
        }
    }

    const hm_bytes* data() const noexcept { return where_.data(); }
    std::size_t size() const noexcept { return where_.size(); }
};

}  // namespace detail

/// The digests of many messages, side by side in SIMD lanes, in their order: `digest_many<md5>(strings)`. Messages are
/// ranges of bytes, of any length. They are hashed on at most `threads` threads; 0 means as many as there are cores.
template <class H, std::ranges::input_range R>
    requires byte_range<std::ranges::range_reference_t<R>>
std::vector<typename H::result_type> digest_many(R&& messages, std::size_t threads = 1) {
    using D = typename H::result_type;
    static_assert(sizeof(D) == D::size(), "digests lie one after the other");
    const detail::gathered all(messages);
    std::vector<D> out(all.size());
    detail::check(hm_digest_many_threads(&H::get_algorithm(), threads, all.data(), all.size(), HM_RAW, out.data(), out.size() * sizeof(D)));
    return out;
}

/// Not messages: each must be a range of bytes.
template <class H, std::ranges::input_range R>
    requires(!byte_range<std::ranges::range_reference_t<R>>)
std::vector<typename H::result_type> digest_many(R&& messages) = HASHMILL_DELETED("messages are ranges of bytes: a vector of strings, for one");

/// The digests of many messages, one after the other, for an algorithm chosen at run time.
template <std::ranges::input_range R>
    requires byte_range<std::ranges::range_reference_t<R>>
std::vector<unsigned char> digest_many(const algorithm& a, R&& messages, hm_encoding encoding = HM_RAW, std::size_t threads = 1) {
    const detail::gathered all(messages);
    std::vector<unsigned char> out(all.size() * a.digest_len() * (encoding == HM_HEX ? 2 : 1));
    detail::check(hm_digest_many_threads(a.get(), threads, all.data(), all.size(), encoding, out.data(), out.size()));
    return out;
}

/// The digests of the messages bytes[offsets[i]] up to bytes[offsets[i + 1]], which is Arrow's layout, one after the
/// other in `out`; on at most `threads` threads, as `digest_many`.
template <class Offset>
    requires std::same_as<Offset, std::int32_t> || std::same_as<Offset, std::int64_t> || std::same_as<Offset, std::uint32_t> ||
             std::same_as<Offset, std::uint64_t>
expected<void> digest_column(const algorithm& a, std::span<const Offset> offsets, std::span<const std::byte> bytes, hm_encoding encoding,
                             std::span<std::byte> out, std::size_t threads = 1) {
    const auto type = sizeof(Offset) == 4 ? (std::is_signed_v<Offset> ? HM_INT32 : HM_UINT32) : (std::is_signed_v<Offset> ? HM_INT64 : HM_UINT64);
    const std::size_t count = offsets.empty() ? 0 : offsets.size() - 1;
    const hm_error e =
        hm_digest_column_threads(a.get(), threads, offsets.data(), type, count, bytes.data(), bytes.size(), encoding, out.data(), out.size());
    if (e != HM_OK) return failure::last(e);
    return {};
}

/// Options for `digest_files`.
struct files_options {
    std::size_t threads = 0;  ///< That hash; 0 for as many as there are cores.
    /// Called about ten times a second and at the end; returning false stops the work.
    std::function<bool(const hm_files_progress&)> progress;
};

namespace detail {

/// The bytes of a path, given as a string or a std::filesystem::path.
template <class P>
concept path_like = std::convertible_to<P, std::string_view> || requires(const std::remove_cvref_t<P>& p) { p.u8string(); };

template <path_like P>
std::string path_bytes(P&& path) {
    if constexpr (std::convertible_to<P, std::string_view>) {
        return std::string(static_cast<std::string_view>(path));
    } else {
        const auto text = path.u8string();
        return std::string(text.begin(), text.end());
    }
}

/// The callbacks for C. No exception may propagate through C: it is kept here until C has returned.
template <class Done>
struct files_call {
    const files_options& options;
    Done& done;
#ifndef HASHMILL_NO_EXCEPTIONS
    std::exception_ptr thrown = nullptr;

    template <class F>
    int guarded(F f) noexcept {
        try {
            return f() ? 0 : 1;
        } catch (...) {
            thrown = std::current_exception();
            return 1;
        }
    }
#else
    template <class F>
    int guarded(F f) noexcept {
        return f() ? 0 : 1;
    }
#endif

    static int on_file(void* user, const hm_file* file) noexcept {
        auto& c = *static_cast<files_call*>(user);
        return c.guarded([&] { return c.done(*file), true; });
    }

    static int on_progress(void* user, const hm_files_progress* p) noexcept {
        auto& c = *static_cast<files_call*>(user);
        return c.guarded([&] { return c.options.progress(*p); });
    }
};

template <class R, class Result, class Make>
std::vector<Result> files(std::span<const hm_algorithm* const> algorithms, R&& paths, const files_options& options, Make make) {
    std::vector<std::string> texts;
    for (auto&& path : paths) texts.push_back(path_bytes(path));
    std::vector<const char*> pointers;
    for (const auto& t : texts) pointers.push_back(t.c_str());
    std::vector<Result> results(texts.size(), Result(failure(HM_CANCELLED, "the work was ended before this file was read")));
    auto done = [&](const hm_file& f) { results[f.index] = f.error == HM_OK ? Result(make(f.digests)) : Result(failure(f.error, f.message)); };
    files_call<decltype(done)> call{options, done};
    const hm_error e = hm_digest_files(algorithms.data(), algorithms.size(), pointers.data(), pointers.size(), options.threads, call.on_file,
                                       options.progress ? call.on_progress : nullptr, &call);
#ifndef HASHMILL_NO_EXCEPTIONS
    if (call.thrown) std::rethrow_exception(call.thrown);
#endif
    if (e != HM_CANCELLED) check(e);
    return results;
}

}  // namespace detail

/// The digests of many files, in the order of the paths, or for each the reason why there is none:
/// `digest_files<sha256>(paths)`. Files are hashed in parallel, in SIMD lanes and on several threads. Paths are strings
/// or std::filesystem::path. Exceptions from `options.progress` are propagated; if it returns false, files that are not
/// finished get HM_CANCELLED.
template <class H, std::ranges::input_range R>
    requires detail::path_like<std::ranges::range_reference_t<R>>
std::vector<expected<typename H::result_type>> digest_files(R&& paths, const files_options& options = {}) {
    using D = typename H::result_type;
    const hm_algorithm* const algorithm = &H::get_algorithm();
    return detail::files<R, expected<D>>(std::span(&algorithm, 1), std::forward<R>(paths), options, [](const unsigned char* bytes) {
        D d;
        std::copy_n(bytes, D::size(), d.begin());
        return d;
    });
}

/// The digests of many files for several algorithms; each file is read once.
template <std::ranges::input_range R>
    requires detail::path_like<std::ranges::range_reference_t<R>>
std::vector<expected<std::vector<any_digest>>> digest_files(std::span<const algorithm> algorithms, R&& paths, const files_options& options = {}) {
    std::vector<const hm_algorithm*> pointers;
    for (const auto& a : algorithms) pointers.push_back(a.get());
    return detail::files<R, expected<std::vector<any_digest>>>(pointers, std::forward<R>(paths), options, [&](const unsigned char* bytes) {
        std::vector<any_digest> digests;
        for (const auto& a : algorithms) {
            digests.emplace_back(a.digest_len());
            std::copy_n(bytes, a.digest_len(), digests.back().begin());
            bytes += a.digest_len();
        }
        return digests;
    });
}

/// The digest of X‖Y, from the digests of X and Y and the length of Y in bytes: CRCs, Adler-32, Fletcher-16.
template <class H>
expected<typename H::result_type> combine(const typename H::result_type& x, const typename H::result_type& y, std::uint64_t len_y) {
    typename H::result_type both;
    const hm_error e = hm_combine(&H::get_algorithm(), x.data(), y.data(), len_y, both.data(), both.size());
    if (e != HM_OK) return failure::last(e);
    return both;
}

}  // namespace hashmill

/// @cond
// Digests as keys of unordered containers.
template <>
struct std::hash<hashmill::any_digest> {
    std::size_t operator()(const hashmill::any_digest& d) const noexcept {
        std::size_t h = 0;
        std::memcpy(&h, d.data(), d.size() < sizeof h ? d.size() : sizeof h);
        return h;
    }
};
/// @endcond

#endif  // HASHMILL_HEADER_ONLY

#endif
