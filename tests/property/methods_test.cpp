// Published calculators held against their formulas, written down here a second time: every printed field of
// random inputs.

#include <traincost/methods/chinchilla.hpp>
#include <traincost/methods/fast_llm.hpp>
#include <traincost/methods/iiis.hpp>
#include <traincost/methods/printed.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

using namespace traincost;

namespace {

constexpr int inputs = 1000;

/// Random inputs; each run draws the same ones.
class Draw {
public:
    explicit Draw(unsigned seed) : engine_(seed) {
    }

    std::int64_t whole(std::int64_t from, std::int64_t to) {
        return std::uniform_int_distribution<std::int64_t>(from, to)(engine_);
    }

    double real(double from, double to) {
        return std::uniform_real_distribution<double>(from, to)(engine_);
    }

    /// Spread evenly over the orders of magnitude.
    double scale(double from, double to) {
        return std::exp(real(std::log(from), std::log(to)));
    }

    template <class T, std::size_t n>
    T one_of(const std::array<T, n>& values) {
        return values[static_cast<std::size_t>(whole(0, static_cast<std::int64_t>(n) - 1))];
    }

private:
    std::mt19937 engine_;
};

double number(std::int64_t x) {
    return static_cast<double>(x);
}

// ------------------------------------------------------------------------------------------------ Fast_LLM

FastLlmInput random_sheet(Draw& draw, FastLlmVariant variant) {
    return {.variant = variant,
            .hidden = draw.whole(4, 128) * 128,
            .layers = draw.whole(2, 100),
            .sequence = draw.one_of<std::int64_t, 4>({512, 2048, 4096, 8192}),
            .vocab = draw.whole(1000, 130000),
            .heads = draw.whole(1, 64),
            .experts = draw.one_of<std::int64_t, 4>({1, 2, 4, 8}),
            .nodes = draw.whole(1, 32),
            .gpus_per_node = draw.one_of<std::int64_t, 4>({1, 2, 4, 8}),
            .gpu_memory_GB = draw.one_of<std::int64_t, 4>({24, 40, 80, 141}),
            .batch = draw.whole(1, 16),
            .billion_tokens = draw.scale(0.1, 1000),
            .tflops = number(draw.whole(20, 400)),
            .checkpointing = draw.whole(0, 1) == 1};
}

/// "64.72|102|79|emb|0.3|…": every field of the sheet, in its order, by the formulas of the scripts.
struct SheetByFormulas {
    double h, l, s, v, b, a, E, n;
    double model = 0, live = 0, zero1 = 0, zero2 = 0, zero3 = 0, total = 0, x2 = 0, days = 0;
    std::string fields;

    explicit SheetByFormulas(const FastLlmInput& in)
        : h(number(in.hidden)),
          l(number(in.layers)),
          s(number(in.sequence)),
          v(number(in.vocab)),
          b(number(in.batch)),
          a(number(in.heads)),
          E(number(in.experts)),
          n(number(in.nodes) * number(in.gpus_per_node)) {
        sizes(in);
        strategies(in);
    }

    void put(const std::string& text) {
        fields += (fields.empty() ? "" : "|") + text;
    }

    void put(double x) {
        put(python_round_text(x, 2));
    }

    void row(const char* name, double size, double eval, double train) {
        put(name);
        put(size);
        put(eval);
        put(train);
    }

    void sizes(const FastLlmInput& in) {
        const bool moe = in.variant == FastLlmVariant::moe;
        const std::map<std::int64_t, double> alive = {{1, 2}, {2, 4}, {4, 6}, {8, 8}};
        const double e_live = moe ? alive.at(in.experts) : 0;
        const double emb = (v + s) * h / 1e9;
        const double blk = (moe ? 8 * h * h * E + 4 * h * h + (6 + E) * h : 12 * h * h + 6 * h) / 1e9;
        const double blk_live = moe ? (8 * h * h * e_live + 4 * h * h + (6 + E) * h) / 1e9 : blk;
        model = l * blk + emb + h / 1e9;
        live = l * blk_live + emb + h / 1e9;
        const auto activation = [&](double batch) {
            double layer = moe ? 15 * batch * s * h + 19 * batch * s * h * e_live : 34 * batch * s * h;
            layer += in.variant == FastLlmVariant::readme ? 0 : 5 * s * s * batch * a;
            const double all = layer * l / 1e9;
            return in.checkpointing ? std::sqrt(all) : all;
        };
        const double input = b * s * h / 1e9;
        const double x = input + activation(b);
        x2 = 2 * x;
        total = 2 * model + 14 * live + x2;
        put(model);
        put(std::to_string(in.hidden / in.layers));
        put(std::to_string(in.gpu_memory_GB - 1));
        row("emb", emb, 2 * emb, 16 * emb);
        row("one_layer", blk, 2 * blk, 16 * blk);
        row("input", input, 2 * input, 2 * input);
        row("activation(batchsize=1)", activation(1), 2 * activation(1), 2 * activation(1));
        row("ALL", model + x, 2 * model + x2, total);
        zero1 = moe ? 2 * model + 14 / n * live + x2 : model * (4 + 12 / n) + x2;
        zero2 = moe ? zero1 : model * (2 + 14 / n) + x2;
        zero3 = (2 * model + 14 * live) / n + x2;
        for (const auto& [name, eval, train] :
             {std::tuple("Zero1", 2 * model, zero1), std::tuple("Zero2", 2 * model, zero2),
              std::tuple("Zero3", 2 * model / n, zero3)}) {
            put(name);
            put(eval);
            put(train);
        }
        days = in.billion_tokens * 8 * model / (n * in.tflops * 86400) * 1e6;
    }

    void plan(const char* name, const std::string& dp, std::int64_t tp, std::int64_t pp, double memory) {
        put(name);
        put(dp);
        put(std::to_string(tp));
        put(std::to_string(pp));
        put(memory);
        put(days);
    }

    void strategies(const FastLlmInput& in) {
        const double u = number(in.gpu_memory_GB - 1);
        const std::string all = std::to_string(in.nodes * in.gpus_per_node);
        if (total > u * n) {
            put("Minimal_Memory_needed:" + python_round_text(total, 2) +
                "GB, Give_usable_memory:" + std::to_string(in.gpu_memory_GB - 1) + "*" + all + "=" +
                std::to_string((in.gpu_memory_GB - 1) * in.nodes * in.gpus_per_node) + "GB");
            return;
        }
        if (zero1 < u) {
            return plan("Zero1", all, 1, 1, zero1);
        }
        if (zero1 - u < 3) {
            return plan("Zero1+offload", all, 1, 1, zero1);
        }
        if (zero2 < u) {
            return plan("Zero2", all, 1, 1, zero2);
        }
        put("You can't use pure Zero1 or Zero2 strategy.");
        const bool moe = in.variant == FastLlmVariant::moe;
        const std::int64_t t = in.gpus_per_node;
        const double node = number(t) * u;
        std::int64_t pp = 1;
        std::int64_t dp = in.nodes;
        if (total >= node) {
            pp = static_cast<std::int64_t>(std::ceil(total / node));
            dp = std::max<std::int64_t>(1, in.nodes / pp);
            pp = dp == 1 ? in.nodes : pp;
        }
        const double states = moe ? 2 * model + 14 / n * live : model * (4 + 12 / number(dp));
        const bool stages = total >= node;
        plan(stages ? "Zero1+TP+PP" : "Zero1+TP", std::to_string(dp) + (stages ? "" : ".0"), t, pp,
             (states / number(pp) + x2) / number(t));
        plan("Zero3+(offload)", all, 1, 1, zero3);
    }
};

std::string fields_of(const FastLlmSheet& sheet) {
    std::vector<std::string> all = {python_round_text(sheet.model_size, 2), std::to_string(sheet.ratio),
                                    std::to_string(sheet.usable_GB)};
    const auto two = [&](double x) { all.push_back(python_round_text(x, 2)); };
    for (const FastLlmMemory& row : sheet.memory) {
        all.push_back(row.name);
        two(row.size);
        two(row.eval);
        two(row.train);
    }
    for (const FastLlmZero& row : sheet.zero) {
        all.push_back(row.name);
        two(row.eval);
        two(row.train);
    }
    if (!sheet.messages.empty()) {
        all.push_back(sheet.messages.front());
    }
    for (const FastLlmPlan& row : sheet.plans) {
        all.insert(all.end(), {row.strategy, row.dp, std::to_string(row.tp), std::to_string(row.pp)});
        two(row.train_GB);
        two(row.days);
    }
    std::string text;
    for (const std::string& field : all) {
        text += (text.empty() ? "" : "|") + field;
    }
    return text;
}

// ---------------------------------------------------------------------------------------------------- IIIS

IiisInput random_iiis(Draw& draw) {
    const auto gpus = iiis_gpus();
    const auto models = iiis_models();
    IiisInput in{.gpu = gpus[static_cast<std::size_t>(draw.whole(0, std::ssize(gpus) - 1))],
                 .model = models[static_cast<std::size_t>(draw.whole(0, std::ssize(models) - 1))],
                 .network_Gbps = number(draw.whole(1, 1600)),
                 .minibatch = 0,
                 .microbatch = draw.whole(1, 8),
                 .tp = draw.whole(1, 8),
                 .pp = 1,
                 .dp = draw.whole(1, 64),
                 .million_tokens = number(draw.whole(1, 1000000)),
                 .epochs = number(draw.whole(1, 5)),
                 .recompute = static_cast<Recompute>(draw.whole(0, 2))};
    in.minibatch = in.microbatch * draw.whole(1, 64);
    do {
        in.pp = draw.whole(1, in.model.layers);
    } while (in.model.layers % in.pp != 0);
    in.gpu.bus_GBps = number(draw.whole(8, 1800));
    return in;
}

using Named = std::vector<std::pair<std::string, double>>;

/// All that its page shows, by its formulas.
Named iiis_by_formulas(const IiisInput& in) {
    const double s = number(in.model.sequence), a = number(in.model.heads), h = number(in.model.hidden),
                 L = number(in.model.layers), V = number(in.model.vocab), B = number(in.minibatch),
                 b = number(in.microbatch), t = number(in.tp), p = number(in.pp), d = number(in.dp),
                 W = in.gpu.bus_GBps, NW = in.network_Gbps, F32 = in.gpu.fp32_TFLOPs, M = in.gpu.memory_GB;
    const double phi = h * (V + s) + L * (12 * h * h + 5 * h);
    const double m = B / b, l = L / p;
    double A = L * s * B * h, Arec = A;
    if (in.recompute == Recompute::full) {
        A *= 2 / t;
        Arec = A;
    } else if (in.recompute == Recompute::selective) {
        A *= 34 / t;
        Arec = A;
    } else {
        A *= 10 + 24 / t + 5 * a * s / (h * t);
        Arec *= (10 + 24 / t + 5 * a * s / h) / t;
    }
    const double F = 2 * s * B * phi / (t * p) / (F32 * 1e12), Bk = 2 * F;
    const double AG = in.tp == 1 ? 0 : 32 * h * h * B * L / p / (W * 1e9);
    const double p2p = in.pp == 1 ? 0 : 128 * h * h * B / t / (NW * 1e9);
    const double emb = 16 * h * V / t / (NW * 1e9), grad = 128 * phi / (t * p) / (NW * 1e9);
    const double fwd = (F + AG) / m, bwd = std::max(2 * AG, Bk) / m;
    const double iteration = (p - 1 + m) * (fwd + bwd) + grad + emb;
    const double iterations = in.million_tokens * 1e6 * in.epochs / (s * d * B);
    return {{"word", h * V},
            {"attention", 4 * h * h},
            {"ffn", 8 * h * h + 5 * h},
            {"position", h * s},
            {"total", phi},
            {"tp", std::clamp(std::floor(3 * h / F32 * W / 2 / 1000), 1.0, 8.0)},
            {"pp", std::ceil(16 * phi / t / (M * 1e9 - Arec))},
            {"b", std::max(1.0, std::floor(B / 4 / p))},
            {"optimizer", 12 * phi / (t * p)},
            {"weights", 2 * phi / (t * p)},
            {"gradients", 2 * phi / (t * p)},
            {"activation", A},
            {"overall", 16 * phi / (t * p) + A},
            {"oom", 16 * phi / (t * p) + A >= M * std::pow(1024.0, 3) ? 1.0 : 0.0},
            {"l", l},
            {"m", m},
            {"F", F},
            {"B", Bk},
            {"loop F", F / l / m},
            {"loop B", Bk / l / m},
            {"AG f", AG},
            {"loop AG f", AG / l / m},
            {"AG b", AG},
            {"loop AG b", AG / l / m},
            {"RS", AG},
            {"loop RS", AG / l / m},
            {"p2p", p2p},
            {"loop p2p", p2p / m},
            {"embedding", emb},
            {"gradient", grad},
            {"warmup", (p - 1) * fwd},
            {"fwd", fwd},
            {"fwd usage", F / (F + AG)},
            {"bwd", bwd},
            {"bwd usage", Bk / std::max(2 * AG, Bk)},
            {"cooldown", (p - 1) * bwd},
            {"stable", m * (fwd + bwd)},
            {"allreduce", grad + emb},
            {"iteration", iteration},
            {"global", d * B},
            {"iterations", iterations},
            {"seconds", iterations * iteration},
            {"gpus", d * t * p}};
}

std::vector<double> values_of(const IiisResult& r) {
    const IiisCommunication& c = r.communication;
    const IiisTimeline& line = r.timeline;
    return {r.parameters.word_embedding,
            r.parameters.self_attention,
            r.parameters.feed_forward,
            r.parameters.position_embedding,
            r.parameters.total,
            number(r.recommended.tp),
            number(r.recommended.pp),
            number(r.recommended.microbatch),
            r.memory.optimizer_states,
            r.memory.weights,
            r.memory.gradients,
            r.memory.activation,
            r.memory.overall,
            r.memory.out_of_memory ? 1.0 : 0.0,
            r.computation.per_device_layers,
            r.computation.micro_batches,
            r.computation.forward,
            r.computation.backward,
            r.computation.loop_forward,
            r.computation.loop_backward,
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
            line.warmup,
            line.forward,
            line.forward_gpu_usage,
            line.backward,
            line.backward_gpu_usage,
            line.cooldown,
            line.stable,
            line.allreduce,
            line.iteration,
            r.total.global_minibatch,
            r.total.iterations,
            r.total.seconds,
            number(r.total.gpus)};
}

}  // namespace

TEST_CASE("Fast_LLM: every printed field of 1,000 random inputs of each script is what its formulas say",
          "[methods][fast_llm]") {
    std::map<std::string, int> strategies;
    for (const FastLlmVariant variant : {FastLlmVariant::readme, FastLlmVariant::head, FastLlmVariant::moe}) {
        Draw draw(7);
        for (int i = 0; i < inputs; ++i) {
            const FastLlmInput in = random_sheet(draw, variant);
            const FastLlmSheet sheet = fast_llm(in);
            CAPTURE(i, static_cast<int>(variant));
            REQUIRE(fields_of(sheet) == SheetByFormulas(in).fields);
            for (const FastLlmPlan& plan : sheet.plans) {
                ++strategies[plan.strategy];
            }
        }
    }
    // Every branch of the recommendation is among them.
    CHECK(strategies.size() == 6);
}

TEST_CASE("Fast_LLM: one of Zero1 and Zero2 is recommended, never both", "[methods][fast_llm]") {
    Draw draw(11);
    for (int i = 0; i < inputs; ++i) {
        const FastLlmSheet sheet = fast_llm(random_sheet(draw, FastLlmVariant::head));
        if (!sheet.plans.empty() && sheet.messages.empty()) {
            CHECK(sheet.plans.size() == 1);
        }
    }
}

TEST_CASE("IIIS: every number of 1,000 random inputs is what its formulas say", "[methods][iiis]") {
    Draw draw(13);
    for (int i = 0; i < inputs; ++i) {
        const IiisInput in = random_iiis(draw);
        const std::vector<double> ours = values_of(iiis(in));
        const Named theirs = iiis_by_formulas(in);
        REQUIRE(ours.size() == theirs.size());
        for (std::size_t k = 0; k < ours.size(); ++k) {
            CAPTURE(i, theirs[k].first);
            REQUIRE(ours[k] == Approx(theirs[k].second).epsilon(1e-12).margin(1e-300));
        }
    }
}

TEST_CASE("Chinchilla grid: every label of 1,000 random inputs is what its formulas say",
          "[methods][chinchilla]") {
    Draw draw(17);
    for (int i = 0; i < inputs; ++i) {
        const double tflops = draw.scale(1, 2000), share = draw.real(0.01, 1), days = draw.scale(0.1, 400);
        const double cards = number(draw.whole(1, 20000));
        const double C = tflops * 1e12 * cards * 86400 * days * share;
        double best_loss = 1e300, N = 0, D = 0;
        for (int k = 0; k < 64; ++k) {
            const double n = std::pow(10.0, 7 + 0.0625 * k);
            const double tokens = C / (6 * n);
            const double loss = 1.69 + 406.4 * std::pow(n, -0.34) + 410.7 * std::pow(tokens, -0.28);
            if (loss < best_loss) {
                best_loss = loss;
                N = n;
                D = tokens;
            }
        }
        std::array<char, 64> size{}, tokens{};
        std::snprintf(size.data(), size.size(), "%.2fM", N / 1e6);
        std::snprintf(tokens.data(), tokens.size(), "%.2fB", D / 1e9);
        const ChinchillaOptimum best = chinchilla_grid(chinchilla_compute(tflops, share, cards, days));
        const ChinchillaLabels labels = chinchilla_labels(best);
        CAPTURE(i, tflops, cards, days, share);
        REQUIRE(best.compute.value() == Approx(C).epsilon(1e-14));
        REQUIRE(labels.parameters == size.data());
        REQUIRE(labels.tokens == tokens.data());
        REQUIRE(labels.loss == python_round_text(best_loss, 3));
    }
}
