// merkle FOLDER: the Merkle tree of a folder. A file's node is the SHA-256 of its bytes, a folder's that of its entries' names and nodes, in the order of
// the names; so one digest stands for everything below, and two trees differ just where their nodes do. Every level is one call of digest_many.

#include <hashmill.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

namespace fs = std::filesystem;
using node = hashmill::sha256::result_type;

namespace {

struct folder {
    std::vector<fs::path> files, folders;
};

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error(path.string() + ": cannot be read");
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// An entry in its folder's message: its kind, the length of its name, its name, its node.
void append(std::string& message, char kind, const fs::path& path, const node& n) {
    const std::string name = path.filename().string();
    message += kind;
    for (int i = 0; i < 8; ++i) message += static_cast<char>(name.size() >> 8 * i);
    message += name;
    message.append(n.begin(), n.end());
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2 || !fs::is_directory(argv[1])) {
        std::cerr << "usage: merkle FOLDER\n";
        return 2;
    }
    // Folders by their depth, the deepest last.
    const fs::path root = fs::path(argv[1]).lexically_normal();
    std::vector<std::vector<fs::path>> levels{{root}};
    std::map<fs::path, folder> tree;
    std::map<fs::path, node> nodes;
    for (std::size_t depth = 0; depth < levels.size(); ++depth) {
        std::vector<fs::path> next;
        for (const auto& at : levels[depth]) {
            auto& f = tree[at];
            for (const auto& entry : fs::directory_iterator(at)) {
                if (entry.is_symlink()) continue;
                if (entry.is_directory()) f.folders.push_back(entry.path());
                if (entry.is_regular_file()) f.files.push_back(entry.path());
            }
            std::ranges::sort(f.files);
            std::ranges::sort(f.folders);
            next.insert(next.end(), f.folders.begin(), f.folders.end());
        }
        if (!next.empty()) levels.push_back(std::move(next));
    }
    for (const auto& [path, f] : tree) {
        std::vector<std::string> messages;
        for (const auto& file : f.files) messages.push_back(contents(file));
        const auto digests = hashmill::digest_many<hashmill::sha256>(messages);
        for (std::size_t i = 0; i < digests.size(); ++i) nodes[f.files[i]] = digests[i];
    }
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
        std::vector<std::string> messages;
        for (const auto& at : *level) {
            std::string message;
            for (const auto& file : tree[at].files) append(message, 'f', file, nodes[file]);
            for (const auto& below : tree[at].folders) append(message, 'd', below, nodes[below]);
            messages.push_back(std::move(message));
        }
        const auto digests = hashmill::digest_many<hashmill::sha256>(messages);
        for (std::size_t i = 0; i < digests.size(); ++i) nodes[(*level)[i]] = digests[i];
    }
    for (const auto& [path, n] : nodes) std::cout << n << "  " << path.string() << '\n';
} catch (const std::exception& e) {
    std::cerr << "merkle: " << e.what() << '\n';
    return 1;
}
