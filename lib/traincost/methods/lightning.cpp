#include "traincost/methods/lightning.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "traincost/base/scale.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/methods/six_nd.hpp"
#include "traincost/methods/tables.hpp"

namespace traincost {

std::span<const LightningModel> lightning_models() {
    constexpr LightningFamily gpt2 = LightningFamily::gpt2;
    constexpr LightningFamily bloom = LightningFamily::bloom;
    constexpr LightningFamily llama = LightningFamily::llama;
    static constexpr std::array<LightningModel, 14> models = {
        {{"gpt2", gpt2, 12, 768, 3072, 50259, 1024},
         {"gpt2-medium", gpt2, 24, 1024, 4096, 50259, 1024},
         {"gpt2-large", gpt2, 36, 1280, 5120, 50259, 1024},
         {"gpt2-xl", gpt2, 48, 1600, 6400, 50259, 1024},
         {"bigscience/bloom-560m", bloom, 24, 1024, 4096, 250682, 0},
         {"bigscience/bloom-1b1", bloom, 24, 1536, 6144, 250682, 0},
         {"bigscience/bloom-1b7", bloom, 24, 2048, 8192, 250682, 0},
         {"bigscience/bloom-3b", bloom, 30, 2560, 10240, 250682, 0},
         {"bigscience/bloom-7b1", bloom, 30, 4096, 16384, 250682, 0},
         {"bigscience/bloom", bloom, 70, 14336, 57344, 250682, 0},
         {"huggyllama/llama-7b", llama, 32, 4096, 11008, 32002, 0},
         {"huggyllama/llama-13b", llama, 40, 5120, 13824, 32002, 0},
         {"huggyllama/llama-30b", llama, 60, 6656, 17920, 32002, 0},
         {"huggyllama/llama-65b", llama, 80, 8192, 22016, 32002, 0}}};
    return models;
}

const LightningModel& lightning_model(std::string_view name) {
    return method_row(lightning_models(), name, "model");
}

namespace {

/// Weights of the matrices of a layer.
double layer_matrices(const LightningModel& model) {
    const double h = static_cast<double>(model.hidden);
    const double f = static_cast<double>(model.ffn);
    return 4.0 * h * h + (model.family == LightningFamily::llama ? 3.0 : 2.0) * h * f;
}

}  // namespace

double lightning_parameters(const LightningModel& model) {
    const double L = static_cast<double>(model.layers);
    const double h = static_cast<double>(model.hidden);
    const double f = static_cast<double>(model.ffn);
    const double V = static_cast<double>(model.vocab);
    const double T = static_cast<double>(model.positions);
    if (model.family == LightningFamily::llama) {
        return L * (layer_matrices(model) + 2.0 * h) + 2.0 * V * h + h;
    }
    const double norms = model.family == LightningFamily::bloom ? 4.0 * h : 2.0 * h;
    return L * (layer_matrices(model) + 9.0 * h + f) + (V + T) * h + norms;
}

Flops lightning_forward(const LightningModel& model, std::int64_t sequence, std::int64_t batch) {
    const double L = static_cast<double>(model.layers);
    const double h = static_cast<double>(model.hidden);
    const double V = static_cast<double>(model.vocab);
    const double s = static_cast<double>(sequence);
    const double b = static_cast<double>(batch);
    return Flops{b * s * (2.0 * L * layer_matrices(model) + 2.0 * h * V) + 4.0 * L * b * s * s * h};
}

std::string lightning_size(const LightningModel& model) {
    return fmt::format("{:.0f}M", std::floor(lightning_parameters(model) / mega));
}

std::string lightning_text(const LightningReport& r) {
    const std::string thick(38, '=');
    const std::string thin(38, '-');
    const double gpus = static_cast<double>(r.gpus);
    std::string out;
    const auto section = [&](std::string_view name) {
        out += fmt::format("{}:{}\n{}\n", out.empty() ? "" : "\n", name, thick);
    };
    const auto line = [&](std::string_view name, const std::string& value) {
        out += fmt::format("{:<20}{}\n", fmt::format("{}:", name), value);
    };
    section("Model");
    line("Model name", std::string(r.model));
    line("Model size", r.model_size);
    line("Strategy", r.strategy);
    line("Batch size", std::to_string(r.batch));
    line("Seq length", std::to_string(r.sequence));
    section("Hardware");
    line("Number gpus", std::to_string(r.gpus));
    out += thin + '\n';
    if (r.cpu_ram_GB || !r.gpu_ram_GB.empty()) {
        section("Memory");
        if (r.cpu_ram_GB) {
            line("Peak CPU RAM", python_round_text(*r.cpu_ram_GB, 1) + "GB");
        }
        std::string each;
        for (const double GB : r.gpu_ram_GB) {
            each += (each.empty() ? "" : ", ") + python_round_text(GB, 1) + "GB";
        }
        if (!each.empty()) {
            line("Peak GPU RAM", each);
        }
        out += thin + '\n';
    }
    const auto rates = [&](std::string_view title, std::string_view name, double rate) {
        const double each = python_round(rate, 3);
        section(title);
        line(fmt::format("{}/GPU", name), python_text(each));
        line(fmt::format("{}/total", name), python_text(each * gpus));
        out += thin + '\n';
    };
    if (r.tokens_per_s) {
        rates("Token", "Tokens/sec", *r.tokens_per_s);
    }
    if (r.tflops) {
        rates("TFLOP", "TFLOP/sec", *r.tflops);
    }
    return out;
}

double lightning_days(double parameters, double tokens, double system_tflops) {
    constexpr double seconds_of_day = 86400.0;
    return six_nd(parameters, tokens).value() / (system_tflops * seconds_of_day * tera);
}

}  // namespace traincost
