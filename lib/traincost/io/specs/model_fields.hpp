// The fields of ModelSpec in JSON. Internal to io/.
#pragma once

#include "traincost/io/specs/fields.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

template <class Io, io::Is<PositionSpec> T>
void describe(Io& io, T& x) {
    io.required("kind", x.kind);
    io.optional("table_rows", x.table_rows);
    io.optional("rope_fraction", x.rope_fraction);
    io.optional("rope_theta", x.rope_theta);
    io.ignore("local_rope_theta");  // of sliding-window layers; costs nothing
    io.optional("nope_every", x.nope_every);
    io.optional("bias_tables", x.bias_tables);
}

template <class Io, io::Is<NormSpec> T>
void describe(Io& io, T& x) {
    io.required("kind", x.kind);
    io.required("bias", x.bias);
    io.required("per_layer", x.per_layer);
    io.required("final", x.final_norm);
    io.required("embedding", x.embedding_norm);
    io.required("qk", x.qk);
    io.required("placement", x.placement);
    io.optional("qk_bias", x.qk_bias);
    io.optional("fp32_scale", x.fp32_scale);
}

template <class Io, io::Is<BiasSpec> T>
void describe(Io& io, T& x) {
    io.required("qkv", x.qkv);
    io.required("attention_out", x.attention_out);
    io.required("mlp", x.mlp);
    io.required("lm_head", x.lm_head);
}

template <class Io, io::Is<WindowSpec> T>
void describe(Io& io, T& x) {
    io.required("kind", x.kind);
    io.optional("size", x.size);
    io.required("full_every", x.full_every);
}

template <class Io, io::Is<MlaSpec> T>
void describe(Io& io, T& x) {
    io.optional("q_lora_rank", x.q_lora_rank);
    io.required("kv_lora_rank", x.kv_lora_rank);
    io.required("qk_nope_dim", x.qk_nope_dim);
    io.required("qk_rope_dim", x.qk_rope_dim);
    io.required("v_head_dim", x.v_head_dim);
}

template <class Io, io::Is<GroupedLatentSpec> T>
void describe(Io& io, T& x) {
    io.required("query_rank", x.query_rank);
    io.required("output_groups", x.output_groups);
    io.required("output_rank", x.output_rank);
}

template <class Io, io::Is<IndexerSpec> T>
void describe(Io& io, T& x) {
    io.required("heads", x.heads);
    io.required("head_dim", x.head_dim);
    io.required("top_k", x.top_k);
}

template <class Io, io::Is<MoeSpec> T>
void describe(Io& io, T& x) {
    io.required("experts", x.experts);
    io.required("top_k", x.top_k);
    io.required("ffn", x.ffn);
    io.optional("first_k_dense", x.first_k_dense);
    io.optional("interleave_step", x.interleave_step);
    io.optional("shared_experts", x.shared_experts);
    io.optional("shared_ffn", x.shared_ffn);
    io.optional("shared_gate", x.shared_gate);
    io.optional("router_bias", x.router_bias);
    io.optional("score_correction_bias", x.score_correction_bias);
    io.optional("expert_bias", x.expert_bias);
    io.optional("dense_residual_ffn", x.dense_residual_ffn);
    io.optional("gated", x.gated);
    io.optional("latent", x.latent);
    io.ignore("groups");  // routing limits: they choose experts, they cost nothing
    io.ignore("top_groups");
}

template <class Io, io::Is<RecurrentSpec> T>
void describe(Io& io, T& x) {
    io.required("kind", x.kind);
    io.required("heads", x.heads);
    io.required("head_dim", x.head_dim);
    io.required("groups", x.groups);
    io.required("state", x.state);
    io.required("kernel", x.kernel);
    io.optional("rank", x.rank);
    io.optional("chunk", x.chunk);
    io.optional("projection_bias", x.projection_bias);
    io.optional("convolution_bias", x.convolution_bias);
    io.optional("norm", x.norm);
}

template <class Io, io::Is<MtpSpec> T>
void describe(Io& io, T& x) {
    io.required("layers", x.layers);
    io.required("embedding_copy", x.embedding_copy);
    io.required("head_copy", x.head_copy);
}

template <class Io, io::Is<LayerShape> T>
void describe(Io& io, T& x) {
    io.optional("heads", x.heads);
    io.optional("kv_heads", x.kv_heads);
    io.optional("head_dim", x.head_dim);
    io.optional("value_dim", x.value_dim);
    io.optional("ffn", x.ffn);
    io.optional("attention_input", x.attention_input);
    io.optional("keys_are_values", x.keys_are_values);
    io.optional("repeated", x.repeated);
}

template <class Io, io::Is<ExtraParameters> T>
void describe(Io& io, T& x) {
    io.required("what", x.what);
    io.required("count", x.count);
}

template <class Io, io::Is<ModelSpec> T>
void describe(Io& io, T& x) {
    io.required("id", x.name);
    io.required("family", x.family);
    io.required("architecture", x.architecture);
    io.required("layers", x.layers);
    io.optional("decoder_layers", x.decoder_layers);
    io.required("hidden", x.hidden);
    io.required("heads", x.heads);
    io.required("kv_heads", x.kv_heads);
    io.required("head_dim", x.head_dim);
    io.required("ffn", x.ffn);
    io.required("gated_mlp", x.gated_mlp);
    io.required("activation", x.activation);
    io.required("vocab", x.vocab);
    io.optional("embedding_dim", x.embedding_dim);
    io.required("tied_embeddings", x.tied_embeddings);
    io.optional("merged_cross_attention", x.merged_cross_attention);
    io.optional("lm_head", x.lm_head);
    io.optional("masked_lm", x.masked_lm);
    io.optional("parallel_attention", x.parallel_attention);
    io.optional("fused_qkv", x.fused_qkv);
    io.optional("attention_gate", x.attention_gate);
    io.optional("keys_are_values", x.keys_are_values);
    io.optional("attention_softcap", x.attention_softcap);
    io.optional("logits_softcap", x.logits_softcap);
    io.optional("max_position", x.max_position);
    io.required("position", x.position);
    io.required("norm", x.norm);
    io.required("bias", x.bias);
    io.optional("value_dim", x.value_dim);
    io.optional("attention_input", x.attention_input);
    io.optional("token_types", x.token_types);
    io.optional("attention_sinks", x.attention_sinks);
    io.optional("window", x.window);
    io.optional("moe", x.moe);
    io.optional("mla", x.mla);
    io.optional("grouped_latent", x.grouped_latent);
    io.optional("indexer", x.indexer);
    io.optional("mtp", x.mtp);
    io.optional("recurrent", x.recurrent);
    io.optional("mixers", x.mixers);
    io.optional("feeds", x.feeds);
    io.optional("shapes", x.shapes);
    io.optional("layer_shapes", x.layer_shapes);
    io.optional("extra", x.extra);
    io.optional("towers", x.towers);
}

}  // namespace traincost
