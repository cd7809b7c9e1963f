// llm-foundry (Composer) YAML.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_llm_foundry(const Setting& root) {
    if (root.has("distributed_strategy") ||
        (root.has("model.d_model") && (root.has("fsdp") || root.has("model.max_sequence_length")))) {
        return 0;  // OLMo's keys
    }
    const Setting* program = root.peek("$program");
    const bool composer = program != nullptr && program->text.starts_with("composer");
    return (composer ? 30 : 0) +
           points(root,
                  {"max_seq_len", "device_train_microbatch_size", "fsdp_config", "device_eval_batch_size"},
                  20) +
           points(root,
                  {"global_train_batch_size", "train_loader", "algorithms", "max_duration", "model.name"},
                  10);
}

namespace {

/// What the rest of a program makes: its model, its optimizer.
void read_composer_program(const Setting& root, FactSheet& sheet) {
    const Setting* rest = root.peek("$loop");
    if (rest == nullptr) {
        return;
    }
    for (const auto& [fact, key] :
         {std::pair{Fact::optimizer, "optimizer"}, std::pair{Fact::model, "model_name_or_path"}}) {
        const Setting* at = rest->peek(key);
        if (at != nullptr && !sheet.has(fact) && as_word(*at)) {
            sheet.state(fact, at->text, *at);
        }
    }
    if (const Setting* at = rest->peek("max_seq_length");
        at != nullptr && !sheet.has(Fact::sequence) && as_whole(*at).value_or(0) > 0) {
        sheet.state(Fact::sequence, *as_whole(*at), *at);
    }
}

void read_composer_model(const Setting& root, FactSheet& sheet) {
    if (sheet.word(Fact::model, root, {"model.pretrained_model_name_or_path"}) != nullptr) {
        return;
    }
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", root, {"model.n_layers"});
    add_dimension(dimensions, "hidden", root, {"model.d_model"});
    add_dimension(dimensions, "heads", root, {"model.n_heads"});
    add_dimension(dimensions, "kv_heads", root, {"model.attn_config.kv_n_heads"});
    add_dimension(dimensions, "ffn", root, {"model.ffn_config.ffn_hidden_size"});
    add_dimension(dimensions, "expansion", root, {"model.expansion_ratio"});
    add_dimension(dimensions, "vocab", root, {"model.vocab_size"});
    add_dimension(dimensions, "experts", root, {"model.ffn_config.moe_num_experts"});
    add_dimension(dimensions, "experts_per_token", root, {"model.ffn_config.moe_top_k"});
    state_dimensions(sheet, dimensions, root, {"model.n_layers", "model.d_model"});
}

}  // namespace

void read_llm_foundry(const Setting& root, FactSheet& sheet) {
    read_composer_model(root, sheet);
    sheet.whole(Fact::sequence, root, {"max_seq_len"});
    sheet.whole(Fact::global_batch, root, {"global_train_batch_size"});
    const Setting* micro = first_of(root, {"device_train_microbatch_size"});
    if (micro != nullptr && micro->text == "auto") {
        sheet.unknown(Fact::micro_batch, *micro, "auto: found while it runs");
    } else {
        sheet.whole(Fact::micro_batch, root, {"device_train_microbatch_size"});
    }
    read_precision_word(root, sheet, {"precision"});
    if (const Setting* fsdp = root.at("fsdp_config"); fsdp != nullptr && fsdp->is_map()) {
        if (const Setting* at = first_of(*fsdp, {"sharding_strategy"})) {
            if (const auto stage = stage_of_strategy(at->text)) {
                sheet.state(Fact::zero, *stage, *at);
            }
        }
        sheet.assume(Fact::zero, std::int64_t{3}, "fsdp_config.sharding_strategy");
        read_checkpointing_switch(*fsdp, sheet, {"activation_checkpointing"});
        sheet.assume(Fact::recompute, "none", "fsdp_config.activation_checkpointing");
        if (const Setting* at = first_of(*fsdp, {"activation_cpu_offload"})) {
            sheet.state(Fact::offload, as_truth(*at).value_or(false) ? "cpu (activations)" : "none", *at);
        }
    }
    if (const Setting* deepspeed = root.at("deepspeed_config"); deepspeed != nullptr && deepspeed->is_map()) {
        read_deepspeed_block(*deepspeed, sheet);
    }
    sheet.word(Fact::optimizer, root, {"optimizer.name"});
    sheet.word(
        Fact::attention, root,
        {"model.attn_config.attn_impl", "model.attn_impl", "model.config_overrides.attn_config.attn_impl"});
    if (const Setting* flash = root.at("model.use_flash_attention_2");
        flash != nullptr && !sheet.has(Fact::attention) && as_truth(*flash).value_or(false)) {
        sheet.state(Fact::attention, "flash", *flash);
    }
    if (const Setting* peft = root.at("model.peft_config"); peft != nullptr && peft->is_map()) {
        sheet.whole(Fact::lora_rank, *peft, {"r"});
    }
    sheet.whole(Fact::ep, root, {"model.ffn_config.moe_world_size"});
    if (const Setting* at = root.at("compile_config")) {
        sheet.state(Fact::compile, !says_nothing(*at), *at);
    }
    read_composer_program(root, sheet);
    assume_data_parallel_only(sheet, "llm-foundry");
}

}  // namespace traincost
