// Sweeps in JSON, whole or in shards that merge to the bytes of the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/fit/uncertainty.hpp"
#include "traincost/io/json.hpp"
#include "traincost/plan/sweep.hpp"

namespace traincost {

/// Which part of a sweep a file holds: every `of`-th point from the `index`-th, 0-based.
struct SweepShard {
    std::vector<std::string> arguments;  ///< of the command, without the shard: only equal ones merge
    std::int64_t index;
    std::int64_t of;
    std::int64_t points;  ///< of the whole sweep
};

/// The answer of a sweep, `sure` of each point; of a part of it, with what merging takes and a checksum.
std::string sweep_json(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points,
                       const std::vector<Uncertainty>& sure, const std::optional<SweepShard>& shard);

/// Whether the document is a sweep's answer.
bool is_sweep(const JsonDocument& document);

/// The whole sweep's answer from all of its shards: the bytes that one run prints. `Error` of kind input
/// where they are no shards, of different sweeps, missing, doubled, or damaged.
std::string merged_sweep(const std::vector<JsonDocument>& shards);

}  // namespace traincost
