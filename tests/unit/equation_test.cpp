#include <traincost/base/error.hpp>
#include <traincost/report/explain/equation.hpp>

#include <catch2/catch.hpp>

using namespace traincost;

namespace {

const std::vector<SymbolValue> values = {{"m", 8.0}, {"f", 0.25}, {"b", 0.5}, {"n_k", 3.0}};

}  // namespace

TEST_CASE("an equation binds products before sums and takes them from the left", "[equation]") {
    CHECK(evaluate("m * (f + b)", values) == 6.0);
    CHECK(evaluate("m - f - b", values) == 7.25);
    CHECK(evaluate("m / b / f * 2", values) == 128.0);
    CHECK(evaluate("1 + n_k * 2.5", values) == 8.5);
}

TEST_CASE("max and min take any number of sums", "[equation]") {
    CHECK(evaluate("max(m - 1, 0, n_k)", values) == 7.0);
    CHECK(evaluate("min(f, b) * 2", values) == 0.5);
}

TEST_CASE("an equation that cannot be read is an error of ours", "[equation]") {
    for (const char* bad : {"", "m +", "m * (f", "m f", "unknown", "max m"})
        CHECK_THROWS_AS(evaluate(bad, values), Error);
}

TEST_CASE("the symbols of an equation come in order, each once", "[equation]") {
    const std::vector<std::string_view> expected = {"m", "f", "n_k"};
    CHECK(symbols_of("max(m - 1, 0) * f + m * n_k") == expected);
}

TEST_CASE("numbers take the place of symbols and nothing else", "[equation]") {
    CHECK(with_numbers("max(m - 1, 0) * (f + b) / n_k", values) ==
          "max(8 - 1, 0) * (0.250000 + 0.500000) / 3");
}
