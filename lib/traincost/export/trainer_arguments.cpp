// Hugging Face's TrainingArguments, as flags of a script that parses them.

#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/spec/adapter_format.hpp"

namespace traincost {

std::string_view trainer_optimizer(Optimizer optimizer) {
    switch (optimizer) {
        case Optimizer::adamw:
            return "adamw_torch_fused";
        case Optimizer::adam8bit:
            return "adamw_bnb_8bit";
        case Optimizer::paged_adamw:
            return "paged_adamw_32bit";
        case Optimizer::paged_adam8bit:
            return "paged_adamw_8bit";
        case Optimizer::sgd:
            return "sgd";
        case Optimizer::adafactor:
            return "adafactor";
        case Optimizer::lion:
            return "lion_32bit";
        case Optimizer::sgd_momentum:
        case Optimizer::muon:
            break;
    }
    return {};
}

void say_whole_recompute(JobWords& words) {
    const RunSpec& run = words.run();
    words.fixed("recompute",
                run.recompute != Recompute::selective && run.recompute_every == 1 && !run.recompute_layers,
                "only full recomputation or none");
}

void say_adapters(JobWords& words, bool quantized) {
    const RunSpec& run = words.run();
    if (run.tuning == Tuning::qlora && quantized) {
        const auto usual = precision_from("nf4-base");
        words.fixed("precision",
                    run.precision_name == "nf4-base" && usual &&
                        tuned_precision(words.job().stack, *usual, run.tuning) == run.precision,
                    "a 4-bit base is read back as nf4-base");
    }
    words.fixed("tuning",
                run.tuning == Tuning::full || run.tuning == Tuning::lora ||
                    (run.tuning == Tuning::qlora && quantized),
                "no setting for such adapters");
    if (words.is_tuned())
        words.said({"lora-rank"});
}

void add_trainer_arguments(JobWords& words, ArgumentWords& out) {
    const RunSpec& run = words.run();
    out.word("--model_name_or_path", words.checkpoint());
    words.said({"model"});
    out.number("--model_max_length", run.sequence);
    out.number("--per_device_train_batch_size", run.micro_batch);
    out.number("--gradient_accumulation_steps", words.accumulation());
    words.say_batch();
    out.word("--bf16", words.compute_word() == "bf16" ? "true" : "false");
    out.word("--fp16", words.compute_word() == "fp16" ? "true" : "false");
    words.say_precision(words.compute_word());
    out.word("--gradient_checkpointing", run.recompute == Recompute::none ? "false" : "true");
    say_whole_recompute(words);
    const std::string_view optimizer = trainer_optimizer(run.optimizer);
    if (!optimizer.empty()) {
        out.word("--optim", optimizer);
        words.said({"optimizer"});
    }
    out.word("--attn_implementation", words.attention_implementation());
    out.word("--torch_compile", words.compiled() ? "true" : "false");
    words.said({"compile"});
    if (words.is_tuned()) {
        out.flag("--use_peft");
        out.number("--lora_r", run.adapter.rank);
    }
    if (run.tuning == Tuning::qlora)
        out.flag("--load_in_4bit");
    say_adapters(words, true);
}

}  // namespace traincost
