// Robust least squares of logarithms inside ranges.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace traincost {

/// Numbers sought as their logarithms, each inside its range and pulled to where it is expected. All but
/// `weights` have an entry for each number.
struct RobustProblem {
    std::vector<double> expected;
    std::vector<double> low;
    std::vector<double> high;
    std::vector<double> spread;   ///< standard deviation about `expected`: how weak the pull is
    std::vector<double> weights;  ///< of the errors
    double loss_width;            ///< errors beyond this grow the loss linearly
    double least_gain;            ///< share of the loss a step must gain to be followed by another
    int most_steps;
};

struct RobustSolution {
    std::vector<double> x;
    double loss;
};

/// Errors (logarithms of predicted over measured) with the numbers at x.
using ErrorsAt = std::function<std::vector<double>(std::span<const double> x)>;

/// Soft-L1 of the errors: quadratic inside the width, linear outside.
double soft_loss(std::span<const double> errors, std::span<const double> weights, double loss_width);

/// Levenberg-Marquardt with the loss's weights from `start`, each step cut to the ranges.
RobustSolution robust_descent(const RobustProblem& problem, std::span<const double> start,
                              const ErrorsAt& errors_at);

}  // namespace traincost
