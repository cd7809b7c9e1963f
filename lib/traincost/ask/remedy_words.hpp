// The words of a remedy, complete beside what its job says.
#pragma once

#include <string>

#include "traincost/ask/sources.hpp"
#include "traincost/plan/remedies.hpp"
#include "traincost/spec/draft/job_draft.hpp"

namespace traincost {

/// The flags that make the job of `draft` that of the remedy: its own, those of a stated degree or number of
/// micro-batches that follow from them, and those of what a launcher chooses otherwise for the new layout.
std::string words_in_full(const Remedy& remedy, const JobDraft& draft, const Sources& sources);

}  // namespace traincost
