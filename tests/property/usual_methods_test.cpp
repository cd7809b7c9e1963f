// Calculators against their formulas, written again from their description, on random inputs.

#include "traincost/methods/flagperf.hpp"
#include "traincost/methods/iiis_sheet.hpp"
#include "traincost/methods/lightning.hpp"
#include "traincost/methods/llm_bench.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/methods/six_nd.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace traincost;

namespace {

constexpr int inputs = 1000;

class Draw {
public:
    std::int64_t whole(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
    }
    double real(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine_);
    }
    template <class Row>
    const Row& of(std::span<const Row> rows) {
        return rows[static_cast<std::size_t>(whole(0, std::ssize(rows) - 1))];
    }

private:
    std::mt19937_64 engine_{20261122};
};

double number(std::int64_t x) {
    return static_cast<double>(x);
}

void check_all(const std::vector<double>& ours, const std::vector<double>& theirs) {
    REQUIRE(ours.size() == theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        CAPTURE(i);
        CHECK(ours[i] == Approx(theirs[i]).epsilon(1e-13));
    }
}

IiisInput random_sheet(Draw& draw) {
    IiisInput in{.gpu = draw.of(iiis_sheet_gpus()),
                 .model = draw.of(iiis_sheet_models()),
                 .network_Gbps = number(draw.whole(1, 1600)),
                 .minibatch = 0,
                 .microbatch = draw.whole(1, 8),
                 .tp = draw.whole(1, 8),
                 .pp = 1,
                 .dp = draw.whole(1, 64),
                 .million_tokens = number(draw.whole(1, 1000000)),
                 .epochs = number(draw.whole(1, 5)),
                 .recompute = Recompute::full};
    in.minibatch = in.microbatch * draw.whole(1, 64);
    do {
        in.pp = draw.whole(1, in.model.layers);
    } while (in.model.layers % in.pp != 0);
    in.gpu.bus_GBps = number(draw.whole(8, 1800));
    return in;
}

/// Every cell of Computation and Output, row by row.
std::vector<double> cells(const IiisSheet& s) {
    const IiisCommunication& c = s.communication;
    const IiisTimeline& t = s.timeline;
    return {s.parameters.total,
            s.parameters.word_embedding,
            s.parameters.self_attention,
            s.parameters.feed_forward,
            s.parameters.position_embedding,
            s.memory.optimizer_states,
            s.memory.weights,
            s.memory.gradients,
            s.memory.activation,
            s.memory.overall,
            s.computation.per_device_layers,
            s.computation.micro_batches,
            s.computation.forward,
            s.computation.backward,
            s.computation.loop_forward,
            s.computation.loop_backward,
            c.forward_allgather,
            c.loop_forward_allgather,
            c.backward_allgather,
            c.loop_backward_allgather,
            c.backward_reduce_scatter,
            c.loop_backward_reduce_scatter,
            c.p2p,
            c.loop_p2p,
            c.embedding_allreduce,
            c.gradient_allreduce,
            t.warmup,
            t.forward,
            t.backward,
            t.stable,
            t.cooldown,
            t.allreduce,
            t.iteration,
            t.forward_gpu_usage,
            t.backward_gpu_usage,
            s.gpus,
            s.iterations,
            s.seconds,
            s.recommended_tp,
            s.recommended_pp,
            s.recommended_microbatch};
}

std::vector<double> cells_by_formulas(const IiisInput& in) {
    const double s = number(in.model.sequence), h = number(in.model.hidden), L = number(in.model.layers),
                 V = number(in.model.vocab), B = number(in.minibatch), b = number(in.microbatch),
                 t = number(in.tp), p = number(in.pp), d = number(in.dp), W = in.gpu.bus_GBps,
                 NW = in.network_Gbps, F32 = in.gpu.fp32_TFLOPs, M = in.gpu.memory_GB;
    const double phi = h * V + L * (12 * h * h + 5 * h);
    const double states = phi / (t * p), A = 2 * L * s * B * h / t, l = L / p, m = B / b;
    const double F = 2 * s * B * phi / (t * p) / (F32 * 1e12), Bk = 4 * s * B * phi / (t * p) / (F32 * 1e12);
    const double AG = 32 * h * h * B * L / p / (W * 1e9), P2P = 128 * h * h * B / t / (NW * 1e9);
    const double emb = 16 * h * V / t / (NW * 1e9), grad = 128 * phi / t / p / (NW * 1e9);
    const double I1 = F + AG, K1 = std::max(AG + AG, Bk);
    const double warm = (p - 1) * I1 / m, cool = (p - 1) * K1 / m;
    const double iter = warm + I1 + K1 + cool + grad + emb;
    const double W1 = std::ceil(in.million_tokens * 10000000 * in.epochs / (s * d * B));
    return {phi,
            h * V,
            4 * h * h,
            8 * h * h + 5 * h,
            h * s,
            12 * states,
            2 * states,
            2 * states,
            A,
            16 * states + A,
            l,
            m,
            F,
            Bk,
            F / l / m,
            Bk / l / m,
            AG,
            AG / l / m,
            AG,
            AG / l / m,
            AG,
            AG / l / m,
            P2P,
            P2P / m,
            emb,
            grad,
            warm,
            I1,
            K1,
            I1 + K1,
            cool,
            grad + emb,
            iter,
            F / I1,
            Bk / K1,
            d * t * p,
            W1,
            W1 * iter,
            std::max(1.0, std::floor(3 * h / F32 * W / 2 / 1000)),
            std::ceil(16 * phi / t / (M * 1e9 - A)),
            std::max(1.0, B / (4 * p))};
}

LlmBenchModel random_configuration(Draw& draw) {
    const std::int64_t heads = draw.whole(1, 64);
    return {.name = "random",
            .layers = draw.whole(1, 96),
            .hidden = draw.whole(1, 200) * 64,
            .heads = heads,
            .kv_heads = draw.whole(0, 1) == 0 ? 0 : heads,
            .ffn = draw.whole(1, 50000),
            .sequence = draw.whole(1, 131072),
            .vocab = draw.whole(1000, 300000)};
}

}  // namespace

TEST_CASE("IIIS spreadsheet: every cell of 1,000 random inputs is what its formulas say", "[methods][iiis]") {
    Draw draw;
    for (int i = 0; i < inputs; ++i) {
        const IiisInput in = random_sheet(draw);
        CAPTURE(in.model.name, in.gpu.name, in.tp, in.pp, in.minibatch, in.microbatch);
        check_all(cells(iiis_sheet(in)), cells_by_formulas(in));
    }
}

TEST_CASE("llm-train-bench: parameters, FLOPs, tokens and line of 1,000 random configurations",
          "[methods][llm_bench]") {
    Draw draw;
    for (int i = 0; i < inputs; ++i) {
        const LlmBenchModel m = random_configuration(draw);
        const double L = number(m.layers), h = number(m.hidden), f = number(m.ffn), s = number(m.sequence),
                     V = number(m.vocab), a = number(m.heads), g = std::floor(h / a);
        CAPTURE(m.layers, m.hidden, m.heads, m.kv_heads, m.ffn, m.sequence, m.vocab);
        const double N =
            m.kv_heads == 0
                ? h * V + h * s + L * (3 * h * h + 3 * h + h * h + h + 2 * h * f + f + h + 4 * h) + 2 * h
                : 2 * h * V + L * (4 * h * a * g + 3 * h * f + 2 * h) + h;
        const double token = 6 * N + 12 * L * a * g * s;
        const double idle = m.kv_heads == 0 ? s * h : V * h;
        const LlmBenchWork work = llm_bench_work(m);
        check_all(
            {work.parameters, work.claimed.value(), work.causal.value(), work.corrected.value(),
             work.corrected_causal.value()},
            {N, token, token - 6 * L * a * g * s, token - 6 * idle, token - 6 * L * a * g * s - 6 * idle});
        const double tflops = draw.real(1, 2000);
        CHECK(llm_bench_tokens(work, tflops) == Approx(tflops * 1e12 / token).epsilon(1e-3));
        CHECK_THAT(llm_bench_line(tflops, 989.5),
                   Catch::Contains("MFU=" + decimals_text(tflops / 989.5 * 100, 2) + "%"));
    }
}

TEST_CASE("Lightning, FlagPerf and 6ND: 1,000 random inputs by their formulas", "[methods]") {
    Draw draw;
    for (int i = 0; i < inputs; ++i) {
        const double N = draw.real(1e6, 1e12), D = draw.real(1e6, 1e14), rate = draw.real(0.1, 1e6);
        CHECK(lightning_days(N, D, rate) == Approx(6 * D * N / (rate * 86400 * 1e12)).epsilon(1e-14));
        CHECK(six_nd(N, D).value() == Approx(6 * N * D).epsilon(1e-15));
        const double samples = draw.real(0.01, 1000);
        const std::int64_t s = draw.whole(1, 8192), n = draw.whole(1, 1024);
        const FlagPerfPeak& gpu = draw.of(flagperf_peaks());
        const double tokens = flagperf_tokens(samples, s, n);
        CHECK(tokens == Approx(samples * number(s) / number(n)).epsilon(1e-14));
        CHECK(flagperf_mfu(tokens, N, gpu) == Approx(tokens * 6 * N / (gpu.TFLOPs * 1e12)).epsilon(1e-14));
        const LightningModel& m = draw.of(lightning_models());
        const std::int64_t b = draw.whole(1, 64);
        const double L = number(m.layers), h = number(m.hidden), V = number(m.vocab), q = number(s);
        const double mlp = m.family == LightningFamily::llama ? 6 * h * number(m.ffn) : 16 * h * h;
        const double forward = number(b) * (L * (8 * q * h * h + q * mlp + 4 * q * q * h) + 2 * q * h * V);
        CHECK(lightning_forward(m, s, b).value() == Approx(forward).epsilon(1e-13));
    }
}
