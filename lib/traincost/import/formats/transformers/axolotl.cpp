// axolotl's YAML.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/adapter_words.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_axolotl(const Setting& root) {
    const Setting* model = root.peek("base_model");
    if (model == nullptr || model->is_map() || root.has("$program")) {
        return named(root, {"axolotl"}, 60);
    }
    if (!root.has_any({"micro_batch_size", "sequence_len", "datasets", "gradient_accumulation_steps",
                       "adapter", "learning_rate", "num_epochs", "pretraining_dataset"}) ||
        (root.has("batch_size") && !root.has_any({"micro_batch_size", "sequence_len", "datasets"}))) {
        return 0;  // in the words of another program
    }
    return 40 + points(root, {"sequence_len", "datasets", "micro_batch_size"}, 20) +
           points(root, {"adapter", "val_set_size", "special_tokens", "output_dir"}, 5);
}

namespace {

void read_axolotl_attention(const Setting& root, FactSheet& sheet) {
    if (sheet.word(Fact::attention, root, {"attn_implementation"}) != nullptr) {
        return;
    }
    static constexpr std::pair<std::string_view, std::string_view> switches[] = {
        {"flash_attention", "flash_attention_2"},
        {"sdp_attention", "sdpa"},
        {"flex_attention", "flex_attention"},
        {"xformers_attention", "xformers"},
        {"eager_attention", "eager"},
        {"s2_attention", "s2_attention"}};
    for (const auto& [key, name] : switches) {
        if (is_on(root, key)) {
            sheet.state(Fact::attention, std::string(name), *root.at(key));
            return;
        }
    }
}

void read_adapter(const Setting& root, FactSheet& sheet) {
    const Setting* adapter = first_of(root, {"adapter"});
    const Setting* rank = first_of(root, {"lora_r", "peft.r"});
    if (adapter == nullptr) {
        return;  // full fine-tuning, whatever lora_r says
    }
    const std::string name = lower(adapter->text);
    if (name == "lora" || name == "qlora") {
        if (rank != nullptr) {
            sheet.whole(Fact::lora_rank, root, {"lora_r", "peft.r"});
        }
    } else {
        sheet.remark(*adapter, "'" + adapter->text + "' is not a known adapter");
    }
    read_loaded_bits(root, sheet, {"load_in_4bit"}, {"load_in_8bit"});
}

void read_axolotl_recompute(const Setting& root, FactSheet& sheet) {
    const Setting* at = first_of(root, {"gradient_checkpointing"});
    if (at != nullptr && (at->text == "offload" || at->text == "offload_disk" || at->text == "unsloth")) {
        sheet.state(Fact::recompute, "full", *at);
        state_offloaded_activations(*at, at->text == "offload_disk" ? "nvme" : "cpu", sheet);
    } else {
        read_checkpointing_switch(root, sheet, {"gradient_checkpointing"});
    }
    if (const Setting* off = first_of(root, {"activation_offloading"});
        off != nullptr && as_truth(*off) != std::optional(false)) {
        state_offloaded_activations(*off, "cpu", sheet);
    }
}

void read_axolotl_sharding(const Setting& root, FactSheet& sheet) {
    if (const Setting* config = root.at("fsdp_config"); config != nullptr && config->is_map()) {
        read_fsdp_block(*config, sheet);
        if (!sheet.has(Fact::zero) && root.at("fsdp_version") != nullptr) {
            sheet.assume(Fact::zero, std::int64_t{3}, "fsdp_config.reshard_after_forward");
        }
    }
    if (!sheet.has(Fact::zero)) {
        read_fsdp_words(root.at("fsdp"), sheet);
    } else if (const Setting* words = root.at("fsdp")) {
        for (const Setting& item : words->items) {
            item.read = true;
        }
    }
    if (const Setting* reference = first_of(root, {"deepspeed"})) {
        refer_to_file(*reference, sheet);
    }
    const Setting* shard = first_of(root, {"dp_shard_size"});
    const Setting* replicate = first_of(root, {"dp_replicate_size"});
    if (shard != nullptr && as_whole(*shard).value_or(0) > 0) {
        const std::int64_t replicas = replicate == nullptr ? 1 : as_whole(*replicate).value_or(0);
        // The mesh has an axis of its own for experts, and batches are dealt over it too.
        const Setting* experts = root.peek("expert_parallel_size");
        const std::int64_t expert_ranks = experts == nullptr ? 1 : as_whole(*experts).value_or(0);
        if (replicas > 0 && expert_ranks > 0) {
            sheet.state(Fact::dp, times(times(*as_whole(*shard), replicas), expert_ranks), *shard);
        }
    }
}

}  // namespace

void read_axolotl(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::model, root, {"base_model"});
    sheet.whole(Fact::sequence, root, {"sequence_len"});
    sheet.whole(Fact::micro_batch, root, {"micro_batch_size"});
    sheet.whole(Fact::accumulation, root, {"gradient_accumulation_steps"});
    sheet.whole(Fact::tp, root, {"tensor_parallel_size"});
    sheet.whole(Fact::cp, root, {"context_parallel_size", "sequence_parallel_degree"});
    sheet.whole(Fact::ep, root, {"expert_parallel_size"});
    read_axolotl_sharding(root, sheet);
    if (const Setting* fp8 = first_of(root, {"fp8"}); fp8 != nullptr && as_truth(*fp8).value_or(false)) {
        root.at("bf16");
        root.at("fp16");
        sheet.state(Fact::precision, "fp8", *fp8);
    } else {
        read_16_bit_switches(root, sheet, {"bf16", "bfloat16"}, {"fp16", "float16"});
        // It loads the model in the format it trains in.
        sheet.reading.loads_narrow = is_16_bit(sheet.word(Fact::precision));
    }
    read_axolotl_recompute(root, sheet);
    read_adapter(root, sheet);
    read_adapter_words(root, sheet,
                       {.targets = {"lora_target_modules", "peft.target_modules"},
                        .all = {"lora_target_linear"},
                        .dropout = {"lora_dropout", "peft.dropout"}});
    read_packing(root, sheet, {"sample_packing"});
    root.at("pad_to_sequence_len");  // a pack that is not full, or each sample
    if (const Setting* at = first_of(root, {"optimizer"}); at != nullptr && at->is_scalar()) {
        sheet.state(Fact::optimizer, at->text, *at);
    }
    read_axolotl_attention(root, sheet);
    sheet.truth(Fact::compile, root, {"torch_compile"});
    for (const Fact fact : {Fact::tp, Fact::cp, Fact::ep}) {
        sheet.assume(fact, std::int64_t{1}, std::string(fact_name(fact)) + " in axolotl");
    }
    sheet.assume(Fact::pp, std::int64_t{1}, "axolotl, which has no pipeline");
    sheet.assume(Fact::recompute, "none", "gradient_checkpointing");
}

}  // namespace traincost
