// A hash table that nobody can make slow by choosing its keys: SipHash under a random key as the hash of std::unordered_map.

#include <hashmill.hpp>

#include <iostream>
#include <random>
#include <unordered_map>

class secret_hash {
    hashmill::siphash_2_4 keyed_;

    static std::array<unsigned char, 16> random_key() {
        std::array<unsigned char, 16> key;
        std::random_device random;
        for (auto& byte : key) byte = static_cast<unsigned char>(random());
        return key;
    }

    explicit secret_hash(const std::array<unsigned char, 16>& key) : keyed_(key.data(), key.size()) {}

public:
    secret_hash() : secret_hash(random_key()) {}

    std::size_t operator()(std::string_view s) const {
        auto h = keyed_;  // a copy goes on from the key
        h.update(s);
        const auto d = h.result();
        std::uint64_t value = 0;
        for (const unsigned char byte : d) value = value << 8 | byte;
        return static_cast<std::size_t>(value);
    }
};

int main() {
    std::unordered_map<std::string, int, secret_hash> counts;
    for (std::string word; std::cin >> word;) ++counts[word];
    std::size_t most = 0;
    for (std::size_t b = 0; b < counts.bucket_count(); ++b) most = std::max(most, counts.bucket_size(b));
    std::cout << counts.size() << " words, at most " << most << " in a bucket\n";
    for (const char* word : {"the", "hash"})
        if (const auto found = counts.find(word); found != counts.end()) std::cout << word << ": " << found->second << '\n';
}
