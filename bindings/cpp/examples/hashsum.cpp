// hashsum [-a ALGORITHM] [-c] [FILE]...: prints digests as sha256sum and its like do, or checks a list of them. Several files are hashed side by side.
//
//     hashsum -a md5 *.jpg > list
//     hashsum -a md5 -c list

#include <hashmill.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

int status = 0;

void complain(const std::string& name, const std::string& why) {
    std::cerr << "hashsum: " << name << ": " << why << '\n';
    status = 1;
}

/// The digests of these files as text; an empty one where a file cannot be read, which has been said.
std::vector<std::string> digests(const hashmill::algorithm& a, std::span<const std::string> names) {
    std::vector<std::string> all(names.size()), paths;
    std::vector<std::size_t> whose;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] != "-") {
            paths.push_back(names[i]);
            whose.push_back(i);
            continue;
        }
        hashmill::hasher h(a);
        if (const auto read = h.update_fd(0); read)
            all[i] = to_string(h.result());
        else
            complain("-", read.error().message());
    }
    const auto files = hashmill::digest_files(std::span(&a, 1), paths);
    for (std::size_t k = 0; k < files.size(); ++k) {
        if (files[k])
            all[whose[k]] = to_string((*files[k])[0]);
        else
            complain(paths[k], files[k].error().message());
    }
    return all;
}

/// After so many files their digests are printed.
constexpr std::size_t at_once = 1024;

/// A name as coreutils write those that a line cannot hold, and whether it is one.
std::pair<std::string, bool> in_a_line(const std::string& name) {
    std::string safe;
    for (const char c : name) safe += c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\\' ? "\\\\" : std::string(1, c);
    return {safe, safe != name};
}

void print(const hashmill::algorithm& a, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); i += at_once) {
        const auto some = std::span(names).subspan(i, std::min(at_once, names.size() - i));
        const auto all = digests(a, some);
        for (std::size_t k = 0; k < some.size(); ++k) {
            if (all[k].empty()) continue;
            const auto [name, escaped] = in_a_line(some[k]);
            std::cout << (escaped ? "\\" : "") << all[k] << "  " << name << '\n';
        }
    }
}

void check(const hashmill::algorithm& a, const std::string& list) {
    std::ifstream in(list);
    if (!in) return complain(list, std::strerror(errno));
    std::vector<std::string> names, expected;
    std::size_t bad = 0;
    const std::size_t each = 2 * a.digest_len();
    for (std::string line; std::getline(in, line);) {
        const bool escaped = line.starts_with('\\');
        if (escaped) line.erase(0, 1);
        const bool good = line.size() > each + 2 && line[each] == ' ' && (line[each + 1] == ' ' || line[each + 1] == '*') &&
                          line.find_first_not_of("0123456789abcdefABCDEF") == each;
        if (!good) {
            ++bad;
            continue;
        }
        std::string name = line.substr(each + 2), plain;
        for (std::size_t i = 0; escaped && i < name.size(); ++i) {
            const bool pair = name[i] == '\\' && i + 1 < name.size();
            plain += pair ? (name[++i] == 'n' ? '\n' : name[i] == 'r' ? '\r' : name[i]) : name[i];
        }
        names.push_back(escaped ? plain : name);
        std::string digest = line.substr(0, each);
        std::ranges::transform(digest, digest.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        expected.push_back(digest);
    }
    if (names.empty()) return complain(list, "no lines of a digest and a name");
    std::size_t failed = 0;
    for (std::size_t i = 0; i < names.size(); i += at_once) {
        const auto some = std::span(names).subspan(i, std::min(at_once, names.size() - i));
        const auto all = digests(a, some);
        for (std::size_t k = 0; k < some.size(); ++k) {
            const bool same = all[k] == expected[i + k];
            failed += !same;
            const auto [name, escaped] = in_a_line(some[k]);
            std::cout << (escaped ? "\\" : "") << name << (all[k].empty() ? ": FAILED open or read\n" : same ? ": OK\n" : ": FAILED\n");
        }
    }
    if (bad) complain(list, std::to_string(bad) + " lines are no digest and name");
    if (failed) complain(list, std::to_string(failed) + " of " + std::to_string(names.size()) + " files are not as the list says");
}

int usage(const std::string& why) {
    std::cerr << "hashsum: " << why << "\nusage: hashsum [-a ALGORITHM] [-c] [FILE]...\n";
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    std::string name = "sha256";
    bool checks = false, options = true;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (!options || argument == "-" || !argument.starts_with('-')) {
            files.push_back(argument);
        } else if (argument == "--") {
            options = false;
        } else if (argument == "-c") {
            checks = true;
        } else if (argument == "-a" && i + 1 < argc) {
            name = argv[++i];
        } else {
            return usage("unknown option '" + argument + "'");
        }
    }
    const auto a = hashmill::algorithm::parse(name);
    if (!a) return usage(a.error().message());
    if (files.empty()) files.emplace_back("-");
    if (checks) {
        for (const auto& list : files) check(*a, list == "-" ? "/dev/stdin" : list);
    } else {
        print(*a, files);
    }
    std::cout.flush();
    if (!std::cout) complain("standard output", "not all could be written");
    return status;
}
