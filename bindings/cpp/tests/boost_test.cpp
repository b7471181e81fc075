// hashmill's types under the real Boost.Hash2, where Boost 1.87 or later is found: hash_append and HMAC.

#include <hashmill.hpp>

#include <boost/hash2/hash_append.hpp>
#include <boost/hash2/hmac.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main() {
    int failed = 0;
    const auto check = [&](bool ok, const char* what) {
        if (!ok) std::printf("%s: failed\n", what), ++failed;
    };
    hashmill::sha256 h;
    const std::vector<std::uint32_t> words = {1, 2, 3};
    boost::hash2::hash_append(h, boost::hash2::little_endian_flavor(), words);
    // The elements, then their number in 32 bits.
    hashmill::sha256 own;
    own.update(std::endian::little, words).update(std::endian::little, std::vector<std::uint32_t>{3});
    check(h.result() == own.result(), "hash_append of a vector");

    const std::string key = "key", fox = "The quick brown fox jumps over the lazy dog";
    boost::hash2::hmac<hashmill::header_only::sha256> code(key.data(), key.size());
    code.update(fox.data(), fox.size());
    check(to_string(code.result()) == "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8", "hmac");
    std::printf("%s\n", failed ? "FAILED" : "ok");
    return failed ? 1 : 0;
}
