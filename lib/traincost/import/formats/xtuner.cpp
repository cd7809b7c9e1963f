// XTuner's configurations in Python: settings at the top of the file, used below them.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_xtuner(const Setting& root) {
    if (root.has("accumulative_counts") || root.has("optim_wrapper.accumulative_counts")) {
        return 60 + points(root, {"pretrained_model_name_or_path", "optim_wrapper", "batch_size"}, 10);
    }
    return named(root, {"xtuner"}, 60);
}

void read_xtuner(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::model, root,
               {"pretrained_model_name_or_path", "llm_name_or_path",
                "model.llm.pretrained_model_name_or_path", "model_name_or_path"});
    sheet.whole(Fact::sequence, root, {"max_length", "train_dataset.max_length"});
    sheet.whole(Fact::micro_batch, root, {"batch_size", "train_dataloader.batch_size"});
    sheet.whole(Fact::accumulation, root, {"accumulative_counts", "optim_wrapper.accumulative_counts"});
    sheet.whole(Fact::cp, root, {"sequence_parallel_size", "sp_size"});
    if (const Setting* at = first_of(root, {"optim_type", "optim_wrapper.optimizer.type"})) {
        sheet.state(Fact::optimizer, last_part(at->text), *at);
    }
    read_precision_word(root, sheet, {"optim_wrapper.dtype"});
    if (root.has("model.lora")) {
        sheet.whole(Fact::lora_rank, root, {"model.lora.r", "model.llm_lora.r"});
    }
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
    if (root.has("model")) {
        sheet.assume(Fact::recompute, "full", "model.use_activation_checkpointing");
    }
    assume_data_parallel_only(sheet, "XTuner");
}

}  // namespace traincost
