#include <algorithm>
#include <array>

#include "traincost/cost/params.hpp"
#include "traincost/export/bench.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// Gathers what the script cannot do of one job.
class Limits {
public:
    Limits(const Job& job, const BenchOptions& options)
        : job_(job),
          options_(options),
          m_(job.model),
          run_(job.run),
          p_(job.run.parallel),
          stack_(job.stack) {
    }

    std::vector<Problem> problems() {
        model();
        stack();
        if (!foreign_.empty()) {
            return std::move(problems_);  // what follows from another stack's habits would only distract
        }
        precision();
        run();
        tensor_parallel();
        pipeline();
        context_parallel();
        data_parallel();
        options();
        return std::move(problems_);
    }

private:
    /// `message`: what is given, what is allowed.
    void refuse_if(bool wrong, std::string path, std::string message) {
        if (wrong) {
            problems_.push_back({std::move(path), std::move(message)});
        }
    }
    void refuse_model_if(bool wrong, const std::string& what, const std::string& allowed) {
        refuse_if(wrong, "--model", "'" + m_.name + "' has " + what + "; the script builds " + allowed);
    }
    void refuse_stack_if(bool wrong, std::string choice) {
        if (wrong) {
            foreign_.push_back(std::move(choice));
        }
    }
    /// One problem for all that the stack has and PyTorch has not.
    void say_foreign() {
        std::string list;
        for (const std::string& choice : foreign_) {
            list += (list.empty() ? "" : ", ") + choice;
        }
        refuse_if(!list.empty(), "--stack",
                  "'" + stack_.id + "' has " + list +
                      ", which the script cannot reproduce; allowed: stacks built on PyTorch operators");
    }

    bool compiled() const {
        return is_compiled(run_, stack_);
    }
    bool sequence_parallel() const {
        return p_.sequence_parallel.value_or(stack_.layer.sequence_parallel);
    }
    bool fused_qkv() const {
        return stack_.layer.fused_qkv || m_.fused_qkv;
    }
    bool loss_in_parts() const {
        const LossKernel loss = options_.loss.value_or(stack_.head.loss);
        return loss == LossKernel::chunked || loss == LossKernel::fused_linear;
    }

    void model() {
        using enum PositionKind;
        const auto position = m_.position.kind;
        refuse_model_if(m_.architecture != Architecture::decoder, "an encoder", "decoders");
        refuse_model_if(position != none && position != rope && position != learned,
                        std::string(name_of(position)) + " positions", "rope, learned or no positions");
        using enum Activation;
        constexpr std::array written = {gelu,       gelu_tanh,        gelu_new, gelu_fast,
                                        quick_gelu, Activation::relu, silu,     squared_relu};
        refuse_model_if(std::find(written.begin(), written.end(), m_.activation) == written.end(),
                        std::string(name_of(m_.activation)),
                        "gelu, gelu_tanh, gelu_new, gelu_fast, quick_gelu, relu, silu and squared_relu");
        refuse_model_if(m_.attention_sinks > 0, "attention sinks", "attention without them");
        refuse_model_if(m_.indexer.has_value(), "a sparse-attention indexer", "dense and windowed attention");
        refuse_model_if(has_listed_layers(m_), "layers of several kinds",
                        "attention and an MLP in every layer");
        refuse_model_if(m_.attention_gate, "a gate on attention's output", "attention without one");
        refuse_model_if(m_.moe && m_.moe->latent, "experts behind a projection",
                        "experts of the hidden width");
        refuse_model_if(!m_.extra.empty() || m_.token_types > 0 || !m_.lm_head,
                        !m_.extra.empty() ? m_.extra.front().what : "no language-model head",
                        "plain decoders with a language-model head");
        refuse_model_if(m_.window && m_.window->kind == WindowKind::block_sparse, "block-sparse attention",
                        "sliding and chunked windows");
        refuse_model_if(m_.mla && m_.norm.qk != QkNorm::none, "norms on queries and keys of latent attention",
                        "latent attention without them");
        refuse_model_if(!norms_placed(), std::to_string(m_.norm.per_layer) + " norms per layer",
                        "2, 4 of sandwich placement, 1 or 2 with parallel attention");
        refuse_if(position == learned && run_.sequence > m_.position.table_rows, "--seq",
                  std::to_string(run_.sequence) + " exceeds the " + std::to_string(m_.position.table_rows) +
                      " rows of the model's position table");
    }

    bool norms_placed() const {
        if (m_.parallel_attention) {
            return m_.norm.placement == NormPlacement::pre && m_.norm.per_layer >= 1 &&
                   m_.norm.per_layer <= 2;
        }
        return m_.norm.per_layer == (m_.norm.placement == NormPlacement::sandwich ? 4 : 2);
    }

    void stack() {
        const LossKernel loss = options_.loss.value_or(stack_.head.loss);
        refuse_stack_if(stack_.layer.norm != NormKernel::fused, "unfused norms");
        refuse_stack_if(stack_.layer.rotary != RotaryKernel::composite, "a fused rotary kernel");
        refuse_stack_if(stack_.layer.activation != ActivationKernel::eager, "a fused MLP kernel");
        refuse_stack_if(stack_.layer.bias_dropout_fused, "fused bias and dropout");
        refuse_stack_if(stack_.layer.bias == BiasKernel::apart, "separate bias kernels");
        refuse_stack_if(stack_.layer.written_out_gelu || stack_.layer.inplace_backward,
                        "its own activation kernels");
        refuse_stack_if(loss == LossKernel::vocab_parallel || loss == LossKernel::fused_softmax,
                        "the loss " + std::string(name_of(loss)));
        refuse_stack_if(stack_.head.metric_losses > 0.0 || stack_.head.logits_copies_fp32 > 0.0,
                        "metric losses");
        refuse_stack_if(stack_.states.gradients != GradientStore::parameter, "its own gradient buffers");
        refuse_stack_if(p_.tp > 1 && stack_.layer.tensor_parallel != TensorParallelKind::dtensor,
                        std::string(name_of(stack_.layer.tensor_parallel)) + " tensor parallelism");
        refuse_stack_if(p_.zero >= 2 && p_.dp * p_.cp > 1 && stack_.states.shard != ShardEngine::fsdp2,
                        std::string(name_of(stack_.states.shard)) + " sharding");
        refuse_stack_if(
            p_.pp > 1 && (stack_.pipeline.ends_count_as_blocks || stack_.pipeline.balanced_stages),
            "stages of unequal length");
        refuse_stack_if(stack_.host.cuda_graphs && !compiled(), "CUDA graphs around eager code");
        say_foreign();
        const auto generation = run_.attention_generation.value_or(stack_.attention.generation);
        refuse_if(generation == AttentionGeneration::flash_triton ||
                      generation == AttentionGeneration::flash_pallas ||
                      generation == AttentionGeneration::flash_aiter ||
                      generation == AttentionGeneration::math,
                  "--attention-generation",
                  "'" + std::string(name_of(generation)) +
                      "' is not a kernel of scaled_dot_product_attention; allowed: flash2, "
                      "flash3, flash4, memory_efficient");
        const std::string& vendor = job_.cluster.accelerator.vendor;
        refuse_if(!vendor.starts_with("NVIDIA") && !vendor.starts_with("AMD"), "--gpu",
                  "'" + job_.cluster.accelerator.id +
                      "' has no CUDA or ROCm build of PyTorch; allowed: accelerators "
                      "from NVIDIA and AMD");
    }

    void precision() {
        const Precision& x = run_.precision;
        const std::string name = "'" + run_.precision_name + "' ";
        const std::string allowed =
            "; allowed: bf16-amp, bf16-pure, bf16-mixed, fp16-amp, fp16-pure, fp16-mixed, fp8-mixed, tf32, "
            "fp32";
        const bool eight_bit = x.gemm == DataType::fp8;
        const bool known =
            eight_bit || x.gemm == x.compute || (x.gemm == DataType::tf32 && x.compute == DataType::fp32);
        refuse_if(!known || x.base, "--precision",
                  name + "is not a format of PyTorch's own products" + allowed);
        refuse_if(x.gradients != x.weights, "--precision",
                  name + "keeps gradients in " + std::string(name_of(x.gradients)) +
                      ", PyTorch in the weights' " + std::string(name_of(x.weights)) + allowed);
        refuse_if(x.autocast ? x.weights != DataType::fp32 : x.weights != x.compute, "--precision",
                  name + "has weights in " + std::string(name_of(x.weights)) + " and products in " +
                      std::string(name_of(x.compute)) + allowed);
        refuse_if(x.moments != x.master.value_or(x.weights), "--precision",
                  name + "keeps moments in " + std::string(name_of(x.moments)) +
                      ", PyTorch in the format of the weights it updates" + allowed);
        refuse_if(p_.zero < 2 && p_.dp * p_.cp > 1 && x.reduce != x.gradients, "--precision",
                  name + "reduces gradients in " + std::string(name_of(x.reduce)) +
                      ", DistributedDataParallel in their own " + std::string(name_of(x.gradients)) +
                      "; allowed: --zero 3, or bf16-amp");
        if (eight_bit) {
            fp8();
        }
    }

    void fp8() {
        const auto& peak = job_.cluster.accelerator.peak[static_cast<std::size_t>(DataType::fp8)];
        refuse_if(!peak, "--precision", "'" + job_.cluster.accelerator.id + "' has no fp8 products");
        refuse_if(p_.tp > 1 || p_.pp > 1, "--precision", "fp8 is not divided by --tp or --pp; allowed: 1");
        refuse_if(run_.fp8_scaling == Fp8Scaling::blockwise, "--fp8-scaling",
                  "no product of torch has scales of blocks; allowed: tensorwise, rowwise");
        refuse_if(run_.precision.compute == DataType::fp16 && run_.fp8_scaling == Fp8Scaling::rowwise,
                  "--fp8-scaling", "rowwise products return bf16; allowed: tensorwise");
        constexpr std::int64_t tile = 16;
        std::vector<std::int64_t> sides = {run_.micro_batch * run_.sequence / p_.cp, m_.hidden, m_.ffn,
                                           m_.heads * m_.head_dim, m_.kv_heads * m_.head_dim};
        if (m_.moe) {
            sides.push_back(m_.moe->shared_ffn);
        }
        if (m_.mla) {
            sides = {sides[0],
                     m_.hidden,
                     m_.ffn,
                     m_.mla->kv_lora_rank,
                     m_.mla->qk_rope_dim,
                     m_.mla->v_head_dim,
                     m_.mla->qk_nope_dim,
                     m_.mla->q_lora_rank.value_or(tile)};
        }
        const bool fits =
            std::all_of(sides.begin(), sides.end(), [](std::int64_t n) { return n % tile == 0; });
        refuse_if(!fits, "--precision",
                  "fp8 products need widths and tokens of a micro-batch that are multiples of 16");
    }

    void run() {
        const bool low_rank = run_.tuning == Tuning::lora;
        refuse_if(run_.tuning != Tuning::full && !low_rank, "--tuning",
                  "'" + std::string(name_of(run_.tuning)) +
                      "' needs kernels that PyTorch lacks; allowed: full, lora");
        refuse_if(low_rank && (m_.mla || m_.moe || p_.tp > 1 || p_.pp > 1), "--tuning",
                  "lora is only for dense models without latent attention, --tp or --pp");
        const bool known = run_.optimizer == Optimizer::adamw || run_.optimizer == Optimizer::sgd ||
                           run_.optimizer == Optimizer::sgd_momentum;
        refuse_if(!known, "--optimizer",
                  "'" + std::string(name_of(run_.optimizer)) +
                      "' is not in the script; allowed: adamw, sgd, sgd_momentum");
        refuse_if(run_.offload_optimizer != Offload::none || run_.offload_parameters != Offload::none ||
                      run_.offload_activations > 0.0,
                  "--offload-optimizer", "the script keeps everything on the device; allowed: none");
        refuse_if(run_.compiled_parts.has_value(), "--compile",
                  "the whole model is compiled or none of it; allowed: on, off");
        refuse_if(run_.recompute_modules.all_but_attention, "--recompute",
                  "blocks are not run again around attention; allowed: none, selective:per_op, full");
        refuse_if(p_.tp_overlap.value_or(false), "--tp-overlap",
                  "on: collectives run between products in the script; allowed: off");
        refuse_if(run_.mlp_tiles > 1, "--mlp-tiles", "MLPs are not tiled; allowed: 1");
        refuse_if(run_.reshard != Reshard::always, "--reshard",
                  "weights are freed after each block; allowed: always");
        refuse_if(
            run_.packed_length || run_.padded_length || run_.frozen_layers > 0 ||
                run_.optimizer_in_backward || run_.activation_input_fp8 || run_.expert_imbalance != 1.0 ||
                run_.neighbouring_experts || run_.expert_one_hot,
            "--job",
            "packed documents, frozen layers, updates in the backward pass and expert imbalance are not "
            "in the script");
        refuse_if(run_.global_batch % (run_.micro_batch * p_.dp) != 0, "--global-batch",
                  std::to_string(run_.global_batch) + " is not a multiple of micro-batch times dp, " +
                      std::to_string(run_.micro_batch * p_.dp));
        refuse_if(p_.ep > 1 || p_.etp.value_or(1) > 1, "--ep", "every rank holds all experts; allowed: 1");
    }

    void tensor_parallel() {
        if (p_.tp == 1) {
            return;
        }
        const std::string is = std::to_string(p_.tp) + ": ";
        refuse_if(m_.moe || m_.mla, "--tp", is + "experts and latent attention are not divided; allowed: 1");
        refuse_if(m_.norm.qk != QkNorm::none, "--tp",
                  is + "norms on queries and keys are not divided; allowed: 1");
        refuse_if(fused_qkv() || stack_.layer.fused_gate_up, "--tp",
                  is + "a joint projection of queries, keys and values cannot be split by head; allowed: 1");
        refuse_if(m_.embedding_dim.has_value(), "--tp",
                  is + "an embedding narrower than the model is not divided; allowed: 1");
        refuse_if(
            sequence_parallel() && (m_.position.kind == PositionKind::learned || m_.norm.embedding_norm),
            "--sequence-parallel",
            "on: learned positions and embedding norms need whole sequences; allowed: off");
        refuse_if(m_.kv_heads % p_.tp != 0, "--tp",
                  is + "must divide " + std::to_string(m_.kv_heads) + " key/value heads");
        refuse_if(loss_in_parts(), "--loss",
                  "chunked and fused_linear need the whole head; allowed with --tp: fp32_logits, "
                  "logits_format");
        refuse_if(p_.dp > 1 && p_.zero < 2, "--zero",
                  std::to_string(p_.zero) + ": with --tp, replicas need --zero 2 or 3");
        refuse_if(
            compiled() && stack_.head.compiled_loss, "--compile",
            "on: the loss of '" + stack_.id +
                "' is also compiled, but --tp needs it eager; allowed: off, or a stack with an eager loss");
    }

    void pipeline() {
        if (p_.pp == 1) {
            return;
        }
        const std::string is = std::to_string(p_.pp) + ": ";
        const Schedule schedule = schedule_of(job_);
        refuse_if(m_.moe.has_value(), "--pp", is + "mixtures of experts have no pipeline stages; allowed: 1");
        refuse_if(m_.tied_embeddings, "--pp", is + "tied embeddings would need two tables; allowed: 1");
        refuse_if(p_.cp > 1 || p_.zero == 1, "--pp", is + "needs --cp 1 and --zero 0, 2 or 3");
        refuse_if(schedule == Schedule::zero_bubble || schedule == Schedule::dualpipe, "--schedule",
                  "'" + std::string(name_of(schedule)) +
                      "' is not in the script; allowed: gpipe, 1f1b, interleaved");
        refuse_if(loss_in_parts(), "--loss",
                  "chunked and fused_linear are computed inside the model; allowed with --pp: "
                  "fp32_logits, logits_format");
        refuse_if(options_.gradient_clip.has_value(), "--clip",
                  "the gradient norm is not computed across stages; omit it");
        refuse_if(
            compiled() && stack_.head.compiled_loss, "--compile",
            "on: the loss of '" + stack_.id +
                "' is also compiled, but --pp needs it eager; allowed: off, or a stack with an eager loss");
        const std::int64_t passes = micro_batches(run_);
        refuse_if(passes < p_.pp || (schedule == Schedule::interleaved && passes % p_.pp != 0),
                  "--global-batch",
                  std::to_string(passes) + " micro-batches for " + std::to_string(p_.pp) +
                      " stages; allowed: at least as many, and a multiple if interleaved");
    }

    void context_parallel() {
        if (p_.cp == 1) {
            return;
        }
        const std::string is = std::to_string(p_.cp) + ": ";
        refuse_if(run_.context != ContextKind::ring, "--context",
                  "all_to_all is not in the script; allowed: ring");
        refuse_if(m_.window.has_value() || m_.mla.has_value(), "--cp",
                  is + "windows and latent attention have no ring; allowed: 1");
        refuse_if(run_.attention.value_or(stack_.attention.kernel) == AttentionKernel::math, "--attention",
                  "math has no ring; allowed with --cp: flash");
        refuse_if(run_.dropout.value_or(stack_.layer.dropout) > 0.0, "--dropout",
                  "ring attention has no dropout; allowed with --cp: 0");
        refuse_if(p_.tp > 1, "--cp", is + "needs --tp 1");
        refuse_if(
            run_.sequence % (2 * p_.cp) != 0, "--seq",
            std::to_string(run_.sequence) + " is not a multiple of 2*cp = " + std::to_string(2 * p_.cp));
    }

    void data_parallel() {
        refuse_if(p_.hybrid_shard && p_.zero < 2, "--hybrid-shard", "needs --zero 2 or 3");
        refuse_if(p_.zero == 1 && run_.precision.master.has_value() && p_.dp * p_.cp > 1, "--zero",
                  "1: ZeroRedundancyOptimizer keeps no fp32 copy of 16-bit weights; allowed: 0, 2, 3, or "
                  "--precision "
                  "bf16-amp");
    }

    void options() {
        refuse_if(options_.compile_mode != CompileMode::standard && !compiled(), "--compile-mode",
                  "needs --compile on");
        refuse_if(options_.loss == LossKernel::fused_linear &&
                      (m_.bias.lm_head || (run_.tuning == Tuning::lora && run_.adapter.lm_head)),
                  "--loss", "fused_linear needs a head without bias or adapter");
    }

    const Job& job_;
    const BenchOptions& options_;
    const ModelSpec& m_;
    const RunSpec& run_;
    const Parallelism& p_;
    const StackSpec& stack_;
    std::vector<std::string> foreign_;  ///< what the stack has and PyTorch has not
    std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> bench_problems(const Job& job, const BenchOptions& options) {
    return Limits(job, options).problems();
}

}  // namespace traincost
