#include "traincost/plan/scaling_laws.hpp"

#include <array>
#include <cmath>

namespace traincost {

std::span<const std::string_view> scaling_law_names() {
    static constexpr std::array<std::string_view, 5> names = {"chinchilla-1", "chinchilla-2", "chinchilla-3",
                                                              "besiroglu", "fixed-ratio"};
    return names;
}

double loss(const LossLaw& law, double N, double D) {
    return law.E + law.A / std::pow(N, law.alpha) + law.B / std::pow(D, law.beta);
}

namespace {

/// A power law through one printed row of a table: N = size (C / compute)^exponent.
struct PowerLaw {
    double size;
    double compute;
    double exponent;
};

/// The 10-billion rows, with the exponents printed beside them; the tables' other rows (400 M to 10 T
/// parameters) lie within 4 %. [Hoffmann22, Table 3 and Table 2]
constexpr PowerLaw approach_1{10e9, 1.23e22, 0.50};
/// [Hoffmann22, Table A3 and Table 2]
constexpr PowerLaw approach_2{10e9, 1.32e22, 0.49};

Allocation of_size(double N, double C, const LossLaw& law) {
    const double D = C / (6.0 * N);
    return {N, D, loss(law, N, D)};
}

double parametric_size(const LossLaw& law, double C) {
    const double a = law.beta / (law.alpha + law.beta);
    const double G = std::pow(law.alpha * law.A / (law.beta * law.B), 1.0 / (law.alpha + law.beta));
    return G * std::pow(C / 6.0, a);
}

double power_size(const PowerLaw& law, double C) {
    return law.size * std::pow(C / law.compute, law.exponent);
}

}  // namespace

Allocation optimal_allocation(ScalingLaw law, Flops compute, double ratio) {
    const double C = compute.value();
    switch (law) {
        case ScalingLaw::chinchilla_1:
            return of_size(power_size(approach_1, C), C, besiroglu_loss);
        case ScalingLaw::chinchilla_2:
            return of_size(power_size(approach_2, C), C, besiroglu_loss);
        case ScalingLaw::chinchilla_3:
            return of_size(parametric_size(chinchilla_loss, C), C, chinchilla_loss);
        case ScalingLaw::besiroglu:
            return of_size(parametric_size(besiroglu_loss, C), C, besiroglu_loss);
        case ScalingLaw::fixed_ratio:
            return of_size(std::sqrt(C / (6.0 * ratio)), C, besiroglu_loss);
    }
    return {};
}

Allocation fixed_size(const LossLaw& law, Flops compute, double parameters) {
    return of_size(parameters, compute.value(), law);
}

std::optional<double> tokens_for_loss(const LossLaw& law, double N, double target) {
    const double rest = target - law.E - law.A / std::pow(N, law.alpha);
    if (!(rest > 0.0))
        return std::nullopt;
    return std::pow(law.B / rest, 1.0 / law.beta);
}

LifetimeAllocation lifetime_optimal(const LossLaw& law, Flops compute, double inference_tokens) {
    const double best = parametric_size(law, compute.value());
    const double target = of_size(best, compute.value(), law).loss;
    const auto total = [&](double log_size) {
        const double N = std::exp(log_size);
        const std::optional<double> D = tokens_for_loss(law, N, target);
        return D ? 6.0 * N * *D + 2.0 * N * inference_tokens : HUGE_VAL;
    };
    // Below the size whose loss no number of tokens can bring to the target there is nothing; above the
    // training optimum both terms rise. Between them the total has one minimum.
    double low = std::log(law.A / (target - law.E)) / law.alpha;
    double high = std::log(best);
    constexpr double golden = 0.6180339887498949;
    for (int i = 0; i < 200; ++i) {
        const double left = high - golden * (high - low);
        const double right = low + golden * (high - low);
        if (total(left) <= total(right)) {
            high = right;
        } else {
            low = left;
        }
    }
    const double N = std::exp(0.5 * (low + high));
    const double D = tokens_for_loss(law, N, target).value_or(0.0);
    return {{N, D, target}, Flops{6.0 * N * D}, Flops{2.0 * N * inference_tokens}};
}

}  // namespace traincost
