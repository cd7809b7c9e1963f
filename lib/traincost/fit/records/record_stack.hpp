// The software stack a run record describes.
#pragma once

#include <optional>

#include "traincost/fit/records/record.hpp"
#include "traincost/fit/records/record_job.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// The kernel generation that "flash2", "FlashAttention-3" or "memory_efficient" names; none where the record
/// says only flash.
std::optional<AttentionGeneration> stated_generation(const RecordRun& run);

/// The record's stack, of the release, year and accelerator that it states, with what its version's words
/// change. Throws `Error` for a name the catalogue does not have.
StackSpec stack_of(const RunRecord& record, const AcceleratorSpec& accelerator,
                   const RecordCatalogue& catalogue);

}  // namespace traincost
