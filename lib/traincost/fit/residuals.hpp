// Residuals of measured runs, and those a new run is expected from.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/fit/leads.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// What is predicted: step time (and rates, inverted), and the three views of memory.
enum class ResidualKind : std::uint8_t { step_time, allocated, reserved, device };
inline constexpr int residual_kind_count = 4;
std::string_view to_string(ResidualKind kind);
std::optional<ResidualKind> residual_kind_from(std::string_view name);

/// What makes runs comparable: the same stack on the same class of accelerator. Step times of accelerators
/// whose kernels were measured are another world than those of the rest.
struct ResidualGroupKey {
    ResidualKind kind;
    std::string stack;
    std::string accelerator_class;
    bool measured_kernels;
    bool operator==(const ResidualGroupKey&) const = default;
    bool operator<(const ResidualGroupKey& other) const;
};

/// The class residuals are pooled over: vendor generation, the first word of the architecture ("Hopper",
/// "Ampere").
std::string accelerator_class(const AcceleratorSpec& accelerator);

/// The group of a job's runs.
ResidualGroupKey residual_group(ResidualKind kind, const Job& job);

/// Share of a step that waits for communication.
double exposed_communication(const StepTime& step);

/// How many times as wide as those of other runs the residuals of a step time are: 1, and from a fifth of the
/// step in exposed communication on in proportion to it. (The 0.2 is the best of 0.1, 0.2 and 0.3 by the mean
/// interval score of step times whose source is left out; 2,814 runs of 23 sources, 2026-11-20.)
double residual_scale(ResidualKind kind, double exposed_communication);

/// One measured run's residual. Runs of one source and model are siblings: they err together.
struct Residual {
    ResidualGroupKey group;
    std::string source;
    std::string model;
    double log_error;  ///< ln(measured / predicted) over `residual_scale`
};

/// Residuals of one source and model in one group.
struct ResidualCluster {
    static constexpr int most_points = 15;
    ResidualGroupKey group;
    std::string source;
    std::string model;
    std::int64_t n;          ///< runs
    std::vector<double> at;  ///< rising: the residuals, or `most_points` of their quantiles
    bool operator==(const ResidualCluster&) const = default;
};

/// A residual and its cluster.
struct ResidualPoint {
    double value;
    std::uint32_t cluster;
    bool operator==(const ResidualPoint&) const = default;
};

/// Points of a residual distribution: its quantiles at 1/22, 2/22 … 21/22, and the 10 % and 90 % points.
struct ResidualQuantiles {
    static constexpr int points = 21;
    double low = 0.0;   ///< 10 %
    double high = 0.0;  ///< 90 %
    std::array<double, points> at{};
    /// Probability of the i-th point.
    static double probability(int i) {
        return static_cast<double>(i + 1) / static_cast<double>(points + 1);
    }
    bool operator==(const ResidualQuantiles&) const = default;
};

/// Where an interval comes from: runs of the same stack and class, and the wider pool they are drawn to.
struct Comparable {
    ResidualQuantiles quantiles;
    std::int64_t own_runs;
    std::int64_t own_sources;
    std::int64_t other_runs;
    std::int64_t other_sources;  ///< sources of `other_runs`
};

/// The answers of `comparable` for groups asked before: a table of residuals has few groups and is asked for
/// each estimate. Safe to use from several threads. A copy of it starts empty, for what it is copied with may
/// change.
class ComparableMemo {
public:
    ComparableMemo() = default;
    ComparableMemo(const ComparableMemo&) {
    }
    ComparableMemo& operator=(const ComparableMemo&);
    ~ComparableMemo() = default;
    bool operator==(const ComparableMemo&) const {
        return true;
    }

    using Answer = std::optional<Comparable>;
    /// What was found for `group`, or what `find` gives.
    Answer of(const ResidualGroupKey& group, const std::function<Answer()>& find) const;

private:
    mutable std::shared_mutex mutex_{};
    mutable std::map<ResidualGroupKey, Answer> known_{};
};

/// The table `traincost validate --write-residuals` writes and `estimate` reads, with an index.
struct Residuals {
    std::vector<ResidualCluster> clusters;
    std::vector<ResidualPoint> points;     ///< of all clusters, rising
    std::vector<std::uint32_t> source_of;  ///< a number for each cluster's source, from 0
    std::uint32_t sources = 0;
    std::vector<LeadError> leads{};            ///< of step times
    std::optional<SelectionBias> selection{};  ///< likewise
    ComparableMemo memo{};
    bool operator==(const Residuals&) const = default;
};

/// The clusters with their index.
Residuals indexed(std::vector<ResidualCluster> clusters);

/// Clusters of residuals, in the order of their groups, sources and models.
Residuals residuals_from(std::span<const Residual> residuals);

/// What an interval is not to come from: one source, or one source's runs of one model. Empty: nothing.
struct LeftOut {
    std::string_view source{};
    std::string_view model{};  ///< empty: all of the source
};

/// The distribution a new source's run of the group is expected from. Inside a set of clusters a cluster of n
/// runs weighs sqrt(n), the clusters of a source together the root of their sum. The group's own set weighs
/// its effective number of sources, 1 / sum of squared shares, against `pooling_sources` for the wider pool:
/// step times of all stacks on accelerators measured (or not) as this one, or memory of all stacks in every
/// view. Nothing when there are no residuals of that kind at all.
std::optional<Comparable> comparable(const Residuals& residuals, const ResidualGroupKey& group,
                                     const LeftOut& left_out = {});

/// So many sources of one group speak as loudly as all others together: of 2, 4, 8 and 12 the one with which
/// sources left out are covered best while runs of known sources still are (2026-11-20).
inline constexpr double pooling_sources = 8.0;

/// So many independent runs a source is worth where an interval is widened for how few there are: of 1, 2, 3,
/// 4 and 8 the one with which both runs of known sources and sources left out are covered best (2026-11-20).
inline constexpr double runs_a_source_is_worth = 3.0;

}  // namespace traincost
