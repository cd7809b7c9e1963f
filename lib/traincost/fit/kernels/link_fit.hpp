// Curves of one link generation, fitted to measured collectives inside a scale-up domain (docs/model.md,
// "Collectives").
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "traincost/cost/collectives.hpp"
#include "traincost/fit/statistics.hpp"
#include "traincost/spec/network.hpp"

namespace traincost {

/// In words: "all-reduce", "send/recv".
std::string_view collective_name(Collective collective);

/// One measured collective of a group inside one domain.
struct CollectivePoint {
    Collective collective;
    std::int64_t ranks;
    Bytes message;
    Seconds time;
};

/// Messages from here on are bound by bandwidth; errors are stated for them.
inline constexpr double large_message_bytes = 1024.0 * 1024.0;

/// Fewer points of a collective say too little about it.
inline constexpr std::int64_t least_collective_points = 8;

/// Message sizes are held out in this many folds, every fourth size in one.
inline constexpr int link_folds = 4;

/// One collective before and after. Errors are those of messages of 1 MiB and more.
struct CollectiveCalibration {
    Collective collective;
    std::int64_t points;
    std::int64_t large_points;
    ErrorStatistics before;
    ErrorStatistics fitted;
    ErrorStatistics held_out;  ///< every fourth size predicted from the others
};

struct LinkCalibration {
    LinkCurves curves;  ///< fitted to all points; collectives with too few as they were
    std::vector<CollectiveCalibration> collectives;
};

/// The domain's curves fitted to points: ln(predicted / measured) with the soft-L1 loss of width 0.05,
/// messages below 1 MiB at half weight, Levenberg-Marquardt in the logarithms with weak pulls to the present
/// curves, and the sizes at which protocols switch from a list. All-reduce by the switches is fitted where
/// the network has it.
LinkCalibration calibrate_link(std::span<const CollectivePoint> points, const Network& network);

/// (predicted - measured) / measured of each point of 1 MiB or more.
std::vector<double> collective_errors(std::span<const CollectivePoint> points, const Network& network);

/// The same, every fourth size predicted by curves fitted to the others.
std::vector<double> held_out_collective_errors(std::span<const CollectivePoint> points,
                                               const Network& network);

}  // namespace traincost
