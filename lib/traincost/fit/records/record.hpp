// A measured training run as its source states it: one line of a record file (schema run-record/1). Where the
// source is silent, a number is 0, a text is empty and an optional has no value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace traincost {

struct RecordMoe {
    std::int64_t experts;
    std::int64_t top_k;
    std::int64_t ffn;
    std::int64_t shared_experts = 0;
    std::optional<std::int64_t> shared_ffn{};    ///< of all shared experts together
    std::optional<std::int64_t> dense_layers{};  ///< dense, before or among the expert layers
    std::optional<std::int64_t> every{};         ///< every n-th layer has experts
    bool operator==(const RecordMoe&) const = default;
};

struct RecordMla {
    std::optional<std::int64_t> q_lora_rank{};
    std::int64_t kv_lora_rank;
    std::int64_t qk_nope_dim;
    std::int64_t qk_rope_dim;
    std::int64_t v_head_dim;
    bool operator==(const RecordMla&) const = default;
};

struct RecordModel {
    std::string name;
    std::string family;
    std::int64_t layers;
    std::int64_t hidden;
    std::int64_t heads;
    std::int64_t kv_heads;
    std::int64_t head_dim;
    std::int64_t ffn;
    std::optional<bool> gated_mlp{};
    std::int64_t vocab;
    std::optional<bool> tied_embeddings{};
    std::string positional;  ///< rope | learned | alibi
    std::string attention;   ///< words
    std::optional<RecordMoe> moe{};
    std::optional<RecordMla> mla{};
    std::string note{};
    bool operator==(const RecordModel&) const = default;
};

struct RecordCluster {
    std::string accelerator;  ///< catalogue id
    std::int64_t accelerators;
    std::optional<std::int64_t> per_node{};
    std::string interconnect{};             ///< words
    std::optional<double> power_limit_w{};  ///< of each accelerator, in place of its rated power
    std::string domain_link{};  ///< link inside a node, where measured figures show it is not the usual one
    bool operator==(const RecordCluster&) const = default;
};

/// Degrees of parallelism; absent where the source is silent.
struct RecordParallel {
    std::int64_t tp = 1, pp = 1, vp = 1, dp = 1, cp = 1, ep = 1;
    std::optional<std::int64_t> etp{};
    std::optional<std::int64_t> zero{};
    std::optional<std::int64_t> hybrid_shard{};
    std::optional<bool> sequence_parallel{};
    std::optional<bool> tp_overlap{};
    bool operator==(const RecordParallel&) const = default;
};

/// How it was run. An empty text means the source does not say.
struct RecordRun {
    std::string stack;
    std::string stack_version{};
    std::string precision;
    std::string grad_dtype{};
    std::string precision_note{};
    std::string optimizer{};
    std::int64_t sequence;
    std::int64_t micro_batch;
    std::int64_t global_batch;
    std::optional<std::int64_t> accumulation{};
    RecordParallel parallel{};
    std::string recompute{};  ///< none | selective | full
    std::string recompute_note{};
    std::string attention_kernel{};  ///< flash | math
    std::string offload{};           ///< words; "none" when nothing is
    std::optional<bool> compile{};
    std::string schedule{};
    std::string loss{};  ///< a loss kernel's name
    std::optional<std::int64_t> loss_chunks{};
    std::vector<std::string> compiled_parts{};  ///< blocks, attention, mlp, norms, loss; or nothing
    std::string reshard{};                      ///< always, never, or last_kept with `kept_blocks`
    std::optional<std::int64_t> kept_blocks{};
    std::string optimizer_kernel{};  ///< fused | foreach | per_tensor
    std::optional<bool> optimizer_in_backward{};
    std::string fp8_scaling{};  ///< tensorwise | rowwise | blockwise
    std::string reduce_dtype{};
    std::optional<std::int64_t> packed_length{};
    std::optional<std::int64_t> padded_length{};
    std::optional<std::int64_t> mlp_tiles{};
    std::optional<double> offload_activations{};  ///< share
    std::optional<bool> expandable_segments{};
    std::optional<double> dropout{};           ///< of hidden states and attention
    std::optional<double> expert_imbalance{};  ///< busiest rank's tokens over the mean; a capacity's factor
    std::optional<bool> expert_one_hot{};      ///< tokens reach experts by products with one-hot masks
    bool operator==(const RecordRun&) const = default;
};

/// What was measured. Absent: not stated.
struct RecordMeasured {
    std::optional<double> step_time_s{};
    std::optional<double> tokens_per_s_per_accelerator{};
    std::optional<double> tflops_per_accelerator{};
    std::optional<double> mfu{};
    std::optional<double> hfu{};
    std::string flops_definition{};  ///< words
    std::optional<double> memory_bytes{};
    std::string memory_kind{};  ///< allocated | reserved | device | unstated
    std::string memory_note{};
    std::optional<double> memory_reserved_bytes{};
    std::optional<double> memory_device_bytes{};
    std::vector<double> per_rank_allocated_bytes{};
    std::vector<double> per_rank_reserved_bytes{};
    std::optional<double> forward_s{};
    std::optional<double> backward_s{};
    std::optional<double> optimizer_s{};
    bool out_of_memory = false;
    bool operator==(const RecordMeasured&) const = default;
};

struct RunRecord {
    std::string id;
    std::string task{};     ///< pretrain | lora | qlora | sft | full-ft | adapter
    std::string quality{};  ///< A primary, B quoted, digitised or a single log line
    std::string source_title{};
    std::string source_url{};
    std::optional<std::int64_t> source_year{};
    RecordModel model;
    RecordCluster cluster;
    RecordRun run;
    RecordMeasured measured;
    std::vector<std::string> assumed{};  ///< fields not printed beside the measurement
    std::vector<std::string> unknown{};  ///< fields the source leaves unsaid
    std::string notes{};
    std::vector<std::pair<std::string, std::string>> extra{};  ///< whatever else the source says, as text
    bool operator==(const RunRecord&) const = default;

    /// The text of a key of `extra`, or nothing.
    std::optional<std::string> extra_text(std::string_view key) const {
        for (const auto& [name, text] : extra) {
            if (name == key)
                return text;
        }
        return std::nullopt;
    }
};

}  // namespace traincost
