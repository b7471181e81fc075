#include <hashmill.hpp>

#include <iostream>

int main() {
    using namespace std::string_view_literals;
    std::cout << hashmill::sha256::hash("abc"sv) << '\n';
}
