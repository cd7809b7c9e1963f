// LLaMA-Factory's YAML with DeepSpeed's JSON, started by torchrun.

#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/export/setting_text.hpp"

namespace traincost {

namespace {

SettingText sharding_only(JobWords& words) {
    SettingText out;
    out.word("train_micro_batch_size_per_gpu", "auto");
    out.word("gradient_accumulation_steps", "auto");
    out.word("bf16.enabled", "auto");
    out.word("fp16.enabled", "auto");
    set_zero_optimization(words, out);
    return out;
}

void set_factory_tuning(JobWords& words, SettingText& out) {
    const RunSpec& run = words.run();
    out.word("finetuning_type", words.is_tuned() ? "lora" : "full");
    if (words.is_tuned()) {
        out.number("lora_rank", run.adapter.rank);
        out.word("lora_target", "all");
    }
    if (run.tuning == Tuning::qlora)
        out.number("quantization_bit", 4);
    say_adapters(words, true);
    if (words.is_tuned()) {
        const AdapterSpec& a = run.adapter;
        if (!(a.query && a.key && a.value && a.attention_out && a.mlp))
            words.unsaid("lora-targets", "all matrices are written; name them with lora_target");
    }
}

}  // namespace

LaunchTexts write_llama_factory(JobWords& words) {
    const RunSpec& run = words.run();
    const SettingText sharding = sharding_only(words);
    SettingText out;
    say_machines(words);
    out.word("model_name_or_path", words.checkpoint());
    words.said({"model"});
    out.word("stage", "sft");
    out.truth("do_train", true);
    set_factory_tuning(words, out);
    out.number("cutoff_len", run.sequence);
    out.number("per_device_train_batch_size", run.micro_batch);
    out.number("gradient_accumulation_steps", words.accumulation());
    words.say_batch();
    out.truth("bf16", words.compute_word() == "bf16");
    out.truth("fp16", words.compute_word() == "fp16");
    words.say_precision(words.compute_word());
    const std::string_view optimizer = trainer_optimizer(run.optimizer);
    if (!optimizer.empty()) {
        out.word("optim", optimizer);
        words.said({"optimizer"});
    } else if (run.optimizer == Optimizer::muon) {
        out.truth("use_muon", true);
        words.said({"optimizer"});
    }
    const std::string_view attention = words.attention_implementation();
    out.word("flash_attn", attention == "flash_attention_2"   ? "fa2"
                           : attention == "flash_attention_3" ? "fa3"
                           : attention == "eager"             ? "disabled"
                                                              : "sdpa");
    out.truth("torch_compile", words.compiled());
    words.said({"compile"});
    out.truth("disable_gradient_checkpointing", run.recompute == Recompute::none);
    say_whole_recompute(words);
    out.word("deepspeed", "ds_config.json");
    words.without({"vp", "ep"});
    words.fixed("sequence-parallel", words.parallel().tp == 1, "it has no tensor parallelism");
    out.word("output_dir", "./outputs");
    ArgumentWords arguments;
    arguments.plain("train.yaml");
    return {{"ds_config.json", json_text(sharding)},
            {"train.yaml", yaml_text(out)},
            {"launch.sh", script_text(words, torchrun(words) + " src/train.py", arguments)}};
}

}  // namespace traincost
