#include "traincost/methods/chinchilla.hpp"

#include <catch2/catch.hpp>

#include "traincost/base/error.hpp"
#include "traincost/methods/printed.hpp"

using namespace traincost;

namespace {

std::string millions(double x) {
    return python_round_text(x / 1e6, 2);
}

std::string billions(double x) {
    return python_round_text(x / 1e9, 2);
}

}  // namespace

TEST_CASE("Chinchilla grid: the estimator's default prints what it prints", "[chinchilla]") {
    const Flops C = chinchilla_compute(40, 0.25, 1, 7);
    CHECK(C.value() == Approx(6.048e18).epsilon(1e-12));
    const ChinchillaOptimum best = chinchilla_grid(C);
    CHECK(python_round_text(best.loss, 3) == "3.09");
    CHECK(millions(best.parameters) == "177.83");
    CHECK(billions(best.tokens) == "5.67");
}

TEST_CASE("Chinchilla grid: eight A100s for a month", "[chinchilla]") {
    const Flops C = chinchilla_compute(312, 0.4, 8, 30);
    CHECK(C.value() == Approx(2.5878528e21).epsilon(1e-12));
    const ChinchillaOptimum best = chinchilla_grid(C);
    CHECK(python_round_text(best.loss, 3) == "2.242");
    CHECK(millions(best.parameters) == "2738.42");
    CHECK(billions(best.tokens) == "157.5");
}

TEST_CASE("Chinchilla grid: it ends silently at 10 M and at 86.6 B", "[chinchilla]") {
    CHECK(millions(chinchilla_grid(Flops{1e28}).parameters) == "86596.43");
    CHECK(millions(chinchilla_grid(Flops{1e12}).parameters) == "10.0");
}

TEST_CASE("Chinchilla grid: sizes and tokens have two decimals whatever they are", "[chinchilla]") {
    CHECK(chinchilla_labels(chinchilla_grid(chinchilla_compute(312, 0.4, 8, 30))).tokens == "157.50B");
    CHECK(chinchilla_labels(chinchilla_grid(Flops{1e12})).parameters == "10.00M");
    const ChinchillaLabels labels = chinchilla_labels(chinchilla_grid(chinchilla_compute(40, 0.25, 1, 7)));
    CHECK(labels.compute == "6.048e+18");
    CHECK(labels.loss == "3.09");
}

TEST_CASE("Chinchilla in closed form: the optimum between the grid's points", "[chinchilla]") {
    const ChinchillaOptimum best = chinchilla_closed_form(Flops{6.048e18});
    CHECK(best.parameters == Approx(181.645e6).epsilon(5e-6));
    CHECK(best.tokens == Approx(5.549e9).epsilon(1e-4));
    CHECK(best.loss == Approx(3.0898).epsilon(2e-5));
    const ChinchillaOptimum chinchilla = chinchilla_closed_form(Flops{5.76e23});
    CHECK(chinchilla.parameters == Approx(32.19e9).epsilon(2e-4));
    CHECK(chinchilla.tokens == Approx(2982e9).epsilon(2e-4));
}

TEST_CASE("Chinchilla: a budget must be positive, a utilization at most 1", "[chinchilla]") {
    CHECK_THROWS_AS(chinchilla_compute(40, 0, 1, 7), Error);
    CHECK_THROWS_WITH(chinchilla_compute(40, 1.5, 1, 7), Catch::Contains("at most 1"));
}
