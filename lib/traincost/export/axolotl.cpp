// axolotl's YAML, started by torchrun.

#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/export/setting_text.hpp"

namespace traincost {

namespace {

void set_axolotl_sharding(JobWords& words, SettingText& out) {
    const RunSpec& run = words.run();
    const Parallelism& p = run.parallel;
    const bool sharded = p.zero >= 2;
    // The experts' ranks are an axis beside the shards': the batch's ranks are the product of both.
    const bool experts = p.ep > 1 && words.ranks() % p.ep == 0;
    if (sharded) {
        out.number("fsdp_version", 2);
        out.truth("fsdp_config.reshard_after_forward", p.zero == 3);
        out.word("fsdp_config.auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
        if (run.offload_optimizer == Offload::cpu && run.offload_parameters == Offload::cpu) {
            out.truth("fsdp_config.offload_params", true);
            words.said({"offload-optimizer", "offload-parameters"});
        }
        out.number("dp_shard_size", experts ? words.ranks() / p.ep : words.ranks());
    }
    words.fixed("zero", sharded,
                "FSDP shards gradients, or also weights; without it, sharding is unspecified");
    if (p.tp > 1)
        out.number("tensor_parallel_size", p.tp);
    if (p.cp > 1)
        out.number("context_parallel_size", p.cp);
    if (experts)
        out.number("expert_parallel_size", p.ep);
    words.said({"tp", "cp"});
    words.fixed("ep", experts || p.ep == 1, "the experts' ranks must divide the data-parallel ones");
    words.without({"vp"});
    words.fixed("sequence-parallel", p.tp == 1, "the model's own plan decides");
}

void set_axolotl_memory(JobWords& words, SettingText& out) {
    const RunSpec& run = words.run();
    out.truth("gradient_checkpointing", run.recompute != Recompute::none);
    say_whole_recompute(words);
    const bool states = run.offload_optimizer == Offload::none && run.offload_parameters == Offload::none;
    if (run.offload_activations == 1.0 && states) {
        out.truth("activation_offloading", true);
        words.said({"offload-activations"});
    }
    if (words.is_tuned()) {
        out.word("adapter", run.tuning == Tuning::qlora ? "qlora" : "lora");
        out.number("lora_r", run.adapter.rank);
        if (run.tuning == Tuning::qlora)
            out.truth("load_in_4bit", true);
    }
}

}  // namespace

LaunchTexts write_axolotl(JobWords& words) {
    const RunSpec& run = words.run();
    SettingText out;
    say_machines(words);
    out.word("base_model", words.checkpoint());
    words.said({"model"});
    out.number("sequence_len", run.sequence);
    out.number("micro_batch_size", run.micro_batch);
    out.number("gradient_accumulation_steps", words.accumulation());
    words.say_batch();
    out.truth("bf16", words.compute_word() == "bf16");
    out.truth("fp16", words.compute_word() == "fp16");
    if (words.is_fp8())
        out.truth("fp8", true);
    // It loads the weights in the format it trains in; sharding widens them, and adapters leave them.
    const std::string word(words.is_fp8() ? "fp8" : words.compute_word());
    const bool stays_narrow = word.ends_with("16") && !words.is_tuned() && words.parallel().zero < 2;
    words.say_precision(word, stays_narrow ? word + "-pure" : "");
    const std::string_view optimizer =
        run.optimizer == Optimizer::muon ? "muon" : trainer_optimizer(run.optimizer);
    if (!optimizer.empty()) {
        out.word("optimizer", optimizer);
        words.said({"optimizer"});
    }
    out.word("attn_implementation", words.attention_implementation());
    out.truth("torch_compile", words.compiled());
    words.said({"compile"});
    set_axolotl_memory(words, out);
    say_adapters(words, true);
    set_axolotl_sharding(words, out);
    out.word("output_dir", "./outputs");
    ArgumentWords arguments;
    arguments.plain("train.yaml");
    return {{"train.yaml", yaml_text(out)},
            {"launch.sh", script_text(words, torchrun(words) + " -m axolotl.cli.train", arguments)}};
}

}  // namespace traincost
