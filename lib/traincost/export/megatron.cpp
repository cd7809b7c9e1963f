// Megatron-LM's arguments, started by torchrun.

#include "traincost/base/text.hpp"
#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

void add_mixture(const ModelSpec& m, ArgumentWords& out) {
    const MoeSpec& moe = *m.moe;
    out.number("--num-experts", moe.experts);
    out.number("--moe-router-topk", moe.top_k);
    out.number("--moe-ffn-hidden-size", moe.ffn);
    if (moe.shared_ffn > 0)
        out.number("--moe-shared-expert-intermediate-size", moe.shared_ffn);
    if (moe.first_k_dense > 0)
        out.word("--moe-layer-freq", "([0]*" + std::to_string(moe.first_k_dense) + "+[1]*" +
                                         std::to_string(m.layers - moe.first_k_dense) + ")");
    else if (moe.interleave_step > 1)
        out.number("--moe-layer-freq", moe.interleave_step);
    out.flag("--moe-grouped-gemm");
}

void add_latent_attention(const MlaSpec& mla, ArgumentWords& out) {
    out.flag("--multi-latent-attention");
    if (mla.q_lora_rank)
        out.number("--q-lora-rank", *mla.q_lora_rank);
    out.number("--kv-lora-rank", mla.kv_lora_rank);
    out.number("--qk-head-dim", mla.qk_nope_dim);
    out.number("--qk-pos-emb-head-dim", mla.qk_rope_dim);
    out.number("--v-head-dim", mla.v_head_dim);
}

void add_blocks(const ModelSpec& m, ArgumentWords& out) {
    if (m.gated_mlp && m.activation == Activation::silu)
        out.flag("--swiglu");
    else if (m.activation == Activation::squared_relu)
        out.flag("--squared-relu");
    if (m.norm.kind == NormKind::rmsnorm)
        out.word("--normalization", "RMSNorm");
    if (m.norm.qk != QkNorm::none)
        out.flag("--qk-layernorm");
    if (!m.bias.mlp && !m.bias.attention_out)
        out.flag("--disable-bias-linear");
    if (m.bias.qkv && !m.bias.attention_out)
        out.flag("--add-qkv-bias");
    if (!m.tied_embeddings)
        out.flag("--untie-embeddings-and-output-weights");
    if (m.position.kind == PositionKind::rope) {
        out.word("--position-embedding-type", "rope");
        if (m.position.rope_theta)
            out.number("--rotary-base", static_cast<std::int64_t>(*m.position.rope_theta));
        if (m.position.rope_fraction < 1.0)
            out.word("--rotary-percent", to_exact(m.position.rope_fraction));
    } else {
        out.word("--position-embedding-type",
                 m.position.kind == PositionKind::learned ? "learned_absolute" : "none");
    }
    if (m.mtp)
        out.number("--mtp-num-layers", m.mtp->layers);
}

/// What pretrain_gpt.py cannot build; empty where it can.
std::string_view foreign_part(const ModelSpec& m) {
    const bool gate = m.gated_mlp && m.activation != Activation::silu;
    return m.architecture != Architecture::decoder   ? "pretrain_gpt.py builds decoders"
           : m.parallel_attention                    ? "parallel attention and MLP"
           : m.attention_softcap || m.logits_softcap ? "bounded scores"
           : m.norm.placement != NormPlacement::pre  ? "norms behind the blocks"
           : m.indexer                               ? "sparse-attention indexer"
           : m.embedding_dim                         ? "an embedding narrower than the model"
           : m.position.kind != PositionKind::rope && m.position.kind != PositionKind::learned &&
                   m.position.kind != PositionKind::none
               ? "its positions"
           : gate                                  ? "its gate"
           : m.window && m.window->full_every != 1 ? "local attention in some of the layers"
                                                   : "";
}

void add_model(JobWords& words, ArgumentWords& out) {
    const ModelSpec& m = words.model();
    out.number("--num-layers", m.layers + m.decoder_layers);
    out.number("--hidden-size", m.hidden);
    out.number("--num-attention-heads", m.heads);
    if (m.kv_heads != m.heads && !m.mla) {
        out.flag("--group-query-attention");
        out.number("--num-query-groups", m.kv_heads);
    }
    if (!m.mla)
        out.number("--kv-channels", m.head_dim);
    out.number("--ffn-hidden-size", m.ffn);
    out.number("--vocab-size", m.vocab);
    add_blocks(m, out);
    if (m.mla)
        add_latent_attention(*m.mla, out);
    if (m.moe)
        add_mixture(m, out);
    out.number("--max-position-embeddings", std::max(m.max_position.value_or(0), words.run().sequence));
    out.word("--tokenizer-type", "HuggingFaceTokenizer");
    out.word("--tokenizer-model", words.checkpoint());
    const std::string_view foreign = foreign_part(m);
    words.fixed("model", foreign.empty(), "no argument for all of it: " + std::string(foreign));
}

void add_batch(JobWords& words, ArgumentWords& out) {
    const RunSpec& run = words.run();
    out.number("--seq-length", run.sequence);
    out.number("--micro-batch-size", run.micro_batch);
    out.number("--global-batch-size", words.whole_batch());
    words.say_batch();
}

void add_sharding(JobWords& words, ArgumentWords& out) {
    const std::int64_t stage = words.parallel().zero;
    if (stage == 1)
        out.flag("--use-distributed-optimizer");
    if (stage >= 2) {
        out.flag("--use-megatron-fsdp");
        out.word("--data-parallel-sharding-strategy", stage == 2 ? "optim_grads" : "optim_grads_params");
        out.flag("--use-distributed-optimizer");
        out.word("--ckpt-format", "fsdp_dtensor");
    }
    words.said({"zero"});
}

void add_layout(JobWords& words, ArgumentWords& out) {
    const Parallelism& p = words.parallel();
    out.number("--tensor-model-parallel-size", p.tp);
    out.number("--pipeline-model-parallel-size", p.pp);
    if (p.vp > 1)
        out.number("--num-virtual-stages-per-pipeline-rank", p.vp);
    if (p.cp > 1)
        out.number("--context-parallel-size", p.cp);
    if (p.ep > 1)
        out.number("--expert-model-parallel-size", p.ep);
    if (words.sequence_parallel())
        out.flag("--sequence-parallel");
    if (p.tp_overlap.value_or(false))
        out.flag("--tp-comm-overlap");
    words.said({"tp", "pp", "vp", "cp", "ep", "sequence-parallel", "tp-overlap"});
    words.say_schedule(p.vp > 1 ? Schedule::interleaved : Schedule::one_f_one_b,
                       "only 1F1B, or interleaved if a rank has several chunks");
    add_sharding(words, out);
}

void add_recompute(JobWords& words, ArgumentWords& out) {
    const RunSpec& run = words.run();
    if (run.recompute == Recompute::full) {
        out.word("--recompute-granularity", "full");
        out.word("--recompute-method", "uniform");
        out.number("--recompute-num-layers", 1);
    } else if (run.recompute == Recompute::selective) {
        out.word("--recompute-granularity", "selective");
    }
    words.fixed("recompute",
                run.recompute_every == 1 && !run.recompute_layers && !run.recompute_modules.any(),
                "the share of blocks is left to the framework");
}

/// Without a word the arguments keep 0.1 of both, which recipes of today's models switch off.
void add_dropout(JobWords& words, ArgumentWords& out) {
    const std::string rate = to_exact(words.dropout());
    out.word("--attention-dropout", rate);
    out.word("--hidden-dropout", rate);
    words.said({"dropout"});
}

void add_numbers(JobWords& words, ArgumentWords& out) {
    const RunSpec& run = words.run();
    if (words.compute_word() != "fp32")
        out.flag("--" + std::string(words.compute_word()));
    if (words.is_fp8())
        out.word("--fp8-format", "hybrid");
    if (const auto scaling = words.run().fp8_scaling; scaling && scaling != Fp8Scaling::rowwise) {
        out.word("--fp8-recipe", std::string(name_of(*scaling)));
        words.said({"fp8-scaling"});
    }
    words.say_precision(words.is_fp8() ? "fp8" : words.compute_word());
    const bool sgd = run.optimizer == Optimizer::sgd;
    if (sgd || run.optimizer == Optimizer::sgd_momentum)
        out.word("--optimizer", "sgd");
    else
        out.word("--optimizer", run.optimizer == Optimizer::muon ? "muon" : "adam");
    if (sgd)
        out.word("--sgd-momentum", "0.0");
    words.fixed("optimizer", sgd || run.optimizer == Optimizer::muon || run.optimizer == Optimizer::adamw,
                "only adam, sgd and muon are read back");
    out.word("--attention-backend", words.attention() == AttentionKernel::flash ? "flash" : "unfused");
    words.said({"attention"});
    add_dropout(words, out);
    if (run.offload_optimizer == Offload::cpu) {
        out.flag("--optimizer-cpu-offload");
        out.flag("--use-precision-aware-optimizer");
        words.said({"offload-optimizer"});
    }
    words.fixed("compile", words.compiled() == words.job().stack.layer.compile,
                "compiled parts are the framework's own");
    words.fixed("tuning", run.tuning == Tuning::full, "pretrain_gpt.py trains all parameters");
}

}  // namespace

LaunchTexts write_megatron(JobWords& words) {
    ArgumentWords out;
    say_machines(words);
    add_model(words, out);
    add_batch(words, out);
    add_layout(words, out);
    add_recompute(words, out);
    add_numbers(words, out);
    return {{"launch.sh", script_text(words, torchrun(words) + " pretrain_gpt.py", out)}};
}

}  // namespace traincost
