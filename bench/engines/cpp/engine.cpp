// An engine (crates/hashmill-measure/src/engine.rs): runs what compilers made of callers.cpp. `engine FOLDER` loads
// FOLDER/(library|header)_COMPILER_LEVEL.so.

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

/// What callers.cpp exports: hash the message so many times, leave the last digest.
using caller = void (*)(const unsigned char* m, std::size_t n, std::uint64_t times, unsigned char* out);

struct loop {
    std::string name;
    std::string by;
    std::size_t bytes;
    caller run;
};

[[noreturn]] void fail(const std::string& why) {
    std::cerr << why << std::endl;
    std::exit(1);
}

/// The value of a member of a JSON object of one line that has neither escapes nor objects in it, as this program's
/// requests are.
std::string member(const std::string& line, const std::string& name) {
    auto at = line.find('"' + name + "\":");
    if (at == std::string::npos) fail("a request without " + name);
    at += name.size() + 3;
    if (line[at] == '"') return line.substr(at + 1, line.find('"', at + 1) - at - 1);
    return line.substr(at, line.find_first_of(",}", at) - at);
}

constexpr std::size_t MESSAGE = 16384, SMALL = 5;

const std::vector<std::string> ALGORITHMS{"sha1", "md5", "sha512", "cubehash512", "sha256", "xxh3"};

/// What callers.cpp calls the forms of input, and what readers do.
const std::vector<std::pair<std::string, std::string>> FORMS{
    {"pointer", "pointer and length"},
    {"contiguous", "contiguous range of bytes"},
    {"words", "range of uint32_t, the machine's order"},
    {"other_words", "range of uint32_t, the other order"},
    {"deque", "std::deque"},
    {"reversed", "views::reverse"},
    {"computed", "views::transform"},
    {"input", "input iterators"},
    {"list", "std::list"},
    {"streambuf", "istreambuf_iterator"},
    {"pieces", "update in pieces of 64 bytes"},
};

const std::vector<std::string> CALLED{"md5", "sha1", "sha256", "xxh3", "crc32c", "blake3"};

/// The loops of one shared object, which is named after how it was made.
void add(const std::filesystem::path& path, std::vector<loop>& loops) {
    void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!object) fail(dlerror());
    const std::string stem = path.stem();
    const auto first = stem.find('_'), last = stem.rfind('_');
    const std::string how = stem.substr(first + 1, last - first - 1) + " -" + stem.substr(last + 1);
    const bool own = stem.starts_with("header");
    const auto put = [&](const std::string& symbol, const std::string& name, const std::string& by, std::size_t bytes) {
        if (void* found = dlsym(object, symbol.c_str())) loops.push_back({name, by, bytes, reinterpret_cast<caller>(found)});
    };
    for (const auto& algorithm : ALGORITHMS)
        for (const auto& [symbol, form] : FORMS)
            put(algorithm + '_' + symbol, '`' + algorithm + "`, 16384 bytes", form + ", " + how + (own ? ", header-only" : ""), MESSAGE);
    if (own) return;
    for (const auto& algorithm : CALLED) {
        put(algorithm + "_call", '`' + algorithm + "`, 5 bytes", "hm_digest, " + how, SMALL);
        put(algorithm + "_hasher", '`' + algorithm + "`, 5 bytes", "hm_hasher, " + how, SMALL);
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) fail("usage: engine FOLDER");
    std::vector<std::filesystem::path> objects;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[1]))
        if (entry.path().extension() == ".so") objects.push_back(entry.path());
    std::sort(objects.begin(), objects.end());
    std::vector<loop> loops;
    for (const auto& object : objects) add(object, loops);

    // On a boundary of words, and of a cache line.
    alignas(64) static unsigned char message[MESSAGE];
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < MESSAGE; ++i) {
        if (i % 8 == 0) word += 0x9e3779b97f4a7c15;
        message[i] = static_cast<unsigned char>(word >> (i % 8 * 8));
    }
    unsigned char out[64];

    std::map<std::pair<std::string, std::string>, const loop*> all;
    std::cout << R"({"protocol":1,"engine":"C++","loops":[)";
    for (const auto& l : loops) {
        all[{l.name, l.by}] = &l;
        std::cout << (&l == &loops.front() ? "" : ",") << R"({"case":")" << l.name << R"(","by":")" << l.by << R"(","bytes":)" << l.bytes << '}';
    }
    std::cout << "]}" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        const auto found = all.find({member(line, "case"), member(line, "by")});
        if (found == all.end()) fail("no such loop: " + line);
        const auto times = std::stoull(member(line, "times"));
        const auto start = std::chrono::steady_clock::now();
        found->second->run(message, found->second->bytes, times, out);
        const auto took = std::chrono::steady_clock::now() - start;
        std::cout << R"({"ns":)" << std::chrono::duration_cast<std::chrono::nanoseconds>(took).count() << '}' << std::endl;
    }
}
