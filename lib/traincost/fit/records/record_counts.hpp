// Counts that a run record states, those that they leave no choice for, and those that no run has.
#pragma once

#include <string>
#include <vector>

#include "traincost/fit/records/record_job.hpp"

namespace traincost {

/// The record with its stack by the catalogue's id and with the counts that others it states leave no choice
/// for: data-parallel ranks, and one of micro-batch, accumulation and global batch. Each is added to
/// `assumptions`.
RunRecord completed(const RunRecord& stated, const RecordCatalogue& catalogue,
                    std::vector<std::string>& assumptions);

/// The first count that the job needs and the source does not state, as a sentence; empty: none.
std::string missing_count(const RunRecord& record);

/// The first degree of parallelism that no run on so many accelerators can have, as a sentence; empty: none.
std::string impossible_degree(const RunRecord& record);

}  // namespace traincost
