#include "traincost/fit/statistics.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace traincost;

TEST_CASE("a quantile lies between order statistics", "[statistics]") {
    constexpr std::array<double, 5> values = {1, 2, 3, 4, 10};
    CHECK(quantile(values, 0.0) == 1);
    CHECK(quantile(values, 0.5) == 3);
    CHECK(quantile(values, 0.9) == Approx(7.6));  // 4 + 0.6 (10 - 4)
    CHECK(quantile(values, 1.0) == 10);
    CHECK(quantile({}, 0.5) == 0);
}

TEST_CASE("error statistics take the size of errors and keep the sign of their mean", "[statistics]") {
    constexpr std::array<double, 4> errors = {-0.10, 0.02, -0.30, 0.10};
    const ErrorStatistics s = error_statistics(errors);
    CHECK(s.n == 4);
    CHECK(s.mape == Approx(0.13));
    CHECK(s.median_ape == Approx(0.10));
    CHECK(s.worst_ape == Approx(0.30));
    CHECK(s.bias == Approx(-0.07));
    CHECK(s.within_10pct == Approx(0.75));
    CHECK(error_statistics({}).n == 0);
}

TEST_CASE("a record's fold depends on its name alone", "[statistics]") {
    CHECK(fold_of("", 5) == static_cast<int>(0xcbf29ce484222325ULL % 5));
    // FNV-1a of "a" is af63dc4c8601ec8c, from the algorithm's published test vectors [Noll91].
    CHECK(fold_of("a", 1000) == static_cast<int>(0xaf63dc4c8601ec8cULL % 1000));
}
