#include "traincost/fit/kernels/link_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "traincost/fit/kernels/robust_descent.hpp"

namespace traincost {

namespace {

using LinkPoints = std::vector<CollectivePoint>;

constexpr double link_loss_width = 0.05;

bool is_large(const CollectivePoint& point) {
    return point.message.value() >= large_message_bytes;
}

Seconds predicted(const CollectivePoint& point, const Network& network) {
    return collective_time(point.collective, point.message, {point.ranks, point.ranks, 1}, network);
}

std::vector<double> link_log_errors(const LinkPoints& points, const Network& network) {
    std::vector<double> errors;
    errors.reserve(points.size());
    for (const CollectivePoint& point : points)
        errors.push_back(std::log(predicted(point, network) / point.time));
    return errors;
}

/// A number of a curve, sought as its logarithm.
struct LinkNumber {
    double value;
    double low;
    double high;
    double spread;  ///< standard deviation of the logarithm, of the pull to where it started
};

/// One collective's curve in the making.
class LinkSearch {
public:
    LinkSearch(Collective collective, const LinkPoints& points, const Network& network)
        : collective_(collective), points_(points), network_(network) {
        const auto& in_network = network.scale_up.curves.in_network;
        switches_ = collective == Collective::all_reduce && network.sharp && in_network &&
                    std::any_of(points.begin(), points.end(),
                                [&](const CollectivePoint& p) { return p.ranks >= in_network->least_ranks; });
        for (const CollectivePoint& point : points)
            weights_.push_back(is_large(point) ? 1.0 : 0.5);
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

    std::vector<LinkNumber> numbers(Network& network) const {
        const CollectiveCurve& c = network.scale_up.curves.*curve_of(collective_);
        const auto time = [](Seconds x, double high) { return LinkNumber{x.value(), shortest, high, 1.0}; };
        std::vector<LinkNumber> all = {time(c.low_latency.base, 1e-3), time(c.low_latency.step, 1e-4),
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

    void set(Network& network, std::span<const double> x) const {
        CollectiveCurve& c = network.scale_up.curves.*curve_of(collective_);
        const auto at = [&](std::size_t i) { return std::exp(x[i]); };
        c.low_latency = {Seconds(at(0)), Seconds(at(1)), Seconds(at(2)), at(3)};
        c.bulk = {Seconds(at(4)), Seconds(at(5)), Seconds(at(6)), c.bulk.share};
        for (std::size_t g = 0; g < c.groups.size(); ++g)
            c.groups[g].efficiency = at(7 + g);
        if (switches_) {
            InNetworkCurve& s = *network.scale_up.curves.in_network;
            s.base = Seconds(at(10));
            s.ramp = Seconds(at(11));
            s.efficiency = at(12);
            s.bus_bandwidth_limit = at(13);
        }
    }

    double loss(const Network& network) const {
        return soft_loss(link_log_errors(points_, network), weights_, link_loss_width);
    }

    /// The size at which each group changes protocol, of the powers of two.
    void choose_limits(Network& network) const {
        for (std::size_t g = 0; g < 3; ++g) {
            CollectiveCurve& c = network.scale_up.curves.*curve_of(collective_);
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
        const std::vector<LinkNumber> from = numbers(network);
        RobustProblem problem{.expected = {},
                              .low = {},
                              .high = {},
                              .spread = {},
                              .weights = weights_,
                              .loss_width = link_loss_width,
                              .least_gain = 1e-5,
                              .most_steps = 30};
        std::vector<double> start;
        for (std::size_t i = 0; i < from.size(); ++i) {
            problem.expected.push_back(std::log(std::clamp(start_[i].value, start_[i].low, start_[i].high)));
            problem.spread.push_back(start_[i].spread);
            problem.low.push_back(std::log(from[i].low));
            problem.high.push_back(std::log(from[i].high));
            start.push_back(std::log(std::max(from[i].value, shortest)));
        }
        const RobustSolution solution = robust_descent(problem, start, [&](std::span<const double> x) {
            Network moved = network;
            set(moved, x);
            return link_log_errors(points_, moved);
        });
        set(network, solution.x);
    }

    Collective collective_;
    const LinkPoints& points_;
    Network network_;
    bool switches_ = false;
    std::vector<double> weights_;
    std::vector<LinkNumber> start_;
};

Network fitted(Collective collective, const LinkPoints& points, const Network& network) {
    return LinkSearch(collective, points, network).best();
}

LinkPoints of(std::span<const CollectivePoint> points, Collective collective) {
    LinkPoints some;
    std::copy_if(points.begin(), points.end(), std::back_inserter(some),
                 [&](const CollectivePoint& p) { return p.collective == collective; });
    return some;
}

/// The fold of each point: its message's place among the sizes, rising, so that neighbours are in different
/// folds.
std::vector<int> folds_of(const LinkPoints& points) {
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

std::vector<double> held_out_link_errors(Collective collective, const LinkPoints& points,
                                         const Network& network) {
    const std::vector<int> folds = folds_of(points);
    std::vector<double> errors;
    for (int fold = 0; fold < link_folds; ++fold) {
        LinkPoints inside;
        LinkPoints outside;
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

std::string_view collective_name(Collective collective) {
    static constexpr std::array<std::string_view, 7> names = {
        "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "send/recv", "broadcast", "reduce"};
    return names[static_cast<std::size_t>(collective)];
}

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
        const std::vector<double> some = held_out_link_errors(collective, of(points, collective), network);
        errors.insert(errors.end(), some.begin(), some.end());
    }
    return errors;
}

LinkCalibration calibrate_link(std::span<const CollectivePoint> points, const Network& network) {
    LinkCalibration result{network.scale_up.curves, {}};
    for (const Collective collective : every_collective) {
        const LinkPoints some = of(points, collective);
        if (static_cast<std::int64_t>(some.size()) < least_collective_points)
            continue;
        const Network after = fitted(collective, some, network);
        LinkCurves curves = after.scale_up.curves;
        result.curves.*curve_of(collective) = curves.*curve_of(collective);
        if (collective == Collective::all_reduce)
            result.curves.in_network = curves.in_network;
        const std::vector<double> before = collective_errors(some, network);
        result.collectives.push_back({collective, static_cast<std::int64_t>(some.size()),
                                      static_cast<std::int64_t>(before.size()), error_statistics(before),
                                      error_statistics(collective_errors(some, after)),
                                      error_statistics(held_out_link_errors(collective, some, network))});
    }
    return result;
}

}  // namespace traincost
