// XTuner's configurations in Python: settings at the top of the file, used below them.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_xtuner(const Setting& root) {
    if (root.has("accumulative_counts") || root.has("optim_wrapper.accumulative_counts")) {
        return 60 + points(root, {"pretrained_model_name_or_path", "optim_wrapper", "batch_size"}, 10);
    }
    const Setting* trainer = root.peek("trainer.$class");
    const int parts =
        points(root, {"trainer.model_cfg", "trainer.optim_cfg", "trainer.dataloader_cfg", "fsdp_cfg"}, 10);
    const bool its_trainer = trainer != nullptr && trainer->text.ends_with("TrainerConfig") && parts > 0;
    return named(root, {"xtuner"}, 60) + (its_trainer ? 30 : 0) + parts;
}

namespace {

/// The strategy that a configuration written out by the trainer holds: DeepSpeed's settings in place.
void read_xtuner_strategy(const Setting& root, FactSheet& sheet) {
    const Setting* config = root.at("strategy.config");
    if (config == nullptr || !config->is_map()) {
        return;
    }
    sheet.whole(Fact::zero, *config, {"zero_optimization.stage"}, 0);
    read_16_bit_switches(*config, sheet, {"bf16.enabled"}, {"fp16.enabled"});
}

/// The second version: objects of a trainer, or flags of its program. Sequences are packed to one length.
void read_second_version(const Setting& root, FactSheet& sheet) {
    if (const Setting* from = first_of(root, {"trainer.load_from", "load_from"});
        from != nullptr && as_word(*from)) {
        sheet.state(Fact::model, from->text, *from);
    } else if (const Setting* made = first_of(root, {"trainer.model_cfg.$class", "model_cfg.$class"});
               made != nullptr && made->text.ends_with("Config")) {
        sheet.state(Fact::model, last_part(made->text.substr(0, made->text.size() - 6)), *made);
    }
    sheet.whole(
        Fact::sequence, root,
        {"trainer.dataloader_cfg.pack_max_length", "dataloader_config.pack_max_length", "pack_max_length"});
    sheet.whole(Fact::global_batch, root, {"trainer.global_batch_size", "global_batch_size"});
    sheet.whole(Fact::cp, root, {"trainer.sp_size"});
    for (const std::string_view key : {"trainer.fsdp_cfg", "fsdp_cfg"}) {
        const Setting* fsdp = root.at(key);
        if (fsdp == nullptr || !fsdp->is_map() || sheet.has(Fact::zero)) {
            continue;
        }
        sheet.state(Fact::zero, std::int64_t{3}, *fsdp);
        sheet.whole(Fact::tp, *fsdp, {"tp_size"});
        sheet.whole(Fact::ep, *fsdp, {"ep_size"});
        sheet.truth(Fact::compile, *fsdp, {"torch_compile"});
        if (is_on(*fsdp, "cpu_offload")) {
            sheet.state(Fact::offload, "cpu (parameters, optimizer)", *fsdp->at("cpu_offload"));
        }
        if (const Setting* ratio = first_of(*fsdp, {"recompute_ratio"});
            ratio != nullptr && as_number(*ratio)) {
            const double share = *as_number(*ratio);
            sheet.state(Fact::recompute, share == 1.0 ? "full" : share == 0.0 ? "none" : ratio->text, *ratio);
        }
    }
    if (const Setting* made = first_of(root, {"trainer.optim_cfg.$class", "optim_cfg.$class"});
        made != nullptr && made->text.ends_with("Config")) {
        sheet.state(Fact::optimizer, last_part(made->text.substr(0, made->text.size() - 6)), *made);
    }
}

}  // namespace

void read_xtuner(const Setting& root, FactSheet& sheet) {
    const bool second = root.has("trainer") || root.has("model_cfg") || root.has("pack_max_length");
    if (second) {
        read_second_version(root, sheet);
    }
    sheet.word(Fact::model, root,
               {"pretrained_model_name_or_path", "llm_name_or_path",
                "model.llm.pretrained_model_name_or_path", "model_name_or_path", "model.model_path",
                "model.mllm.pretrained_model_name_or_path", "model.mllm.model_path"});
    sheet.whole(Fact::sequence, root, {"max_length", "train_dataset.max_length"});
    sheet.whole(Fact::micro_batch, root, {"batch_size", "train_dataloader.batch_size"});
    sheet.whole(Fact::accumulation, root, {"accumulative_counts", "optim_wrapper.accumulative_counts"});
    sheet.whole(Fact::cp, root, {"sequence_parallel_size", "sp_size"});
    if (const Setting* at = first_of(root, {"optim_type", "optim_wrapper.optimizer.type"})) {
        sheet.state(Fact::optimizer, last_part(at->text), *at);
    }
    read_precision_word(root, sheet, {"optim_wrapper.dtype"});
    sheet.whole(Fact::lora_rank, root, {"model.lora.r", "model.llm_lora.r", "model.mllm.llm_lora.r"});
    read_xtuner_strategy(root, sheet);
    read_loaded_bits(root, sheet, {"model.llm.quantization_config.load_in_4bit"},
                     {"model.llm.quantization_config.load_in_8bit"});
    read_checkpointing_switch(root, sheet, {"model.use_activation_checkpointing"});
    // A preset's name, or a file.
    if (const Setting* at = first_of(root, {"deepspeed"}); at != nullptr && at->is_scalar()) {
        const std::string& text = at->text;
        const std::size_t zero = text.find("zero");
        const char stage = zero == std::string::npos || zero + 4 >= text.size() ? ' ' : text[zero + 4];
        if (text.starts_with("deepspeed_zero") && stage >= '1' && stage <= '3') {
            sheet.state(Fact::zero, std::int64_t{stage - '0'}, *at);
        } else {
            refer_to_file(*at, sheet);
        }
    }
    if (root.has("model") && !second) {
        sheet.assume(Fact::recompute, "full", "model.use_activation_checkpointing");
    }
    // The program itself starts a process for each GPU of its nodes, one node where nobody says.
    if (const Setting* program = root.peek("$program");
        program != nullptr && program->text.starts_with("xtuner")) {
        assume_one_node(sheet);
    }
    assume_data_parallel_only(sheet, "XTuner");
}

}  // namespace traincost
