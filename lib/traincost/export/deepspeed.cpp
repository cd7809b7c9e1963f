// DeepSpeed's JSON, and the command that starts a Hugging Face trainer with it.

#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/export/setting_text.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

void set_zero_optimization(JobWords& words, SettingText& out) {
    const RunSpec& run = words.run();
    out.number("zero_optimization.stage", run.parallel.zero);
    for (const auto& [key, place] : {std::pair{"zero_optimization.offload_optimizer", run.offload_optimizer},
                                     std::pair{"zero_optimization.offload_param", run.offload_parameters}}) {
        if (place == Offload::none)
            continue;
        out.word(std::string(key) + ".device", name_of(place));
        if (place == Offload::nvme)
            out.word(std::string(key) + ".nvme_path", "/local_nvme");
    }
    words.said({"zero", "offload-optimizer", "offload-parameters"});
}

namespace {

SettingText configuration(JobWords& words) {
    const RunSpec& run = words.run();
    SettingText out;
    out.number("train_micro_batch_size_per_gpu", run.micro_batch);
    out.number("gradient_accumulation_steps", words.accumulation());
    out.truth("bf16.enabled", words.compute_word() == "bf16");
    out.truth("fp16.enabled", words.compute_word() == "fp16");
    set_zero_optimization(words, out);
    return out;
}

}  // namespace

LaunchTexts write_deepspeed(JobWords& words) {
    const SettingText json = configuration(words);
    ArgumentWords out;
    out.word("--deepspeed", "ds_config.json");
    add_trainer_arguments(words, out);
    words.without({"vp", "ep"});
    words.fixed("sequence-parallel", words.parallel().tp == 1, "it has no tensor parallelism");
    say_machines(words);
    return {{"ds_config.json", json_text(json)},
            {"launch.sh", script_text(words, torchrun(words) + " train.py", out)}};
}

}  // namespace traincost
