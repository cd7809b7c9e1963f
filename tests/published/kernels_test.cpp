// Our kernel times beside own measurements on one H200 (PyTorch 2.11.0+cu130, CUDA graphs, 2026-11-20). The
// GEMM parameters were fitted to another party's measurements of an H200; attention and bandwidth to these
// very rows. kernels_h100.jsonl: walks of bandwidth-bound operators on one H100 SXM, the same PyTorch,
// 2026-11-22, with products of several kinds of values in bursts and in long runs beside them.
#include <traincost/cost/kernels.hpp>
#include <traincost/cost/kernels/attention_time.hpp>
#include <traincost/cost/kernels/bandwidth.hpp>
#include <traincost/cost/kernels/gemm.hpp>
#include <traincost/cost/ops.hpp>
#include <traincost/io/bench/accelerator_kernels.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/json.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace traincost;

namespace {

// Clock of a short benchmark over that of matrix products that run on: 1980 MHz over 1455 to 1740 at 690 to
// 700 W.
constexpr double sustained = 1.16;

struct H200 {
    AcceleratorSpec chip = Catalogue().accelerator("h200-sxm-141gb");
    KernelModels kernels = kernel_models_of(chip);
    GemmModel gemm = [this] {
        GemmModel model = gemm_model(chip, kernels, DataType::bf16).value();
        model.sustained = sustained;
        model.power_knee = 0.0;  // the very slowing that `sustained` states
        return model;
    }();
};

/// Calls `f` with every row of that kind.
template <class F>
void rows(const std::string& kind, F f, const std::string& file = "kernels_h200.jsonl") {
    std::ifstream in(std::string(SOURCE_FOLDER) + "/tests/published/" + file);
    for (std::string line; std::getline(in, line);) {
        const JsonDocument document = parse_json(line, file);
        JsonObject row{JsonNode(document)};
        if (row.at("kind").string() == kind) {
            f(row);
        }
    }
}

struct Errors {
    std::vector<double> xs;
    void add(Seconds predicted, double us) {
        xs.push_back(std::abs(predicted.value() * 1e6 / us - 1));
    }
    double percent(double q) {
        std::sort(xs.begin(), xs.end());
        return 100 * xs[static_cast<std::size_t>(q * static_cast<double>(xs.size() - 1))];
    }
};

/// A job on one H200 that kernels are asked for.
Job job_on(const AcceleratorSpec& chip, const KernelModels& kernels) {
    Job job{.model = Catalogue().model("llama-3-8b"),
            .cluster = Catalogue().cluster("h200-sxm-141gb", 1, 1).spec,
            .stack = Catalogue().stack("pytorch"),
            .run = {}};
    job.cluster.accelerator = chip;
    job.cluster.kernels = kernels;
    job.run.sequence = 4096;
    job.run.micro_batch = 1;
    job.run.global_batch = 1;
    job.run.precision = precision_from("bf16-pure").value();
    return job;
}

}  // namespace

TEST_CASE("layers of real models, forward, dgrad and wgrad", "[gemm][published]") {
    const H200 h200;
    Errors forward, dgrad, wgrad;
    rows("gemm", [&](JsonObject& row) {
        if (row.at("why").string() != "held-out") {
            return;
        }
        const GemmShape shape{row.at("tokens").number(), row.at("n").number(), row.at("k").number()};
        forward.add(gemm_time(shape, GemmPass::forward, h200.gemm), row.at("fwd_us").number());
        dgrad.add(gemm_time(shape, GemmPass::dgrad, h200.gemm), row.at("dgrad_us").number());
        wgrad.add(gemm_time(shape, GemmPass::wgrad, h200.gemm), row.at("wgrad_us").number());
    });
    REQUIRE(forward.xs.size() == 23);
    INFO("forward " << forward.percent(.5) << " " << forward.percent(.9) << " dgrad " << dgrad.percent(.5)
                    << " " << dgrad.percent(.9) << " wgrad " << wgrad.percent(.5) << " "
                    << wgrad.percent(.9));
    CHECK(forward.percent(0.5) <= 3);
    CHECK(forward.percent(0.9) <= 8);
    CHECK(dgrad.percent(0.5) <= 4);
    CHECK(dgrad.percent(0.9) <= 10);
    CHECK(wgrad.percent(0.5) <= 4);
    CHECK(wgrad.percent(0.9) <= 10);
}

TEST_CASE("sizes off the 16-byte grid", "[gemm][published]") {
    const H200 h200;
    Errors all;
    rows("gemm", [&](JsonObject& row) {
        if (row.at("why").string() == "held-out") {
            return;
        }
        const GemmShape shape{row.at("tokens").number(), row.at("n").number(), row.at("k").number()};
        all.add(gemm_time(shape, GemmPass::forward, h200.gemm), row.at("fwd_us").number());
        all.add(gemm_time(shape, GemmPass::dgrad, h200.gemm), row.at("dgrad_us").number());
        all.add(gemm_time(shape, GemmPass::wgrad, h200.gemm), row.at("wgrad_us").number());
    });
    INFO("misaligned " << all.percent(.5) << " " << all.percent(.9) << " n " << all.xs.size());
    CHECK(all.percent(0.5) <= 5);
    CHECK(all.percent(0.9) <= 15);
}

TEST_CASE("grouped products of 8 to 128 experts", "[gemm][published]") {
    const H200 h200;
    Errors balanced, padded;
    rows("grouped", [&](JsonObject& row) {
        GemmShape shape{row.at("tokens").number(), row.at("n").number(), row.at("k").number(),
                        row.at("experts").number()};
        const bool imbalanced = row.at("imbalanced").boolean();
        if (imbalanced) {
            shape.m += 64;  // half a tile an expert
        }
        Errors& errors = imbalanced ? padded : balanced;
        errors.add(gemm_time(shape, GemmPass::forward, h200.gemm), row.at("fwd_us").number());
        errors.add(gemm_time(shape, GemmPass::dgrad, h200.gemm), row.at("dgrad_us").number());
        errors.add(gemm_time(shape, GemmPass::wgrad, h200.gemm), row.at("wgrad_us").number());
    });
    INFO("balanced " << balanced.percent(.5) << " " << balanced.percent(.9) << " n " << balanced.xs.size()
                     << " imbalanced " << padded.percent(.5) << " " << padded.percent(.9) << " n "
                     << padded.xs.size());
    CHECK(balanced.percent(0.5) <= 7);
    CHECK(balanced.percent(0.9) <= 25);
    CHECK(padded.percent(0.5) <= 12);
}

TEST_CASE("attention of three kernels, 512 to 32768 tokens", "[attention][published]") {
    const H200 h200;
    const std::map<std::string, AttentionGeneration> generations = {
        {"flash2", AttentionGeneration::flash2},
        {"cudnn", AttentionGeneration::flash3},
        {"efficient", AttentionGeneration::memory_efficient}};
    Errors forward, backward;
    rows("attention", [&](JsonObject& row) {
        const AttentionModel model =
            attention_model(h200.chip, h200.kernels, generations.at(row.at("backend").string())).value();
        const double s = row.at("seq").number();
        const double d = row.at("head_dim").number();
        const AttentionShape shape{.batch = row.at("batch").number(),
                                   .heads = row.at("heads").number(),
                                   .kv_heads = row.at("kv_heads").number(),
                                   .queries = s,
                                   .keys = s,
                                   .span = s,
                                   .qk_dim = d,
                                   .v_dim = d,
                                   .causal = row.at("causal").boolean()};
        forward.add(attention_forward_time(shape, model), row.at("fwd_us").number());
        backward.add(attention_backward_time(shape, model), row.at("bwd_us").number());
    });
    INFO("attention forward " << forward.percent(.5) << " " << forward.percent(.9) << " backward "
                              << backward.percent(.5) << " " << backward.percent(.9) << " n "
                              << forward.xs.size());
    CHECK(forward.percent(0.5) <= 3);
    CHECK(forward.percent(0.9) <= 12);
    CHECK(backward.percent(0.5) <= 4);
    CHECK(backward.percent(0.9) <= 12);
}

// One H200, torch 2.11, cuDNN 9.19, 2026-11-23; measured after the kernels' fit, which has whole sequences
// only.
TEST_CASE("attention of the blocks around a ring, 256 to 8192 queries and keys", "[attention][published]") {
    const H200 h200;
    const std::map<std::string, AttentionGeneration> generations = {{"flash2", AttentionGeneration::flash2},
                                                                    {"cudnn", AttentionGeneration::flash3}};
    Errors forward, backward;
    rows("attention_block", [&](JsonObject& row) {
        const AttentionModel model =
            attention_model(h200.chip, h200.kernels, generations.at(row.at("backend").string())).value();
        const double d = row.at("head_dim").number();
        const double keys = row.at("keys").number();
        const AttentionShape shape{.batch = row.at("batch").number(),
                                   .heads = row.at("heads").number(),
                                   .kv_heads = row.at("kv_heads").number(),
                                   .queries = row.at("queries").number(),
                                   .keys = keys,
                                   .span = keys,
                                   .qk_dim = d,
                                   .v_dim = d,
                                   .causal = row.at("causal").boolean()};
        forward.add(attention_forward_time(shape, model), row.at("fwd_us").number());
        backward.add(attention_backward_time(shape, model), row.at("bwd_us").number());
    });
    INFO("blocks forward " << forward.percent(.5) << " " << forward.percent(.9) << " backward "
                           << backward.percent(.5) << " " << backward.percent(.9) << " n "
                           << forward.xs.size());
    CHECK(forward.percent(0.5) <= 8);
    CHECK(forward.percent(0.9) <= 26);
    CHECK(backward.percent(0.5) <= 10);
    CHECK(backward.percent(0.9) <= 28);
}

// TFLOP/s of the FlashAttention papers at 512, 1k, 2k, 4k, 8k and 16k tokens, 16k tokens in all, hidden size
// 2048; read from the figures within 2 %. A100's own fit is to these; H100's kernels were fitted to an H200.
TEST_CASE("attention of the FlashAttention papers", "[attention][published]") {
    struct Row {
        std::string accelerator;
        AttentionGeneration generation;
        bool both_directions;
        double head_dim;
        bool causal;
        std::vector<double> tflops;
        double tolerance_percent;  // of the mean error
    };
    using enum AttentionGeneration;
    const std::vector<Row> table = {
        {"a100-sxm4-80gb", flash2, true, 64, false, {132, 153, 162, 171, 175, 176}, 2},
        {"a100-sxm4-80gb", flash2, true, 64, true, {88, 119, 140, 156, 165, 171}, 2},
        {"a100-sxm4-80gb", flash2, true, 128, false, {151, 173, 187, 196, 201, 203}, 3},
        {"a100-sxm4-80gb", flash2, true, 128, true, {99, 133, 155, 173, 182, 189}, 4},
        {"h100-sxm5-80gb", flash2, true, 64, false, {215, 254, 274, 288, 294, 296}, 10},
        {"h100-sxm5-80gb", flash2, true, 64, true, {141, 192, 232, 257, 273, 284}, 10},
        {"h100-sxm5-80gb", flash2, true, 128, false, {248, 294, 320, 326, 335, 338}, 10},
        {"h100-sxm5-80gb", flash2, true, 128, true, {163, 221, 265, 294, 308, 328}, 10},
        {"h100-sxm5-80gb", flash3, false, 64, false, {333, 392, 460, 476, 496, 497}, 15},
        {"h100-sxm5-80gb", flash3, false, 64, true, {197, 265, 371, 420, 460, 473}, 20},
        {"h100-sxm5-80gb", flash3, false, 128, false, {467, 565, 625, 638, 646, 648}, 10},
        {"h100-sxm5-80gb", flash3, false, 128, true, {292, 423, 521, 579, 602, 616}, 10},
    };
    const Catalogue catalogue;
    for (const Row& row : table) {
        const AcceleratorSpec chip = catalogue.accelerator(row.accelerator);
        const AttentionModel model = attention_model(chip, kernel_models_of(chip), row.generation).value();
        Errors errors;
        double sum = 0;
        double seq = 512;
        for (const double tflops : row.tflops) {
            const AttentionShape shape{.batch = 16384 / seq,
                                       .heads = 2048 / row.head_dim,
                                       .kv_heads = 2048 / row.head_dim,
                                       .queries = seq,
                                       .keys = seq,
                                       .span = seq,
                                       .qk_dim = row.head_dim,
                                       .v_dim = row.head_dim,
                                       .causal = row.causal};
            const double forward = 4 * 16384 * seq * 2048 * (row.causal ? 0.5 : 1);
            const Seconds time = attention_forward_time(shape, model) +
                                 (row.both_directions ? attention_backward_time(shape, model) : Seconds());
            const double ours = forward * (row.both_directions ? 3.5 : 1) / time.value() / 1e12;
            sum += 100 * std::abs(ours / tflops - 1) / 6;
            seq *= 2;
        }
        INFO(row.accelerator << " head dimension " << row.head_dim << (row.causal ? " causal" : "") << ": "
                             << sum << " %");
        CHECK(sum <= row.tolerance_percent);
    }
}

TEST_CASE("bandwidth-bound operators", "[bandwidth][published]") {
    const H200 h200;
    const BandwidthModel model = bandwidth_model(h200.chip, h200.kernels).value();
    const std::map<std::string, MemoryAccess> access = {
        {"copy", MemoryAccess::stream},        {"add", MemoryAccess::stream},
        {"silu", MemoryAccess::stream},        {"silu_bwd", MemoryAccess::stream},
        {"gelu", MemoryAccess::gelu},          {"gelu_bwd", MemoryAccess::gelu},
        {"layernorm", MemoryAccess::norm},     {"rmsnorm", MemoryAccess::norm},
        {"softmax", MemoryAccess::softmax},    {"layernorm_bwd", MemoryAccess::norm_backward},
        {"dropout", MemoryAccess::dropout},    {"rmsnorm_bwd", MemoryAccess::norm_backward},
        {"cast_to_fp32", MemoryAccess::widen}, {"softmax_bwd", MemoryAccess::softmax_backward},
        {"embedding", MemoryAccess::gather},   {"transpose_heads", MemoryAccess::transpose}};
    Errors errors;
    rows("pointwise", [&](JsonObject& row) {
        const auto found = access.find(row.at("op").string());
        if (found != access.end()) {
            errors.add(memory_time(Bytes(row.at("bytes").number()), found->second, model),
                       row.at("us").number());
        }
    });
    INFO("bandwidth " << errors.percent(.5) << " " << errors.percent(.9) << " n " << errors.xs.size());
    REQUIRE(errors.xs.size() > 100);
    CHECK(errors.percent(0.5) <= 8);
    CHECK(errors.percent(0.9) <= 30);
}

TEST_CASE("copies of DTensor along a sequence, eager and compiled", "[bandwidth][published]") {
    // 2, 4 and 8 parts; torch.cat of the chunks as the functional collectives of torch 2.11 write it,
    // 2026-11-28.
    const H200 h200;
    const BandwidthModel memory = bandwidth_model(h200.chip, h200.kernels).value();
    Errors eager, compiled;
    rows("sequence_copy", [&](JsonObject& row) {
        Job job = job_on(h200.chip, h200.kernels);
        job.run.parallel.tp = row.at("parts").integer();
        job.run.parallel.sequence_parallel = true;
        job.run.micro_batch = row.at("batch").integer();
        job.run.sequence = row.at("sequence").integer();
        job.model.hidden = row.at("width").integer();
        job.run.compile = row.at("compiled").boolean();
        const std::string name = "sequence_" + row.at("what").string();
        const OpList ops = layer_ops(job, shape_of(job), Side::decoder, false, 4096.0);
        const auto* op =
            std::find_if(ops.begin(), ops.end(), [&](const Operator& o) { return o.name == name; });
        REQUIRE(op != ops.end());
        const Seconds time = memory_time(op->forward_bytes, op->forward_access, memory);
        (*job.run.compile ? compiled : eager).add(time, row.at("us").number());
    });
    REQUIRE(eager.xs.size() == 15);
    REQUIRE(compiled.xs.size() == 15);
    INFO("eager " << eager.percent(.5) << " " << eager.percent(.9) << " compiled " << compiled.percent(.5)
                  << " " << compiled.percent(.9));
    CHECK(eager.percent(0.5) <= 6);
    CHECK(eager.percent(0.9) <= 12);
    CHECK(compiled.percent(0.5) <= 4);  // but eight parts, which are counted up to 37 % too fast
    CHECK(compiled.percent(0.9) <= 33);
}

// Products of 8,192 tokens and attention on one of two H200 beside a collective that moves, or that waits for
// the other (PyTorch 2.11.0+cu130, NCCL 2.28.9 without multicast, 2026-11-28), with as many channels as NCCL
// takes and with eight. What a collective takes longer beside them, 1.3 to 3.1 times, is not modelled.
TEST_CASE("what kernels lose beside a collective is no more than stacks say", "[bandwidth][published]") {
    const Catalogue catalogue;
    const StackTraffic compiled = catalogue.stack("torchtitan").traffic;
    const StackTraffic eager = catalogue.stack("pytorch").traffic;
    int waits = 0, moves = 0;
    rows("beside_collective", [&](JsonObject& row) {
        const bool product = row.at("kernel").string() == "product";
        if (product && row.at("m").number() * row.at("k").number() * row.at("n").number() < 1e11)
            return;  // a small product, which stands alone for a twentieth of a millisecond
        const double alone = row.at("alone_us").number();
        const double lost = 1.0 - alone / row.at("beside_us").number();  // of the time that both run
        INFO(row.at("kernel").string() << " beside " << row.at("collective").string());
        if (row.at("collective").string() == "waiting") {
            ++waits;
            CHECK(lost <= compiled.waiting_slowdown + 0.01);
            return;
        }
        ++moves;
        const double longer =
            row.at("collective_beside_us").number() / row.at("collective_alone_us").number();
        CHECK(lost * longer <= eager.overlap_slowdown);  // of the collective's time alone
        CHECK(longer > 1.0);
    });
    CHECK(waits == 20);
    CHECK(moves == 80);
}

// torch.distributed's context_parallel over 1, 2 and 4 H200 of one NVSwitch domain, FlashAttention-2, heads
// of 128, causal and balanced (2026-11-20): every rank sees as many keys as with all queries, plus the
// joining of partial results that we do not count.
TEST_CASE("ring attention takes the time of its visible keys", "[attention][published]") {
    const H200 h200;
    std::optional<AttentionModel> model =
        attention_model(h200.chip, h200.kernels, AttentionGeneration::flash2);
    REQUIRE(model);
    std::size_t seen = 0;
    rows("ring_attention", [&](JsonObject& row) {
        const double queries = row.at("queries").number();
        const double ranks = row.at("ranks").number();
        const AttentionShape shape{1.0,   32.0,  32.0, queries, queries * ranks, queries * ranks,
                                   128.0, 128.0, true};
        const double measured = row.at("fwd_us").number() + row.at("bwd_us").number();
        const double predicted =
            (attention_forward_time(shape, *model) + attention_backward_time(shape, *model)).value() * 1e6;
        INFO(queries << " queries on " << ranks << " ranks: " << measured << " us, predicted " << predicted);
        CHECK(predicted > measured * (queries < 10000.0 ? 0.7 : 0.85));
        CHECK(predicted < measured * 1.1);
        ++seen;
    });
    CHECK(seen == 6);
}

TEST_CASE("fused and unfused AdamW, fp32 and 16-bit weights and states", "[bandwidth][published]") {
    const H200 h200;
    Job job = job_on(h200.chip, h200.kernels);
    rows("adamw_update", [&](JsonObject& row) {
        const bool narrow = row.at("dtype").string() == "bf16";
        const DataType type = narrow ? DataType::bf16 : DataType::fp32;
        job.run.precision.weights = job.run.precision.gradients = type;
        job.run.precision.master.reset();
        job.stack.states.optimizer =
            row.at("update").string() == "fused" ? OptimizerKernel::fused : OptimizerKernel::foreach;
        // Weight, both moments read and written, the gradient read.
        const Bytes bytes{row.at("elements").number() * 7.0 * (narrow ? 2.0 : 4.0)};
        const double us = row.at("us").number();
        INFO(us << " us for " << bytes.value() << " bytes");
        if (bytes.value() > 2e9)
            CHECK(std::abs(optimizer_time(bytes, job).value() * 1e6 / us - 1) <= 0.1);
    });
}

TEST_CASE("attention that is given a mask computes every score and reads the mask",
          "[attention][published]") {
    const H200 h200;
    Job job = job_on(h200.chip, h200.kernels);
    job.run.compile = true;
    job.stack.attention.compiled_mask = true;
    job.stack.attention.kernel = AttentionKernel::flash;
    job.stack.attention.generation = AttentionGeneration::flash3;
    const KernelContext context = kernel_context(job);
    Errors errors;
    rows("attention_mask", [&](JsonObject& row) {
        const double seq = row.at("seq").number();
        const double dim = row.at("head_dim").number();
        Operator op{.name = "attention", .module = Module::attention, .kind = OpKind::attention};
        op.attention = {.batch = row.at("batch").number(),
                        .heads = row.at("heads").number(),
                        .kv_heads = row.at("kv_heads").number(),
                        .queries = seq,
                        .keys = seq,
                        .span = seq,
                        .qk_dim = dim,
                        .v_dim = dim,
                        .causal = true};
        errors.add(operator_time(op, Pass::forward, context), row.at("fwd_us").number());
        errors.add(operator_time(op, Pass::backward, context), row.at("bwd_us").number());
    });
    REQUIRE(errors.xs.size() == 6);
    INFO(errors.percent(0.5) << " " << errors.percent(1));
    CHECK(errors.percent(0.5) <= 10);
    CHECK(errors.percent(1) <= 25);  // one factor for all shapes
}

TEST_CASE("bandwidth-bound operators of an H100", "[bandwidth][published]") {
    const AcceleratorSpec chip = Catalogue().accelerator("h100-sxm5-80gb");
    const BandwidthModel model = bandwidth_model(chip, kernel_models_of(chip)).value();
    Errors errors;
    const auto walk = [&](JsonObject& row) {
        const std::string access = row.at("access").string();
        const auto names = memory_access_names();
        const auto found = std::find(names.begin(), names.end(), access);
        REQUIRE(found != names.end());
        errors.add(memory_time(Bytes{row.at("bytes").number()},
                               static_cast<MemoryAccess>(found - names.begin()), model),
                   row.at("us").number());
    };
    rows("walk", walk, "kernels_h100.jsonl");
    REQUIRE(errors.xs.size() == 75);
    INFO(errors.percent(0.5) << " " << errors.percent(0.9));
    CHECK(errors.percent(0.5) <= 6);
    CHECK(errors.percent(0.9) <= 20);  // sums over the rows of few columns
}
