#include <traincost/plan/scaling_laws.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace traincost;

TEST_CASE("the parametric optimum of 6.048e18 FLOPs is 181.645M parameters on 5.549B tokens", "[scaling]") {
    const Allocation a = optimal_allocation(ScalingLaw::chinchilla_3, Flops{6.048e18});
    CHECK(a.parameters == Approx(181.645e6).epsilon(1e-5));
    CHECK(a.tokens == Approx(5.549e9).epsilon(2e-4));
    CHECK(a.loss == Approx(3.0898).epsilon(1e-4));
}

TEST_CASE("the parametric optimum of Gopher's budget is 32.19B parameters on 2982B tokens", "[scaling]") {
    const Allocation a = optimal_allocation(ScalingLaw::chinchilla_3, Flops{5.76e23});
    CHECK(a.parameters == Approx(32.19e9).epsilon(2e-4));
    CHECK(a.tokens == Approx(2982e9).epsilon(2e-4));
}

TEST_CASE("approaches 1 and 2 give the printed tables within 4 %", "[scaling]") {
    struct Row {
        double parameters, compute;
    };
    // [Hoffmann22, Table 3], recalled
    for (const Row& row : {Row{400e6, 1.92e19},
                           {1e9, 1.21e20},
                           {10e9, 1.23e22},
                           {67e9, 5.76e23},
                           {175e9, 3.85e24},
                           {1e12, 1.27e26},
                           {10e12, 1.30e28}}) {
        CHECK(optimal_allocation(ScalingLaw::chinchilla_1, Flops{row.compute}).parameters ==
              Approx(row.parameters).epsilon(0.04));
    }
    // [Hoffmann22, Table A3], recalled
    for (const Row& row : {Row{400e6, 1.84e19},
                           {1e9, 1.20e20},
                           {10e9, 1.32e22},
                           {67e9, 6.88e23},
                           {175e9, 4.54e24},
                           {1e12, 1.59e26},
                           {10e12, 1.75e28}}) {
        CHECK(optimal_allocation(ScalingLaw::chinchilla_2, Flops{row.compute}).parameters ==
              Approx(row.parameters).epsilon(0.04));
    }
}

TEST_CASE("the re-fitted law agrees with twenty tokens a parameter where Chinchilla was trained",
          "[scaling]") {
    const Allocation a = optimal_allocation(ScalingLaw::besiroglu, Flops{5.76e23});
    CHECK(a.tokens / a.parameters == Approx(20.0).epsilon(0.3));
    const Allocation b = optimal_allocation(ScalingLaw::fixed_ratio, Flops{5.76e23}, 20.0);
    CHECK(b.tokens / b.parameters == Approx(20.0));
    CHECK(6.0 * b.tokens * b.parameters == Approx(5.76e23));
}

TEST_CASE("no other split of the same compute has a lower loss than the parametric optimum", "[scaling]") {
    for (const LossLaw& law : {chinchilla_loss, besiroglu_loss}) {
        for (const double C : {1e18, 1e21, 1e24, 1e27}) {
            const Allocation best = optimal_allocation(
                law.E == chinchilla_loss.E ? ScalingLaw::chinchilla_3 : ScalingLaw::besiroglu, Flops{C});
            for (const double factor : {0.1, 0.5, 0.9, 0.99, 1.01, 1.1, 2.0, 10.0})
                CHECK(fixed_size(law, Flops{C}, best.parameters * factor).loss > best.loss);
        }
    }
}

TEST_CASE("tokens for a loss invert the loss, and a loss below a model's own floor has none", "[scaling]") {
    const double N = 1e9;
    const double target = loss(besiroglu_loss, N, 37e9);
    CHECK(*tokens_for_loss(besiroglu_loss, N, target) == Approx(37e9));
    CHECK(!tokens_for_loss(besiroglu_loss, N, besiroglu_loss.E));
}

TEST_CASE("a model that will be used is smaller and trained longer, at the same loss", "[scaling]") {
    const Flops C{1e23};
    const Allocation train = optimal_allocation(ScalingLaw::besiroglu, C);
    const LifetimeAllocation none = lifetime_optimal(besiroglu_loss, C, 0.0);
    CHECK(none.allocation.parameters == Approx(train.parameters).epsilon(1e-5));
    double size = none.allocation.parameters;
    for (const double tokens : {1e11, 1e12, 1e13}) {
        const LifetimeAllocation used = lifetime_optimal(besiroglu_loss, C, tokens);
        CHECK(used.allocation.parameters < size);
        CHECK(loss(besiroglu_loss, used.allocation.parameters, used.allocation.tokens) == Approx(train.loss));
        const double total = (used.training + used.inference).value();
        CHECK(total < C.value() + 2.0 * train.parameters * tokens);
        size = used.allocation.parameters;
    }
}
