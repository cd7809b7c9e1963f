// nanotron's YAML. Its expert-parallel ranks multiply the world.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_nanotron(const Setting& root) {
    return points(root, {"parallelism.dp", "tokens.sequence_length", "tokens.micro_batch_size"}, 25) +
           points(root, {"parallelism.pp_engine", "model.model_config", "general.project", "data_stages"},
                  12);
}

void read_nanotron(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::dp, root, {"parallelism.dp"});
    sheet.whole(Fact::tp, root, {"parallelism.tp"});
    sheet.whole(Fact::pp, root, {"parallelism.pp"});
    sheet.whole(Fact::cp, root, {"parallelism.context_parallel_size"});
    sheet.whole(Fact::ep, root, {"parallelism.expert_parallel_size"});
    sheet.assume(Fact::cp, std::int64_t{1}, "parallelism.context_parallel_size");
    sheet.assume(Fact::ep, std::int64_t{1}, "parallelism.expert_parallel_size");
    const auto ep = sheet.count(Fact::ep);
    const auto dp = sheet.count(Fact::dp), tp = sheet.count(Fact::tp), pp = sheet.count(Fact::pp),
               cp = sheet.count(Fact::cp);
    if (ep && *ep > 1 && dp && tp && pp && cp) {
        sheet.experts_multiply_world = true;
        sheet.derive(Fact::gpus, times(times(times(*dp, *tp), times(*pp, *cp)), *ep),
                     "dp x tp x pp x cp x ep");
    }
    sheet.whole(Fact::micro_batch, root, {"tokens.micro_batch_size"});
    sheet.whole(Fact::sequence, root, {"tokens.sequence_length"});
    sheet.whole(Fact::accumulation, root, {"tokens.batch_accumulation_per_replica"});
    sheet.whole(Fact::zero, root, {"optimizer.zero_stage"}, 0);
    if (const Setting* mode = first_of(root, {"parallelism.tp_mode"})) {
        state_sequence_parallel(*mode, lower(mode->text) == "reduce_scatter", sheet);
    }
    sheet.assume(Fact::sequence_parallel, false, "parallelism.tp_mode");
    read_checkpointing_switch(root, sheet, {"parallelism.recompute_layer"});
    if (const Setting* at = first_of(root, {"parallelism.recompute_granularity"})) {  // until 2024
        sheet.state(Fact::recompute, says_nothing(*at) ? "none" : lower(at->text), *at);
    }
    sheet.assume(Fact::recompute, "none", "parallelism.recompute_layer");
    read_precision_word(root, sheet, {"model.dtype"});
    sheet.word(Fact::optimizer, root, {"optimizer.optimizer_factory.name"});
    sheet.word(Fact::attention, root,
               {"model.model_config._attn_implementation", "model._attn_implementation"});
    if (const Setting* config = root.at("model.model_config"); config != nullptr && config->is_map()) {
        ModelDimensions dimensions;
        add_dimension(dimensions, "layers", *config, {"num_hidden_layers"});
        add_dimension(dimensions, "hidden", *config, {"hidden_size"});
        add_dimension(dimensions, "heads", *config, {"num_attention_heads"});
        add_dimension(dimensions, "kv_heads", *config, {"num_key_value_heads"});
        add_dimension(dimensions, "ffn", *config, {"intermediate_size"});
        add_dimension(dimensions, "vocab", *config, {"vocab_size"});
        add_dimension(dimensions, "experts", *config, {"moe_config.num_experts"});
        add_dimension(dimensions, "experts_per_token", *config, {"moe_config.top_k"});
        read_tokenizer(root, sheet, {"tokenizer.tokenizer_name_or_path"});
        state_dimensions(sheet, dimensions, *config, {"num_hidden_layers", "hidden_size"});
        config->at("pretraining_tp");
    }
}

}  // namespace traincost
