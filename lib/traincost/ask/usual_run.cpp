#include "traincost/ask/usual_run.hpp"

#include <algorithm>
#include <cmath>

#include "traincost/base/multiples.hpp"
#include "traincost/base/text.hpp"
#include "traincost/cost/params.hpp"

namespace traincost {

namespace {

/// Longest sequence that models are trained on from the start; longer positions come in a last, short phase.
constexpr std::int64_t longest_usual_sequence = 8192;
constexpr std::int64_t sequence_of_unknown_positions = 2048;

/// Tokens of an optimizer step in pre-training: 4M from a billion parameters on, 0.5M below, as GPT-3's table
/// of models has it to LLaMA's round figures. [Brown20, Table 2.1] [Touvron23]
constexpr std::int64_t tokens_of_large = std::int64_t{4} << 20;
constexpr std::int64_t tokens_of_small = std::int64_t{1} << 19;
constexpr std::int64_t large = 1'000'000'000;
/// The least a step has for each accelerator, however many there are: Llama 3's 8M tokens on 16,384, PaLM's
/// 4M on 6,144; others have more. [Grattafiori24, section 3.4.1] [Chowdhery22]
constexpr std::int64_t tokens_of_accelerator = 512;
/// Sequences of an optimizer step in tuning adapters.
constexpr std::int64_t sequences_of_tuning = 64;

/// Whether some data-parallel degree divides the batch and leaves a number of accelerators that tensor and
/// pipeline parallelism can use.
bool divides_somehow(std::int64_t batch, std::int64_t accelerators, const ModelSpec& model) {
    for (std::int64_t rest = 1; rest <= accelerators; ++rest) {
        if (accelerators % rest != 0 || batch % (accelerators / rest) != 0)
            continue;
        for (std::int64_t tp = 1; tp <= std::min(rest, model.kv_heads); ++tp) {
            if (rest % tp == 0 && model.kv_heads % tp == 0 &&
                rest / tp <= std::max<std::int64_t>(1, model.layers / 2))
                return true;
        }
    }
    return false;
}

/// The batch near `usual` that all accelerators divide: within a tenth the one with most factors of two.
std::int64_t divisible_batch(std::int64_t usual, std::int64_t accelerators) {
    const std::int64_t odd = accelerators / (accelerators & -accelerators);
    const std::int64_t unit = 2 * usual >= accelerators ? accelerators : odd;
    const double exact = static_cast<double>(usual) / static_cast<double>(unit);
    const auto nearest = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(exact)));
    std::int64_t best = nearest;
    for (auto times = static_cast<std::int64_t>(std::ceil(0.9 * exact));
         static_cast<double>(times) <= 1.1 * exact; ++times) {
        if (times > 0 && (times & -times) > (best & -best))
            best = times;
    }
    return best * unit;
}

}  // namespace

std::optional<PublishedRecipe> recipe_of(const JobDraft& draft, const Sources& sources) {
    if (!draft.model || draft.model_spec || stated_tuning(draft) != Tuning::full)
        return std::nullopt;
    const auto id = sources.catalogue().find(Room::models, *draft.model);
    return id ? sources.recipe_of(*id) : std::nullopt;
}

RunSpec usual_run(const JobDraft& draft, const JobNeeds& needs, const ModelSpec& model,
                  const std::optional<PublishedRecipe>& recipe, Assumptions& out) {
    RunSpec run{};
    run.micro_batch = 1;
    const bool published = recipe && recipe->sequence;
    run.sequence = published ? *recipe->sequence
                             : std::min(model.max_position.value_or(sequence_of_unknown_positions),
                                        longest_usual_sequence);
    if (!draft.sequence) {
        const std::string why = published                            ? "as published: " + recipe->source
                                : model.max_position == run.sequence ? "maximum of " + model.name
                                                                     : "common default";
        out.push_back({"sequence", std::to_string(run.sequence), why, "--seq"});
    }
    if (!draft.micro_batch && needs.layout)
        out.push_back({"micro-batch", "1", "", "--micro-batch"});
    return run;
}

void take_launch_rules(const JobDraft& draft, const LaunchRules& rules, RunSpec& run) {
    const bool sharded = run.parallel.dp * run.parallel.cp > 1;
    if (rules.zero && sharded && !stated_zero(draft))
        run.parallel.zero = *rules.zero;
    for (const auto& [task, kind] : rules.recompute) {
        if (task == run.tuning && !draft.recompute)
            run.recompute = kind;
    }
    // A file that switches recomputation on says where inputs wait, or leaves them where they are.
    const bool by_file = draft.recompute && !draft.recompute.where.starts_with("--");
    if (rules.offload_activations && run.recompute == Recompute::full && !by_file &&
        !draft.offload_activations)
        run.offload_activations = *rules.offload_activations;
}

void take_usual_batch(const ModelSpec& model, const std::optional<PublishedRecipe>& recipe,
                      std::int64_t accelerators, bool divided, RunSpec& run, Assumptions& out) {
    if (run.global_batch > 0)
        return;
    const bool pretraining = run.tuning == Tuning::full;
    const bool published = pretraining && recipe && recipe->tokens_per_step;
    const bool is_large = parameter_count(model).total >= large;
    const std::int64_t of_size = is_large ? tokens_of_large : tokens_of_small;
    const std::int64_t of_accelerators = tokens_of_accelerator * accelerators;
    const bool many = is_large && of_accelerators > of_size;
    const std::int64_t tokens = published ? *recipe->tokens_per_step : many ? of_accelerators : of_size;
    const std::int64_t sequence = std::max<std::int64_t>(1, run.sequence);
    const std::int64_t usual =
        pretraining ? std::max<std::int64_t>(1, (tokens + sequence / 2) / sequence) : sequences_of_tuning;
    const std::int64_t pass = std::max<std::int64_t>(1, run.micro_batch * run.parallel.dp);
    run.global_batch = round_up(usual, pass);
    std::string why = published             ? "as published: " + recipe->source
                      : pretraining && many ? std::to_string(tokens_of_accelerator) +
                                                  " tokens per accelerator, the usual minimum in pre-training"
                      : pretraining
                          ? std::string(is_large ? "4M" : "0.5M") + " tokens per step, usual in pre-training"
                          : "usual for adapter tuning";
    if (run.global_batch != usual)
        why += ", rounded up to whole micro-batches on all ranks";
    const std::int64_t to_divide = divided ? accelerators : 0;
    if (to_divide > 0 && run.global_batch % (to_divide / (to_divide & -to_divide)) != 0 &&
        !(published && divides_somehow(run.global_batch, to_divide, model))) {
        run.global_batch = divisible_batch(run.global_batch, to_divide);
        why += ", changed from " + std::to_string(usual) + " so that it divides over " +
               std::to_string(to_divide) + " accelerators";
    }
    out.push_back({"global batch", std::to_string(run.global_batch), why, "--global-batch"});
}

}  // namespace traincost
