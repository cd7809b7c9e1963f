// Our own estimate beside a published calculator's figures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/report/methods/method_form.hpp"
#include "traincost/report/table.hpp"
#include "traincost/spec/draft/job_draft.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// --compare, and what our estimate takes where the calculator's own input does not say.
struct CompareFlags {
    bool compare = false;
    std::optional<std::string> model{};
    std::optional<std::string> gpu{};
};

/// Declares --compare, --as-model and --as-gpu.
void add_compare_fields(MethodForm& form, CompareFlags& flags);

/// `Error` where --as-model or --as-gpu is given without --compare.
void require_comparison(const CompareFlags& flags);

/// The id of the catalogue that a row of a calculator's table stands for; nothing where none does.
std::optional<std::string> catalogue_model(std::string_view name);
std::optional<std::string> catalogue_gpu(std::string_view name);

/// The model or accelerator of our estimate: the flag's, else that of the row. `Error` that names the flag.
std::string compared_model(const CompareFlags& flags, std::string_view row);
std::string compared_gpu(const CompareFlags& flags, std::string_view row);

/// A job and what is estimated of it.
struct OwnEstimate {
    Job job;
    Estimate estimate;
    const StageMemory& peak() const {
        return estimate.stages[static_cast<std::size_t>(estimate.peak_stage)];
    }
};
/// `Error` where the draft is no job.
OwnEstimate own_estimate(const JobDraft& said, const Sources& sources);

/// A figure of theirs, ours beside it, and why they differ.
struct ComparedFigure {
    std::string_view what;
    Cell theirs;
    Cell ours;
    std::string_view why;
};

/// One row a figure; the remark says what was estimated.
Table compared_table(const std::vector<ComparedFigure>& figures, const std::string& theirs,
                     const OwnEstimate& ours);

/// Device memory and model states in GB (10^9), as calculators print them.
Cell gigabyte_cell(Bytes bytes);
Cell seconds_cell(Seconds time);

}  // namespace traincost
