#include "traincost/methods/fast_llm.hpp"

#include <cmath>

#include <fmt/format.h>

#include "traincost/base/error.hpp"
#include "traincost/methods/printed.hpp"

namespace traincost {

namespace {

constexpr double G = 1e9;

/// What the script takes one token to use of E experts.
double live_experts(std::int64_t experts) {
    switch (experts) {
        case 1:
            return 2.0;
        case 2:
            return 4.0;
        case 4:
            return 6.0;
        case 8:
            return 8.0;
        default:
            throw Error(ErrorKind::input,
                        fmt::format("experts: is {}, but the script knows 1, 2, 4 and 8 only", experts));
    }
}

/// Sizes in billions of elements.
struct Sizes {
    double embedding;
    double layer;
    double model;
    double model_train;  ///< the mixture's: of live experts
    double input;
    double activation;             ///< of the batch
    double activation_per_sample;  ///< of a batch of one
    double x() const {
        return input + activation;
    }
};

Sizes sizes_of(const FastLlmInput& in) {
    const double h = static_cast<double>(in.hidden);
    const double L = static_cast<double>(in.layers);
    const double s = static_cast<double>(in.sequence);
    const double V = static_cast<double>(in.vocab);
    const double b = static_cast<double>(in.batch);
    const double a = static_cast<double>(in.heads);
    Sizes z{};
    z.embedding = (V * h + s * h) / G;
    double act_layer = 34.0 * b * s * h;
    if (in.variant == FastLlmVariant::moe) {
        const double E = static_cast<double>(in.experts);
        const double live = live_experts(in.experts);
        const auto layer = [&](double experts) {
            return (8.0 * h * h * experts + 4.0 * h * h + 6.0 * h + experts * h) / G;
        };
        z.layer = layer(E);
        z.model_train = L * layer(live) + z.embedding + h / G;
        act_layer = 15.0 * b * s * h + 19.0 * b * s * h * live + 5.0 * s * s * b * a;
    } else {
        z.layer = (12.0 * h * h + 6.0 * h) / G;
        if (in.variant == FastLlmVariant::head) {
            act_layer += 5.0 * s * s * b * a;
        }
    }
    z.model = L * z.layer + z.embedding + h / G;
    if (in.variant != FastLlmVariant::moe) {
        z.model_train = z.model;
    }
    z.input = b * s * h / G;
    const auto activation = [&](double layer) {
        return in.checkpointing ? std::sqrt(layer * L / G) : layer * L / G;
    };
    z.activation = activation(act_layer);
    z.activation_per_sample = activation(act_layer / b);
    return z;
}

void require_positive(const FastLlmInput& in) {
    const struct {
        const char* name;
        double value;
    } fields[] = {{"hidden", static_cast<double>(in.hidden)},
                  {"layers", static_cast<double>(in.layers)},
                  {"sequence", static_cast<double>(in.sequence)},
                  {"vocab", static_cast<double>(in.vocab)},
                  {"heads", static_cast<double>(in.heads)},
                  {"nodes", static_cast<double>(in.nodes)},
                  {"gpus_per_node", static_cast<double>(in.gpus_per_node)},
                  {"gpu_memory", static_cast<double>(in.gpu_memory_GB)},
                  {"batch", static_cast<double>(in.batch)},
                  {"btokens", in.billion_tokens},
                  {"tflops", in.tflops}};
    std::vector<Problem> problems;
    for (const auto& field : fields) {
        if (!(field.value > 0.0) || !std::isfinite(field.value)) {
            problems.push_back({field.name, fmt::format("is {}, must be greater than 0", field.value)});
        }
    }
    throw_if_any(problems);
}

/// The recommendation, in the script's order of questions.
void recommend(const FastLlmInput& in, const Sizes& z, double total_train, double zero1, double zero2,
               double zero3, FastLlmSheet& sheet) {
    const std::int64_t gpus = in.nodes * in.gpus_per_node;
    const double n = static_cast<double>(gpus);
    const double usable = static_cast<double>(sheet.usable_GB);
    const double days = in.billion_tokens * 1e9 * 8.0 * z.model * 1e9 / (n * in.tflops * 1e12 * 86400.0);
    const bool moe = in.variant == FastLlmVariant::moe;
    if (total_train > usable * n) {
        sheet.messages.push_back(fmt::format("Minimal_Memory_needed:{}GB, Give_usable_memory:{}*{}={}GB",
                                             python_round_text(total_train, 2), sheet.usable_GB, gpus,
                                             sheet.usable_GB * gpus));
        sheet.messages.emplace_back("The GPUs together are too small: only ZeRO-Infinity is left.");
        return;
    }
    const std::string dp_all = std::to_string(gpus);
    if (zero1 < usable) {
        sheet.plans.push_back({"Zero1", dp_all, 1, 1, zero1, days});
    } else if (std::abs(zero1 - usable) < 3.0) {
        sheet.plans.push_back({"Zero1+offload", dp_all, 1, 1, zero1, days});
    }
    if (zero2 < usable) {
        sheet.plans.push_back({"Zero2", dp_all, 1, 1, zero2, days});
    }
    if (!sheet.plans.empty()) {
        return;
    }
    sheet.messages.emplace_back("You can't use pure Zero1 or Zero2 strategy.");
    const double node = static_cast<double>(in.gpus_per_node) * usable;
    const std::int64_t tp = in.gpus_per_node;
    const double t = static_cast<double>(tp);
    if (total_train < node) {
        const double dp = n / t;
        const double memory = moe ? zero1 / t : (z.model * (4.0 + 12.0 / dp) + 2.0 * z.x()) / t;
        const std::string dp_text = python_round_text(dp, 2);
        sheet.plans.push_back({"Zero1+TP", dp_text, tp, 1, memory, days});
        sheet.plans.push_back({"Zero3+(offload)", dp_all, 1, 1, zero3, days});
        return;
    }
    std::int64_t pp = static_cast<std::int64_t>(std::ceil(total_train / node));
    const double exact_dp = n / t / static_cast<double>(pp);
    const std::int64_t dp = exact_dp < 1.0 ? 1 : static_cast<std::int64_t>(exact_dp);
    if (dp == 1) {
        pp = static_cast<std::int64_t>(n / t);
    }
    const double p = static_cast<double>(pp);
    // The mixture's script shards over all n ranks here as in its Zero1; the dense one over dp.
    const double states =
        moe ? 2.0 * z.model + 14.0 / n * z.model_train : z.model * (4.0 + 12.0 / static_cast<double>(dp));
    sheet.plans.push_back(
        {"Zero1+TP+PP", std::to_string(dp), tp, pp, states / p / t + 2.0 * z.x() / t, days});
    sheet.plans.push_back({"Zero3+(offload)", dp_all, 1, 1, zero3, days});
}

}  // namespace

FastLlmSheet fast_llm(const FastLlmInput& in) {
    require_positive(in);
    const Sizes z = sizes_of(in);
    const double n = static_cast<double>(in.nodes * in.gpus_per_node);
    const double X2 = 2.0 * z.x();
    const bool moe = in.variant == FastLlmVariant::moe;

    FastLlmSheet sheet{};
    sheet.model_size = z.model;
    sheet.ratio = in.hidden / in.layers;
    sheet.usable_GB = in.gpu_memory_GB - 1;
    const double total_train = moe ? 2.0 * z.model + 14.0 * z.model_train + X2 : 16.0 * z.model + X2;
    sheet.memory = {
        {"emb", z.embedding, 2.0 * z.embedding, 16.0 * z.embedding},
        {"one_layer", z.layer, 2.0 * z.layer, 16.0 * z.layer},
        {"input", z.input, 2.0 * z.input, 2.0 * z.input},
        {"activation(batchsize=1)", z.activation_per_sample, 2.0 * z.activation_per_sample,
         2.0 * z.activation_per_sample},
        {"ALL", z.model + z.x(), 2.0 * z.model + X2, total_train},
    };
    const double zero1 =
        moe ? 2.0 * z.model + 14.0 / n * z.model_train + X2 : z.model * (4.0 + 12.0 / n) + X2;
    const double zero2 = moe ? zero1 : z.model * (2.0 + 14.0 / n) + X2;
    const double zero3 = (2.0 * z.model + 14.0 * z.model_train) / n + X2;
    sheet.zero = {{"Zero1", 2.0 * z.model, zero1},
                  {"Zero2", 2.0 * z.model, zero2},
                  {"Zero3", 2.0 * z.model / n, zero3}};
    recommend(in, z, total_train, zero1, zero2, zero3, sheet);
    return sheet;
}

FlopRate fast_llm_achieved(double parameters, double tokens_per_step, Seconds step, double gpus) {
    const double N = parameters;
    const double D = tokens_per_step;
    return Flops{8.0 * N * D} / (step * gpus);
}

}  // namespace traincost
