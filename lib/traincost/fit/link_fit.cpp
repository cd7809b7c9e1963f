#include "traincost/fit/link_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Dense>

namespace traincost {

namespace {

using Points = std::vector<CollectivePoint>;

constexpr double loss_width = 0.05;

CollectiveCurve& curve_of(Collective collective, LinkCurves& curves) {
    switch (collective) {
        case Collective::all_gather:
            return curves.all_gather;
        case Collective::reduce_scatter:
            return curves.reduce_scatter;
        case Collective::all_to_all:
            return curves.all_to_all;
        case Collective::broadcast:
            return curves.broadcast;
        case Collective::send_recv:
            return curves.send_recv;
        case Collective::all_reduce:
            break;
    }
    return curves.all_reduce;
}

bool is_large(const CollectivePoint& point) {
    return point.message.value() >= large_message_bytes;
}

Seconds predicted(const CollectivePoint& point, const Network& network) {
    return collective_time(point.collective, point.message, {point.ranks, point.ranks, 1}, network);
}

Eigen::VectorXd log_errors(const Points& points, const Network& network) {
    Eigen::VectorXd errors(static_cast<Eigen::Index>(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
        errors[static_cast<Eigen::Index>(i)] = std::log(predicted(points[i], network) / points[i].time);
    return errors;
}

/// A number of a curve, sought as its logarithm.
struct Number {
    double value;
    double low;
    double high;
    double spread;  ///< standard deviation of the logarithm, of the pull to where it started
};

/// One collective's curve in the making.
class Search {
public:
    Search(Collective collective, const Points& points, const Network& network)
        : collective_(collective), points_(points), network_(network) {
        const auto& in_network = network.scale_up.curves.in_network;
        switches_ = collective == Collective::all_reduce && network.sharp && in_network &&
                    std::any_of(points.begin(), points.end(),
                                [&](const CollectivePoint& p) { return p.ranks >= in_network->least_ranks; });
        weights_.resize(static_cast<Eigen::Index>(points.size()));
        for (std::size_t i = 0; i < points.size(); ++i)
            weights_[static_cast<Eigen::Index>(i)] = is_large(points[i]) ? 1.0 : 0.5;
        start_ = numbers(network_);
    }

    Network best() {
        constexpr int rounds = 3;
        Network network = network_;
        for (int round = 0; round < rounds; ++round) {
            choose_limits(network);
            descend(network);
        }
        return network;
    }

private:
    static constexpr double shortest = 1e-9;

    std::vector<Number> numbers(Network& network) const {
        const CollectiveCurve& c = curve_of(collective_, network.scale_up.curves);
        const auto time = [](Seconds x, double high) { return Number{x.value(), shortest, high, 1.0}; };
        std::vector<Number> all = {time(c.low_latency.base, 1e-3), time(c.low_latency.step, 1e-4),
                                   time(c.low_latency.ramp, 1e-3), {c.low_latency.share, 0.05, 2.0, 0.7},
                                   time(c.bulk.base, 1e-3),        time(c.bulk.step, 1e-4),
                                   time(c.bulk.ramp, 1e-3)};
        for (const GroupPoint& group : c.groups)
            all.push_back({group.efficiency, 0.01, 1.0, 0.7});
        if (switches_) {
            const InNetworkCurve& s = *network.scale_up.curves.in_network;
            all.push_back(time(s.base, 1e-3));
            all.push_back(time(s.ramp, 1e-3));
            all.push_back({s.efficiency, 0.05, 1.5, 0.5});
            all.push_back({s.bus_bandwidth_limit, 0.05, 2.0, 0.3});
        }
        return all;
    }

    void set(Network& network, const Eigen::VectorXd& x) const {
        CollectiveCurve& c = curve_of(collective_, network.scale_up.curves);
        const auto at = [&](Eigen::Index i) { return std::exp(x[i]); };
        c.low_latency = {Seconds(at(0)), Seconds(at(1)), Seconds(at(2)), at(3)};
        c.bulk = {Seconds(at(4)), Seconds(at(5)), Seconds(at(6)), c.bulk.share};
        for (std::size_t g = 0; g < c.groups.size(); ++g)
            c.groups[g].efficiency = at(7 + static_cast<Eigen::Index>(g));
        if (switches_) {
            InNetworkCurve& s = *network.scale_up.curves.in_network;
            s.base = Seconds(at(10));
            s.ramp = Seconds(at(11));
            s.efficiency = at(12);
            s.bus_bandwidth_limit = at(13);
        }
    }

    double pull(Eigen::Index i) const {
        const double spread = start_[static_cast<std::size_t>(i)].spread;
        return loss_width * loss_width / (spread * spread);
    }
    double started(Eigen::Index i) const {
        const Number& n = start_[static_cast<std::size_t>(i)];
        return std::log(std::clamp(n.value, n.low, n.high));
    }

    double loss(const Eigen::VectorXd& errors, const Eigen::VectorXd& x) const {
        const auto z = (errors / loss_width).array().square();
        double sum = loss_width * loss_width * (weights_.array() * ((1.0 + z).sqrt() - 1.0)).sum();
        for (Eigen::Index i = 0; i < x.size(); ++i)
            sum += 0.5 * pull(i) * (x[i] - started(i)) * (x[i] - started(i));
        return sum;
    }
    double loss(const Network& network) const {
        return loss(log_errors(points_, network), Eigen::VectorXd());
    }

    /// The size at which each group changes protocol, of the powers of two.
    void choose_limits(Network& network) const {
        for (std::size_t g = 0; g < 3; ++g) {
            CollectiveCurve& c = curve_of(collective_, network.scale_up.curves);
            Bytes best = c.groups[g].low_latency_limit;
            double least = loss(network);
            for (double bytes = 16384.0; bytes <= 16.0 * large_message_bytes; bytes *= 2.0) {
                c.groups[g].low_latency_limit = Bytes(bytes);
                if (const double here = loss(network); here < least * (1.0 - 1e-9)) {
                    least = here;
                    best = Bytes(bytes);
                }
            }
            c.groups[g].low_latency_limit = best;
        }
    }

    void descend(Network& network) const {
        const std::vector<Number> from = numbers(network);
        Eigen::VectorXd x(static_cast<Eigen::Index>(from.size()));
        const auto inside = [&](Eigen::VectorXd y) {
            for (Eigen::Index i = 0; i < y.size(); ++i) {
                const Number& n = from[static_cast<std::size_t>(i)];
                y[i] = std::clamp(y[i], std::log(n.low), std::log(n.high));
            }
            return y;
        };
        for (Eigen::Index i = 0; i < x.size(); ++i)
            x[i] = std::log(std::max(from[static_cast<std::size_t>(i)].value, shortest));
        x = inside(x);
        const auto errors_at = [&](const Eigen::VectorXd& y) {
            Network moved = network;
            set(moved, y);
            return log_errors(points_, moved);
        };
        Eigen::VectorXd errors = errors_at(x);
        double current = loss(errors, x);
        double damping = 1e-2;
        constexpr int most_steps = 30;
        for (int step = 0; step < most_steps; ++step) {
            constexpr double h = 1e-3;
            Eigen::MatrixXd jacobian(errors.size(), x.size());
            for (Eigen::Index i = 0; i < x.size(); ++i) {
                Eigen::VectorXd moved = x;
                const double d = moved[i] + h <= std::log(from[static_cast<std::size_t>(i)].high) ? h : -h;
                moved[i] += d;
                jacobian.col(i) = (errors_at(moved) - errors) / d;
            }
            const Eigen::VectorXd w =
                (weights_.array() * (1.0 + (errors / loss_width).array().square()).rsqrt()).matrix();
            const Eigen::MatrixXd weighted = jacobian.transpose() * w.asDiagonal();
            Eigen::MatrixXd curvature = weighted * jacobian;
            Eigen::VectorXd gradient = weighted * errors;
            for (Eigen::Index i = 0; i < x.size(); ++i) {
                curvature(i, i) += pull(i);
                gradient[i] += pull(i) * (x[i] - started(i));
            }
            bool better = false;
            for (int attempt = 0; attempt < 6 && !better; ++attempt) {
                Eigen::MatrixXd damped = curvature;
                damped.diagonal() *= 1.0 + damping;
                const Eigen::VectorXd next = inside(x - damped.ldlt().solve(gradient));
                const Eigen::VectorXd next_errors = errors_at(next);
                const double next_loss = loss(next_errors, next);
                if (next_loss < current) {
                    better = current - next_loss > 1e-5 * current;
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
        set(network, x);
    }

    Collective collective_;
    const Points& points_;
    Network network_;
    bool switches_ = false;
    Eigen::VectorXd weights_;
    std::vector<Number> start_;
};

Network fitted(Collective collective, const Points& points, const Network& network) {
    return Search(collective, points, network).best();
}

Points of(std::span<const CollectivePoint> points, Collective collective) {
    Points some;
    std::copy_if(points.begin(), points.end(), std::back_inserter(some),
                 [&](const CollectivePoint& p) { return p.collective == collective; });
    return some;
}

/// The fold of each point: its message's place among the sizes, rising, so that neighbours are in different
/// folds.
std::vector<int> folds_of(const Points& points) {
    std::vector<double> sizes;
    for (const CollectivePoint& point : points)
        sizes.push_back(point.message.value());
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<int> folds;
    for (const CollectivePoint& point : points) {
        const auto place =
            std::lower_bound(sizes.begin(), sizes.end(), point.message.value()) - sizes.begin();
        folds.push_back(static_cast<int>(place % link_folds));
    }
    return folds;
}

std::vector<double> held_out_errors(Collective collective, const Points& points, const Network& network) {
    const std::vector<int> folds = folds_of(points);
    std::vector<double> errors;
    for (int fold = 0; fold < link_folds; ++fold) {
        Points inside;
        Points outside;
        for (std::size_t i = 0; i < points.size(); ++i)
            (folds[i] == fold ? inside : outside).push_back(points[i]);
        if (inside.empty() || outside.empty())
            continue;
        const std::vector<double> some = collective_errors(inside, fitted(collective, outside, network));
        errors.insert(errors.end(), some.begin(), some.end());
    }
    return errors;
}

constexpr std::array<Collective, 6> every_collective = {Collective::all_reduce,     Collective::all_gather,
                                                        Collective::reduce_scatter, Collective::all_to_all,
                                                        Collective::send_recv,      Collective::broadcast};

}  // namespace

std::vector<double> collective_errors(std::span<const CollectivePoint> points, const Network& network) {
    std::vector<double> errors;
    for (const CollectivePoint& point : points) {
        if (is_large(point))
            errors.push_back(predicted(point, network) / point.time - 1.0);
    }
    return errors;
}

std::vector<double> held_out_collective_errors(std::span<const CollectivePoint> points,
                                               const Network& network) {
    std::vector<double> errors;
    for (const Collective collective : every_collective) {
        const std::vector<double> some = held_out_errors(collective, of(points, collective), network);
        errors.insert(errors.end(), some.begin(), some.end());
    }
    return errors;
}

LinkCalibration calibrate_link(std::span<const CollectivePoint> points, const Network& network) {
    LinkCalibration result{network.scale_up.curves, {}};
    for (const Collective collective : every_collective) {
        const Points some = of(points, collective);
        if (static_cast<std::int64_t>(some.size()) < least_collective_points)
            continue;
        const Network after = fitted(collective, some, network);
        LinkCurves curves = after.scale_up.curves;
        curve_of(collective, result.curves) = curve_of(collective, curves);
        if (collective == Collective::all_reduce)
            result.curves.in_network = curves.in_network;
        const std::vector<double> before = collective_errors(some, network);
        result.collectives.push_back({collective, static_cast<std::int64_t>(some.size()),
                                      static_cast<std::int64_t>(before.size()), error_statistics(before),
                                      error_statistics(collective_errors(some, after)),
                                      error_statistics(held_out_errors(collective, some, network))});
    }
    return result;
}

}  // namespace traincost
