// Jobs side by side.
#pragma once

#include <string>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/report/charts/chart.hpp"
#include "traincost/report/table.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

struct ComparedJob {
    std::string name;
    Job job;
    Operation operation;
    Estimate estimate;
};

/// One column a job and its ratio to the first, one row a quantity that some job has; texts that differ from
/// the first job's are marked.
Table comparison_table(const std::vector<ComparedJob>& jobs);

/// The step and the memory of each job as bars of their terms.
std::vector<Chart> comparison_charts(const std::vector<ComparedJob>& jobs);

}  // namespace traincost
