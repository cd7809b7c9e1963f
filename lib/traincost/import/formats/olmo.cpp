// OLMo's first trainer; OLMo-core and open-instruct where they state a batch in tokens.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_olmo(const Setting& root) {
    if (!root.has("model.d_model")) {
        return 0;
    }
    return points(root,
                  {"global_train_batch_size", "device_train_microbatch_size", "fsdp", "distributed_strategy",
                   "model.max_sequence_length"},
                  12) +
           points(root,
                  {"model.mlp_ratio", "model.mlp_hidden_size", "model.weight_tying", "model.embedding_size",
                   "data.paths", "tokenizer.identifier", "save_folder", "evaluators", "model.include_bias"},
                  8);
}

void read_olmo(const Setting& root, FactSheet& sheet) {
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", root, {"model.n_layers"});
    add_dimension(dimensions, "hidden", root, {"model.d_model"});
    add_dimension(dimensions, "heads", root, {"model.n_heads"});
    add_dimension(dimensions, "kv_heads", root, {"model.n_kv_heads"});
    // Both halves of a gated width stand together.
    const Setting* activation = first_of(root, {"model.activation_type"});
    const bool gated = activation == nullptr || activation->text == "swiglu";
    const Setting* width = first_of(root, {"model.mlp_hidden_size"});
    const Setting* ratio = first_of(root, {"model.mlp_ratio"});
    const Setting* hidden = root.peek("model.d_model");
    const std::int64_t stated = width != nullptr ? as_whole(*width).value_or(0)
                                : ratio != nullptr && hidden != nullptr
                                    ? times(as_whole(*ratio).value_or(0), as_whole(*hidden).value_or(0))
                                    : 0;
    const Setting* kind = first_of(root, {"model.model_name"});
    const bool is_own = kind == nullptr || kind->text == "olmo";
    if (!is_own) {
        sheet.remark(*kind, "layers of another kind");
    } else if (stated > 0 && activation == nullptr && root.has("fsdp_config")) {
        sheet.remark(width != nullptr ? *width : *ratio, "whether the first trainer's width is gated");
    } else if (stated > 0) {
        dimensions.emplace_back("ffn", gated ? stated / 2 : stated);
    }
    add_dimension(dimensions, "vocab", root, {"model.vocab_size"});
    state_dimensions(sheet, dimensions, root, {"model.n_layers", "model.d_model"});
    sheet.whole(Fact::sequence, root, {"model.max_sequence_length"});
    sheet.whole(Fact::global_batch, root, {"global_train_batch_size"});
    sheet.whole(Fact::micro_batch, root, {"device_train_microbatch_size"});
    read_precision_word(root, sheet, {"precision"});
    const Setting* strategy = first_of(root, {"distributed_strategy"});
    const Setting* fsdp = root.has("fsdp") ? root.at("fsdp") : root.at("fsdp_config");
    if (strategy != nullptr && strategy->text == "ddp") {
        sheet.state(Fact::zero, std::int64_t{0}, *strategy);
    } else if (fsdp != nullptr && fsdp->is_map()) {
        if (const Setting* at = first_of(*fsdp, {"sharding_strategy"})) {
            if (const auto stage = stage_of_strategy(at->text)) {
                sheet.state(Fact::zero, *stage, *at);
            }
        }
        fsdp->at("precision");
        fsdp->at("wrapping_strategy");
        read_checkpointing_switch(*fsdp, sheet, {"activation_checkpointing"});
        if (is_on(*fsdp, "activation_cpu_offload")) {
            sheet.state(Fact::offload, "cpu (activations)", *fsdp->at("activation_cpu_offload"));
        }
    }
    sheet.assume(Fact::zero, std::int64_t{3}, "fsdp.sharding_strategy");
    const Setting* policy = root.at("activation_checkpointing");
    if (policy != nullptr && says_nothing(*policy)) {
        sheet.state(Fact::recompute, "none", *policy);
    } else if (policy != nullptr) {
        sheet.state(Fact::recompute, policy->text == "whole_layer" ? "full" : policy->text, *policy);
    }
    sheet.assume(Fact::recompute, "none", "activation_checkpointing");
    if (const Setting* compile = root.at("compile")) {
        sheet.state(Fact::compile, compile->is_map(), *compile);
        for (const SettingMember& m : compile->members) {
            m.value.read = true;
        }
    }
    sheet.assume(Fact::compile, false, "compile");
    sheet.word(Fact::optimizer, root, {"optimizer.name"});
    if (is_on(root, "model.flash_attention")) {
        sheet.state(Fact::attention, "flash", *root.at("model.flash_attention"));
    }
    assume_data_parallel_only(sheet, "OLMo");
}

}  // namespace traincost
