#include "traincost/methods/fast_llm.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/methods/tables.hpp"

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
        // The router scores all E experts, however many of them live.
        const auto layer = [&](double experts) {
            return (8.0 * h * h * experts + 4.0 * h * h + 6.0 * h + E * h) / G;
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
            problems.push_back({field.name, fmt::format("{}; must be greater than 0", field.value)});
        }
    }
    // Products of counts are whole numbers of doubles too: at most 2^53.
    constexpr double largest = 9007199254740992.0;
    if (static_cast<double>(in.nodes) * static_cast<double>(in.gpus_per_node) *
            static_cast<double>(in.gpu_memory_GB) >
        largest) {
        problems.push_back({"nodes", "times gpus_per_node times gpu_memory is too large: at most 9007T GB"});
    }
    throw_if_any(problems);
}

/// The recommendation, in the script's order of questions.
void recommend(const FastLlmInput& in, const Sizes& z, double total_train, double zero1, double zero2,
               double zero3, FastLlmSheet& sheet) {
    const std::int64_t gpus = in.nodes * in.gpus_per_node;
    const double n = static_cast<double>(gpus);
    const double usable = static_cast<double>(sheet.usable_GB);
    const double day = n * in.tflops * 1e12 * 60.0 * 60.0 * 24.0;
    const double days = in.billion_tokens * 1e9 * 8.0 * z.model * 1e9 / day;
    const bool moe = in.variant == FastLlmVariant::moe;
    // The script asks its questions of figures that it has rounded.
    const double total = python_round(total_train, 2);
    const double one = python_round(zero1, 2);
    if (total > usable * n) {
        sheet.messages.push_back(fmt::format("Minimal_Memory_needed:{}GB, Give_usable_memory:{}*{}={}GB",
                                             python_round_text(total_train, 2), sheet.usable_GB, gpus,
                                             sheet.usable_GB * gpus));
        sheet.messages.emplace_back("The GPUs together are too small: only ZeRO-Infinity is left.");
        return;
    }
    const std::string dp_all = std::to_string(gpus);
    if (one < usable) {
        sheet.plans.push_back({"Zero1", dp_all, 1, 1, zero1, days});
    } else if (std::abs(one - usable) < 3.0) {
        sheet.plans.push_back({"Zero1+offload", dp_all, 1, 1, zero1, days});
    } else if (python_round(zero2, 2) < usable) {
        sheet.plans.push_back({"Zero2", dp_all, 1, 1, zero2, days});
    }
    if (!sheet.plans.empty()) {
        return;
    }
    sheet.messages.emplace_back("You can't use pure Zero1 or Zero2 strategy.");
    const double node = static_cast<double>(in.gpus_per_node) * usable;
    const std::int64_t tp = in.gpus_per_node;
    const double t = static_cast<double>(tp);
    if (total < node) {
        const double dp = n / t;
        const double memory = moe ? zero1 / t : z.model * (4.0 + 12.0 / dp) / t + 2.0 * z.x() / t;
        const std::string dp_text = python_round_text(dp, 2);
        sheet.plans.push_back({"Zero1+TP", dp_text, tp, 1, memory, days});
        sheet.plans.push_back({"Zero3+(offload)", dp_all, 1, 1, zero3, days});
        return;
    }
    std::int64_t pp = static_cast<std::int64_t>(std::ceil(total / node));
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

std::span<const FastLlmPreset> fast_llm_presets() {
    static constexpr std::array<FastLlmPreset, 5> presets = {{{"Baichuan2-7B", 4096, 32, 4096, 125696},
                                                              {"Baichuan2-13B", 5120, 40, 4096, 125696},
                                                              {"Llama2-7B", 4096, 32, 4096, 32000},
                                                              {"Llama2-13B", 5120, 40, 4096, 32000},
                                                              {"Llama2-70B", 8192, 80, 4096, 32000}}};
    return presets;
}

const FastLlmPreset& fast_llm_preset(std::string_view name) {
    return method_row(fast_llm_presets(), name, "preset");
}

FastLlmInput fast_llm_defaults(FastLlmVariant variant) {
    const bool readme = variant == FastLlmVariant::readme;
    return {.variant = variant,
            .hidden = readme ? 8192 : 4096,
            .layers = readme ? 80 : 32,
            .sequence = 4096,
            .vocab = 32000,
            .heads = 8,
            .experts = 8,
            .nodes = readme ? 6 : 1,
            .gpus_per_node = readme ? 4 : 8,
            .gpu_memory_GB = 80,
            .batch = readme ? 8 : 1,
            .billion_tokens = 0.7,
            .tflops = 140.0};
}

FastLlmSheet fast_llm(const FastLlmInput& in) {
    require_positive(in);
    const Sizes z = sizes_of(in);
    const double n = static_cast<double>(in.nodes * in.gpus_per_node);
    const double X2 = 2.0 * z.x();
    const bool moe = in.variant == FastLlmVariant::moe;

    FastLlmSheet sheet{};
    sheet.batch = in.batch;
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
    const double zero3 = (moe ? (2.0 * z.model + 14.0 * z.model_train) / n : z.model * (16.0 / n)) + X2;
    sheet.zero = {{"Zero1", 2.0 * z.model, zero1},
                  {"Zero2", 2.0 * z.model, zero2},
                  {"Zero3", 2.0 * z.model / n, zero3}};
    recommend(in, z, total_train, zero1, zero2, zero3, sheet);
    return sheet;
}

std::string fast_llm_text(const FastLlmSheet& sheet) {
    const auto two = [](double x) { return grid_number(python_round(x, 2)); };
    std::string text = "-----------Model_Size and GPU_Mem-----------\n";
    text += pretty_text({{"Model size/B", "ratio(NHIDDEN/NLAYERS)", "Usable_mem_per_GPU/G"},
                         {python_round_text(sheet.model_size, 2), std::to_string(sheet.ratio),
                          std::to_string(sheet.usable_GB)}});
    text += "-----------With Mixed Precision(bp16)-----------\n";
    text += fmt::format("-----Memory_reference_indicator(Batch_size={})-----\n", sheet.batch);
    TextRows memory = {{"Module", "Size/B", "Eval_memory/GB", "Train_momery/GB"}};
    for (const FastLlmMemory& row : sheet.memory) {
        memory.push_back({row.name, two(row.size), two(row.eval), two(row.train)});
    }
    text += grid_text(memory);
    text += fmt::format("-----Strategy_reference_indicator(Batch_size={})-----\n", sheet.batch);
    TextRows zero = {{"Strategy", "Eval_memory_per_gpu/GB", "Train_momery_per_gpu/GB"}};
    for (const FastLlmZero& row : sheet.zero) {
        zero.push_back({row.name, two(row.eval), two(row.train)});
    }
    text += grid_text(zero) + "---------------------Strategy_Recommand---------------------\n";
    for (const std::string& message : sheet.messages) {
        text += message + "\n";
    }
    if (sheet.plans.empty()) {
        return text;
    }
    TextRows plans = {{"Zero", "DP", "TP", "PP", "Train_momery_per_gpu/GB", "Trianing_days"}};
    for (const FastLlmPlan& row : sheet.plans) {
        plans.push_back({row.strategy, row.dp, std::to_string(row.tp), std::to_string(row.pp),
                         two(row.train_GB), two(row.days)});
    }
    return text + "Recommand_Strategy:\n" + grid_text(plans) +
           "Please find the best batch_size by adjusting BATCH_SIZE\n";
}

FastLlmRun fast_llm_run_defaults() {
    return {.parameters = 7e9, .sequence = 4096, .global_batch = 128, .step = Seconds{6.8}, .gpus = 32};
}

FlopRate fast_llm_achieved(const FastLlmRun& run) {
    const double N = run.parameters;
    const double D = static_cast<double>(run.sequence) * static_cast<double>(run.global_batch);
    return Flops{8.0 * N * D} / (run.step * static_cast<double>(run.gpus));
}

}  // namespace traincost
