#include "traincost/methods/lightning.hpp"

#include <array>

#include "traincost/methods/six_nd.hpp"
#include "traincost/methods/tables.hpp"

namespace traincost {

std::span<const LightningModel> lightning_models() {
    static constexpr std::array<LightningModel, 4> models = {{{"gpt2", 12, 768, 50259, 1024},
                                                              {"gpt2-medium", 24, 1024, 50259, 1024},
                                                              {"gpt2-large", 36, 1280, 50259, 1024},
                                                              {"gpt2-xl", 48, 1600, 50259, 1024}}};
    return models;
}

const LightningModel& lightning_model(std::string_view name) {
    return method_row(lightning_models(), name, "model");
}

double lightning_parameters(const LightningModel& model) {
    const double L = static_cast<double>(model.layers);
    const double h = static_cast<double>(model.hidden);
    const double V = static_cast<double>(model.vocab);
    const double T = static_cast<double>(model.positions);
    return L * (12.0 * h * h + 13.0 * h) + (V + T) * h + 2.0 * h;
}

Flops lightning_forward(const LightningModel& model, std::int64_t sequence, std::int64_t batch) {
    const double L = static_cast<double>(model.layers);
    const double h = static_cast<double>(model.hidden);
    const double V = static_cast<double>(model.vocab);
    const double s = static_cast<double>(sequence);
    const double b = static_cast<double>(batch);
    return Flops{b * s * (24.0 * L * h * h + 2.0 * h * V) + 4.0 * L * b * s * s * h};
}

double lightning_days(double parameters, double tokens, double system_tflops) {
    constexpr double tera = 1e12;
    constexpr double seconds_of_day = 86400.0;
    return six_nd(parameters, tokens).value() / (system_tflops * seconds_of_day * tera);
}

}  // namespace traincost
