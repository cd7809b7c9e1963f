// The job a run record describes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/records/record.hpp"
#include "traincost/fit/records/record_rules.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Where accelerators, nodes and stacks are looked up. A look-up throws `Error` for an unknown name and
/// appends what it had to assume.
struct RecordCatalogue {
    std::function<ClusterSpec(const RecordCluster& cluster, std::vector<std::string>& assumptions)> cluster;
    std::function<StackSpec(std::string_view stack)> stack;
    std::shared_ptr<const RecordRules> rules;  ///< what stacks and words of records mean
};

/// The job, or why the record describes none; and what was assumed where the source is silent, one line each.
struct RecordJob {
    std::optional<Job> job{};
    std::string reason{};
    std::vector<std::string> assumptions{};
};

/// Never throws for a record: an unknown name, a field not stated or a shape that cannot be is a reason.
RecordJob job_of(const RunRecord& record, const RecordCatalogue& catalogue);

}  // namespace traincost
