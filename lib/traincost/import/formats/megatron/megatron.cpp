// Megatron-LM's arguments: flags of a command, or the same names with underscores in YAML. Megatron-DeepSpeed
// adds its own.

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"
#include "traincost/import/formats/megatron/recomputed_parts.hpp"

namespace traincost {

int recognise_megatron(const Setting& root) {
    const int keys =
        points(root, {"tensor_model_parallel_size", "pipeline_model_parallel_size"}, 20) +
        points(root, {"micro_batch_size", "global_batch_size", "num_layers", "hidden_size"}, 12) +
        points(root,
               {"num_attention_heads", "seq_length", "train_iters", "train_samples", "model_parallel_size",
                "max_position_embeddings", "distributed_backend", "use_distributed_optimizer", "swiglu",
                "use_mcore_models", "position_embedding_type"},
               8);
    const Setting* program = root.peek("$program");
    const bool named = program != nullptr && program->text.find("pretrain_") != std::string::npos;
    return keys < 24 ? 0 : keys + (named ? 30 : 0);
}

int recognise_megatron_deepspeed(const Setting& root) {
    const int keys = recognise_megatron(root);
    return keys > 0 && (root.has("deepspeed_config") || root.has("deepspeed") || root.has("zero_stage") ||
                        root.has("deepspeed_activation_checkpointing"))
               ? keys + 10
               : 0;
}

namespace {

/// Whether one of these switches stands where a condition that nobody knows decides: no default follows.
bool said_unless(FactSheet& sheet, Fact fact, const Setting& root, Paths switches) {
    for (const std::string_view key : switches) {
        const Setting* at = root.peek(key);
        if (at != nullptr && at->is_scalar() && !as_truth(*at) && !as_word(*at) && !is_on(root, key)) {
            sheet.unknown(fact, *root.at(key), "a condition that is not known decides");
            return true;
        }
    }
    return false;
}

void read_megatron_degrees(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::tp, root, {"tensor_model_parallel_size", "model_parallel_size"});
    sheet.whole(Fact::pp, root, {"pipeline_model_parallel_size"});
    sheet.whole(Fact::cp, root, {"context_parallel_size", "ds_sequence_parallel_size"});
    sheet.whole(Fact::ep, root, {"expert_model_parallel_size", "moe_expert_parallel_size"});
    sheet.whole(Fact::dp, root, {"data_parallel_size"});
    for (const Fact fact : {Fact::tp, Fact::pp, Fact::cp, Fact::ep}) {
        sheet.assume(fact, std::int64_t{1}, "Megatron's " + std::string(fact_name(fact)));
    }
    sheet.truth(Fact::tp_overlap, root, {"tp_comm_overlap", "ub_tp_comm_overlap"});
    if (said_unless(sheet, Fact::sequence_parallel, root, {"sequence_parallel"})) {
        return;
    }
    if (const Setting* at = first_of(root, {"sequence_parallel"})) {
        state_sequence_parallel(*at, as_truth(*at).value_or(false), sheet);
    }
    sheet.assume(Fact::sequence_parallel, false, "--sequence-parallel");
}

/// Stages of "Et*3|(tt|)*29,m|L": what stands between bars; a group is repeated.
std::int64_t stages_of(std::string_view layout) {
    constexpr std::int64_t most = 1 << 16;
    std::int64_t bars = 0;
    while (!layout.empty()) {
        const std::size_t end = layout.front() == '(' ? layout.find(")*") : layout.npos;
        if (end == layout.npos) {
            bars += layout.front() == '|' ? 1 : 0;
            layout.remove_prefix(1);
            continue;
        }
        const std::int64_t inside = std::count(layout.begin(), layout.begin() + end, '|');
        layout.remove_prefix(end + 2);
        std::int64_t times = 0;
        while (!layout.empty() && layout.front() >= '0' && layout.front() <= '9' && times < most) {
            times = 10 * times + (layout.front() - '0');
            layout.remove_prefix(1);
        }
        bars = std::min(most, bars + inside * times);
    }
    return bars + 1;
}

void read_chunks(const Setting& root, FactSheet& sheet) {
    const Setting* per_chunk = first_of(root, {"num_layers_per_virtual_pipeline_stage"});
    const Setting* chunks =
        first_of(root, {"num_virtual_stages_per_pipeline_rank", "virtual_pipeline_model_parallel_size"});
    const Setting* layout = first_of(root, {"pipeline_model_parallel_layout"});
    const Setting* layers = root.peek("num_layers");
    const auto pp = sheet.count(Fact::pp);
    if (chunks != nullptr) {
        sheet.whole(Fact::vp, root,
                    {"num_virtual_stages_per_pipeline_rank", "virtual_pipeline_model_parallel_size"});
    } else if (per_chunk != nullptr) {
        const std::int64_t n = as_whole(*per_chunk).value_or(0);
        const std::int64_t depth = layers == nullptr ? 0 : as_whole(*layers).value_or(0);
        if (n > 0 && depth > 0 && pp && depth % (*pp * n) == 0) {
            sheet.state(Fact::vp, depth / (*pp * n), *per_chunk);
        } else {
            sheet.unknown(Fact::vp, *per_chunk,
                          "layers per chunk, without layers and stages that they divide");
        }
    } else if (layout != nullptr && says_nothing(*layout)) {
        layout->read = true;
    } else if (layout != nullptr && layout->is_scalar() && pp && stages_of(layout->text) % *pp == 0) {
        sheet.state(Fact::vp, stages_of(layout->text) / *pp, *layout);
    } else if (layout != nullptr) {
        sheet.unknown(Fact::vp, *layout, "a layout of layers is not understood");
    }
    sheet.assume(Fact::vp, std::int64_t{1}, "--num-layers-per-virtual-pipeline-stage");
}

void read_megatron_sharding(const Setting& root, FactSheet& sheet) {
    if (said_unless(sheet, Fact::zero, root, {"use_distributed_optimizer"})) {
        return;
    }
    const bool fsdp = is_on(root, "use_megatron_fsdp") || is_on(root, "use_custom_fsdp");
    const Setting* strategy = first_of(root, {"data_parallel_sharding_strategy"});
    if (fsdp) {
        const Setting& by =
            root.has("use_megatron_fsdp") ? *root.at("use_megatron_fsdp") : *root.at("use_custom_fsdp");
        read_megatron_fsdp(by, strategy, sheet);
        is_on(root, "use_distributed_optimizer");
    } else if (is_on(root, "use_torch_fsdp2")) {
        sheet.state(Fact::zero, std::int64_t{3}, *root.at("use_torch_fsdp2"));
    } else if (const Setting* at = first_of(root, {"use_distributed_optimizer"})) {
        sheet.state(Fact::zero, std::int64_t{as_truth(*at).value_or(false) ? 1 : 0}, *at);
    } else if (!root.has("zero_stage") && !root.has("deepspeed_config") &&
               !root.has("deepspeed_config_file")) {  // DeepSpeed's file says it
        sheet.assume(Fact::zero, std::int64_t{0}, "--use-distributed-optimizer");
    }
}

void read_megatron_recompute(const Setting& root, FactSheet& sheet) {
    const Setting* granularity = first_of(root, {"recompute_granularity"});
    first_of(root, {"checkpoint_num_layers"});
    if (granularity == nullptr &&
        said_unless(sheet, Fact::recompute, root, {"recompute_activations", "checkpoint_activations"})) {
        return;
    }
    if (granularity != nullptr) {
        sheet.word(Fact::recompute, root, {"recompute_granularity"});
    } else if (is_on(root, "recompute_activations")) {
        sheet.state(Fact::recompute, "selective", *root.at("recompute_activations"));
    } else if (const Setting* off = first_of(root, {"recompute_activations"});
               off != nullptr && as_truth(*off) == false) {
        sheet.state(Fact::recompute, "none", *off);
    } else if (const Setting* old = first_of(root, {"activations_checkpoint_method"})) {
        sheet.state(Fact::recompute, "full", *old);
    } else {
        for (const std::string_view key : {"checkpoint_activations", "deepspeed_activation_checkpointing"}) {
            if (is_on(root, key)) {
                sheet.state(Fact::recompute, "full", *root.at(key));
                is_on(root, "deepspeed_activation_checkpointing");
                break;
            }
        }
    }
    // MindSpeed's, of the function between a block's two products.
    const bool functions = is_on(root, "recompute_activation_function");
    if (functions && !sheet.has(Fact::recompute)) {
        const Setting& by = *root.at("recompute_activation_function");
        sheet.state(Fact::recompute, "selective", by);
        sheet.state(Fact::recompute_modules, "activation", by);
    }
    read_recomputed_parts(root, sheet,
                          {.method = {"recompute_method", "activations_checkpoint_method"},
                           .layers = {"recompute_num_layers", "activations_checkpoint_num_layers"},
                           .modules = {"recompute_modules"}});
    sheet.assume(Fact::recompute, "none", "--recompute-granularity");
}

/// DeepEP, by its newer word or its older switch, under the dispatcher that takes it.
void read_token_dispatch(const Setting& root, FactSheet& sheet) {
    const Setting* kind = first_of(root, {"moe_token_dispatcher_type"});
    const Setting* backend = first_of(root, {"moe_flex_dispatcher_backend"});
    const bool older = is_on(root, "moe_enable_deepep");
    const bool flexible = kind != nullptr && kind->text == "flex";
    sheet.reading.dispatches =
        flexible &&
        (older || (backend != nullptr && (backend->text == "deepep" || backend->text == "hybridep")));
}

/// One rate for hidden states and attention. Where they differ that of hidden states counts, whose masks are
/// kept under any attention kernel. No default: presets and forks that take these keys switch it off.
void read_megatron_dropout(const Setting& root, FactSheet& sheet) {
    const Setting* hidden = first_of(root, {"hidden_dropout"});
    const Setting* attention = first_of(root, {"attention_dropout"});
    if (hidden == nullptr) {
        return;
    }
    const auto rate = as_number(*hidden);
    if (!rate || *rate < 0.0 || *rate >= 1.0) {
        sheet.unknown(Fact::dropout, *hidden, "a fraction below 1 is expected");
        return;
    }
    sheet.state(Fact::dropout, *rate, *hidden);
    if (attention != nullptr && as_number(*attention) != rate) {
        sheet.remark(*attention, "the rate of hidden states counts for attention too");
    }
}

void read_megatron_precision(const Setting& root, FactSheet& sheet) {
    const Setting* fp4 = first_of(root, {"fp4_format", "fp4"});
    const Setting* fp8 = first_of(root, {"fp8_format", "fp8", "fp8_hybrid", "fp8_e4m3"});
    const bool bf16 = is_on(root, "bf16");
    const bool fp16 = is_on(root, "fp16");
    if (said_unless(sheet, Fact::precision, root, {"bf16", "fp16", "fp8_format", "fp8_hybrid", "fp8_e4m3"})) {
        return;
    }
    if (fp4 != nullptr && as_truth(*fp4) != std::optional(false)) {
        sheet.state(Fact::precision, "fp4", *fp4);
    } else if (fp8 != nullptr && as_truth(*fp8) != std::optional(false)) {
        sheet.state(Fact::precision, "fp8", *fp8);
        read_fp8_scaling(root, sheet, {"fp8_recipe"});
        first_of(root, {"fp8_amax_history_len", "fp8_amax_compute_algo"});
    } else if (bf16) {
        sheet.state(Fact::precision, "bf16", *root.at("bf16"));
    } else if (fp16) {
        sheet.state(Fact::precision, "fp16", *root.at("fp16"));
    } else {
        sheet.assume(Fact::precision, "fp32", "--bf16 and --fp16");
    }
}

void read_megatron_model(const Setting& root, FactSheet& sheet) {
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", root, {"num_layers"});
    // MindSpeed fills stages up with layers that do nothing: "94,95".
    if (const Setting* idle = first_of(root, {"noop_layers"}); idle != nullptr && !dimensions.empty()) {
        const auto idle_layers = 1 + std::count(idle->text.begin(), idle->text.end(), ',');
        dimensions.front().second = std::max<std::int64_t>(dimensions.front().second - idle_layers, 1);
    }
    if (const Setting* pattern = first_of(root, {"hybrid_layer_pattern", "hybrid_override_pattern"});
        pattern != nullptr && dimensions.empty()) {
        dimensions.emplace_back("layers", static_cast<std::int64_t>(pattern->text.size()));
    }
    add_dimension(dimensions, "hidden", root, {"hidden_size"});
    add_dimension(dimensions, "heads", root, {"num_attention_heads"});
    const Setting* grouped = first_of(root, {"group_query_attention"});
    const Setting* groups = first_of(root, {"num_query_groups", "num_key_value_heads"});
    const bool is_grouped =
        grouped != nullptr ? as_truth(*grouped).value_or(false) : root.has("num_key_value_heads");
    if (groups != nullptr && is_grouped && as_whole(*groups)) {
        dimensions.emplace_back("kv_heads", *as_whole(*groups));
    }
    if (!is_on(root, "multi_latent_attention")) {  // whose heads have widths of their own
        add_dimension(dimensions, "head_dim", root, {"kv_channels"});
    }
    add_dimension(dimensions, "ffn", root, {"ffn_hidden_size"});
    add_dimension(dimensions, "experts", root, {"num_experts", "moe_num_experts"});
    add_dimension(dimensions, "experts_per_token", root, {"moe_router_topk", "topk", "moe_top_k"});
    add_dimension(dimensions, "expert_ffn", root, {"moe_ffn_hidden_size"});
    add_dimension(dimensions, "vocab", root, {"vocab_size", "padded_vocab_size"});
    read_tokenizer(root, sheet, {"tokenizer_model", "tokenizer_name_or_path"});
    state_dimensions(sheet, dimensions, root,
                     {"num_layers", "hybrid_layer_pattern", "hybrid_override_pattern", "hidden_size"});
    if (!sheet.has(Fact::model)) {  // slime and its kin, whose dimensions stand in a file of their own
        sheet.word(Fact::model, root, {"hf_checkpoint"});
    }
}

}  // namespace

void read_megatron(const Setting& root, FactSheet& sheet) {
    read_megatron_degrees(root, sheet);
    read_megatron_model(root, sheet);
    read_chunks(root, sheet);
    sheet.whole(Fact::sequence, root, {"seq_length", "encoder_seq_length"});
    sheet.whole(Fact::micro_batch, root, {"micro_batch_size", "batch_size"});
    sheet.whole(Fact::global_batch, root, {"global_batch_size"});
    if (const Setting* ramp = first_of(root, {"rampup_batch_size", "step_batch_size_schedule"})) {
        sheet.remark(*ramp, "the batch grows to its global size");
    } else if (sheet.has(Fact::micro_batch) &&  // which DeepSpeed's file states, where there is one
               !root.has_any({"global_batch_size", "deepspeed_config", "deepspeed_config_file"})) {
        sheet.assume(Fact::accumulation, std::int64_t{1}, "--global-batch-size");
    }
    read_megatron_sharding(root, sheet);
    read_megatron_recompute(root, sheet);
    read_token_dispatch(root, sheet);
    read_megatron_precision(root, sheet);
    read_megatron_dropout(root, sheet);
    sheet.word(Fact::optimizer, root, {"optimizer"});
    sheet.assume(Fact::optimizer, "adam", "--optimizer");
    sheet.word(Fact::attention, root, {"attention_backend"});
    for (const std::string_view key :
         {"use_flash_attn", "use_flash_attn_v2", "use_flash_attn_v1", "use_flash_attn_triton"}) {
        if (!sheet.has(Fact::attention) && is_on(root, key)) {
            sheet.state(Fact::attention, "flash", *root.at(key));
        }
    }
    read_kept_aside(root, root, sheet);
    sheet.whole(Fact::nodes, root, {"num_nodes"});
    if (const Setting* kind = first_of(root, {"peft_type"}); kind != nullptr && lower(kind->text) == "lora") {
        sheet.whole(Fact::lora_rank, root, {"lora_dim"});
    }
    if (root.has("$program")) {  // MindSpeed's; frameworks that take these keys in YAML have their own
        sheet.whole(Fact::lora_rank, root, {"lora_r"});
    }
}

void read_megatron_deepspeed(const Setting& root, FactSheet& sheet) {
    read_megatron(root, sheet);
    const Setting* config = first_of(root, {"deepspeed_config", "deepspeed_config_file"});
    if (config != nullptr) {
        refer_to_file(*config, sheet);
    }
    root.at("deepspeed");
    sheet.whole(Fact::zero, root, {"zero_stage"}, 0);
    if (config == nullptr) {
        sheet.assume(Fact::zero, std::int64_t{1}, "--zero-stage");
    }
}

}  // namespace traincost
