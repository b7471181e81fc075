// Calls that must not compile, selected by number (-DCASE=1). bindings/cpp/test checks that the compiler says why.
// Without CASE, this file compiles.

#include <hashmill.hpp>

#include <vector>

template <class H>
concept takes = requires(H h, std::vector<int> ints, std::vector<double> doubles) {
    h.update(ints);
};
// Concepts can test for the calls without a compile error.
static_assert(!takes<hashmill::sha256> && !takes<hashmill::header_only::md5>);

#ifndef CASE
#define CASE 0
#endif

void refused() {
    [[maybe_unused]] hashmill::sha256 h;
    [[maybe_unused]] std::vector<int> ints;
    [[maybe_unused]] std::vector<double> doubles;
#if CASE == 1
    h.update(ints);
#elif CASE == 2
    h.update(ints.begin(), ints.end());
#elif CASE == 3
    hashmill::sha256::hash(ints);
#elif CASE == 4
    hashmill::header_only::md5::hash(ints);
#elif CASE == 5
    h.update(doubles);
#elif CASE == 6
    h.update(doubles.begin(), doubles.end());
#elif CASE == 7
    h.update(std::endian::big, doubles);
#elif CASE == 8
    h.update(42);
#elif CASE == 9
    hashmill::md5::hash(std::vector<bool>{true});
#elif CASE == 10
    hashmill::digest_many<hashmill::md5>(ints);
#endif
}
