#include "traincost/fit/records/record_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "traincost/base/text.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// What a family of architectures fixes beside the dimensions. Sources: the models' configuration classes in
/// Hugging Face transformers 4.57 and, for gpt and mpt, Megatron-LM core 0.13 and llm-foundry 0.3.
struct Family {
    std::string_view name;
    NormKind norm;
    bool norm_bias;
    Activation activation;
    BiasSpec bias;  ///< qkv, attention output, MLP, head
    double rope_fraction = 1.0;
    bool parallel_attention = false;
    QkNorm qk = QkNorm::none;
    NormPlacement placement = NormPlacement::pre;
    bool soft_capped = false;  ///< a tanh bounds scores and logits
    std::int64_t window = 0;   ///< tokens a local layer sees; 0: every layer sees all
    std::int64_t full_every = 0;
    bool capped_logits = false;  ///< a tanh bounds logits alone
    bool embedding_norm = false;
};

constexpr BiasSpec no_bias{false, false, false, false};
constexpr BiasSpec all_biases{true, true, true, false};
constexpr BiasSpec qkv_bias{true, false, false, false};
constexpr BiasSpec attention_bias{true, true, false, false};

constexpr auto rms = NormKind::rmsnorm;
constexpr auto layer = NormKind::layernorm;

constexpr std::array<Family, 46> families = {{
    {"llama", rms, false, Activation::silu, no_bias},
    {"llama1", rms, false, Activation::silu, no_bias},
    {"llama2", rms, false, Activation::silu, no_bias},
    {"llama3", rms, false, Activation::silu, no_bias},
    {"llama4", rms, false, Activation::silu, no_bias},
    {"llama-like", rms, false, Activation::silu, no_bias},
    {"mistral", rms, false, Activation::silu, no_bias},
    {"mixtral", rms, false, Activation::silu, no_bias},
    {"deepseek", rms, false, Activation::silu, no_bias},
    {"kimi", rms, false, Activation::silu, no_bias},
    {"gemma", rms, false, Activation::gelu_tanh, no_bias},
    {"gemma2", rms, false, Activation::gelu_tanh, no_bias, 1.0, false, QkNorm::none, NormPlacement::sandwich,
     true, 4096, 2},
    {"gemma3", rms, false, Activation::gelu_tanh, no_bias, 1.0, false, QkNorm::per_head,
     NormPlacement::sandwich, false, 1024, 6},
    {"olmo2", rms, false, Activation::silu, no_bias, 1.0, false, QkNorm::full, NormPlacement::post},
    {"olmo3", rms, false, Activation::silu, no_bias, 1.0, false, QkNorm::full, NormPlacement::post, false,
     4096, 4},
    {"exaone4", rms, false, Activation::silu, no_bias, 1.0, false, QkNorm::per_head, NormPlacement::post},
    {"glm4", rms, false, Activation::silu, no_bias, 0.5, false, QkNorm::none, NormPlacement::sandwich},
    {"cohere", layer, false, Activation::silu, no_bias, 1.0, true},
    {"cohere2", layer, false, Activation::silu, no_bias, 1.0, true},
    {"starcoder2", layer, true, Activation::gelu_tanh, all_biases},
    {"olmoe", rms, false, Activation::silu, no_bias, 1.0, false, QkNorm::full},
    {"grok1", rms, false, Activation::gelu, no_bias, 1.0, false, QkNorm::none, NormPlacement::sandwich, true},
    {"internlm", rms, false, Activation::silu, attention_bias},
    {"qwen", rms, false, Activation::silu, qkv_bias},
    {"qwen2", rms, false, Activation::silu, qkv_bias},
    {"qwen3", rms, false, Activation::silu, no_bias, 1.0, false, QkNorm::per_head},
    {"phi3", rms, false, Activation::silu, no_bias},
    {"chatglm", rms, false, Activation::silu, qkv_bias, 0.5},
    {"gpt-oss", rms, false, Activation::swiglu_clamped, attention_bias, 1.0, false, QkNorm::none,
     NormPlacement::pre, false, 128, 2},
    {"gpt", layer, true, Activation::gelu, all_biases},
    {"gpt2", layer, true, Activation::gelu_new, all_biases},
    {"gpt3", layer, true, Activation::gelu, all_biases},
    {"gpt-megatron", layer, true, Activation::gelu, all_biases},
    {"gpt-like (ReLU MLP)", rms, false, Activation::relu, no_bias},
    {"gpt-neox", layer, true, Activation::gelu, all_biases, 0.25, true},
    {"gptj", layer, true, Activation::gelu_new, {false, false, true, true}, 0.25, true},
    {"opt", layer, true, Activation::relu, all_biases},
    {"bloom", layer, true, Activation::gelu, all_biases, 1.0, false, QkNorm::none, NormPlacement::pre, false,
     0, 0, false, true},
    {"bloom-prequel", layer, true, Activation::gelu, all_biases},
    {"mpt", layer, false, Activation::gelu, no_bias},
    {"falcon", layer, true, Activation::gelu, no_bias, 1.0, true},
    {"phi", layer, true, Activation::gelu_new, {true, true, true, true}, 0.5, true},
    {"stablelm", layer, true, Activation::silu, no_bias, 0.25},
    {"nanochat", rms, false, Activation::squared_relu, no_bias, 1.0, false, QkNorm::per_head,
     NormPlacement::pre, false, 0, 0, true, true},
    {"nemotron3", layer, true, Activation::squared_relu, no_bias, 0.5},
    {"nemotron4", layer, true, Activation::squared_relu, no_bias, 0.5},
}};

const Family* family_named(std::string_view name) {
    const auto found =
        std::find_if(families.begin(), families.end(), [&](const Family& f) { return f.name == name; });
    return found == families.end() ? nullptr : &*found;
}

/// A family as others spell it: "gpt_oss", "Gemma-2", "llama-3.1", "qwen3-moe", "deepseek_v3".
const Family* family_spelt(std::string_view words) {
    const auto letters = [](std::string_view text) {
        std::string kept;
        for (const char c : lower(text.substr(0, text.find('.'))))
            if (std::isalnum(static_cast<unsigned char>(c)))
                kept += c;
        return kept;
    };
    const std::string spelt = letters(words);
    const auto found = std::find_if(families.begin(), families.end(), [&](const Family& f) {
        const std::string name = letters(f.name);
        if (!spelt.starts_with(name))
            return false;
        const std::string_view rest = std::string_view(spelt).substr(name.size());
        return rest.empty() || rest == "moe" || rest == "v2" || rest == "v3" || rest == "k2";
    });
    return found == families.end() ? nullptr : &*found;
}

const Family& family_of(const RecordModel& model, std::vector<std::string>& assumptions) {
    if (const Family* family = family_named(model.family))
        return *family;
    // Models with learned positions are written by many hands: what they share is GPT's.
    if (model.positional != "learned") {
        if (const Family* family = family_spelt(model.family))
            return *family;
    }
    const Family& stand_in = *family_named(model.positional == "learned" ? "gpt" : "llama");
    assumptions.push_back("family '" + model.family + "' is not known: norms and biases as " +
                          std::string(stand_in.name));
    return stand_in;
}

PositionSpec position_of(const RecordModel& model, const Family& family, std::int64_t sequence) {
    PositionSpec position{};
    if (model.positional == "learned") {
        position.kind = PositionKind::learned;
        position.table_rows = sequence;
    } else if (model.positional == "alibi") {
        position.kind = PositionKind::alibi;
    } else {
        position.kind = PositionKind::rope;
        position.rope_fraction = family.rope_fraction;
    }
    return position;
}

// "alternating sliding window 128", "chunked local attention 8192 on 3/4 layers": the number in the words.
std::optional<std::int64_t> first_number_after(std::string_view text, std::string_view words) {
    const std::size_t at = text.find(words);
    if (at == std::string_view::npos)
        return std::nullopt;
    std::size_t i = at + words.size();
    while (i < text.size() && (text[i] < '0' || text[i] > '9'))
        ++i;
    std::int64_t number = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && number < 1'000'000'000; ++i)
        number = number * 10 + (text[i] - '0');
    return number > 0 ? std::optional(number) : std::nullopt;
}

/// "on five layers of six", "on 5 layers of 6", "on 3/4 layers": every which layer attends to everything; 0
/// where the words name no such layer.
std::int64_t full_layer_in(std::string_view attention) {
    constexpr std::array<std::string_view, 9> numbers = {"two",   "three", "four", "five", "six",
                                                         "seven", "eight", "nine", "ten"};
    constexpr std::string_view of = "layers of ";
    if (const std::size_t at = attention.find(of); at != std::string_view::npos) {
        const std::string_view count = attention.substr(at + of.size());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (count.starts_with(numbers[i]))
                return static_cast<std::int64_t>(i) + 2;
        return first_number_after(attention, of).value_or(0);
    }
    return attention.find("layers") == std::string_view::npos
               ? 0
               : first_number_after(attention, "/").value_or(0);
}

std::optional<WindowSpec> window_of(const RecordModel& model, const Family& family,
                                    std::vector<std::string>& assumptions) {
    const std::string_view attention = model.attention;
    if (const auto size = first_number_after(attention, "alternating sliding window"))
        return WindowSpec{WindowKind::sliding, size, 2};
    if (const auto size = first_number_after(attention, "sliding window"))
        return WindowSpec{WindowKind::sliding, size, full_layer_in(attention)};
    if (const auto size = first_number_after(attention, "chunked local attention"))
        return WindowSpec{WindowKind::chunked, size, full_layer_in(attention)};
    if (family.window == 0 || attention.find("full attention") != std::string_view::npos)
        return std::nullopt;
    assumptions.push_back("model.attention names no window: " + std::to_string(family.window) +
                          " tokens but in every layer of " + std::to_string(family.full_every) + ", as " +
                          std::string(family.name));
    return WindowSpec{WindowKind::sliding, family.window, family.full_every};
}

MoeSpec moe_of(const RecordModel& model, const Family& family) {
    const RecordMoe& m = *model.moe;
    MoeSpec moe{m.experts, m.top_k, m.ffn};
    moe.shared_experts = m.shared_experts;
    if (m.shared_experts > 0)
        moe.shared_ffn = m.shared_ffn.value_or(m.shared_experts * m.ffn);
    if (m.every && *m.every > 1)
        moe.interleave_step = *m.every;  // the dense layers lie between
    else
        moe.first_k_dense = m.dense_layers.value_or(0);
    moe.router_bias = family.name == "gpt-oss";
    moe.expert_bias = family.name == "gpt-oss";
    moe.score_correction_bias = family.name == "deepseek" || family.name == "kimi";
    return moe;
}

}  // namespace

ModelSpec model_of(const RecordModel& model, std::int64_t sequence, std::vector<std::string>& assumptions) {
    const Family& family = family_of(model, assumptions);
    ModelSpec m{
        .name = model.name,
        .family = model.family,
        .architecture = Architecture::decoder,
        .layers = model.layers,
        .hidden = model.hidden,
        .heads = model.heads,
        .kv_heads = model.kv_heads > 0 ? model.kv_heads : model.heads,
        .head_dim =
            model.head_dim > 0 ? model.head_dim : model.hidden / std::max<std::int64_t>(1, model.heads),
        .ffn = model.ffn,
        .gated_mlp = model.gated_mlp.value_or(family.norm == NormKind::rmsnorm),
        .activation = family.activation,
        .vocab = model.vocab,
        .tied_embeddings = model.tied_embeddings.value_or(false),
        .position = position_of(model, family, sequence),
        .norm = {.kind = family.norm,
                 .bias = family.norm_bias,
                 .per_layer = family.placement == NormPlacement::sandwich ? 4 : 2,
                 .final_norm = true,
                 .embedding_norm = family.embedding_norm,
                 .qk = family.qk,
                 .placement = family.placement},
        .bias = family.bias,
    };
    constexpr std::array<std::string_view, 6> one_projection = {"gpt2", "gpt-neox", "bloom",
                                                                "mpt",  "falcon",   "phi3"};
    m.fused_qkv =
        std::find(one_projection.begin(), one_projection.end(), family.name) != one_projection.end();
    m.attention_softcap = family.soft_capped;
    m.logits_softcap = family.soft_capped || family.capped_logits;
    m.attention_sinks = family.name == "gpt-oss" ? m.heads : 0;
    m.norm.fp32_scale = family.name.starts_with("gemma") || family.name.starts_with("cohere") ||
                        family.name.starts_with("olmo") || family.name == "gpt-oss";
    if (!model.gated_mlp)
        assumptions.push_back("model.gated_mlp is not stated: as the family");
    m.parallel_attention =
        family.parallel_attention || model.note.find("parallel residual") != std::string::npos;
    if (m.parallel_attention && family.name != "gpt" && family.name != "gpt-neox")
        m.norm.per_layer = 1;
    if (model.attention.find("partial rotary") != std::string::npos &&
        m.position.kind == PositionKind::rope && m.position.rope_fraction == 1.0) {
        m.position.rope_fraction = 0.25;
        assumptions.push_back("partial rotary positions: a quarter of the head dimension");
    }
    m.window = window_of(model, family, assumptions);
    if (model.moe)
        m.moe = moe_of(model, family);
    if (model.mla) {
        const RecordMla& a = *model.mla;
        m.mla = MlaSpec{.q_lora_rank = a.q_lora_rank,
                        .kv_lora_rank = a.kv_lora_rank,
                        .qk_nope_dim = a.qk_nope_dim,
                        .qk_rope_dim = a.qk_rope_dim,
                        .v_head_dim = a.v_head_dim};
        m.head_dim = a.qk_nope_dim + a.qk_rope_dim;
    }
    return m;
}

namespace {

/// The attention of a shape in the words that `model_of` reads.
std::string attention_words(const ModelSpec& model) {
    if (!model.window || !model.window->size)
        return "mha/gqa";
    const std::string size = std::to_string(*model.window->size);
    const std::int64_t every = model.window->full_every;
    if (every == 2 && model.window->kind == WindowKind::sliding)
        return "alternating sliding window " + size;
    return (model.window->kind == WindowKind::chunked ? "chunked local attention " : "sliding window ") +
           size +
           (every > 1 ? " on " + std::to_string(every - 1) + " layers of " + std::to_string(every) : "");
}

RecordMoe record_moe(const MoeSpec& moe) {
    RecordMoe r{.experts = moe.experts, .top_k = moe.top_k, .ffn = moe.ffn};
    r.shared_experts = moe.shared_ffn > 0 ? std::max<std::int64_t>(1, moe.shared_experts) : 0;
    if (moe.shared_ffn > 0)
        r.shared_ffn = moe.shared_ffn;
    if (moe.interleave_step > 1)
        r.every = moe.interleave_step;
    else
        r.dense_layers = moe.first_k_dense;
    return r;
}

RecordModel record_without_family(const ModelSpec& m) {
    RecordModel r{.name = m.name,
                  .family = {},
                  .layers = m.layers,
                  .hidden = m.hidden,
                  .heads = m.heads,
                  .kv_heads = m.kv_heads,
                  .head_dim = m.head_dim,
                  .ffn = m.ffn,
                  .gated_mlp = m.gated_mlp,
                  .vocab = m.vocab,
                  .tied_embeddings = m.tied_embeddings,
                  .positional = std::string(name_of(m.position.kind)),
                  .attention = attention_words(m)};
    if (m.parallel_attention)
        r.note = "parallel residual";
    if (m.moe)
        r.moe = record_moe(*m.moe);
    if (m.mla)
        r.mla = RecordMla{m.mla->q_lora_rank, m.mla->kv_lora_rank, m.mla->qk_nope_dim, m.mla->qk_rope_dim,
                          m.mla->v_head_dim};
    return r;
}

/// Points of likeness of a shape that a record gave back; the more, the nearer.
int likeness(const ModelSpec& asked, const ModelSpec& given) {
    constexpr int count = 8;  // the count of parameters outweighs all else
    return count * (parameter_count(asked).total == parameter_count(given).total) +
           2 * (asked.norm.kind == given.norm.kind) + 2 * (asked.activation == given.activation) +
           (asked.fused_qkv == given.fused_qkv) + (asked.bias == given.bias) +
           (asked.position.rope_fraction == given.position.rope_fraction) +
           (asked.norm.placement == given.norm.placement);
}

}  // namespace

DescribedModel describe_model(const ModelSpec& model, std::int64_t sequence) {
    DescribedModel best{record_without_family(model), false};
    ModelSpec asked = model;
    if (asked.position.kind == PositionKind::learned)
        asked.position.table_rows = sequence;  // a record's table has a row for each token of the sequence
    int most = -1;
    for (const Family& family : families) {
        RecordModel candidate = best.model;
        candidate.family = family.name;
        if (!model.window && family.window > 0)
            candidate.attention = "full attention";
        std::vector<std::string> assumptions;
        const ModelSpec given = model_of(candidate, sequence, assumptions);
        if (const int points = likeness(asked, given); points > most) {
            most = points;
            best = {std::move(candidate), parameter_count(asked).total == parameter_count(given).total};
        }
    }
    return best;
}

}  // namespace traincost
