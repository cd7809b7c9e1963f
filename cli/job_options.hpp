// The job that flags make.
#pragma once

#include <cli/context.hpp>
#include <cli/job_flags.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/plan/operation.hpp>
#include <traincost/plan/relaxation.hpp>
#include <traincost/plan/search_space.hpp>
#include <traincost/spec/job.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace traincost::cli {

/// What a command can do without. The search chooses the micro-batch itself.
struct JobNeeds {
    bool micro_batch = true;
    bool layout = true;        ///< false: degrees, recomputation and schedule are the command's to choose
    bool price = false;        ///< an accelerator named alone gets a node that has a price
    std::string_view stack{};  ///< where none is named; empty: what the accelerator's vendor usually runs
};

/// A valid job, and everything about it that nobody said.
struct ResolvedJob {
    Job job;
    Operation operation;
    std::vector<std::string> assumptions;
};

/// The job of the flags, and of the file they name. `Error` with every problem: missing flags, unknown names,
/// what does not divide.
ResolvedJob resolve_job(const JobFlags& flags, const Catalogue& catalogue, Context& context,
                        const JobNeeds& needs = {});

/// The stacks that an accelerator of the vendor usually runs, by id; the most usual first.
std::span<const std::string_view> usual_stacks(std::string_view vendor);

/// What a search of the job may add to its space where nothing fits: what no flag says.
Freedoms freedoms_of(const JobFlags& flags, const Job& job, const Catalogue& catalogue);

/// The space a command searches: what the job's stack has, and each flag that was given with its only value.
SearchSpace pinned_space(const JobFlags& flags, const Job& job);

}  // namespace traincost::cli
