// What Transformers' own code of a model keeps that others' does not, against profiles of one H100 and one
// H200 (torch 2.11, transformers 5.17, 2026-11-25).

#include <algorithm>
#include <string>

#include <traincost/cost/blocks.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/flops.hpp>
#include <traincost/cost/kernels.hpp>
#include <traincost/cost/kernels/kernel_choice.hpp>
#include <traincost/fit/records/record_model.hpp>
#include <traincost/import/hf/hf_config.hpp>
#include <traincost/io/catalogue.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

const Operator& operator_of(const OpList& ops, std::string_view name) {
    return *std::find_if(ops.begin(), ops.end(), [&](const Operator& op) { return op.name == name; });
}

Job job_of(const std::string& config, const std::string& precision, std::int64_t sequence,
           std::int64_t batch) {
    const Catalogue catalogue;
    Job job{read_hf_config(parse_json(config, "config.json")).model, catalogue.cluster("h100", 1).spec,
            catalogue.stack("hf-transformers"), search_jobs::run(sequence, batch)};
    job.run.micro_batch = batch;
    job.run.precision_name = precision;
    job.run.precision = *precision_from(precision);
    return job;
}

OpList layer_of(const Job& job, Side side = Side::decoder) {
    return layer_ops(job, shape_of(job), side, false, static_cast<double>(job.run.sequence));
}

double mebibytes(Bytes bytes) {
    return bytes.value() / 1048576.0;
}

const std::string falcon = R"({"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 8,
    "num_attention_heads": 71, "vocab_size": 65024, "multi_query": true, "parallel_attn": true, "bias": false,
    "new_decoder_architecture": false, "alibi": false, "tie_word_embeddings": true})";

}  // namespace

TEST_CASE("Falcon's one key head falls to the fp32 path, that of others does not", "[model_code]") {
    Job job = job_of(falcon, "bf16-pure", 2048, 4);
    CHECK(attention_in_fp32(job));
    CHECK(attention_in_force(job).kernel == AttentionKernel::math);
    // Probabilities of 4,544 MiB, q, k and v of 142 and the output of 71 (142 here) were kept by a layer.
    const OpList ops = layer_of(job);
    CHECK(mebibytes(operator_of(ops, "core_attention").saved) ==
          Approx(4544.0 + 3.0 * 142.0 + 71.0).epsilon(0.03));
    CHECK(substitutions(job).front().find("fp32") != std::string::npos);
    job.model.family = "llama";
    CHECK_FALSE(attention_in_fp32(job));
    CHECK(attention_in_force(job).kernel == AttentionKernel::flash);
    Job megatron = job_of(falcon, "bf16-pure", 2048, 4);
    megatron.stack = Catalogue().stack("megatron-core");
    CHECK_FALSE(attention_in_fp32(megatron));
}

TEST_CASE("T5's gated GELU is written out, its dropout keeps masks", "[model_code]") {
    Job job = job_of(R"({"model_type": "t5", "d_model": 1024, "d_kv": 64, "d_ff": 2816, "num_layers": 24,
        "num_decoder_layers": 24, "num_heads": 16, "vocab_size": 32128, "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": false})",
                     "bf16-amp", 512, 8);
    job.run.dropout = 0.1;
    job.run.attention = AttentionKernel::math;
    const OpList ops = layer_of(job, Side::encoder);
    CHECK(mebibytes(operator_of(ops, "activation").saved) == Approx(4.0 * 44.0 + 2.0 * 22.0));
    CHECK(mebibytes(operator_of(ops, "mlp_dropout").saved) == Approx(11.0));
    // Softmax in fp32, its dropped copy and the mask; q, k, v and the output.
    CHECK(mebibytes(operator_of(ops, "core_attention").saved) == Approx(128.0 + 64.0 + 32.0 + 4.0 * 8.0));
}

TEST_CASE("encoder-decoders take the loss of logits as they are", "[model_code]") {
    const Job job =
        job_of(R"({"model_type": "bart", "d_model": 1024, "encoder_layers": 12, "decoder_layers": 12,
        "encoder_attention_heads": 16, "decoder_attention_heads": 16, "encoder_ffn_dim": 4096,
        "decoder_ffn_dim": 4096, "vocab_size": 50265, "max_position_embeddings": 1024})",
               "bf16-pure", 512, 8);
    const Shape shape = shape_of(job);
    CHECK(shape.loss == LossKernel::logits_format);
    const OpList head = head_ops(job, shape);
    const Operator& loss = operator_of(head, "cross_entropy");
    // The log-softmax and two gradients, 392.7 MiB each.
    CHECK(mebibytes(loss.saved + loss.backward_transient) == Approx(3.0 * 392.7).epsilon(1e-3));
    Job stated = job;
    stated.run.loss = LossKernel::fp32_logits;
    CHECK(shape_of(stated).loss == LossKernel::fp32_logits);
}

TEST_CASE("Cohere writes its LayerNorm out in fp32", "[model_code]") {
    const Job job = job_of(R"({"model_type": "cohere2", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 12, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
        "vocab_size": 256000, "sliding_window": 4096, "sliding_window_pattern": 4})",
                           "bf16-pure", 4096, 1);
    const OpList ops = layer_of(job);
    CHECK(mebibytes(operator_of(ops, "attention_norm").saved) == Approx(3.0 * 64.0).epsilon(1e-3));
}

TEST_CASE("a softmax over learned sinks stays in 16 bits", "[model_code]") {
    Job job{Catalogue().model("gpt-oss-20b"), Catalogue().cluster("h100", 1).spec,
            Catalogue().stack("hf-transformers"), search_jobs::run(2048, 1)};
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    job.run.attention = AttentionKernel::math;
    const OpList ops = layer_of(job);
    // Probabilities of 512 MiB; q, k and v for all heads and the output, 16 each.
    CHECK(mebibytes(operator_of(ops, "core_attention").saved) == Approx(512.0 + 4.0 * 16.0));
    CHECK(mebibytes(operator_of(ops, "attention_norm").saved) == Approx(2.0 * 22.5).epsilon(1e-3));
}

TEST_CASE("OLMo 2 multiplies fp32 values by its scale", "[model_code]") {
    const Job job = job_of(R"({"model_type": "olmo2", "hidden_size": 4096, "intermediate_size": 11008,
        "num_hidden_layers": 8, "num_attention_heads": 32, "vocab_size": 100352})",
                           "bf16-pure", 4096, 1);
    const OpList ops = layer_of(job);
    for (const std::string_view norm : {"attention_norm", "mlp_norm", "query_norm", "key_norm"})
        CHECK(mebibytes(operator_of(ops, norm).saved) == Approx(2.0 * 64.0).epsilon(5e-3));
}

TEST_CASE("a norm of a branch's output reads 16 bits under autocast", "[model_code]") {
    const Job job = job_of(R"({"model_type": "exaone4", "hidden_size": 2048, "intermediate_size": 4096,
        "num_hidden_layers": 15, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 102400,
        "sliding_window": null})",
                           "bf16-amp", 2048, 2);
    const OpList ops = layer_of(job);
    // Widened, and the normalised values in 16 bits: 32 and 16 MiB.
    for (const std::string_view norm : {"attention_norm", "mlp_norm", "query_norm"})
        CHECK(mebibytes(operator_of(ops, norm).saved) == Approx(48.0).epsilon(2e-2));
    const OpList head = head_ops(job, shape_of(job));
    CHECK(mebibytes(operator_of(head, "final_norm").saved) == Approx(64.0).epsilon(1e-3));  // of the stream
}

TEST_CASE("a window handed on as a mask spares the kernel nothing", "[model_code]") {
    Job job = job_of(R"({"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
        "num_hidden_layers": 16, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
        "vocab_size": 262208, "sliding_window": 1024})",
                     "bf16-pure", 4096, 1);
    job.cluster = Catalogue().cluster("h200", 1).spec;
    const auto attention = [&](double span) {
        return operator_of(layer_ops(job, shape_of(job), Side::decoder, false, span), "core_attention");
    };
    const KernelContext context = kernel_context(job);
    const auto microseconds = [&](const Operator& op, Pass pass) {
        return operator_time(op, pass, context).value() * 1e6;
    };
    const Operator masked = attention(1024);
    // The mask, and keys and values of four heads for eight.
    CHECK(mebibytes(masked.saved - attention(4096).saved) == Approx(32.0 + 16.0));
    // The means of 14 such layers and two without a window.
    CHECK(microseconds(masked, Pass::forward) == Approx(469).epsilon(0.3));
    CHECK(microseconds(masked, Pass::backward) == Approx(1564).epsilon(0.15));
    CHECK(microseconds(masked, Pass::backward) > 2.5 * microseconds(attention(4096), Pass::backward));
    job.model.window->size = 4096;  // as long as the sequence: the mask is made all the same
    CHECK(attention(4096).saved == masked.saved);
    // flash-attn's own kernels, asked for by name, take the window itself.
    job.run.attention_generation = AttentionGeneration::flash2;
    CHECK_FALSE(attention(1024).attention.masked);
    CHECK(attention(1024).saved == attention(2048).saved);
    job.run.attention_generation.reset();
    job.stack = Catalogue().stack("pytorch");
    CHECK(attention(1024).attention.span == 1024);
}

TEST_CASE("padded samples are handed on as a mask", "[model_code]") {
    Job job = job_of(R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 4, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256})",
                     "bf16-pure", 8192, 2);
    const auto attention = [&] { return operator_of(layer_of(job), "core_attention"); };
    const auto milliseconds = [&](std::string_view gpu, Pass pass) {
        job.cluster = Catalogue().cluster(gpu, 1).spec;
        return operator_time(attention(), pass, kernel_context(job)).value() * 1e3;
    };
    const Operator full = attention();
    const double flash = milliseconds("h200", Pass::forward);
    const double flash_on_ampere = milliseconds("a100", Pass::forward);
    job.run.padded_length = 8192;
    const Operator padded = attention();
    CHECK(padded.attention.masked);
    CHECK(padded.attention.kv_heads == 32);
    // The mask of two samples, and keys and values of eight heads for 32.
    CHECK(mebibytes(padded.saved - full.saved) == Approx(256.0 + 192.0));
    // cuDNN 9.19 on one H200, torch 2.11, 2026-11-27: 6.66 and 17.8 ms, 1.73 and 5.2 without a mask.
    CHECK(flash == Approx(1.73).epsilon(0.1));
    CHECK(milliseconds("h200", Pass::forward) == Approx(6.66).epsilon(0.1));
    CHECK(milliseconds("h200", Pass::backward) == Approx(17.8).epsilon(0.1));
    // FlashAttention-2 takes no mask: the memory-efficient kernel runs.
    CHECK(milliseconds("a100", Pass::forward) > 4.0 * flash_on_ampere);
    SECTION("flash-attn takes lengths") {
        job.run.attention_generation = AttentionGeneration::flash2;
        CHECK(attention().saved == full.saved);
    }
    SECTION("one sample fills its micro-batch") {
        job.run.micro_batch = 1;
        CHECK_FALSE(attention().attention.masked);
    }
    SECTION("other layers leave padded rows to the loss") {
        job.stack = Catalogue().stack("pytorch");
        CHECK_FALSE(attention().attention.masked);
    }
}

TEST_CASE("what a kernel does for a mask is no work of the model", "[model_code][flops]") {
    Job job = job_of(R"({"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
        "num_hidden_layers": 16, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
        "vocab_size": 262208, "sliding_window": 1024})",
                     "bf16-pure", 4096, 1);
    Job handed_on = job;
    handed_on.stack.attention.window_masks = false;
    REQUIRE(job.stack.attention.window_masks);
    for (const FlopConvention convention : {FlopConvention::exact, FlopConvention::exact_full})
        CHECK(model_flops(job, convention).value() == model_flops(handed_on, convention).value());
    CHECK(model_flops(job, FlopConvention::exact_full) > model_flops(job, FlopConvention::exact));
}

TEST_CASE("autocast takes fp32 experts one by one, in their own format", "[model_code]") {
    Job job = job_of(R"({"model_type": "olmoe", "hidden_size": 2048, "intermediate_size": 1024,
        "num_hidden_layers": 6, "num_attention_heads": 16, "num_experts": 64, "num_experts_per_tok": 8,
        "vocab_size": 50304})",
                     "bf16-amp", 2048, 2);
    job.run.precision = stack_precision(job.stack.states, job.run.precision);
    const auto layer = [&] { return layer_ops(job, shape_of(job), Side::decoder, true, 2048); };
    const OpList ops = layer();
    const Operator& up = operator_of(ops, "expert_up");
    CHECK(up.forward_kernels == 64);
    CHECK(up.backward_kernels == 128);
    CHECK(mebibytes(up.saved) == Approx(256.0));
    CHECK(mebibytes(operator_of(ops, "combine_weighted").saved) == Approx(256.0));
    CHECK(mebibytes(operator_of(ops, "expert_down").saved) == Approx(128.0));
    // Copies in 16 bits are of attention's four matrices and the router alone.
    const OpTotals all = totals(ops, weight_bytes(job, shape_of(job)));
    CHECK(all.cast.value() == Approx(2.0 * (4.0 * 2048 * 2048 + 64.0 * 2048)));
    job.stack.experts.walks = 0.0;  // experts of plain products
    CHECK(operator_of(layer(), "expert_up").forward_kernels == 1);
    CHECK(mebibytes(operator_of(layer(), "expert_up").saved) == Approx(128.0));
}

TEST_CASE("products run faster where kernels bound by memory spare power", "[model_code]") {
    Job job = job_of(R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 8, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000})",
                     "bf16-pure", 4096, 2);
    job.cluster = Catalogue().cluster("h200", 1).spec;
    const auto products = [&] { return estimate(job).step[StepTerm::gemm].value(); };
    const double eager = products();
    job.run.compile = true;
    CHECK(eager < 0.98 * products());
    // And no faster where no limit is known.
    job.cluster.kernels.power_knee = 0.0;
    const double compiled = products();
    job.run.compile = false;
    CHECK(products() == Approx(compiled).epsilon(0.02));
}

TEST_CASE("a record's words say which layers a window spares and what a family norms", "[model_code]") {
    RecordModel record{"small", "llama", 12, 1024, 8, 8, 128, 4096, {}, 32000, {}, "rope", ""};
    std::vector<std::string> assumptions;
    struct Words {
        std::string_view attention;
        std::int64_t every;
    };
    for (const auto& [attention, every] :
         std::initializer_list<Words>{{"sliding window 512 on five layers of six", 6},
                                      {"sliding window 4096 on three layers of four", 4},
                                      {"alternating sliding window 128", 2},
                                      {"sliding window 4096", 0},
                                      {"chunked local attention 8192 on 3/4 layers", 4}}) {
        record.attention = attention;
        CHECK(model_of(record, 8192, assumptions).window->full_every == every);
    }
    for (const std::string_view family : {"olmo2", "olmo3", "exaone4"}) {
        record.family = family;
        CHECK(model_of(record, 8192, assumptions).norm.placement == NormPlacement::post);
    }
    record.family = "cohere2";
    CHECK(model_of(record, 8192, assumptions).norm.per_layer == 1);
    record.family = "starcoder2";
    CHECK(model_of(record, 8192, assumptions).bias.mlp);
}
