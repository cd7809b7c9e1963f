// Descendants of BERT: other positions, other norms, narrower embeddings.
#include <array>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

namespace {

// Defaults: those of each configuration class in transformers 5.17.

/// Sizes of a class's own.
struct BertSizes {
    std::int64_t hidden, layers, heads, ffn, vocab, positions, token_types;
};

/// An encoder of LayerNorms and plain MLPs with biases; its task's head is not counted.
ModelSpec encoder_of(HfKeys& k, const BertSizes& sizes) {
    const std::int64_t hidden = k.integer({"hidden_size"}, sizes.hidden);
    const std::int64_t heads = k.integer({"num_attention_heads"}, sizes.heads);
    ModelSpec m = hf_layernorm_decoder(k, k.integer({"num_hidden_layers"}, sizes.layers), hidden, heads,
                                       k.integer({"intermediate_size"}, sizes.ffn));
    m.architecture = Architecture::encoder;
    m.head_dim = hf_head_dim(k, "num_attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu);
    m.norm.placement = NormPlacement::post;
    m.norm.final_norm = false;
    m.norm.embedding_norm = true;
    m.lm_head = false;
    m.vocab = k.integer({"vocab_size"}, sizes.vocab);
    m.max_position = m.position.table_rows = k.integer({"max_position_embeddings"}, sizes.positions);
    m.token_types = k.integer({"type_vocab_size"}, sizes.token_types, 0);
    if (const auto kind = k.text({"position_embedding_type"}); kind && *kind != "absolute") {
        k.fail("position_embedding_type", "'" + *kind + "'; only absolute is modelled");
    }
    k.ignore({"tie_word_embeddings", "gelu_approximate", "summary_type", "summary_use_proj",
              "summary_activation", "summary_last_dropout"});
    return m;
}

void add_pooler(HfKeys& k, ModelSpec& m) {
    m.extra.push_back({"pooler", m.hidden * m.hidden + m.hidden});
    k.assume("the pooler is counted, the masked-language-model head is not");
}

void without_pooler(HfKeys& k) {
    k.assume("the masked-language-model head is not counted");
}

/// Norms before their parts and one at the end; none after the embedding.
void norm_first(ModelSpec& m) {
    m.norm.placement = NormPlacement::pre;
    m.norm.final_norm = true;
    m.norm.embedding_norm = false;
}

ModelSpec read_ernie_text(HfKeys& k) {
    ModelSpec m = encoder_of(k, {768, 12, 12, 3072, 30522, 512, 2});
    if (k.flag({"use_task_id"}, false)) {
        m.extra.push_back({"task types", k.integer({"task_type_vocab_size"}, 3) * m.hidden});
    }
    k.ignore({"task_type_vocab_size"});
    add_pooler(k, m);
    return m;
}

ModelSpec read_megatron_bert(HfKeys& k) {
    ModelSpec m = encoder_of(k, {1024, 24, 16, 4096, 29056, 512, 2});
    norm_first(m);
    add_pooler(k, m);
    return m;
}

ModelSpec read_xlm_roberta_xl(HfKeys& k) {
    ModelSpec m = encoder_of(k, {2560, 36, 32, 10240, 250880, 514, 1});
    norm_first(m);
    add_pooler(k, m);
    return m;
}

/// A table of the sines that rotate queries and keys, stored with the weights.
ModelSpec read_roformer(HfKeys& k) {
    ModelSpec m = encoder_of(k, {768, 12, 12, 3072, 50000, 1536, 2});
    if (const auto narrow = k.maybe({"embedding_size"}); narrow && *narrow != m.hidden) {
        k.fail("embedding_size", std::to_string(*narrow) + " where hidden_size is " +
                                     std::to_string(m.hidden) + "; one width is modelled");
    }
    m.position = {.kind = PositionKind::rope};
    m.extra.push_back({"table of sines", *m.max_position * m.head_dim});
    k.ignore({"rotary_value"});
    without_pooler(k);
    return m;
}

ModelSpec read_electra(HfKeys& k) {
    ModelSpec m = encoder_of(k, {256, 12, 4, 1024, 30522, 512, 2});
    hf_narrow_embeddings(m, k.integer({"embedding_size"}, 128), true);
    without_pooler(k);
    return m;
}

/// BigBird: blocks of tokens see their neighbours, the first and last block, and some at random.
ModelSpec read_big_bird(HfKeys& k) {
    ModelSpec m = encoder_of(k, {768, 12, 12, 3072, 50358, 4096, 2});
    m.bias.qkv = k.flag({"use_bias"}, true);
    const std::int64_t block = k.integer({"block_size"}, 64);
    const std::int64_t random = k.integer({"num_random_blocks"}, 3, 0);
    if (k.text({"attention_type"}).value_or("block_sparse") == "block_sparse") {
        constexpr std::int64_t seen = 3 + 2;  // neighbours and itself; the first and the last
        m.window =
            WindowSpec{.kind = WindowKind::block_sparse, .size = (seen + random) * block, .full_every = 0};
    }
    k.ignore({"rescale_embeddings", "is_encoder_decoder"});
    add_pooler(k, m);
    return m;
}

/// MPNet: one table of relative positions for all layers, no token types.
ModelSpec read_mpnet(HfKeys& k) {
    ModelSpec m = encoder_of(k, {768, 12, 12, 3072, 30527, 514, 0});
    m.extra.push_back({"relative positions", k.integer({"relative_attention_num_buckets"}, 32) * m.heads});
    add_pooler(k, m);
    return m;
}

/// DeBERTa-v2 and v3: relative positions read the queries' and keys' own projections.
ModelSpec read_deberta_v2(HfKeys& k) {
    ModelSpec m = encoder_of(k, {1536, 24, 24, 6144, 128100, 512, 0});
    if (!k.flag({"position_biased_input"}, true)) {
        m.position = {.kind = PositionKind::none};
    }
    if (k.flag({"relative_attention"}, false)) {
        // -1: no buckets; as far as there are positions.
        const std::int64_t buckets = k.maybe({"position_buckets"}, -1).value_or(-1);
        const std::int64_t said = k.maybe({"max_relative_positions"}, -1).value_or(-1);
        const std::int64_t distance = said > 0 ? said : *m.max_position;
        m.extra.push_back({"relative positions", 2 * (buckets > 0 ? buckets : distance) * m.hidden});
        if (!k.flag({"share_att_key"}, false)) {
            k.fail("share_att_key", "is false; positions with projections of their own are not modelled");
        }
        const std::string norm = k.text({"norm_rel_ebd"}).value_or("none");
        if (norm.find("layer_norm") != std::string::npos) {
            m.extra.push_back({"norm of relative positions", 2 * m.hidden});
        }
        k.assume("scores of relative positions are not modelled in time");
    }
    if (k.maybe({"conv_kernel_size"}, 0).value_or(0) > 0) {
        const std::int64_t kernel = *k.maybe({"conv_kernel_size"});
        m.extra.push_back({"convolution of the first layer", kernel * m.hidden * m.hidden + 3 * m.hidden});
    }
    k.ignore({"position_buckets", "max_relative_positions", "pos_att_type", "norm_rel_ebd", "share_att_key",
              "relative_attention", "position_biased_input", "pooler_hidden_act", "pooler_hidden_size",
              "pooler_dropout", "conv_act", "conv_kernel_size", "conv_groups", "legacy"});
    without_pooler(k);
    return m;
}

/// DeBERTa: queries, keys and values of one product, of which queries and values have biases; relative
/// positions have projections of their own in each layer.
ModelSpec read_deberta(HfKeys& k) {
    ModelSpec m = encoder_of(k, {768, 12, 12, 3072, 50265, 512, 0});
    m.fused_qkv = true;
    m.bias.qkv = false;
    m.extra.push_back({"biases of queries and values", 2 * m.layers * m.hidden});
    if (!k.flag({"position_biased_input"}, true)) {
        m.position = {.kind = PositionKind::none};
    }
    hf_narrow_embeddings(m, k.maybe({"embedding_size"}).value_or(m.hidden), false);
    if (k.flag({"relative_attention"}, false)) {
        const std::int64_t said = k.maybe({"max_relative_positions"}, -1).value_or(-1);
        m.extra.push_back({"relative positions", 2 * (said > 0 ? said : *m.max_position) * m.hidden});
        std::string kinds;
        if (const auto node = k.find({"pos_att_type"})) {
            for (const std::string& kind :
                 node->is_string() ? std::vector{node->string()} : node->strings()) {
                kinds += kind + "|";
            }
        }
        const std::int64_t square = m.hidden * m.hidden;
        const std::int64_t of_keys = kinds.find("c2p") != std::string::npos ? square : 0;
        const std::int64_t of_queries = kinds.find("p2c") != std::string::npos ? square + m.hidden : 0;
        m.extra.push_back({"projections of relative positions", m.layers * (of_keys + of_queries)});
        k.assume("scores of relative positions are not modelled in time");
    }
    if (k.flag({"talking_head"}, false)) {
        k.fail("talking_head", "is true; mixtures of heads are not modelled");
    }
    k.ignore({"max_relative_positions", "pos_att_type", "position_biased_input", "pooler_hidden_act",
              "pooler_hidden_size", "pooler_dropout", "legacy", "padding_idx"});
    without_pooler(k);
    return m;
}

/// ModernBERT: rotary positions, gated MLPs, a window in all but every third layer. The first layer has no
/// norm before its attention, the embedding has one: the same count.
ModelSpec read_modernbert(HfKeys& k) {
    const std::int64_t hidden = k.integer({"hidden_size"}, 768);
    const std::int64_t heads = k.integer({"num_attention_heads"}, 12);
    ModelSpec m = hf_layernorm_decoder(k, k.integer({"num_hidden_layers"}, 22), hidden, heads,
                                       k.integer({"intermediate_size"}, 1152));
    m.architecture = Architecture::encoder;
    m.head_dim = hf_head_dim(k, "num_attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"hidden_activation"}, Activation::gelu);
    m.gated_mlp = true;
    m.fused_qkv = true;
    m.lm_head = false;
    m.norm.bias = k.flag({"norm_bias"}, false);
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    m.vocab = k.integer({"vocab_size"}, 50368);
    m.max_position = k.integer({"max_position_embeddings"}, 8192);
    m.position = {.kind = PositionKind::rope};
    const std::int64_t period = k.maybe({"global_attn_every_n_layers"}).value_or(3);
    m.window = WindowSpec{
        .kind = WindowKind::sliding, .size = k.integer({"local_attention"}, 128), .full_every = period};
    hf_read_rotary(k, m);
    k.ignore({"layer_types", "decoder_bias", "classifier_pooling", "classifier_bias", "classifier_activation",
              "deterministic_flash_attn", "sparse_prediction", "sparse_pred_ignore_index",
              "embedding_dropout", "global_rope_theta", "local_rope_theta", "reference_compile",
              "repad_logits_with_grad", "tie_word_embeddings", "position_embedding_type",
              "global_rope_theta"});
    without_pooler(k);
    return m;
}

/// ModernBERT's blocks as a decoder, with its masked-language-model head as the output.
ModelSpec read_modernbert_decoder(HfKeys& k) {
    ModelSpec m = read_modernbert(k);
    m.architecture = Architecture::decoder;
    m.lm_head = true;
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.bias.lm_head = k.flag({"decoder_bias"}, true);
    m.extra.push_back(
        {"dense layer and norm before the head", m.hidden * m.hidden + (m.norm.bias ? 2 : 1) * m.hidden});
    k.ignore({"sliding_window", "num_labels"});
    return m;
}

/// Nomic BERT: rotary positions and gated MLPs between BERT's norms, no biases but theirs.
ModelSpec read_nomic_bert(HfKeys& k) {
    ModelSpec m = encoder_of(k, {768, 12, 12, 3072, 30528, 2048, 2});
    m.position = {.kind = PositionKind::rope};
    m.activation = hf_activation(k, {"hidden_act"}, Activation::silu);
    m.gated_mlp = true;
    m.bias.qkv = m.bias.attention_out = m.bias.mlp = false;
    m.head_dim = k.maybe({"head_dim"}).value_or(m.head_dim);
    hf_read_rotary(k, m);
    without_pooler(k);
    return m;
}

constexpr std::array bert_readers = std::to_array<HfReader>({
    {"big_bird", read_big_bird},
    {"deberta", read_deberta},
    {"deberta-v2", read_deberta_v2},
    {"electra", read_electra},
    {"ernie", read_ernie_text},
    {"megatron-bert", read_megatron_bert},
    {"modernbert", read_modernbert},
    {"modernbert-decoder", read_modernbert_decoder},
    {"mpnet", read_mpnet},
    {"nomic_bert", read_nomic_bert},
    {"roformer", read_roformer},
    {"xlm-roberta-xl", read_xlm_roberta_xl},
});

}  // namespace

std::span<const HfReader> hf_bert_readers() {
    return bert_readers;
}

}  // namespace traincost
