// OLMo-core's training scripts in Python: batches are in tokens.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_olmo_core(const Setting& root) {
    return points(root, {"train_module.rank_microbatch_size", "data_loader.global_batch_size"}, 40) +
           points(root, {"train_module.optim", "train_module.dp_config", "trainer"}, 10);
}

namespace {

/// A number of tokens as sequences, where they are a whole number of them.
void state_tokens(Fact fact, const Setting& root, FactSheet& sheet, Paths paths) {
    const Setting* at = first_of(root, paths);
    if (at == nullptr) {
        return;
    }
    const auto tokens = as_whole(*at);
    const auto sequence = sheet.count(Fact::sequence);
    if (tokens && sequence && *sequence > 0 && *tokens >= *sequence && *tokens % *sequence == 0) {
        sheet.state(fact, *tokens / *sequence, *at);
    } else {
        sheet.unknown(fact, *at, "tokens that are not a whole number of sequences");
    }
}

void read_olmo_core_sharding(const Setting& root, FactSheet& sheet) {
    if (const Setting* at =
            first_of(root, {"train_module.dp_config.name", "train_module.dp_config.$class"})) {
        const std::string name = lower(last_part(at->text));
        if (name == "fsdp" || name == "hsdp") {
            sheet.state(Fact::zero, std::int64_t{3}, *at);
        } else if (name == "ddp") {
            sheet.state(Fact::zero, std::int64_t{0}, *at);
        }
    }
    sheet.whole(Fact::tp, root, {"train_module.tp_config.degree"});
    sheet.whole(Fact::pp, root, {"train_module.pp_config.degree"});
    sheet.whole(Fact::cp, root, {"train_module.cp_config.degree"});
    sheet.whole(Fact::ep, root, {"train_module.ep_config.degree"});
    const std::pair<Fact, std::string_view> blocks[] = {{Fact::tp, "train_module.tp_config"},
                                                        {Fact::pp, "train_module.pp_config"},
                                                        {Fact::cp, "train_module.cp_config"},
                                                        {Fact::ep, "train_module.ep_config"}};
    for (const auto& [fact, block] : blocks) {
        if (const Setting* at = root.peek(block); at == nullptr || at->is_null()) {
            sheet.assume(fact, std::int64_t{1}, block);
        }
    }
}

}  // namespace

void read_olmo_core(const Setting& root, FactSheet& sheet) {
    static const Setting nothing;
    if (const Setting* at = first_of(root, {"model.$class"})) {
        const std::string name = last_part(at->text);
        if (name.starts_with("llama_like")) {  // of any dimensions
            ModelDimensions dimensions;
            add_dimension(dimensions, "layers", root, {"model.n_layers"});
            add_dimension(dimensions, "hidden", root, {"model.d_model"});
            add_dimension(dimensions, "heads", root, {"model.n_heads"});
            add_dimension(dimensions, "kv_heads", root, {"model.n_kv_heads"});
            add_dimension(dimensions, "experts", root, {"model.num_experts"});
            state_dimensions(sheet, dimensions, root, {"model.n_layers", "model.d_model"});
        }
        if (!sheet.has(Fact::model) && at->text.find('.') != std::string::npos && name != "Config") {
            sheet.state(Fact::model, name, *at);
        }
    }
    if (const Setting* at = root.peek("train_module.max_sequence_length");
        at != nullptr && at->text.find("common.") != std::string::npos && !root.has("sequence_length")) {
        at->read = true;
        sheet.assume(Fact::sequence, std::int64_t{4096}, "sequence_length of its main");
    }
    sheet.whole(Fact::sequence, sheet.has(Fact::sequence) ? nothing : root,
                {"train_module.max_sequence_length", "dataset.sequence_length", "sequence_length"});
    state_tokens(Fact::micro_batch, root, sheet, {"train_module.rank_microbatch_size"});
    state_tokens(Fact::global_batch, root, sheet, {"data_loader.global_batch_size"});
    read_olmo_core_sharding(root, sheet);
    sheet.whole(Fact::nodes, root, {"launch.num_nodes", "num_nodes"});
    sheet.whole(Fact::gpus_per_node, root, {"launch.num_gpus"});
    if (is_on(root, "train_module.float8_config.enabled")) {
        sheet.state(Fact::precision, "fp8", *root.at("train_module.float8_config.enabled"));
        root.at("train_module.dp_config.param_dtype");
    } else {
        read_precision_word(root, sheet,
                            {"train_module.dp_config.param_dtype", "train_module.autocast_precision"});
    }
    if (const Setting* at = first_of(root, {"train_module.ac_config.mode"})) {
        sheet.state(Fact::recompute, lower(last_part(at->text)), *at);
    } else if (!root.has("train_module.ac_config")) {
        sheet.assume(Fact::recompute, "none", "train_module.ac_config");
    }
    if (const Setting* at = first_of(root, {"train_module.optim.$class"})) {
        sheet.state(Fact::optimizer, last_part(at->text), *at);
    }
    for (const std::string_view key :
         {"model.attn_backend", "model.use_flash", "model.block.attention.use_flash",
          "model.block.sequence_mixer.use_flash"}) {
        const Setting* at = root.at(key);
        if (at != nullptr && !sheet.has(Fact::attention) && at->is_scalar() &&
            as_truth(*at) != std::optional(false)) {
            sheet.state(Fact::attention, as_truth(*at) ? "flash" : lower(last_part(at->text)), *at);
        }
    }
    sheet.truth(Fact::compile, root, {"train_module.compile_model"});
}

}  // namespace traincost
