// What a newcomer leaves open about a run: sequence, batches, what the launcher does.
#pragma once

#include "traincost/ask/resolve.hpp"
#include "traincost/spec/launch_rules.hpp"

namespace traincost {

/// The published recipe of the draft's model, where it is trained as a whole.
std::optional<PublishedRecipe> recipe_of(const JobDraft& draft, const Sources& sources);

/// A run of the sequence that is published or usual for the model, and one sequence in a micro-batch, with an
/// assumption for each that the draft does not say.
RunSpec usual_run(const JobDraft& draft, const JobNeeds& needs, const ModelSpec& model,
                  const std::optional<PublishedRecipe>& recipe, Assumptions& out);

/// ZeRO stage and recomputation as the stack's launcher has them, where the draft does not say them.
void take_launch_rules(const JobDraft& draft, const LaunchRules& rules, RunSpec& run);

/// Where nobody said a global batch: what is published or usual for the task on so many accelerators, in
/// whole micro-batches of all ranks. `divided`: a search shares it among them, and a batch that they cannot
/// share becomes the nearest that they can.
void take_usual_batch(const ModelSpec& model, const std::optional<PublishedRecipe>& recipe,
                      std::int64_t accelerators, bool divided, RunSpec& run, Assumptions& out);

}  // namespace traincost
