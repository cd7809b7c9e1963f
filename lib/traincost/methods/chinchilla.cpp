#include "traincost/methods/chinchilla.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "traincost/base/error.hpp"
#include "traincost/methods/printed.hpp"

namespace traincost {

namespace {

ChinchillaOptimum at(Flops compute, double N, double D, const ChinchillaConstants& c) {
    const double loss = c.A / std::pow(N, c.alpha) + c.B / std::pow(D, c.beta) + c.E;
    return {compute, N, D, loss};
}

}  // namespace

ChinchillaLabels chinchilla_labels(const ChinchillaOptimum& optimum) {
    return {.compute = python_text(optimum.compute.value()),
            .loss = python_round_text(optimum.loss, 3),
            .parameters = decimals_text(optimum.parameters / 1e6, 2) + "M",
            .tokens = decimals_text(optimum.tokens / 1e9, 2) + "B"};
}

Flops chinchilla_compute(double tflops, double utilization, double cards, double days) {
    const struct {
        const char* name;
        double value;
    } fields[] = {{"tflops", tflops}, {"utilization", utilization}, {"cards", cards}, {"days", days}};
    std::vector<Problem> problems;
    for (const auto& field : fields) {
        if (!(field.value > 0.0) || !std::isfinite(field.value)) {
            problems.push_back({field.name, fmt::format("{}; must be greater than 0", field.value)});
        }
    }
    if (utilization > 1.0) {
        problems.push_back({"utilization", fmt::format("{}; must be at most 1", utilization)});
    }
    throw_if_any(problems);
    return Flops{tflops * 1e12 * cards * 86400.0 * days * utilization};
}

std::array<double, 64> chinchilla_sizes() {
    constexpr double first_exponent = 7.0;
    constexpr double per_decade = 16.0;
    std::array<double, 64> sizes{};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        sizes[i] = std::pow(10.0, first_exponent + static_cast<double>(i) / per_decade);
    }
    return sizes;
}

ChinchillaOptimum chinchilla_grid(Flops compute, const ChinchillaConstants& constants) {
    ChinchillaOptimum best{};
    bool first = true;
    for (const double N : chinchilla_sizes()) {
        const double D = compute.value() / (6.0 * N);
        const ChinchillaOptimum here = at(compute, N, D, constants);
        if (std::exchange(first, false) || here.loss < best.loss) {
            best = here;
        }
    }
    return best;
}

ChinchillaOptimum chinchilla_closed_form(Flops compute, const ChinchillaConstants& c) {
    const double a = c.beta / (c.alpha + c.beta);
    const double G = std::pow(c.alpha * c.A / (c.beta * c.B), 1.0 / (c.alpha + c.beta));
    const double C = compute.value();
    return at(compute, G * std::pow(C / 6.0, a), std::pow(C / 6.0, 1.0 - a) / G, c);
}

}  // namespace traincost
