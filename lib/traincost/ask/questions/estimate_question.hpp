// `estimate`: one configuration in depth.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/job_input.hpp"
#include "traincost/ask/resolve.hpp"
#include "traincost/ask/stack_constants.hpp"
#include "traincost/ask/unstated.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/plan/remedies.hpp"
#include "traincost/plan/vocabulary_padding.hpp"

namespace traincost {

struct EstimateQuestion {
    JobDraft job;
    FileNotes notes{};  ///< of the files it was read from; the answer repeats them
    /// Whether the answer also says what settings that nobody states leave open, which takes several
    /// estimates.
    bool weighs_unstated = false;
    /// Whether the answer names the constants of the stack that bear on it, which takes an estimate each.
    bool names_constants = false;
};

/// A job, what it takes, and how sure that is.
struct EstimateAnswer {
    Job job;
    Operation operation;
    Assumptions assumptions;
    Estimate estimate;
    Uncertainty sure;
    Bill bill;
    std::optional<std::string> never_ends{};     ///< why training makes no progress, where it makes none
    std::vector<Remedy> remedies{};              ///< where it does not fit
    std::optional<VocabularyPadding> padding{};  ///< where one would pay
    UnstatedRange unstated{};                    ///< what settings nobody stated leave open, if asked
    std::string hope{};                      ///< why it may fit all the same, where `sure` is spread by them
    std::vector<StackConstant> constants{};  ///< of the stack that bear on it, if asked
    FileNotes notes{};

    /// Whether it fits and ends.
    bool yes() const {
        return estimate.fits && !never_ends;
    }
};

/// `Error` where the draft is no job.
EstimateAnswer ask(const EstimateQuestion& question, const Sources& sources);

/// The estimate of a job that is resolved already, remedies and padding apart.
EstimateAnswer estimated(ResolvedJob resolved, const Sources& sources);

/// What plans must leave free so as to be sure to fit, by the runs of the sources, which must outlive it.
std::function<MemoryMargin(const Job&)> margins(const Sources& sources);

/// "8 accelerators fail every 3m; writing a checkpoint of 2 TiB takes 10m", where training never ends by it.
std::optional<std::string> why_training_never_ends(const Job& job, const Operation& operation);

}  // namespace traincost
