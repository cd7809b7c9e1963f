#include "traincost/fit/constant_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Dense>

#include "traincost/base/parallel.hpp"
#include "traincost/fit/validate.hpp"

namespace traincost {

namespace {

/// The constant as one that is fitted only where it is asked for.
constexpr FitConstant where_asked_for(FitConstant constant) {
    constant.by_name = true;
    return constant;
}

#define TRAINCOST_CONSTANT(name, field, to, low, high)                       \
    FitConstant {                                                            \
        name, Subject::stack, to, low, high,                                 \
            [](const Job& j) { return static_cast<double>(j.stack.field); }, \
            [](Job& j, double x) { j.stack.field = x; }                      \
    }
#define TRAINCOST_QUANTITY(name, field, Type, to, low, high)                                     \
    FitConstant {                                                                                \
        name, Subject::stack, to, low, high, [](const Job& j) { return j.stack.field.value(); }, \
            [](Job& j, double x) { j.stack.field = Type{x}; }                                    \
    }
constexpr std::array constants = {
    TRAINCOST_CONSTANT("device.gemm_factor", device.gemm_factor, Fitted::time, 0.8, 2.0),
    TRAINCOST_QUANTITY("host.per_kernel_s", host.per_kernel, Seconds, Fitted::time, 1e-6, 3e-4),
    TRAINCOST_QUANTITY("host.per_step_s", host.per_step, Seconds, Fitted::time, 0.0, 0.5),
    TRAINCOST_CONSTANT("traffic.tp_overlap", traffic.tp_overlap, Fitted::time, 0.0, 0.95),
    TRAINCOST_CONSTANT("experts.overlap", experts.overlap, Fitted::time, 0.0, 0.95),
    TRAINCOST_CONSTANT("traffic.overlap_slowdown", traffic.overlap_slowdown, Fitted::time, 0.0, 1.0),
    TRAINCOST_QUANTITY("experts.launch_s", experts.launch, Seconds, Fitted::time, 0.0, 3e-4),
    TRAINCOST_CONSTANT("experts.clamped_glu_passes", experts.clamped_glu_passes, Fitted::time, 0.0, 400.0),
    TRAINCOST_CONSTANT("narrow.quantise_bytes", narrow.quantise_bytes, Fitted::time, 0.0, 12.0),
    TRAINCOST_QUANTITY("host.per_parallel_block_s", host.per_parallel_block, Seconds, Fitted::time, 0.0,
                       0.02),
    TRAINCOST_QUANTITY("host.per_starved_block_rank_s", host.per_starved_block_rank, Seconds, Fitted::time,
                       0.0, 0.01),
    where_asked_for(TRAINCOST_QUANTITY("host.per_sharded_block_s", host.per_sharded_block, Seconds,
                                       Fitted::time, 0.0, 0.05)),
    where_asked_for(
        TRAINCOST_QUANTITY("host.per_checkpoint_s", host.per_checkpoint, Seconds, Fitted::time, 0.0, 0.01)),
    where_asked_for(TRAINCOST_QUANTITY("host.per_narrow_product_s", host.per_narrow_product, Seconds,
                                       Fitted::time, 0.0, 0.005)),
    where_asked_for(TRAINCOST_CONSTANT("narrow.fine_quantise_bytes", narrow.fine_quantise_bytes, Fitted::time,
                                       0.0, 30.0)),
    FitConstant{"sustained_factor", Subject::accelerator, Fitted::time, 1.0, 2.0,
                [](const Job& j) { return j.cluster.kernels.gemm_sustained; },
                [](Job& j, double x) { j.cluster.kernels.gemm_sustained = x; }},
    TRAINCOST_CONSTANT("device.fragmentation", device.fragmentation, Fitted::memory, 0.0, 0.6),
    TRAINCOST_CONSTANT("device.fragmentation_recompute", device.fragmentation_recompute, Fitted::memory, 0.0,
                       0.8),
    TRAINCOST_CONSTANT("layer.extra_saved_hidden", layer.extra_saved_hidden, Fitted::memory, 0.0, 8.0),
    TRAINCOST_CONSTANT("states.optimizer_temporary_copies", states.optimizer_temporary_copies, Fitted::memory,
                       0.0, 4.0),
    TRAINCOST_QUANTITY("device.context_bytes", device.context, Bytes, Fitted::memory, 2e8, 4e9),
    TRAINCOST_QUANTITY("device.per_communicator_bytes", device.per_communicator, Bytes, Fitted::memory, 0.0,
                       1e9),
    where_asked_for(
        TRAINCOST_CONSTANT("device.sharded_states_pin", device.sharded_states_pin, Fitted::memory, 0.0, 4.0)),
    where_asked_for(TRAINCOST_CONSTANT("device.gathered_blocks_ahead", device.gathered_blocks_ahead,
                                       Fitted::memory, 0.0, 60.0)),
    where_asked_for(
        TRAINCOST_CONSTANT("device.held_gathers_limit", device.held_gathers_limit, Fitted::memory, 0.0, 1.0)),
    where_asked_for(
        TRAINCOST_CONSTANT("device.held_gathers_stuck", device.held_gathers_stuck, Fitted::memory, 0.0, 1.0)),
};
#undef TRAINCOST_CONSTANT
#undef TRAINCOST_QUANTITY

bool fitted_to(Metric metric, Fitted to) {
    if (to == Fitted::time)
        return metric == Metric::step_time || metric == Metric::tflops;
    return metric == Metric::memory || metric == Metric::memory_reserved || metric == Metric::memory_device;
}

/// One sample's errors.
std::vector<double> sample_errors(const FitSample& sample, Fitted to, const ChosenConstants& chosen,
                                  const std::vector<double>& values) {
    Job job = sample.job;
    for (std::size_t c = 0; c < values.size(); ++c)
        chosen[c]->set(job, values[c]);
    std::vector<double> errors;
    for (const ValidationRow& row : compare(*sample.record, job)) {
        if (!fitted_to(row.metric, to))
            continue;
        const double sign = row.metric == Metric::tflops ? -1.0 : 1.0;
        errors.push_back(sign * std::log(row.predicted / row.measured));
    }
    return errors;
}

/// Coordinates in which every constant runs from 0 to 1: logarithmic where its range spans decades.
class Coordinates {
public:
    Coordinates(const ChosenConstants& chosen, const Job& job, const std::vector<double>& centre)
        : chosen_(chosen), start_(size()) {
        for (Eigen::Index i = 0; i < size(); ++i) {
            before_.push_back(centre.empty() ? constant(i).get(job) : centre[static_cast<std::size_t>(i)]);
            start_[i] = to_unit(constant(i), before_.back());
        }
    }

    Eigen::Index size() const {
        return static_cast<Eigen::Index>(chosen_.size());
    }
    const FitConstant& constant(Eigen::Index i) const {
        return *chosen_[static_cast<std::size_t>(i)];
    }
    const ChosenConstants& chosen() const {
        return chosen_;
    }
    const Eigen::VectorXd& start() const {
        return start_;
    }
    /// The constants at x; those that did not move exactly as they were.
    std::vector<double> values(const Eigen::VectorXd& x) const {
        std::vector<double> result = before_;
        for (Eigen::Index i = 0; i < size(); ++i) {
            if (x[i] != start_[i])
                result[static_cast<std::size_t>(i)] = from_unit(constant(i), x[i]);
        }
        return result;
    }
    /// Change of the constant for a change of its coordinate.
    double slope(Eigen::Index i, double x) const {
        constexpr double step = 1e-4;
        return (from_unit(constant(i), std::min(1.0, x + step)) -
                from_unit(constant(i), std::max(0.0, x - step))) /
               (std::min(1.0, x + step) - std::max(0.0, x - step));
    }

private:
    static bool logarithmic(const FitConstant& c) {
        return c.low > 0.0 && c.high / c.low > 5.0;
    }
    static double to_unit(const FitConstant& c, double value) {
        const double v = std::clamp(value, c.low, c.high);
        return logarithmic(c) ? std::log(v / c.low) / std::log(c.high / c.low)
                              : (v - c.low) / (c.high - c.low);
    }
    static double from_unit(const FitConstant& c, double x) {
        return logarithmic(c) ? c.low * std::pow(c.high / c.low, x) : c.low + x * (c.high - c.low);
    }

    ChosenConstants chosen_;
    std::vector<double> before_;
    Eigen::VectorXd start_;
};

/// Curvature, in units of the prior's, below which the records say nothing about a constant.
constexpr double least_curvature = 10.0;

/// The samples, what they weigh, and the pull to where the coordinates start.
class Target {
public:
    Target(const FitSamples& samples, Fitted to, const Coordinates& coordinates, const FitPrior& prior)
        : samples_(samples), to_(to), coordinates_(coordinates), prior_(prior.weight) {
        const auto rows = parallel_map(samples.size(), [&](std::size_t i) {
            return sample_errors(*samples[i], to, coordinates.chosen(),
                                 coordinates.values(coordinates.start()));
        });
        std::vector<double> weights;
        for (std::size_t i = 0; i < rows.size(); ++i)
            weights.insert(weights.end(), rows[i].size(),
                           prior.sample_weights.empty() ? 1.0 : prior.sample_weights[i]);
        weights_ =
            Eigen::Map<const Eigen::VectorXd>(weights.data(), static_cast<Eigen::Index>(weights.size()));
    }

    const Coordinates& coordinates() const {
        return coordinates_;
    }
    double prior() const {
        return prior_;
    }
    const Eigen::VectorXd& weights() const {
        return weights_;
    }
    Eigen::VectorXd errors(const Eigen::VectorXd& x) const {
        const std::vector<double> all =
            log_errors(samples_, to_, coordinates_.chosen(), coordinates_.values(x));
        return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
    }
    /// Huber's loss of the errors and the pull to the start.
    double loss(const Eigen::VectorXd& errors, const Eigen::VectorXd& x) const {
        const auto huber = [](double e) {
            const double a = std::abs(e);
            return a <= huber_threshold ? 0.5 * a * a : huber_threshold * (a - 0.5 * huber_threshold);
        };
        return weights_.dot(errors.unaryExpr(huber)) +
               0.5 * prior_ * (x - coordinates_.start()).squaredNorm();
    }
    double loss(const Eigen::VectorXd& x) const {
        return loss(errors(x), x);
    }

private:
    const FitSamples& samples_;
    Fitted to_;
    const Coordinates& coordinates_;
    double prior_;
    Eigen::VectorXd weights_;
};

/// The best of a few values of each constant in turn: where a constant has no bearing at its present value (a
/// host that is never waited for), no slope leads to the value where it has.
Eigen::VectorXd scanned(const Target& target) {
    constexpr std::array<double, 7> values = {0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95};
    Eigen::VectorXd best = target.coordinates().start();
    double least = target.loss(best);
    for (Eigen::Index i = 0; i < best.size(); ++i) {
        const Eigen::VectorXd from = best;
        for (const double value : values) {
            Eigen::VectorXd x = from;
            x[i] = value;
            const double here = target.loss(x);
            if (here < least) {
                least = here;
                best = x;
            }
        }
    }
    return best;
}

struct Descent {
    Eigen::VectorXd x;
    Eigen::MatrixXd curvature;
};

/// Levenberg-Marquardt with Huber weights (iteratively reweighted) from the best of a scan, each step cut to
/// the unit box.
Descent descend(const Target& target) {
    constexpr int most_steps = 12;
    constexpr double difference =
        0.02;  // of a range: the model has kinks, a tiny step would see one side only
    constexpr double enough = 1e-4;
    const Eigen::VectorXd& start = target.coordinates().start();
    Descent result{scanned(target), Eigen::MatrixXd::Zero(start.size(), start.size())};
    Eigen::VectorXd errors = target.errors(result.x);
    double current = target.loss(errors, result.x);
    double damping = 1e-3;
    for (int step = 0; step < most_steps; ++step) {
        Eigen::MatrixXd jacobian(errors.size(), start.size());
        for (Eigen::Index i = 0; i < start.size(); ++i) {
            Eigen::VectorXd moved = result.x;
            const double h = moved[i] + difference <= 1.0 ? difference : -difference;
            moved[i] += h;
            jacobian.col(i) = (target.errors(moved) - errors) / h;
        }
        const Eigen::VectorXd weights = target.weights().cwiseProduct(errors.unaryExpr(
            [](double e) { return std::min(1.0, huber_threshold / std::max(1e-12, std::abs(e))); }));
        const Eigen::MatrixXd weighted = jacobian.transpose() * weights.asDiagonal();
        result.curvature = weighted * jacobian;
        result.curvature.diagonal().array() += target.prior();
        const Eigen::VectorXd gradient = weighted * errors + target.prior() * (result.x - start);
        bool better = false;
        for (int attempt = 0; attempt < 6 && !better; ++attempt) {
            Eigen::MatrixXd damped = result.curvature;
            damped.diagonal() *= 1.0 + damping;
            const Eigen::VectorXd next =
                (result.x - damped.ldlt().solve(gradient)).cwiseMax(0.0).cwiseMin(1.0);
            const Eigen::VectorXd next_errors = target.errors(next);
            const double next_loss = target.loss(next_errors, next);
            if (next_loss < current) {
                const double gain = current - next_loss;
                result.x = next;
                errors = next_errors;
                current = next_loss;
                damping = std::max(1e-6, damping / 3.0);
                better = gain > enough * current;
                if (!better)
                    return result;
            } else {
                damping *= 5.0;
            }
        }
        if (!better)
            break;
    }
    return result;
}

}  // namespace

std::span<const FitConstant> fit_constants() {
    return constants;
}

std::vector<double> log_errors(const FitSamples& samples, Fitted to, const ChosenConstants& chosen,
                               const std::vector<double>& values) {
    const auto parts = parallel_map(
        samples.size(), [&](std::size_t i) { return sample_errors(*samples[i], to, chosen, values); });
    std::vector<double> all;
    for (const std::vector<double>& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

ConstantFit fit(const FitSamples& samples, Fitted to, const ChosenConstants& chosen, const FitPrior& prior) {
    const Coordinates coordinates(chosen, samples.front()->job, prior.centre);
    const Target target(samples, to, coordinates, prior);
    const Descent best = descend(target);
    const Eigen::VectorXd errors = target.errors(best.x);
    const double variance = errors.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(
                                                       1, errors.size() - coordinates.size()));
    const Eigen::MatrixXd covariance = best.curvature.inverse() * variance;
    const std::vector<double> before = coordinates.values(coordinates.start());
    ConstantFit result{coordinates.values(best.x), {}, {}, {}};
    for (Eigen::Index i = 0; i < coordinates.size(); ++i) {
        constexpr double end = 1e-6;
        const auto place = static_cast<std::size_t>(i);
        const bool bound = best.curvature(i, i) - prior.weight > least_curvature * FitPrior{}.weight;
        if (!bound)
            result.values[place] = before[place];
        result.standard_errors.push_back(std::sqrt(std::max(0.0, covariance(i, i))) *
                                         coordinates.slope(i, best.x[i]));
        result.bound.push_back(bound);
        result.at_bound.push_back(bound && (best.x[i] < end || best.x[i] > 1.0 - end));
    }
    return result;
}

}  // namespace traincost
