// torchtune's YAML, started by `tune run`.

#include <cctype>

#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/export/setting_text.hpp"

namespace traincost {

namespace {

/// "llama3_1_8b" of llama-3.1-8b: the family's letters and digits, then the rest with underscores.
std::string builder_of(const ModelSpec& m) {
    const std::size_t own = m.name.starts_with(m.family) ? m.family.size() : 0;
    std::string text;
    for (std::size_t i = 0; i < m.name.size(); ++i) {
        const bool plain = std::isalnum(static_cast<unsigned char>(m.name[i])) != 0;
        if (plain)
            text += i == own && i > 0 && text.back() != '_' ? std::string("_") + m.name[i]
                                                            : std::string(1, m.name[i]);
        else if (i >= own && !text.empty() && text.back() != '_')
            text += '_';
    }
    return text;
}

std::string_view class_of(Optimizer optimizer) {
    switch (optimizer) {
        case Optimizer::adamw:
            return "torch.optim.AdamW";
        case Optimizer::adam8bit:
            return "bitsandbytes.optim.AdamW8bit";
        case Optimizer::paged_adamw:
            return "bitsandbytes.optim.PagedAdamW";
        case Optimizer::paged_adam8bit:
            return "bitsandbytes.optim.PagedAdamW8bit";
        case Optimizer::sgd:
            return "torch.optim.SGD";
        case Optimizer::adafactor:
            return "torch.optim.Adafactor";
        case Optimizer::lion:
            return "bitsandbytes.optim.Lion";
        case Optimizer::sgd_momentum:
        case Optimizer::muon:
            break;
    }
    return {};
}

void set_tune_layout(JobWords& words, SettingText& out) {
    const RunSpec& run = words.run();
    const Parallelism& p = run.parallel;
    if (words.job().cluster.accelerators > 1) {
        out.number("tensor_parallel_dim", p.tp);
        out.number("context_parallel_dim", p.cp);
        out.number("data_parallel_shard_dim", words.ranks());
        out.number("data_parallel_replicate_dim", 1);
    }
    if (p.zero >= 2)
        out.truth("fsdp_reshard_after_forward", p.zero == 3);
    words.fixed("zero", p.zero >= 2, "recipes shard gradients, or weights too");
    words.said({"tp", "cp"});
    words.without({"vp", "ep"});
    words.fixed("sequence-parallel", p.tp == 1, "the model's own plan decides");
    const bool states = run.offload_optimizer == Offload::cpu && run.offload_parameters == Offload::cpu;
    if (states) {
        out.truth("fsdp_cpu_offload", true);
        words.said({"offload-optimizer", "offload-parameters"});
    } else if (run.offload_activations == 1.0) {
        out.truth("enable_activation_offloading", true);
        words.said({"offload-activations"});
    }
}

std::string tune_run(const JobWords& words) {
    const std::string tuning = words.is_tuned() ? "lora" : "full";
    if (words.job().cluster.accelerators == 1)
        return "tune run --nnodes 1 --nproc_per_node 1 " + tuning + "_finetune_single_device";
    std::string text = "tune run --nnodes " + std::to_string(words.nodes()) + " --nproc_per_node " +
                       std::to_string(words.processes_per_node());
    if (words.nodes() > 1)
        text += " --rdzv_id \"$SLURM_JOB_ID\" --rdzv_backend c10d --rdzv_endpoint \"$MASTER_ADDR:29500\"";
    return text + " " + tuning + "_finetune_distributed";
}

}  // namespace

LaunchTexts write_torchtune(JobWords& words) {
    const RunSpec& run = words.run();
    SettingText out;
    say_machines(words);
    const std::string builder = builder_of(words.model());
    const std::string prefix = run.tuning == Tuning::qlora  ? "qlora_"
                               : run.tuning == Tuning::lora ? "lora_"
                                                            : "";
    out.word("model._component_",
             "torchtune.models." + builder.substr(0, builder.find('_')) + "." + prefix + builder);
    words.said({"model"});
    if (words.is_tuned())
        out.number("model.lora_rank", run.adapter.rank);
    say_adapters(words, true);
    out.word("tokenizer._component_", "torchtune.models." + builder.substr(0, builder.find('_')) + "." +
                                          builder.substr(0, builder.find('_')) + "_tokenizer");
    out.number("tokenizer.max_seq_len", run.sequence);
    out.number("batch_size", run.micro_batch);
    out.number("gradient_accumulation_steps", words.accumulation());
    words.say_batch();
    out.word("dtype", words.compute_word());
    words.say_precision(words.compute_word());
    out.truth("enable_activation_checkpointing", run.recompute != Recompute::none);
    say_whole_recompute(words);
    if (const std::string_view optimizer = class_of(run.optimizer); !optimizer.empty()) {
        out.word("optimizer._component_", optimizer);
        words.said({"optimizer"});
    }
    out.truth("compile", words.compiled());
    words.said({"compile"});
    words.fixed("attention", words.attention() == words.job().stack.attention.kernel, "no setting for it");
    set_tune_layout(words, out);
    ArgumentWords arguments;
    arguments.word("--config", "train.yaml");
    return {{"train.yaml", yaml_text(out)}, {"launch.sh", script_text(words, tune_run(words), arguments)}};
}

}  // namespace traincost
