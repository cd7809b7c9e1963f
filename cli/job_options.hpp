// The job that flags make.
#pragma once

#include <cli/context.hpp>
#include <cli/job_flags.hpp>
#include <traincost/ask/resolve.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/plan/operation.hpp>
#include <traincost/spec/job.hpp>

#include <string>
#include <vector>

namespace traincost::cli {

/// A valid job, and everything about it that nobody said, one line each.
struct ResolvedJob {
    Job job;
    Operation operation;
    std::vector<std::string> assumptions;
};

/// The job of the flags, and of the file they name. `Error` with every problem: missing flags, unknown names,
/// what does not divide.
ResolvedJob resolve_job(const JobFlags& flags, const Catalogue& catalogue, Context& context,
                        const JobNeeds& needs = {});

}  // namespace traincost::cli
