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
    // [Hoffmann22, Table 3]
    for (const Row& row : {Row{400e6, 1.92e19},
                           {1e9, 1.21e20},
                           {10e9, 1.23e22},
                           {67e9, 5.76e23},
                           {175e9, 3.85e24},
                           {280e9, 9.90e24},
                           {520e9, 3.43e25},
                           {1e12, 1.27e26},
                           {10e12, 1.30e28}}) {
        CHECK(optimal_allocation(ScalingLaw::chinchilla_1, Flops{row.compute}).parameters ==
              Approx(row.parameters).epsilon(0.04));
    }
    // [Hoffmann22, Table A3]
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

TEST_CASE("approach 1's tokens are the printed ones", "[scaling]") {
    struct Row {
        double compute, tokens;
    };
    // [Hoffmann22, Table 3]: tokens beside the FLOPs. They are C/6N of the printed sizes within 4 %.
    for (const Row& row : {Row{1.92e19, 8.0e9},
                           {1.21e20, 20.2e9},
                           {1.23e22, 205.1e9},
                           {5.76e23, 1.5e12},
                           {3.85e24, 3.7e12},
                           {9.90e24, 5.9e12},
                           {3.43e25, 11.0e12},
                           {1.27e26, 21.2e12},
                           {1.30e28, 216.2e12}}) {
        CHECK(optimal_allocation(ScalingLaw::chinchilla_1, Flops{row.compute}).tokens ==
              Approx(row.tokens).epsilon(0.07));
    }
}

TEST_CASE("Besiroglu's optimum has the tokens a parameter and the exponent that the paper gives",
          "[scaling]") {
    // "a = 0.513": the exponent of N in C, from their Table 1; about 20 tokens a parameter in Chinchilla's
    // range, as approaches 1 and 2 [Besiroglu24, §4].
    const Allocation low = optimal_allocation(ScalingLaw::besiroglu, Flops{1e22});
    const Allocation high = optimal_allocation(ScalingLaw::besiroglu, Flops{1e24});
    CHECK(std::log(high.parameters / low.parameters) / std::log(100.0) == Approx(0.513).epsilon(2e-3));
    CHECK(high.tokens / high.parameters == Approx(20.0).epsilon(0.15));
    CHECK(low.tokens / low.parameters == Approx(20.0).epsilon(0.15));
}

TEST_CASE("the model that is cheapest over its life is the one the authors' own program prints",
          "[scaling]") {
    // sardana: compute_optimal.py --loss 1.947 --inference_tokens 2e12, with the constants it prints: 24.18B
    // parameters and 2.657T tokens, 70.96 % of the parameters, 146.77 % of the tokens and 95.22 % of the
    // FLOPs of a Chinchilla model as good [Sardana23].
    const LossLaw law{1.69, 406.4, 410.7, 0.336, 0.283};
    CHECK(loss(law, 70e9, 1e12) == Approx(1.947).epsilon(2e-4));
    CHECK(loss(law, 30e9, 1.556e12) == Approx(1.958253360475841).epsilon(1e-5));
    const double size = 24.18e9 / 0.7096;
    const double tokens = 2.657e12 / 1.4677;
    CHECK(loss(law, size, tokens) == Approx(1.947).epsilon(2e-4));
    const Flops compute{6.0 * size * tokens};
    const LifetimeAllocation life = lifetime_optimal(law, compute, 2e12);
    CHECK(life.allocation.parameters == Approx(24.18e9).epsilon(5e-3));
    CHECK(life.allocation.tokens == Approx(2.657e12).epsilon(5e-3));
    const double before = compute.value() + 2.0 * size * 2e12;
    CHECK((life.training + life.inference).value() / before == Approx(0.9522).epsilon(1e-3));
}
