// A draft and the catalogue make a job, and say what nobody said.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/ask/assumption.hpp"
#include "traincost/ask/sources.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/plan/relaxation.hpp"
#include "traincost/plan/search_space.hpp"
#include "traincost/spec/draft/job_draft.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// What a question can do without. A search chooses the micro-batch itself.
struct JobNeeds {
    bool micro_batch = true;
    bool layout = true;  ///< false: degrees, recomputation and schedule are the question's to choose
    bool price = false;  ///< an accelerator named alone gets a node that has a price
    bool batch = false;  ///< sequence and global batch must be said: something measured depends on them
};

/// A valid job, and everything about it that nobody said.
struct ResolvedJob {
    Job job;
    Operation operation;
    Assumptions assumptions;
};

/// The job of the draft. `Error` with every problem, each under the place that said it: what is missing,
/// unknown names, what does not divide.
ResolvedJob resolve(const JobDraft& draft, const Sources& sources, const JobNeeds& needs = {});

/// What a job file says, or the `input` of an answer; "-" is the standard input.
JobDraft draft_from_file(const std::string& name, const Sources& sources);

/// The stacks that accelerators of the vendor usually run for the task, by id; the most usual first.
std::vector<std::string> usual_stacks(const Sources& sources, std::string_view vendor,
                                      Tuning task = Tuning::full);

/// What the draft trains: adapters where it states a rank of theirs and nothing else.
Tuning stated_tuning(const JobDraft& draft);

/// What a search of the job may add to its space where nothing fits: what the draft does not say.
Freedoms freedoms_of(const JobDraft& draft, const Job& job, const Sources& sources);

/// Lets the pipeline stages of a searched job hold one layer more or less where its layers cannot be halved,
/// as --uneven-stages does, and adds that to its assumptions.
void allow_uneven_stages(ResolvedJob& resolved);

/// The space a question searches: what the job's stack has, and each field of `pins` with its only value.
SearchSpace pinned_space(const JobDraft& pins, const Job& job);

}  // namespace traincost
