// What several formats share: words for shards, precisions and offloading.
#pragma once

#include "traincost/import/fact_sheet.hpp"

namespace traincost {

/// The ZeRO stage of PyTorch's sharding strategy, by name or by number (1 to 5): full and hybrid shard 3,
/// shard of gradients and optimizer 2, none 0.
std::optional<std::int64_t> stage_of_strategy(std::string_view strategy);

/// Hugging Face's "full_shard auto_wrap offload", as one string or as a list; null where it says nothing.
void read_fsdp_words(const Setting* fsdp, FactSheet& sheet);

/// A block of FSDP keys, with or without the prefix "fsdp_": strategy, version, resharding, offload,
/// checkpointing.
void read_fsdp_block(const Setting& block, FactSheet& sheet);

/// Megatron's own FSDP, switched on by `by`: shards parameters too unless `strategy` (null where nobody says)
/// names less.
void read_megatron_fsdp(const Setting& by, const Setting* strategy, FactSheet& sheet);

/// DeepSpeed's JSON inside another trainer's configuration: the stage and what is offloaded. The trainer
/// itself says the rest.
void read_deepspeed_block(const Setting& block, FactSheet& sheet);
/// All that such a block states and `sheet` does not know yet.
void read_deepspeed_statements(const Setting& block, FactSheet& sheet);

/// bf16/fp16 switches as Hugging Face spells them: both stated off is fp32, "auto" is bf16 as a default.
void read_16_bit_switches(const Setting& root, FactSheet& sheet, Paths bf16, Paths fp16);

/// "bf16" of "bfloat16", "bf16-mixed", "torch.bfloat16", "amp_bf16"; nothing for an unknown word.
std::optional<std::string> precision_word(std::string_view word);
/// A model that a program makes anew of a configuration ("$config").
void read_new_model(const Setting& root, FactSheet& sheet);

/// States the precision that the word at the first of `paths` names.
void read_precision_word(const Setting& root, FactSheet& sheet, Paths paths);

/// What shares a scale in products in fp8, by the words of Transformer Engine and torchao: "delayed",
/// "current" and "tensorwise", "rowwise_with_gw_hp", "blockwise", "mxfp8".
void read_fp8_scaling(const Setting& root, FactSheet& sheet, Paths paths);

/// Notes that the weights are loaded in 16 bits, where the word at the first of `paths` is one of those
/// formats.
void note_loaded_format(const Setting& root, FactSheet& sheet, Paths paths);

/// A gradient-checkpointing switch: full or none.
void read_checkpointing_switch(const Setting& root, FactSheet& sheet, Paths paths);

/// Saved activations that wait in the host's memory (or on NVMe), beside what else is offloaded.
void state_offloaded_activations(const Setting& by, std::string_view device, FactSheet& sheet);

/// load_in_4bit, load_in_8bit: bits of the frozen base.
void read_loaded_bits(const Setting& root, FactSheet& sheet, Paths four, Paths eight);

/// "zero2", "default-zero3", "zero3_offload": DeepSpeed configurations that trainers bring along under these
/// names. Whether it is one.
bool read_named_stage(const Setting& named, FactSheet& sheet);

/// Lightning's words: "deepspeed_stage_2_offload", "fsdp", "ddp_find_unused_parameters_true".
void read_strategy_word(const Setting& at, FactSheet& sheet);
/// The stage of ZeRO that Lightning's strategies called "ddp..." amount to, their name in small letters.
std::int64_t stage_of_ddp(std::string_view name);

/// States a batch of `tokens`, which are those of whole sequences.
void state_batch_of_tokens(Fact batch, const Setting& tokens, FactSheet& sheet);

/// A reference to a DeepSpeed or FSDP configuration that was not given: what stands there is unknown.
void refer_to_file(const Setting& reference, FactSheet& sheet);

/// Frameworks without tensor, pipeline or context parallelism: degrees of 1 that nobody can state.
void assume_data_parallel_only(FactSheet& sheet, std::string_view framework);
/// A program that starts its processes itself takes its nodes from NNODES, one where nobody says.
void assume_one_node(FactSheet& sheet);

/// Whether activations are split along the sequence, as the setting says; with one tensor-parallel rank they
/// are not.
void state_sequence_parallel(const Setting& at, bool on, FactSheet& sheet);

/// The names of a list, of "core_attn mlp" and of "[core_attn,mlp]".
std::vector<std::string> listed_names(const Setting& list);

/// The tokenizer's name or path.
void read_tokenizer(const Setting& root, FactSheet& sheet, Paths paths);

/// A named dimension where `path` states one.
void add_dimension(ModelDimensions& dimensions, std::string_view name, const Setting& root, Paths paths);
/// States the model by its dimensions unless a name is known; `by` is where the first one stands.
void state_dimensions(FactSheet& sheet, const ModelDimensions& dimensions, const Setting& root, Paths by);

}  // namespace traincost
