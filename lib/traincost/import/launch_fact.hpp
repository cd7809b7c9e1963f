// What the launch files of other frameworks say about a job, each with the place that says it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace traincost {

/// What a launch file can say. Batches are in sequences; degrees are of one job.
enum class Fact : std::uint8_t {
    model,              ///< a name, or dimensions where no name is stated
    sequence,           ///< tokens of one training sequence
    micro_batch,        ///< sequences per data-parallel rank and micro-step
    global_batch,       ///< sequences per optimizer step
    accumulation,       ///< micro-steps per optimizer step
    tp,                 ///< tensor parallel
    pp,                 ///< pipeline parallel
    vp,                 ///< chunks of layers per pipeline rank
    cp,                 ///< context parallel, Ulysses included
    ep,                 ///< expert parallel
    dp,                 ///< all shards and replicas
    gpus,               ///< of the whole job
    gpus_per_node,      ///<
    nodes,              ///<
    zero,               ///< 0 to 3: 1 optimizer states, 2 and gradients, 3 and weights
    sequence_parallel,  ///< true or false
    recompute,          ///< none, selective, full, or the framework's policy
    precision,          ///< bf16, fp16, fp32, fp8, ...: what products run in
    optimizer,          ///< as the framework calls it
    offload,            ///< none, or what is kept in host memory
    lora_rank,          ///<
    lora_targets,       ///< matrices with adapters: q, k, v, o, mlp, head, separated by commas
    lora_dropout,       ///< before adapters: a fraction
    quantization,       ///< bits of a frozen base's weights, such as "nf4"
    attention,          ///< as the framework calls it
    compile,            ///< true or false
    dropout,            ///< of hidden states and attention: a fraction
    fp8_scaling,        ///< of products in fp8: tensorwise, rowwise, blockwise or mxfp8
    recompute_modules,  ///< of selective recomputation: "core_attn,mlp"
    recompute_layers,   ///< of full recomputation: so many blocks of a stage, where not all
    packing,            ///< of samples: "packed" into whole sequences, "padded" to the longest beside them
    tp_overlap          ///< true or false: tensor-parallel collectives beside products
};
inline constexpr int fact_count = 32;

/// The key of a fact in JSON: "micro_batch".
std::string_view fact_name(Fact fact);

/// Named dimensions of a model, such as {"layers", 32}, in the order layers, hidden, heads, ...
using ModelDimensions = std::vector<std::pair<std::string, std::int64_t>>;

/// A value as the framework's readers understand it.
using FactValue = std::variant<bool, std::int64_t, double, std::string, ModelDimensions>;

/// "4096", "true", "bf16", "layers 32, hidden 4096".
std::string to_text(const FactValue& value);

/// Whether a file says it, the framework assumes it when nobody says it, or it follows from other facts.
enum class How : std::uint8_t { stated, by_default, derived };

std::string_view how_name(How how);

struct LaunchFact {
    FactValue value;
    std::string where;  ///< "train.yaml:12 sequence_len"; the framework's default; or what it follows from
    How how = How::stated;
    bool operator==(const LaunchFact&) const = default;
};

/// A setting that no fact was made of.
struct UnreadSetting {
    std::string where;  ///< "train.yaml:12"
    std::string key;    ///< as the file spells it
    bool matters;       ///< it may change memory or time
    std::string why;    ///< what is wrong with it; empty where nobody knows the key
    bool operator==(const UnreadSetting&) const = default;
};

/// Whether a word of `Fact::precision` is a 16-bit format.
inline bool is_16_bit(const std::optional<std::string>& precision) {
    return precision == "bf16" || precision == "fp16";
}

/// What a set of launch files says.
struct LaunchReading {
    std::string format;       ///< "axolotl"
    bool deepspeed = false;   ///< DeepSpeed runs the trainer: its configuration is among the settings
    bool dispatches = false;  ///< DeepEP carries tokens to their experts
    bool as_recipe =
        false;  ///< a recipe as it stands: without what performance scripts of the same program set
    bool loads_narrow = false;         ///< the weights are loaded, and unless sharded trained, in 16 bits
    std::string tokenizer{};           ///< name or path, where models of the same dimensions may be meant
    std::map<Fact, LaunchFact> facts;  ///< what the files do not state is absent
    std::vector<UnreadSetting> unread;
    std::vector<std::string> contradictions;  ///< one line each, with both places
    bool operator==(const LaunchReading&) const = default;
};

}  // namespace traincost
