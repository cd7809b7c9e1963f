// Accelerate's YAML, and the command that starts a Hugging Face trainer with it.

#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/export/setting_text.hpp"

namespace traincost {

namespace {

void set_fully_sharded(JobWords& words, SettingText& out) {
    const RunSpec& run = words.run();
    out.number("fsdp_config.fsdp_version", 2);
    out.truth("fsdp_config.fsdp_reshard_after_forward", run.parallel.zero == 3);
    out.word("fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
    const bool on_host = run.offload_optimizer == Offload::cpu && run.offload_parameters == Offload::cpu;
    out.truth("fsdp_config.fsdp_offload_params", on_host);
    if (on_host)
        words.said({"offload-optimizer", "offload-parameters"});
}

void set_meshes(const JobWords& words, bool sharded, SettingText& out) {
    const Parallelism& p = words.parallel();
    if (!sharded && p.tp == 1 && p.cp == 1)
        return;
    out.number("parallelism_config.parallelism_config_dp_replicate_size", sharded ? 1 : words.ranks());
    out.number("parallelism_config.parallelism_config_dp_shard_size", sharded ? words.ranks() : 1);
    out.number("parallelism_config.parallelism_config_tp_size", p.tp);
    out.number("parallelism_config.parallelism_config_cp_size", p.cp);
}

SettingText accelerate_configuration(JobWords& words) {
    const Parallelism& p = words.parallel();
    const bool sharded = p.zero >= 2;
    SettingText out;
    out.word("compute_environment", "LOCAL_MACHINE");
    out.word("distributed_type", sharded                                 ? "FSDP"
                                 : words.job().cluster.accelerators == 1 ? "NO"
                                                                         : "MULTI_GPU");
    out.number("num_processes", words.job().cluster.accelerators);
    out.number("num_machines", words.nodes());
    out.number("machine_rank", 0);
    if (words.nodes() > 1)
        out.word("rdzv_backend", "c10d");
    out.word("mixed_precision", words.compute_word() == "fp32" ? "no" : words.compute_word());
    if (sharded)
        set_fully_sharded(words, out);
    set_meshes(words, sharded, out);
    words.said({"tp", "cp"});
    words.fixed("zero", p.zero != 1, "FSDP shards gradients too");
    words.without({"vp", "ep"});
    words.fixed("sequence-parallel", p.tp == 1, "the model's own plan decides");
    return out;
}

}  // namespace

LaunchTexts write_accelerate(JobWords& words) {
    const SettingText yaml = accelerate_configuration(words);
    ArgumentWords out;
    add_trainer_arguments(words, out);
    say_machines(words);
    return {{"accelerate.yaml", yaml_text(yaml)},
            {"launch.sh", script_text(words, accelerate_launch(words) + " train.py", out)}};
}

}  // namespace traincost
