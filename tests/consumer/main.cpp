#include <traincost/base/quantity.hpp>
#include <traincost/base/text.hpp>
#include <traincost/base/version.hpp>

#include <iostream>

int main() {
    using namespace traincost::literals;
    std::cout << "traincost " << traincost::version() << ": " << traincost::to_text(1979_TFLOP / 989.5_TFLOPs)
              << '\n';
}
