// The header without exceptions and RTTI: HASHMILL_NO_EXCEPTIONS, -fno-exceptions -fno-rtti.

#include <hashmill.hpp>

#include <cstdio>
#include <unordered_map>

int main() {
    using namespace std::string_view_literals;
    int failed = 0;
    const auto check = [&](bool ok, const char* what) {
        if (!ok) std::printf("%s: failed\n", what), ++failed;
    };
    const auto none = hashmill::hasher::make("sha265");
    check(!none && none.error().code() == HM_UNKNOWN_ALGORITHM, "an unknown name");
    auto h = hashmill::hasher::make("sha256");
    check(h.has_value(), "a name");
    h->update("abc"sv);
    check(to_string(h->result()) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "a digest");
    check(hashmill::sha256::hash("abc"sv) == hashmill::header_only::sha256::hash("abc"sv), "the library and the header");
    hashmill::inputs in;
    in.key = std::as_bytes(std::span("short", 5));
    const auto bad = hashmill::siphash_2_4::with(in);
    check(!bad && bad.error().code() == HM_BAD_KEY, "a short key");
    check(hashmill::hmac::make(hashmill::algorithm(HM_CRC32), {}).error().code() == HM_BAD_KEY, "HMAC of a CRC");
    std::printf("%s\n", failed ? "FAILED" : "ok");
    return failed ? 1 : 0;
}
