// What trainers of one's own call the arguments that Hugging Face's trainer takes.
#pragma once

#include "traincost/import/fact_sheet.hpp"

namespace traincost {

// The names under which trainers of one's own take what Hugging Face's trainer takes, its own first.
inline const Paths model_names = {"model_name_or_path",
                                  "base_model",
                                  "base_model_name_or_path",
                                  "base_model_name",
                                  "pretrained_model_name_or_path",
                                  "pretrained_model_name",
                                  "pretrained_model",
                                  "model_name",
                                  "model_id",
                                  "model_path",
                                  "actor_model_name_or_path",
                                  "model_checkpoint",
                                  "model_dir",
                                  "pretrain"};
inline const Paths sequence_names = {
    "model_max_length", "max_seq_length", "max_seq_len",   "max_length",      "cutoff_len",
    "cutoff",           "block_size",     "model_max_len", "seq_length",      "max_sequence_length",
    "seq_len",          "ctx_len",        "max_len",       "sequence_length", "max_sentence_length",
    "context_length"};
inline const Paths micro_batch_names = {"per_device_train_batch_size",
                                        "per_gpu_train_batch_size",
                                        "train.per_device_train_batch_size",
                                        "per_device_batch_size",
                                        "per_gpu_batch_size",
                                        "train_bsz_per_gpu",
                                        "batch_size_per_gpu",
                                        "batch_size_per_device",
                                        "train_batch_size_per_device",
                                        "train_batch_size_per_gpu",
                                        "train_micro_batch_size_per_gpu",
                                        "batch_size_training",
                                        "mbs",
                                        "micro_bsz",
                                        "device_batch_size"};
inline const Paths accumulation_names = {"gradient_accumulation_steps",
                                         "accumulation_steps",
                                         "gradient_accumulation",
                                         "grad_accumulation_steps",
                                         "grad_accum_steps",
                                         "gradient_accumulate_every",
                                         "accumulate_grad_batches",
                                         "accumulated_gradient",
                                         "grad_accum",
                                         "accum_steps",
                                         "grad_acc_steps",
                                         "accum_freq"};
inline const Paths tensor_names = {"tensor_parallel_size",    "ds.tensor_parallel_size",
                                   "ds_tensor_parallel_size", "tp_size",
                                   "model_parallel_size",     "tp"};
inline const Paths pipeline_names = {"pipeline_parallel_size", "pipe_parallel_size", "pp_size", "pp"};
inline const Paths sequence_parallel_names = {
    "ring_attn_size",         "ds.ring_attn_size", "context_parallel_size",
    "sequence_parallel_size", "cp_size",           "sp_size"};
inline const Paths checkpointing_names = {"gradient_checkpointing",
                                          "use_gradient_checkpointing",
                                          "actor.gradient_checkpoint",
                                          "ds.gradient_checkpointing",
                                          "model.gradient_checkpointing_enable",
                                          "activation_checkpointing",
                                          "gradient_checkpoint",
                                          "grad_checkpoint",
                                          "use_grad_checkpoint",
                                          "grad_checkpointing",
                                          "grad_cp",
                                          "enable_gradient_checkpointing"};

inline const Paths depth_names = {"num_hidden_layers", "n_layer",    "n_layers", "num_layers", "depth",
                                  "nlayers",           "num_blocks", "layer_num"};
inline const Paths width_names = {"hidden_size", "n_embd",    "n_embed",   "d_model",       "dim",
                                  "hidden_dim",  "embed_dim", "model_dim", "embedding_dim", "emb_dim"};

/// What a command says by a name that `means` it; null where several do, and differ.
const Setting* meant(const Setting& root, bool (*means)(std::string_view));

/// Whether a command is Colossal-AI's benchmark of a language model, by its short flags: its plug-in shards
/// everything where nobody names another.
bool measures_colossal(const Setting& root);

/// How much the arguments of a command look like those of a trainer of one's own; 0 where they are Hugging
/// Face's.
int trainer_of_ones_own(const Setting& root);

/// Whether settings hand the job to DeepSpeed: with its configuration, or by name.
bool names_deepspeed(const Setting& root);

/// Whether settings name a mesh, or those of a program that nobody gave a parallelism: the rest is unknown.
bool says_parallelism(const Setting& root);

/// In what a trainer computes: its switches, else the format in which its weights are loaded.
void read_trainer_precision(const Setting& root, FactSheet& sheet);

/// Nodes and GPUs, of which trainers are told that start their own processes.
void read_machines(const Setting& root, FactSheet& sheet);

/// A program's own switch of recomputation, by a name that means it.
void read_own_recompute(const Setting& root, FactSheet& sheet);

/// Whether a trainer compiles its model, by its own switch or a program's.
void read_own_compilation(const Setting& root, FactSheet& sheet);

/// A program's own word for what it shards, which is FSDP's: "--sharding FULL_SHARD".
void read_own_sharding(const Setting& root, FactSheet& sheet);

/// In how many parts a trainer cuts its model and its sequences, by the names it has for them.
void read_trainer_degrees(const Setting& root, FactSheet& sheet);

/// What computes a trainer's attention.
void read_trainer_attention(const Setting& root, FactSheet& sheet);

/// TRL's program, which starts Accelerate by a name of its configurations: "zero2", "fsdp1".
void read_trl_program(const Setting& root, FactSheet& sheet);

}  // namespace traincost
