#include "traincost/fit/kernels/robust_descent.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

namespace traincost {

namespace {

Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> values) {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

double soft_loss(std::span<const double> errors, std::span<const double> weights, double loss_width) {
    const auto z = (vector_of(errors) / loss_width).array().square();
    return loss_width * loss_width * (vector_of(weights).array() * ((1.0 + z).sqrt() - 1.0)).sum();
}

RobustSolution robust_descent(const RobustProblem& problem, std::span<const double> start,
                              const ErrorsAt& errors_at) {
    const auto size = static_cast<Eigen::Index>(start.size());
    const double width = problem.loss_width;
    const auto expected = vector_of(problem.expected);
    const auto low = vector_of(problem.low);
    const auto high = vector_of(problem.high);
    const auto point_weights = vector_of(problem.weights);
    const Eigen::VectorXd pull = (width * width / vector_of(problem.spread).array().square()).matrix();
    const auto at = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
        return vector_of(errors_at({x.data(), start.size()}));
    };
    const auto loss = [&](const Eigen::VectorXd& errors, const Eigen::VectorXd& x) {
        double sum = soft_loss({errors.data(), problem.weights.size()}, problem.weights, width);
        for (Eigen::Index i = 0; i < size; ++i)
            sum += 0.5 * pull[i] * (x[i] - expected[i]) * (x[i] - expected[i]);
        return sum;
    };
    const auto inside = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
        return x.cwiseMax(low).cwiseMin(high);
    };
    Eigen::VectorXd x = inside(vector_of(start));
    Eigen::VectorXd errors = at(x);
    double current = loss(errors, x);
    double damping = 1e-2;
    for (int step = 0; step < problem.most_steps; ++step) {
        constexpr double h = 1e-3;
        Eigen::MatrixXd jacobian(errors.size(), size);
        for (Eigen::Index i = 0; i < size; ++i) {
            Eigen::VectorXd moved = x;
            const double d = moved[i] + h <= high[i] ? h : -h;
            moved[i] += d;
            jacobian.col(i) = (at(moved) - errors) / d;
        }
        const Eigen::VectorXd weights =
            (point_weights.array() * (1.0 + (errors / width).array().square()).rsqrt()).matrix();
        const Eigen::MatrixXd weighted = jacobian.transpose() * weights.asDiagonal();
        Eigen::MatrixXd curvature = weighted * jacobian;
        Eigen::VectorXd gradient = weighted * errors;
        for (Eigen::Index i = 0; i < size; ++i) {
            curvature(i, i) += pull[i];
            gradient[i] += pull[i] * (x[i] - expected[i]);
        }
        bool better = false;
        for (int attempt = 0; attempt < 6; ++attempt) {
            Eigen::MatrixXd damped = curvature;
            damped.diagonal() *= 1.0 + damping;
            const Eigen::VectorXd next = inside(x - damped.ldlt().solve(gradient));
            const Eigen::VectorXd next_errors = at(next);
            const double next_loss = loss(next_errors, next);
            if (next_loss < current) {
                better = current - next_loss > problem.least_gain * current;
                x = next;
                errors = next_errors;
                current = next_loss;
                damping = std::max(1e-7, damping / 4.0);
                break;
            }
            damping *= 6.0;
        }
        if (!better)
            break;
    }
    return {{x.begin(), x.end()}, current};
}

}  // namespace traincost
