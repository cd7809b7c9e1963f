#include "traincost/fit/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <Eigen/Dense>

#include "traincost/base/parallel.hpp"

namespace traincost {

namespace {

#define TRAINCOST_CONSTANT(name, field, to, low, high)                                        \
    StackConstant {                                                                           \
        name, to, low, high, [](const StackSpec& s) { return static_cast<double>(s.field); }, \
            [](StackSpec& s, double x) { s.field = x; }                                       \
    }
#define TRAINCOST_QUANTITY(name, field, Type, to, low, high)                     \
    StackConstant {                                                              \
        name, to, low, high, [](const StackSpec& s) { return s.field.value(); }, \
            [](StackSpec& s, double x) { s.field = Type{x}; }                    \
    }
constexpr std::array constants = {
    TRAINCOST_CONSTANT("gemm_factor", gemm_factor, Fitted::time, 0.8, 2.0),
    TRAINCOST_QUANTITY("host_per_kernel_s", host_per_kernel, Seconds, Fitted::time, 1e-6, 3e-4),
    TRAINCOST_QUANTITY("host_per_step_s", host_per_step, Seconds, Fitted::time, 0.0, 0.5),
    TRAINCOST_CONSTANT("tp_overlap", tp_overlap, Fitted::time, 0.0, 0.95),
    TRAINCOST_CONSTANT("ep_overlap", ep_overlap, Fitted::time, 0.0, 0.95),
    TRAINCOST_CONSTANT("fragmentation", fragmentation, Fitted::memory, 0.0, 0.6),
    TRAINCOST_QUANTITY("context_bytes", context, Bytes, Fitted::memory, 2e8, 4e9),
    TRAINCOST_QUANTITY("per_communicator_bytes", per_communicator, Bytes, Fitted::memory, 0.0, 1e9),
};
#undef TRAINCOST_CONSTANT
#undef TRAINCOST_QUANTITY

/// A record that can be predicted, and which of its rows is fitted.
struct Sample {
    const RunRecord* record;
    Job job;
};

bool fitted_to(Metric metric, Fitted to) {
    if (to == Fitted::time)
        return metric == Metric::step_time || metric == Metric::tflops;
    return metric == Metric::memory || metric == Metric::memory_reserved || metric == Metric::memory_device;
}

/// ln(predicted / measured) of a record's rows of that kind, rates inverted.
void append_log_errors(const Sample& sample, const StackSpec& stack, Fitted to, std::vector<double>& errors) {
    Job job = sample.job;
    job.stack = stack;
    for (const ValidationRow& row : compare(*sample.record, job)) {
        if (!fitted_to(row.metric, to))
            continue;
        const double sign = row.metric == Metric::tflops ? -1.0 : 1.0;
        errors.push_back(sign * std::log(row.predicted / row.measured));
    }
}

using Samples = std::vector<const Sample*>;

Eigen::VectorXd log_errors(const Samples& samples, const StackSpec& stack, Fitted to) {
    const auto parts = parallel_map(samples.size(), [&](std::size_t i) {
        std::vector<double> errors;
        append_log_errors(*samples[i], stack, to, errors);
        return errors;
    });
    std::vector<double> all;
    for (const std::vector<double>& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return Eigen::Map<Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

ErrorStatistics statistics(const Eigen::VectorXd& log_errors) {
    std::vector<double> errors;
    for (const double e : log_errors)
        errors.push_back(std::exp(e) - 1.0);
    return error_statistics(errors);
}

double huber_loss(const Eigen::VectorXd& errors) {
    double sum = 0.0;
    for (const double e : errors) {
        const double a = std::abs(e);
        sum += a <= huber_threshold ? 0.5 * a * a : huber_threshold * (a - 0.5 * huber_threshold);
    }
    return sum;
}

/// Coordinates in which every constant runs from 0 to 1: logarithmic where its range spans decades.
class Coordinates {
public:
    Coordinates(std::span<const StackConstant* const> chosen, const StackSpec& stack)
        : chosen_(chosen.begin(), chosen.end()), stack_(stack), start_(size()) {
        for (Eigen::Index i = 0; i < size(); ++i)
            start_[i] = to_unit(constant(i), constant(i).get(stack));
    }

    Eigen::Index size() const {
        return static_cast<Eigen::Index>(chosen_.size());
    }
    const StackConstant& constant(Eigen::Index i) const {
        return *chosen_[static_cast<std::size_t>(i)];
    }
    const Eigen::VectorXd& start() const {
        return start_;
    }
    StackSpec stack(const Eigen::VectorXd& x) const {
        StackSpec result = stack_;
        for (Eigen::Index i = 0; i < size(); ++i) {
            if (x[i] != start_[i])
                constant(i).set(result, from_unit(constant(i), x[i]));
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
    static bool logarithmic(const StackConstant& c) {
        return c.low > 0.0 && c.high / c.low > 5.0;
    }
    static double to_unit(const StackConstant& c, double value) {
        const double v = std::clamp(value, c.low, c.high);
        return logarithmic(c) ? std::log(v / c.low) / std::log(c.high / c.low)
                              : (v - c.low) / (c.high - c.low);
    }
    static double from_unit(const StackConstant& c, double x) {
        return logarithmic(c) ? c.low * std::pow(c.high / c.low, x) : c.low + x * (c.high - c.low);
    }

    std::vector<const StackConstant*> chosen_;
    StackSpec stack_;
    Eigen::VectorXd start_;
};

/// The pull of each constant to its present value, as if this many records with an error of 0.1 per full
/// range asked for it.
constexpr double prior_weight = 0.02;

/// Curvature below which the records say nothing about a constant.
constexpr double least_curvature = 10.0 * prior_weight;

/// Huber's loss of the errors and the pull to the start.
double loss(const Eigen::VectorXd& errors, const Eigen::VectorXd& x, const Coordinates& coordinates) {
    return huber_loss(errors) + 0.5 * prior_weight * (x - coordinates.start()).squaredNorm();
}

/// The best of a few values of each constant in turn: where a constant has no bearing at its present value (a
/// host that is never waited for), no slope leads to the value where it has.
Eigen::VectorXd scanned(const Samples& samples, Fitted to, const Coordinates& coordinates) {
    constexpr std::array<double, 7> values = {0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95};
    Eigen::VectorXd best = coordinates.start();
    double least = loss(log_errors(samples, coordinates.stack(best), to), best, coordinates);
    for (Eigen::Index i = 0; i < coordinates.size(); ++i) {
        const Eigen::VectorXd from = best;
        for (const double value : values) {
            Eigen::VectorXd x = from;
            x[i] = value;
            const double here = loss(log_errors(samples, coordinates.stack(x), to), x, coordinates);
            if (here < least) {
                least = here;
                best = x;
            }
        }
    }
    return best;
}

struct Fit {
    Eigen::VectorXd x;
    Eigen::MatrixXd curvature;
};

/// Levenberg-Marquardt with Huber weights (iteratively reweighted) from the best of a scan, each step cut to
/// the unit box.
Fit fit(const Samples& samples, Fitted to, const Coordinates& coordinates) {
    constexpr int most_steps = 12;
    constexpr double difference =
        0.02;  // of a range: the model has kinks, a tiny step would see one side only
    constexpr double enough = 1e-4;
    Fit result{scanned(samples, to, coordinates),
               Eigen::MatrixXd::Zero(coordinates.size(), coordinates.size())};
    Eigen::VectorXd errors = log_errors(samples, coordinates.stack(result.x), to);
    double current = loss(errors, result.x, coordinates);
    double damping = 1e-3;
    for (int step = 0; step < most_steps; ++step) {
        Eigen::MatrixXd jacobian(errors.size(), coordinates.size());
        for (Eigen::Index i = 0; i < coordinates.size(); ++i) {
            Eigen::VectorXd moved = result.x;
            const double h = moved[i] + difference <= 1.0 ? difference : -difference;
            moved[i] += h;
            jacobian.col(i) = (log_errors(samples, coordinates.stack(moved), to) - errors) / h;
        }
        const Eigen::VectorXd weights = errors.unaryExpr(
            [](double e) { return std::min(1.0, huber_threshold / std::max(1e-12, std::abs(e))); });
        const Eigen::MatrixXd weighted = jacobian.transpose() * weights.asDiagonal();
        result.curvature = weighted * jacobian;
        result.curvature.diagonal().array() += prior_weight;
        const Eigen::VectorXd gradient = weighted * errors + prior_weight * (result.x - coordinates.start());
        bool better = false;
        for (int attempt = 0; attempt < 6 && !better; ++attempt) {
            Eigen::MatrixXd damped = result.curvature;
            damped.diagonal() *= 1.0 + damping;
            const Eigen::VectorXd next =
                (result.x - damped.ldlt().solve(gradient)).cwiseMax(0.0).cwiseMin(1.0);
            const Eigen::VectorXd next_errors = log_errors(samples, coordinates.stack(next), to);
            const double next_loss = loss(next_errors, next, coordinates);
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

/// Predicts each fold with constants fitted to the others.
ErrorStatistics held_out_errors(const Samples& samples, Fitted to, const Coordinates& coordinates) {
    std::vector<double> errors;
    for (int fold = 0; fold < calibration_folds; ++fold) {
        Samples inside;
        Samples outside;
        for (const Sample* sample : samples)
            (fold_of(sample->record->id, calibration_folds) == fold ? inside : outside).push_back(sample);
        if (inside.empty() || outside.empty())
            continue;
        const StackSpec stack = coordinates.stack(fit(outside, to, coordinates).x);
        for (const double e : log_errors(inside, stack, to))
            errors.push_back(std::exp(e) - 1.0);
    }
    return error_statistics(errors);
}

Calibration calibrate_stack(const std::string& id, const Samples& samples, Fitted to,
                            std::span<const StackConstant* const> chosen) {
    const Coordinates coordinates(chosen, samples.front()->job.stack);
    Calibration result{id, to, {}, {}, {}, {}};
    result.before = statistics(log_errors(samples, coordinates.stack(coordinates.start()), to));
    const Fit best = fit(samples, to, coordinates);
    const StackSpec stack = coordinates.stack(best.x);
    const Eigen::VectorXd errors = log_errors(samples, stack, to);
    result.fitted = statistics(errors);
    result.held_out = held_out_errors(samples, to, coordinates);
    const double variance = errors.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(
                                                       1, errors.size() - coordinates.size()));
    const Eigen::MatrixXd covariance = best.curvature.inverse() * variance;
    for (Eigen::Index i = 0; i < coordinates.size(); ++i) {
        const StackConstant& constant = coordinates.constant(i);
        constexpr double end = 1e-6;
        const double before = constant.get(samples.front()->job.stack);
        const bool bound = best.curvature(i, i) - prior_weight > least_curvature;
        const bool at_bound = bound && (best.x[i] < end || best.x[i] > 1.0 - end);
        const double error = std::sqrt(std::max(0.0, covariance(i, i))) * coordinates.slope(i, best.x[i]);
        result.constants.push_back(
            {&constant, before, bound ? constant.get(stack) : before, error, bound, at_bound});
    }
    return result;
}

bool measured(const RunRecord& record, Fitted to) {
    const RecordMeasured& m = record.measured;
    return to == Fitted::time ? m.step_time_s || m.tflops_per_accelerator : m.memory_bytes.has_value();
}

std::vector<const StackConstant*> chosen_constants(const CalibrationOptions& options, Fitted to) {
    std::vector<const StackConstant*> chosen;
    for (const StackConstant& constant : constants) {
        const bool named = std::find(options.constants.begin(), options.constants.end(), constant.name) !=
                           options.constants.end();
        if (constant.to == to && (options.constants.empty() || named))
            chosen.push_back(&constant);
    }
    return chosen;
}

/// No more than `most`: half from inside a node and half from several nodes while there are both, each half
/// those with the smallest hash, the same for any order of the file. A thousand small runs shall not outvote
/// seventy large ones.
void thin(Samples& samples, std::int64_t most) {
    constexpr int wide = 1 << 30;
    std::stable_sort(samples.begin(), samples.end(), [](const Sample* a, const Sample* b) {
        return fold_of(a->record->id, wide) < fold_of(b->record->id, wide);
    });
    const auto several = std::stable_partition(samples.begin(), samples.end(),
                                               [](const Sample* s) { return nodes(s->job.cluster) == 1; });
    const std::int64_t inside = several - samples.begin();
    const std::int64_t across = samples.end() - several;
    const std::int64_t fair =
        std::min(std::min(inside, across) == 0 ? most : 2 * std::min(inside, across), most);
    const std::int64_t keep_across = std::min(across, std::max(fair / 2, fair - inside));
    const std::int64_t keep_inside = std::min(inside, fair - keep_across);
    samples.erase(several + keep_across, samples.end());
    samples.erase(samples.begin() + keep_inside, several);
}

}  // namespace

std::span<const StackConstant> stack_constants() {
    return constants;
}

std::vector<Calibration> calibrate(std::span<const SourcedRecord> records, const JobOf& job_of,
                                   const CalibrationOptions& options) {
    auto described = parallel_map(records.size(), [&](std::size_t i) { return job_of(records[i].record); });
    std::map<std::string, std::vector<Sample>> stacks;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (described[i].job && validate(*described[i].job).empty())
            stacks[records[i].record.run.stack].push_back({&records[i].record, std::move(*described[i].job)});
    }
    std::vector<Calibration> result;
    for (const auto& [id, all] : stacks) {
        for (const Fitted to : {Fitted::time, Fitted::memory}) {
            const auto chosen = chosen_constants(options, to);
            Samples samples;
            for (const Sample& sample : all) {
                if (measured(*sample.record, to))
                    samples.push_back(&sample);
            }
            if (chosen.empty() || static_cast<std::int64_t>(samples.size()) < options.least_records)
                continue;
            thin(samples, options.most_records);
            result.push_back(calibrate_stack(id, samples, to, chosen));
        }
    }
    return result;
}

StackSpec calibrated(StackSpec stack, const Calibration& calibration) {
    for (const FittedConstant& fitted : calibration.constants)
        fitted.constant->set(stack, fitted.after);
    return stack;
}

}  // namespace traincost
