// NeMo Automodel's YAML: a model of Hugging Face, a step's batch and a mesh.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/adapter_words.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_automodel(const Setting& root) {
    const Setting* made = root.peek("model._target_");
    const bool own = made != nullptr && made->text.starts_with("nemo_automodel");
    return (own ? 40 : 0) +
           points(root, {"step_scheduler.global_batch_size", "step_scheduler.local_batch_size"}, 25) +
           points(root, {"distributed.tp_size", "distributed.cp_size", "packed_sequence"}, 5);
}

namespace {

/// A degree, which may be the word "none".
void read_degree(Fact fact, const Setting& root, const std::string& path, FactSheet& sheet) {
    const Setting* at = first_of(root, {path});
    if (at != nullptr && lower(at->text) != "none") {
        sheet.whole(fact, root, {path});
    }
}

void read_mesh(const Setting& root, FactSheet& sheet) {
    read_degree(Fact::tp, root, "distributed.tp_size", sheet);
    read_degree(Fact::pp, root, "distributed.pp_size", sheet);
    read_degree(Fact::cp, root, "distributed.cp_size", sheet);
    read_degree(Fact::ep, root, "distributed.ep_size", sheet);
    read_degree(Fact::dp, root, "distributed.dp_size", sheet);
    if (root.has("distributed")) {
        for (const Fact fact : {Fact::tp, Fact::pp, Fact::cp, Fact::ep}) {
            sheet.assume(fact, std::int64_t{1}, "distributed");
        }
    }
    if (const Setting* at = first_of(root, {"distributed.sequence_parallel"});
        at != nullptr && as_truth(*at)) {
        state_sequence_parallel(*at, *as_truth(*at), sheet);
    }
    if (const Setting* at = first_of(root, {"distributed.strategy", "distributed._target_"})) {
        const std::string name = lower(last_part(at->text));
        if (name.find("fsdp") != std::string::npos) {
            sheet.state(Fact::zero, std::int64_t{3}, *at);
        } else if (name.find("ddp") != std::string::npos) {
            sheet.state(Fact::zero, std::int64_t{0}, *at);
        }
    }
    read_checkpointing_switch(root, sheet, {"distributed.activation_checkpointing"});
}

void read_sequence(const Setting& root, FactSheet& sheet) {
    const Setting* packed = first_of(root, {"packed_sequence.packed_sequence_size"});
    if (packed != nullptr && as_whole(*packed).value_or(0) > 0) {
        sheet.whole(Fact::sequence, root, {"packed_sequence.packed_sequence_size"});
    } else {
        sheet.whole(
            Fact::sequence, root,
            {"dataset.seq_length", "dataset.seq_len", "dataset.max_seq_length", "dataset.max_length"});
    }
}

}  // namespace

void read_automodel(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::model, root,
               {"model.pretrained_model_name_or_path", "model.config.pretrained_model_name_or_path",
                "model.config.name_or_path"});
    sheet.whole(Fact::micro_batch, root, {"step_scheduler.local_batch_size"});
    sheet.whole(Fact::global_batch, root, {"step_scheduler.global_batch_size"});
    read_sequence(root, sheet);
    read_mesh(root, sheet);
    if (is_on(root, "fp8.enabled")) {
        sheet.state(Fact::precision, "fp8", *root.at("fp8.enabled"));
    } else {
        read_precision_word(root, sheet, {"model.torch_dtype", "model.dtype", "model.config.torch_dtype"});
    }
    if (const Setting* at = first_of(root, {"optimizer._target_"})) {
        sheet.state(Fact::optimizer, last_part(at->text), *at);
    }
    sheet.word(Fact::attention, root, {"model.attn_implementation", "model.backend.attn"});
    sheet.truth(Fact::compile, root, {"compile.enabled"});
    sheet.whole(Fact::lora_rank, root, {"peft.dim"});
    read_adapter_words(
        root, sheet,
        {.targets = {"peft.target_modules"}, .all = {"peft.match_all_linear"}, .dropout = {"peft.dropout"}});
    read_loaded_bits(root, sheet, {"quantization.load_in_4bit"}, {"quantization.load_in_8bit"});
}

}  // namespace traincost
