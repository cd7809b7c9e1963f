#include <array>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

namespace {

// Defaults: see hf_llama.cpp.

/// BERT: norms after each sublayer and after the embedding, a pooler, no output head.
ModelSpec bert_encoder(HfKeys& k, std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                       std::int64_t ffn) {
    ModelSpec m = hf_layernorm_decoder(k, layers, hidden, heads, ffn);
    m.architecture = Architecture::encoder;
    m.norm.placement = NormPlacement::post;
    m.norm.final_norm = false;
    m.norm.embedding_norm = true;
    m.lm_head = false;
    return m;
}

ModelSpec read_bert_of(HfKeys& k, std::int64_t vocab, std::int64_t token_types) {
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t heads = k.integer({"num_attention_heads"}, 12);
    ModelSpec m = bert_encoder(k, k.required({"num_hidden_layers"}), hidden, heads,
                               k.integer({"intermediate_size"}, 3072));
    m.head_dim = hf_head_dim(k, "num_attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu);
    m.vocab = k.integer({"vocab_size"}, vocab);
    m.max_position = m.position.table_rows = k.integer({"max_position_embeddings"}, 512);
    m.token_types = k.integer({"type_vocab_size"}, token_types, 0);
    if (const auto kind = k.text({"position_embedding_type"}); kind && *kind != "absolute") {
        k.fail("position_embedding_type", "'" + *kind + "'; only absolute is modelled");
    }
    m.extra.push_back({"pooler", hidden * hidden + hidden});
    k.assume("the pooler is counted, the masked-language-model head is not");
    k.ignore({"tie_word_embeddings", "directionality", "pooler_fc_size", "pooler_num_attention_heads",
              "pooler_num_fc_layers", "pooler_size_per_head", "pooler_type", "gelu_approximate"});
    return m;
}

ModelSpec read_bert(HfKeys& k) {
    return read_bert_of(k, 30522, 2);
}

ModelSpec read_roberta(HfKeys& k) {
    return read_bert_of(k, 50265, 2);
}

ModelSpec read_xlm_roberta(HfKeys& k) {
    return read_bert_of(k, 30522, 2);
}

/// A window around each token in each of `encoder_layers`, and the second queries, keys and values (with
/// biases) of the tokens that see all.
void add_longformer_attention(HfKeys& k, ModelSpec& m, std::int64_t encoder_layers) {
    constexpr std::int64_t both_sides = 512;
    m.window = WindowSpec{.kind = WindowKind::sliding,
                          .size = k.uniform({"attention_window"}).value_or(both_sides),
                          .full_every = 0};
    constexpr std::int64_t projections = 3;
    m.extra.push_back(
        {"projections of global attention", encoder_layers * projections * (m.hidden * m.hidden + m.hidden)});
    k.assume("no token attends globally: a task's few are not modelled in time");
    k.ignore({"attention_mode", "ignore_attention_mask", "onnx_export", "sep_token_id"});
}

ModelSpec read_longformer(HfKeys& k) {
    ModelSpec m = read_bert_of(k, 30522, 2);
    add_longformer_attention(k, m, m.layers);
    return m;
}

/// No token types and no pooler.
ModelSpec read_distilbert(HfKeys& k) {
    const std::int64_t hidden = k.required({"dim", "hidden_size"});
    const std::int64_t heads = k.integer({"n_heads", "num_attention_heads"}, 12);
    ModelSpec m = bert_encoder(k, k.required({"n_layers", "num_hidden_layers"}), hidden, heads,
                               k.integer({"hidden_dim"}, 3072));
    m.head_dim = hf_head_dim(k, "n_heads", hidden, heads);
    m.activation = hf_activation(k, {"activation"}, Activation::gelu);
    m.vocab = k.integer({"vocab_size"}, 30522);
    m.max_position = m.position.table_rows = k.integer({"max_position_embeddings"}, 512);
    k.assume("the masked-language-model head is not counted");
    k.ignore({"tie_weights_", "tie_word_embeddings", "sinusoidal_pos_embds"});
    return m;
}

struct T5Defaults {
    std::int64_t ffn, heads, vocab;
    const char* projection;
    bool tied;
};

/// T5: pre-norms without bias, relative-position tables of the first layer of each stack, and cross attention
/// in the decoder.
ModelSpec read_t5_of(HfKeys& k, const T5Defaults& defaults) {
    const std::int64_t heads = k.integer({"num_heads", "num_attention_heads"}, defaults.heads);
    ModelSpec m{.name = k.type(),
                .family = k.type(),
                .architecture = Architecture::encoder_decoder,
                .layers = k.required({"num_layers", "num_hidden_layers"}),
                .hidden = k.required({"d_model", "hidden_size"}),
                .heads = heads,
                .kv_heads = heads,
                .head_dim = k.integer({"d_kv", "head_dim"}, 64),
                .ffn = k.integer({"d_ff"}, defaults.ffn),
                .gated_mlp = false,
                .activation = Activation::relu,
                .vocab = k.integer({"vocab_size"}, defaults.vocab),
                .tied_embeddings = k.flag({"tie_word_embeddings"}, defaults.tied),
                .position = {.kind = PositionKind::t5_relative_bias},
                .norm = {.kind = NormKind::rmsnorm,
                         .bias = false,
                         .per_layer = 2,
                         .final_norm = true,
                         .embedding_norm = false,
                         .qk = QkNorm::none,
                         .placement = NormPlacement::pre},
                .bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false}};
    m.decoder_layers = k.maybe({"num_decoder_layers"}).value_or(m.layers);
    m.max_position = k.maybe({"n_positions"});
    const std::int64_t table = k.integer({"relative_attention_num_buckets"}, 32) * heads;
    m.position.bias_tables = {table, table};

    constexpr std::string_view gated = "gated-";
    std::string projection = k.text({"feed_forward_proj"}).value_or(defaults.projection);
    m.gated_mlp = projection.starts_with(gated);
    k.ignore({"dense_act_fn", "is_gated_act", "relative_attention_max_distance", "feed_forward_proj",
              "gradient_checkpointing"});
    const std::string name = m.gated_mlp ? projection.substr(gated.size()) : projection;
    if (name == "relu") {
        m.activation = Activation::relu;
    } else if (name == "gelu" || name == "gelu_new") {
        m.activation = Activation::gelu_new;
    } else if (name == "silu") {
        m.activation = Activation::silu;
    } else {
        k.fail("feed_forward_proj",
               "'" + projection + "'; must be relu, gelu, silu, gated-gelu, gated-silu or gated-relu");
    }
    return m;
}

ModelSpec read_t5(HfKeys& k) {
    return read_t5_of(k, {2048, 8, 32128, "relu", true});
}

ModelSpec read_mt5(HfKeys& k) {
    return read_t5_of(k, {1024, 6, 250112, "gated-gelu", false});
}

/// UMT5 keeps a relative-position table in every layer.
ModelSpec read_umt5(HfKeys& k) {
    ModelSpec m = read_t5_of(k, {1024, 6, 250112, "gated-gelu", false});
    const std::int64_t table = m.position.bias_tables.front();
    m.position.bias_tables = {table * m.layers, table * m.decoder_layers};
    return m;
}

/// A window around each token in the encoder, to which `transient-global` adds a second relative-position
/// table and a norm of the blocks' summaries in each layer.
ModelSpec read_longt5(HfKeys& k) {
    ModelSpec m = read_t5_of(k, {2048, 8, 32128, "relu", true});
    constexpr std::int64_t sides = 2;
    m.window = WindowSpec{
        .kind = WindowKind::sliding, .size = sides * k.integer({"local_radius"}, 127) + 1, .full_every = 0};
    const std::string attention = k.text({"encoder_attention_type"}).value_or("local");
    if (attention != "local" && attention != "transient-global") {
        k.fail("encoder_attention_type", "'" + attention + "'; must be local or transient-global");
    }
    k.ignore({"global_block_size"});
    if (attention == "transient-global") {
        m.extra.push_back(
            {"positions and norms of block summaries", m.position.bias_tables.front() + m.layers * m.hidden});
        k.assume("attention to the summaries of the encoder's blocks is not modelled in time");
    }
    k.assume(
        "the decoder's self-attention is timed with the encoder's window, though the class has none there");
    return m;
}

/// Layers with experts in one stack: every (layers / sparse)-th.
std::int64_t sparse_step(HfKeys& k, HfNames names, std::int64_t layers, std::int64_t fallback) {
    const std::int64_t sparse = k.integer(names, fallback, 0);
    if (sparse == 0 || sparse > layers || layers % sparse != 0) {
        k.fail(*names.begin(),
               std::to_string(sparse) + "; must divide the " + std::to_string(layers) + " layers");
    }
    return layers / sparse;
}

ModelSpec read_switch(HfKeys& k) {
    ModelSpec m = read_t5_of(k, {2048, 12, 32128, "relu", true});
    const std::int64_t encoder = sparse_step(k, {"num_sparse_encoder_layers"}, m.layers, 3);
    const std::int64_t decoder = sparse_step(k, {"num_sparse_decoder_layers"}, m.decoder_layers, 3);
    if (encoder != decoder) {
        k.fail("num_sparse_decoder_layers",
               "spaces experts otherwise than num_sparse_encoder_layers; one spacing is modelled");
    }
    m.moe = MoeSpec{.experts = k.integer({"num_experts"}, 8), .top_k = 1, .ffn = m.ffn};
    m.moe->interleave_step = encoder;
    m.moe->router_bias = k.flag({"router_bias"}, false);
    k.ignore({"encoder_sparse_step", "decoder_sparse_step", "expert_capacity", "router_dtype",
              "router_ignore_padding_tokens", "router_type", "add_router_probs", "batch_prioritized_routing",
              "num_selected_experts"});
    return m;
}

/// What sets the descendants of BART apart.
struct BartKind {
    std::int64_t vocab;
    std::int64_t width;
    std::int64_t layers;
    std::int64_t heads;
    std::int64_t ffn;
    std::int64_t offset;  ///< rows of a position table before position 0
    bool positions;       ///< tables are stored, one a stack
    bool embedding_norm;  ///< of each stack
    bool final_norm;      ///< of each stack: pre-norm
    std::int64_t table;   ///< positions where the file has none
    Activation activation;
    std::string_view positions_key = "max_position_embeddings";
};

/// Two stacks of plain MLPs and LayerNorms with biases everywhere, one embedding for both and the head.
ModelSpec read_bart_of(HfKeys& k, const BartKind& kind) {
    const std::int64_t heads = k.integer({"encoder_attention_heads", "num_attention_heads"}, kind.heads);
    ModelSpec m = hf_layernorm_decoder(k, k.integer({"encoder_layers", "num_hidden_layers"}, kind.layers),
                                       k.integer({"d_model", "hidden_size"}, kind.width), heads,
                                       k.integer({"encoder_ffn_dim"}, kind.ffn));
    const auto same = [&](std::string_view key, std::int64_t fallback, std::int64_t encoder) {
        if (const std::int64_t x = k.integer({key}, fallback); x != encoder) {
            k.fail(key, std::to_string(x) + " but the encoder has " + std::to_string(encoder) +
                            "; only stacks of the same shape are modelled");
        }
    };
    same("decoder_attention_heads", kind.heads, heads);
    same("decoder_ffn_dim", kind.ffn, m.ffn);
    m.architecture = Architecture::encoder_decoder;
    m.decoder_layers = k.integer({"decoder_layers"}, kind.layers);
    m.head_dim = hf_head_dim(k, "encoder_attention_heads", m.hidden, heads);
    m.activation = hf_activation(k, {"activation_function"}, kind.activation);
    m.vocab = k.integer({"vocab_size"}, kind.vocab);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.norm.embedding_norm = kind.embedding_norm;
    m.norm.final_norm = kind.final_norm;
    m.norm.placement = kind.final_norm ? NormPlacement::pre : NormPlacement::post;
    m.max_position = k.integer({kind.positions_key}, kind.table);
    constexpr std::int64_t stacks = 2;
    if (kind.positions) {
        m.position.table_rows = stacks * (*m.max_position + kind.offset);
    } else {
        m.position.kind = PositionKind::none;
    }
    k.ignore({"num_hidden_layers",
              "static_position_embeddings",
              "normalize_before",
              "normalize_embedding",
              "extra_pos_embeddings",
              "add_final_layer_norm",
              "add_bias_logits",
              "scale_embedding",
              "share_encoder_decoder_embeddings",
              "decoder_vocab_size",
              "force_bos_token_to_be_generated",
              "classif_dropout",
              "classifier_dropout",
              "init_std",
              "length_penalty",
              "save_step",
              "max_length",
              "is_encoder_decoder",
              "gradient_checkpointing",
              "dropout",
              "encoder_layerdrop",
              "decoder_layerdrop",
              "tokenizer_class"});
    return m;
}

ModelSpec read_bart(HfKeys& k) {
    return read_bart_of(k, {50265, 1024, 12, 16, 4096, 2, true, true, false, 1024, Activation::gelu});
}

/// BART with Longformer's attention in the encoder, and a table of positions of each stack's own length.
ModelSpec read_led(HfKeys& k) {
    ModelSpec m = read_bart_of(k, {50265, 1024, 12, 16, 4096, 0, true, true, false, 16384, Activation::gelu,
                                   "max_encoder_position_embeddings"});
    m.position.table_rows = *m.max_position + k.integer({"max_decoder_position_embeddings"}, 1024);
    add_longformer_attention(k, m, m.layers);
    k.assume(
        "the decoder's self-attention is timed with the encoder's window, though the class has none there");
    return m;
}

ModelSpec read_mbart(HfKeys& k) {
    return read_bart_of(k, {50265, 1024, 12, 16, 4096, 2, true, true, true, 1024, Activation::gelu});
}

ModelSpec read_plbart(HfKeys& k) {
    return read_bart_of(k, {50005, 768, 6, 12, 3072, 2, true, true, false, 1024, Activation::gelu});
}

/// Positions are sines, which the checkpoint stores.
ModelSpec read_pegasus(HfKeys& k) {
    return read_bart_of(k, {50265, 1024, 12, 16, 4096, 0, true, false, true, 1024, Activation::gelu});
}

/// Attention without biases, in the encoder within blocks and to a few global tokens, which have an embedding
/// and a norm a layer of their own; positions are computed.
ModelSpec read_pegasus_x(HfKeys& k) {
    ModelSpec m =
        read_bart_of(k, {96103, 1024, 16, 16, 4096, 0, false, false, true, 16384, Activation::gelu});
    m.bias.qkv = m.bias.attention_out = false;
    m.window =
        WindowSpec{.kind = WindowKind::chunked, .size = k.integer({"block_size"}, 512), .full_every = 0};
    constexpr std::int64_t weight_and_bias = 2;
    m.extra.push_back({"global tokens and their norms",
                       (k.integer({"num_global_tokens"}, 32) + m.layers * weight_and_bias) * m.hidden});
    k.ignore({"stagger_local_blocks", "stagger_local_block"});
    k.assume("the encoder's global tokens are not modelled in time");
    k.assume(
        "the decoder's self-attention is timed with the encoder's blocks, though the class has none there");
    return m;
}

ModelSpec read_marian(HfKeys& k) {
    if (!k.flag({"share_encoder_decoder_embeddings"}, true)) {
        k.fail("share_encoder_decoder_embeddings", "is false; one embedding for both stacks is modelled");
    }
    return read_bart_of(k, {58101, 1024, 12, 16, 4096, 0, true, false, false, 1024, Activation::gelu});
}

/// Positions are sines, which are not stored.
ModelSpec read_m2m_100(HfKeys& k) {
    return read_bart_of(k, {128112, 1024, 12, 16, 4096, 0, false, false, true, 1024, Activation::relu});
}

ModelSpec read_blenderbot(HfKeys& k) {
    if (!k.has("decoder_layers")) {
        k.required({"decoder_layers"});
    }
    return read_bart_of(k, {8008, 2560, 2, 32, 10240, 0, true, false, true, 128, Activation::gelu});
}

constexpr std::array encoder_readers = std::to_array<HfReader>({
    {"bart", read_bart},
    {"bert", read_bert},
    {"blenderbot", read_blenderbot},
    {"camembert", read_xlm_roberta},
    {"data2vec-text", read_xlm_roberta},
    {"distilbert", read_distilbert},
    {"led", read_led},
    {"longformer", read_longformer},
    {"longt5", read_longt5},
    {"m2m_100", read_m2m_100},
    {"marian", read_marian},
    {"mbart", read_mbart},
    {"mt5", read_mt5},
    {"pegasus", read_pegasus},
    {"pegasus_x", read_pegasus_x},
    {"plbart", read_plbart},
    {"roberta", read_roberta},
    {"switch_transformers", read_switch},
    {"t5", read_t5},
    {"umt5", read_umt5},
    {"xlm-roberta", read_xlm_roberta},
});

}  // namespace

std::span<const HfReader> hf_encoder_readers() {
    return encoder_readers;
}

}  // namespace traincost
