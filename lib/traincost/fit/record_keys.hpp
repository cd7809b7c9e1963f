// What run records are grouped and filtered by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "traincost/fit/validate.hpp"

namespace traincost {

/// The keys records are grouped and filtered by.
std::span<const std::string_view> record_keys();
/// A record's value of a key of `record_keys`: "8" for tp, "7B-13B" for size, "full" for recompute. Nothing
/// for another key.
std::optional<std::string> record_key(const SourcedRecord& record, const RecordFacts& facts,
                                      std::string_view key);

/// Nodes a run took; eight accelerators a node where the record does not say.
std::int64_t node_count(const RunRecord& record);

}  // namespace traincost
