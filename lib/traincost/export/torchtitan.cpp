// torchtitan's TOML of 2025, started by torchrun.

#include <algorithm>
#include <iterator>

#include "traincost/base/text.hpp"
#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/export/setting_text.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// A model of the trainer's registry, whose shape these models of the catalogue have.
struct RegisteredModel {
    std::string_view id, name, flavor;
};

// pytorch/torchtitan torchtitan/models/*/__init__.py
constexpr RegisteredModel registered[] = {
    {"llama-3-8b", "llama3", "8B"},
    {"llama-3.1-8b", "llama3", "8B"},
    {"llama-3-70b", "llama3", "70B"},
    {"llama-3.1-70b", "llama3", "70B"},
    {"llama-3.3-70b", "llama3", "70B"},
    {"llama-3.1-405b", "llama3", "405B"},
    {"llama-4-scout", "llama4", "17bx16e"},
    {"llama-4-maverick", "llama4", "17bx128e"},
    {"deepseek-v3", "deepseek_v3", "671B"},
    {"qwen3-0.6b", "qwen3", "0.6B"},
    {"qwen3-1.7b", "qwen3", "1.7B"},
    {"qwen3-4b", "qwen3", "4B"},
    {"qwen3-8b", "qwen3", "8B"},
    {"qwen3-14b", "qwen3", "14B"},
    {"qwen3-32b", "qwen3", "32B"},
    {"qwen3-30b-a3b", "qwen3", "30B-A3B"},
    {"qwen3-235b-a22b", "qwen3", "235B-A22B"},
    {"gpt-oss-20b", "gpt_oss", "20b"},
    {"gpt-oss-120b", "gpt_oss", "120b"},
};

/// The name and flavor of the registry, or the model's own where it has none.
void set_titan_model(JobWords& words, SettingText& out) {
    const auto* found =
        std::find_if(std::begin(registered), std::end(registered),
                     [&](const RegisteredModel& each) { return each.id == words.model().name; });
    const bool known = found != std::end(registered);
    out.word("model.name", known ? found->name : std::string_view(words.model().family));
    out.word("model.flavor", known ? found->flavor : std::string_view(words.model().name));
    out.word("model.hf_assets_path", "./assets/hf/" + words.checkpoint());
    words.fixed("model", known, "torchtitan's registry has no such model: add one by this name and flavor");
}

void set_titan_layout(JobWords& words, SettingText& out) {
    const Parallelism& p = words.parallel();
    const std::int64_t ranks = p.dp;
    const bool sharded = p.zero >= 2;
    const std::int64_t shards = sharded ? ranks : 1;
    out.number("parallelism.data_parallel_replicate_degree", sharded ? 1 : ranks);
    out.number("parallelism.data_parallel_shard_degree", shards);
    if (sharded)
        out.word("parallelism.fsdp_reshard_after_forward", p.zero == 2 ? "never" : "always");
    out.number("parallelism.tensor_parallel_degree", p.tp);
    out.number("parallelism.pipeline_parallel_degree", p.pp);
    out.number("parallelism.context_parallel_degree", p.cp);
    out.number("parallelism.expert_parallel_degree", p.ep);
    if (p.tp_overlap)
        out.truth("parallelism.enable_async_tensor_parallel", *p.tp_overlap);
    words.said({"tp", "pp", "cp", "ep", "tp-overlap"});
    words.fixed("zero", p.zero == 0 || (sharded && shards > 1),
                "weights are sharded over data-parallel ranks (stage 3), or gradients (2), or nothing");
    words.fixed("sequence-parallel", words.sequence_parallel() == (p.tp > 1),
                "follows from tensor parallelism");
    if (p.pp > 1) {
        words.unsaid("schedule", "is written, but readers take the stack's own");
        const Schedule schedule = schedule_of(words.job());
        out.word("parallelism.pipeline_parallel_schedule",
                 schedule == Schedule::gpipe         ? "GPipe"
                 : schedule == Schedule::interleaved ? "Interleaved1F1B"
                 : schedule == Schedule::zero_bubble ? "ZBVZeroBubble"
                                                     : "1F1B");
    }
}

void set_titan_training(JobWords& words, SettingText& out) {
    const RunSpec& run = words.run();
    out.number("training.local_batch_size", run.micro_batch);
    out.number("training.global_batch_size", words.whole_batch());
    out.number("training.seq_len", run.sequence);
    words.say_batch();
    const std::string_view compute = words.compute_word();
    out.word("training.mixed_precision_param", compute == "fp16"   ? "float16"
                                               : compute == "fp32" ? "float32"
                                                                   : "bfloat16");
    words.say_precision(words.is_fp8() ? "fp8" : compute);
    if (run.offload_optimizer == Offload::cpu && run.offload_parameters == Offload::cpu) {
        out.truth("training.enable_cpu_offload", true);
        words.said({"offload-optimizer", "offload-parameters"});
    }
}

}  // namespace

LaunchTexts write_torchtitan(JobWords& words) {
    const RunSpec& run = words.run();
    SettingText out;
    say_machines(words);
    set_titan_model(words, out);
    if (words.is_fp8())
        out.literal("model.converters", "[\"quantize.linear.float8\"]");
    if (const auto scaling = words.run().fp8_scaling; scaling && scaling != Fp8Scaling::blockwise) {
        out.word("quantize.linear.float8.recipe_name", name_of(*scaling));
        words.said({"fp8-scaling"});
    }
    out.word("optimizer.name", "AdamW");
    words.fixed("optimizer", run.optimizer == Optimizer::adamw, "the configuration has Adam and AdamW only");
    set_titan_training(words, out);
    set_titan_layout(words, out);
    out.word("activation_checkpoint.mode", run.recompute == Recompute::none        ? "none"
                                           : run.recompute == Recompute::selective ? "selective"
                                                                                   : "full");
    words.fixed("recompute",
                run.recompute_every == 1 && !run.recompute_layers && !run.recompute_modules.any(),
                "the share of blocks is left to the framework");
    out.truth("compile.enable", words.compiled());
    words.said({"compile"});
    words.fixed("attention",
                words.attention() == AttentionKernel::flash &&
                    words.job().stack.attention.kernel == AttentionKernel::flash,
                "only fused kernels");
    words.fixed("vp", words.parallel().vp == 1, "the number of chunks follows from the layers per stage");
    words.fixed("tuning", run.tuning == Tuning::full, "the trainer has no adapters");
    ArgumentWords arguments;
    arguments.word("--job.config_file", "train.toml");
    return {{"train.toml", toml_text(out)},
            {"launch.sh", script_text(words, torchrun(words) + " -m torchtitan.train", arguments)}};
}

}  // namespace traincost
