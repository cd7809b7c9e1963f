// `scale`: the budget of a scaling question, in FLOPs, hours or dollars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/sources.hpp"
#include "traincost/base/quantity.hpp"
#include "traincost/plan/scaling_laws.hpp"
#include "traincost/spec/data_type.hpp"

namespace traincost {

/// What somebody says of a budget: FLOPs, or hours or dollars with the hardware that turns them into FLOPs.
struct ScaleQuestion {
    std::optional<double> flops{};
    std::optional<double> gpu_hours{};
    std::optional<Dollars> budget{};
    std::optional<Dollars> gpu_hour_price{};
    std::optional<std::string> gpu{};      ///< accelerator, id
    std::optional<std::string> cluster{};  ///< node type that gives accelerator and price, instead
    std::optional<std::string> price{};    ///< kind of the cluster's price
    std::optional<DataType> precision{};   ///< whose peak counts; nothing: bf16
    std::optional<double> mfu{};           ///< share of that peak
    std::optional<double> parameters{};    ///< a size to judge
    std::optional<double> inference_tokens{};
    double ratio = 20.0;  ///< tokens a parameter, of the fixed-ratio law
};

/// A budget in FLOPs, and what is asked of it.
struct ScalingBudget {
    Flops compute;
    double ratio = 20.0;                       ///< tokens a parameter, of the fixed ratio
    std::optional<double> parameters{};        ///< a size to judge
    std::optional<double> inference_tokens{};  ///< the model will process after training
    std::vector<std::string> assumptions{};    ///< how it came about
};

/// The budget in FLOPs, and how it came about. `Error` that names every flag that is missing or too many.
ScalingBudget ask(const ScaleQuestion& question, const Sources& sources);

}  // namespace traincost
