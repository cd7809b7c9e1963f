// GPT-NeoX: YAML in JSON's shape, keys with hyphens or underscores, several files merged.

#include <algorithm>

#include "traincost/base/multiples.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

namespace {

Setting with_underscores(const Setting& root) {
    Setting copy = root;
    for (SettingMember& m : copy.members) {
        std::replace(m.key.begin(), m.key.end(), '-', '_');
    }
    return copy;
}

int score(const Setting& root) {
    if (root.has("$program")) {
        return 0;  // its settings stand in files only
    }
    return points(root, {"pipe_parallel_size", "model_parallel_size"}, 25) +
           points(root,
                  {"pos_emb", "no_weight_tying", "gpt_j_residual", "attention_config",
                   "scaled_upper_triang_masked_softmax_fusion", "output_layer_parallelism",
                   "checkpoint_activations", "partition_activations"},
                  10) +
           points(root, {"train_micro_batch_size_per_gpu", "num_layers", "zero_optimization"}, 5);
}

void read_neox_model(const Setting& root, FactSheet& sheet) {
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", root, {"num_layers"});
    add_dimension(dimensions, "hidden", root, {"hidden_size"});
    add_dimension(dimensions, "heads", root, {"num_attention_heads"});
    add_dimension(dimensions, "kv_heads", root, {"num_kv_heads"});
    // A gated width is stated three times over: two thirds of it are both halves together.
    const Setting* width = first_of(root, {"intermediate_size"});
    const Setting* activation = first_of(root, {"activation"});
    const bool gated =
        (activation != nullptr && (activation->text == "swiglu" || activation->text == "geglu")) ||
        (first_of(root, {"mlp_type"}) != nullptr && first_of(root, {"mlp_type"})->text == "llama");
    if (width != nullptr && as_whole(*width)) {
        std::int64_t ffn = *as_whole(*width);
        if (gated) {
            const Setting* multiple = first_of(root, {"mlp_multiple_of"});
            const std::int64_t of =
                multiple == nullptr ? 1 : std::max<std::int64_t>(as_whole(*multiple).value_or(1), 1);
            ffn = round_up(ffn * 2 / 3 / 2, of);
        }
        dimensions.emplace_back("ffn", ffn);
    }
    add_dimension(dimensions, "experts", root, {"moe_num_experts", "num_experts"});
    state_dimensions(sheet, dimensions, root, {"num_layers", "hidden_size"});
}

void read_neox_recompute(const Setting& root, FactSheet& sheet) {
    const Setting* at = first_of(root, {"checkpoint_activations"});
    if (at == nullptr) {
        sheet.assume(Fact::recompute, "none", "checkpoint_activations");
        return;
    }
    read_checkpointing_switch(root, sheet, {"checkpoint_activations"});
    first_of(root, {"checkpoint_num_layers"});
}

void read_neox_attention(const Setting& root, FactSheet& sheet) {
    const Setting* config = root.at("attention_config");
    if (config == nullptr || config->items.empty() || config->items[0].items.empty() ||
        config->items[0].items[0].items.empty()) {
        return;
    }
    const Setting& kind = config->items[0].items[0].items[0];
    sheet.state(Fact::attention, kind.text, kind);
}

}  // namespace

int recognise_gpt_neox(const Setting& root) {
    if (root.has("tensor_model_parallel_size") || root.has("model.tensor_model_parallel_size")) {
        return 0;
    }
    return std::max(score(root), score(with_underscores(root))) + named(root, {"deepy.py"}, 60);
}

void read_gpt_neox(const Setting& original, FactSheet& sheet) {
    const Setting root = with_underscores(original);
    mark_read(original);
    read_neox_model(root, sheet);
    sheet.whole(Fact::tp, root, {"model_parallel_size"});
    if (const Setting* at = first_of(root, {"pipe_parallel_size"})) {
        sheet.state(Fact::pp, std::max<std::int64_t>(as_whole(*at).value_or(1), 1), *at);
    }
    sheet.whole(Fact::cp, root, {"context_parallel_size"});
    sheet.whole(Fact::ep, root, {"moe_expert_parallel_size"});
    sheet.truth(Fact::sequence_parallel, root, {"sequence_parallel"});
    sheet.whole(Fact::sequence, root, {"seq_length"});
    sheet.whole(Fact::micro_batch, root, {"train_micro_batch_size_per_gpu"});
    sheet.whole(Fact::global_batch, root, {"train_batch_size"});
    const Setting* steps = first_of(root, {"gradient_accumulation_steps"});
    if (steps != nullptr && steps->text != "auto") {
        sheet.whole(Fact::accumulation, root, {"gradient_accumulation_steps"});
    }
    sheet.whole(Fact::gpus, root, {"global_num_gpus"});
    sheet.whole(Fact::gpus_per_node, root, {"num_gpus"});
    sheet.whole(Fact::nodes, root, {"num_nodes"});
    sheet.whole(Fact::zero, root, {"zero_optimization.stage"}, 0);
    if (const Setting* at = first_of(root, {"zero_optimization.offload_optimizer.device"});
        at != nullptr && at->text != "none") {
        sheet.state(Fact::offload, at->text + " (optimizer)", *at);
    } else if (is_on(root, "zero_optimization.cpu_offload")) {
        sheet.state(Fact::offload, "cpu (optimizer)", *root.at("zero_optimization.cpu_offload"));
    } else if (const Setting* old = root.at("zero_optimization.cpu_offload");
               old != nullptr && as_truth(*old) == std::optional(false)) {
        sheet.state(Fact::offload, "none", *old);
    }
    if (is_on(root, "bf16.enabled")) {
        sheet.state(Fact::precision, "bf16", *root.at("bf16.enabled"));
    } else if (const Setting* word = first_of(root, {"precision"})) {
        sheet.state(Fact::precision, precision_word(word->text).value_or(word->text), *word);
    } else if (const Setting* half = first_of(root, {"fp16.enabled"});
               half != nullptr && as_truth(*half).value_or(false)) {
        const Setting* type = first_of(root, {"fp16.type"});
        sheet.state(Fact::precision, type != nullptr && type->text == "bfloat16" ? "bf16" : "fp16", *half);
    }
    if (const Setting* at = first_of(root, {"optimizer.type"})) {
        const bool narrow = lower(at->text) == "adam" && is_on(root, "use_bnb_optimizer");
        sheet.state(Fact::optimizer, narrow ? at->text + "8bit" : at->text, *at);
    }
    read_neox_attention(root, sheet);
    // An architecture alone is merged with a file that says the rest.
    if (root.has("train_micro_batch_size_per_gpu") || root.has("train_batch_size")) {
        read_neox_recompute(root, sheet);
        sheet.assume(Fact::tp, std::int64_t{1}, "model_parallel_size");
        sheet.assume(Fact::pp, std::int64_t{1}, "pipe_parallel_size");
        sheet.assume(Fact::cp, std::int64_t{1}, "context_parallel_size");
        sheet.assume(Fact::zero, std::int64_t{0}, "zero_optimization.stage");
        if (!sheet.has(Fact::global_batch)) {
            sheet.assume(Fact::accumulation, std::int64_t{1}, "gradient_accumulation_steps");
        }
    } else if (root.has("checkpoint_activations")) {
        read_neox_recompute(root, sheet);
    }
    list_unread(root, sheet.reading.unread);
}

}  // namespace traincost
