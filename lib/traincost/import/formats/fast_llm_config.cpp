// Fast-LLM's three schemas: flags and YAML of 2024, decoder blocks of 2025, batches in tokens of 2026.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_fast_llm(const Setting& root) {
    const Setting* program = root.peek("$program");
    return points(root, {"model.base_model", "model.multi_stage", "model.distributed"}, 25) +
           points(root,
                  {"batch.micro_batch_size", "batch.sequence_length", "batch.batch_size",
                   "training.train_iters", "pretrained.path", "data.micro_batch_size", "schedule"},
                  10) +
           (program != nullptr && (program->text.find("fast-llm") != std::string::npos ||
                                   program->text.find("fast_llm") != std::string::npos)
                ? 120  // its flags are like Megatron's
                : 0);
}

namespace {

void read_fast_llm_model(const Setting& root, FactSheet& sheet) {
    const Setting* base = root.at("model.base_model");
    if (base != nullptr && base->is_map()) {
        ModelDimensions dimensions;
        add_dimension(dimensions, "layers", *base,
                      {"decoder.num_blocks", "transformer.num_layers", "num_layers"});
        add_dimension(dimensions, "hidden", *base,
                      {"hidden_size", "embeddings.hidden_size", "transformer.hidden_size"});
        add_dimension(
            dimensions, "heads", *base,
            {"decoder.block.mixer.heads", "transformer.num_attention_heads", "num_attention_heads"});
        add_dimension(dimensions, "kv_heads", *base,
                      {"decoder.block.mixer.head_groups", "transformer.head_groups", "head_groups"});
        add_dimension(
            dimensions, "ffn", *base,
            {"decoder.block.mlp.intermediate_size", "transformer.ffn_hidden_size", "ffn_hidden_size"});
        add_dimension(dimensions, "vocab", *base,
                      {"embeddings.vocab_size", "embeddings_layer.vocab_size", "vocab_size"});
        add_dimension(dimensions, "experts", *base,
                      {"decoder.block.mlp.experts", "transformer.num_experts", "num_experts"});
        state_dimensions(sheet, dimensions, *base,
                         {"decoder.num_blocks", "transformer.num_layers", "num_layers", "hidden_size"});
    }
    if (!sheet.has(Fact::model)) {
        sheet.word(Fact::model, root, {"pretrained.path"});
    }
    if (!sheet.has(Fact::model) && root.has("num_layers")) {  // flags of 2024
        ModelDimensions dimensions;
        add_dimension(dimensions, "layers", root, {"num_layers"});
        add_dimension(dimensions, "hidden", root, {"hidden_size"});
        add_dimension(dimensions, "heads", root, {"num_attention_heads"});
        add_dimension(dimensions, "kv_heads", root, {"head_groups"});
        add_dimension(dimensions, "ffn", root, {"ffn_hidden_size"});
        state_dimensions(sheet, dimensions, root, {"num_layers", "hidden_size"});
    }
}

// Blocks of several kinds each say for themselves: a fact where they agree.
void read_block_recompute(const Setting& root, FactSheet& sheet) {
    const Setting* blocks = root.peek("model.base_model.decoder.blocks");
    const Setting* first = nullptr;
    bool agree = true;
    for (std::size_t i = 0; blocks != nullptr && i < blocks->members.size(); ++i) {
        for (const std::string_view path :
             {"mlp.recompute_level", "mlp.dense.recompute_level", "mlp.routed.recompute_level"}) {
            if (const Setting* level = blocks->members[i].value.at(path)) {
                agree = agree && (first == nullptr || first->text == level->text);
                first = first == nullptr ? level : first;
            }
        }
    }
    if (first != nullptr && agree) {
        sheet.state(Fact::recompute, first->text, *first);
    } else if (first != nullptr) {
        sheet.unknown(Fact::recompute, *first, "the kinds of block differ");
    }
}

}  // namespace

void read_fast_llm(const Setting& root, FactSheet& sheet) {
    read_fast_llm_model(root, sheet);
    const Setting* tokens = first_of(root, {"data.micro_batch_size"});
    if (tokens != nullptr) {
        sheet.whole(Fact::sequence, root, {"data.maximum_document_length"});
        const auto x = as_whole(*tokens);
        const auto sequence = sheet.count(Fact::sequence);
        if (x && sequence && *x % *sequence == 0) {
            sheet.state(Fact::micro_batch, *x / *sequence, *tokens);
        } else {
            sheet.unknown(Fact::micro_batch, *tokens, "tokens that are not a whole number of sequences");
        }
    } else {
        sheet.whole(Fact::micro_batch, root, {"batch.micro_batch_size", "micro_batch_size"});
        sheet.whole(Fact::sequence, root, {"batch.sequence_length", "sequence_length"});
    }
    sheet.whole(Fact::global_batch, root, {"training.global_batch_size", "batch.batch_size", "batch_size"});
    std::int64_t steps = 1;
    const Setting* by = nullptr;
    for (const std::string_view key :
         {"sequential_micro_batches", "depth_first_micro_batches", "breadth_first_micro_batches"}) {
        const Setting* at =
            first_of(root, {"batch." + std::string(key), key, "schedule." + std::string(key)});
        if (at != nullptr && as_whole(*at).value_or(0) > 0) {
            steps *= *as_whole(*at);
            by = at;
        }
    }
    if (by != nullptr) {
        sheet.state(Fact::accumulation, steps, *by);
    }
    sheet.whole(Fact::tp, root, {"model.distributed.tensor_parallel", "tensor_parallel"});
    sheet.whole(Fact::pp, root, {"model.distributed.pipeline_parallel", "pipeline_parallel"});
    sheet.whole(Fact::cp, root, {"model.distributed.sequence_data_parallel", "sequence_data_parallel"});
    for (const Fact fact : {Fact::tp, Fact::pp, Fact::cp}) {
        sheet.assume(fact, std::int64_t{1}, "distributed in Fast-LLM");
    }
    sheet.truth(Fact::sequence_parallel, root,
                {"model.distributed.sequence_tensor_parallel", "sequence_tensor_parallel"});
    sheet.whole(Fact::zero, root, {"model.multi_stage.zero_stage", "zero_stage"}, 0);
    read_precision_word(root, sheet,
                        {"model.distributed.compute_dtype", "model.distributed.training_dtype",
                         "training_dtype", "compute_dtype"});
    if (const Setting* at = first_of(root, {"model.base_model.transformer.full_precision_residual"})) {
        at->read = true;
    }
    sheet.assume(Fact::optimizer, "adam", "Fast-LLM, which has no other");
    if (const Setting* level =
            first_of(root, {"model.base_model.decoder.block.mlp.recompute_level",
                            "model.base_model.transformer.mlp_recompute_level", "mlp_recompute_level"})) {
        sheet.state(Fact::recompute, level->text, *level);
    }
    read_block_recompute(root, sheet);
}

}  // namespace traincost
