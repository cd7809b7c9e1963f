// VeOmni's YAML, with what its command lays over it: tables of the model, the data and the training.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_veomni(const Setting& root) {
    return points(root,
                  {"train.data_parallel_mode", "train.ulysses_parallel_size", "train.rmpad",
                   "train.rmpad_with_pos_ids", "train.accelerator.fsdp_config.fsdp_mode",
                   "train.accelerator.ulysses_size", "train.accelerator.ep_size"},
                  30) +
           points(
               root,
               {"train.enable_full_shard", "train.enable_gradient_checkpointing", "train.dyn_bsz_buffer_size",
                "train.init_device", "train.bsz_warmup_ratio", "train.gradient_checkpointing.enable"},
               15) +
           points(root,
                  {"train.micro_batch_size", "train.global_batch_size", "model.model_path",
                   "model.config_path", "data.max_seq_len", "data.datasets_type", "data.dataloader_type"},
                  8);
}

namespace {

void read_veomni_degrees(const Setting& train, FactSheet& sheet) {
    sheet.whole(Fact::tp, train, {"tensor_parallel_size", "accelerator.tp_size"});
    sheet.whole(Fact::pp, train, {"pipeline_parallel_size", "accelerator.pp_size"});
    sheet.whole(Fact::ep, train, {"expert_parallel_size", "accelerator.ep_size"});
    const Setting* ring = first_of(train, {"context_parallel_size", "accelerator.cp_size"});
    const Setting* heads = first_of(train, {"ulysses_parallel_size", "accelerator.ulysses_size"});
    const std::int64_t both = (ring == nullptr ? 1 : as_whole(*ring).value_or(0)) *
                              (heads == nullptr ? 1 : as_whole(*heads).value_or(0));
    if (both > 0 && (ring != nullptr || heads != nullptr)) {
        sheet.state(Fact::cp, both, heads != nullptr ? *heads : *ring);
    }
    for (const Fact fact : {Fact::tp, Fact::pp, Fact::ep, Fact::cp}) {
        sheet.assume(fact, std::int64_t{1}, "VeOmni's " + std::string(fact_name(fact)));
    }
}

void read_veomni_sharding(const Setting& train, FactSheet& sheet) {
    const Setting* mode = first_of(train, {"data_parallel_mode", "accelerator.fsdp_config.fsdp_mode"});
    if (mode == nullptr || !as_word(*mode)) {
        return;
    }
    const Setting* full = first_of(train, {"enable_full_shard", "accelerator.fsdp_config.full_shard"});
    const Setting* reshard =
        first_of(train, {"enable_reshard_after_forward", "accelerator.fsdp_config.reshard_after_forward"});
    const auto is_off = [](const Setting* at) { return at != nullptr && as_truth(*at) == false; };
    const bool shards = lower(mode->text).starts_with("fsdp");
    sheet.state(Fact::zero, std::int64_t{!shards ? 0 : is_off(full) || is_off(reshard) ? 2 : 3}, *mode);
    if (const Setting* at = first_of(train, {"enable_fsdp_offload", "accelerator.fsdp_config.offload"});
        at != nullptr && as_truth(*at)) {
        sheet.state(Fact::offload, *as_truth(*at) ? "cpu (parameters, optimizer)" : "none", *at);
    }
}

}  // namespace

void read_veomni(const Setting& root, FactSheet& sheet) {
    static const Setting nothing;
    const Setting* found = root.at("train");
    const Setting& train = found == nullptr ? nothing : *found;
    sheet.word(Fact::model, root, {"model.model_path", "model.config_path"});
    sheet.word(Fact::attention, root,
               {"model.attn_implementation", "model.ops_implementation.attn_implementation"});
    sheet.whole(Fact::sequence, root, {"data.max_seq_len", "data.sample_packing_sequence_len"});
    sheet.whole(Fact::micro_batch, train, {"micro_batch_size"});
    sheet.whole(Fact::global_batch, train, {"global_batch_size"});
    sheet.whole(Fact::accumulation, train, {"gradient_accumulation_steps"});
    read_veomni_degrees(train, sheet);
    read_veomni_sharding(train, sheet);
    read_checkpointing_switch(train, sheet,
                              {"enable_gradient_checkpointing", "gradient_checkpointing.enable"});
    const Setting* mixed = first_of(train, {"enable_mixed_precision", "mixed_precision.enable",
                                            "accelerator.fsdp_config.mixed_precision.enable"});
    if (mixed != nullptr && as_truth(*mixed)) {
        sheet.state(Fact::precision, *as_truth(*mixed) ? "bf16" : "fp32", *mixed);
    }
    const Setting* optimizer = first_of(train, {"optimizer.type", "optimizer"});
    if (optimizer != nullptr && as_word(*optimizer)) {
        sheet.state(Fact::optimizer, optimizer->text, *optimizer);
    }
    sheet.whole(Fact::lora_rank, root, {"model.lora_config.rank", "model.lora_config.r"});
    if (found != nullptr) {
        sheet.assume(Fact::micro_batch, std::int64_t{1}, "train.micro_batch_size");
        sheet.assume(Fact::sequence, std::int64_t{2048}, "data.max_seq_len");
        sheet.assume(Fact::recompute, "full", "train.enable_gradient_checkpointing");
        sheet.assume(Fact::precision, "bf16", "train.enable_mixed_precision");
        sheet.assume(Fact::optimizer, "adamw", "train.optimizer");
    }
}

}  // namespace traincost
