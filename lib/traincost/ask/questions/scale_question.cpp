#include "traincost/ask/questions/scale_question.hpp"

#include <utility>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/spec/accelerator.hpp"

namespace traincost {

namespace {

/// An accelerator of the budget, and the price of its hour where a cluster says one.
struct BudgetHardware {
    AcceleratorSpec accelerator;
    std::optional<Dollars> hour{};
    std::string price_source{};
};

BudgetHardware hardware_of(const ScaleQuestion& f, const Catalogue& catalogue) {
    if (!f.cluster) {
        return {catalogue.accelerator(*f.gpu)};
    }
    ClusterSpec cluster = catalogue.cluster(*f.cluster, 1).spec;
    if (f.price) {
        Operation operation;
        operation.price = f.price;
        const std::optional<ClusterSpec> priced = operated(cluster, operation);
        if (!priced) {
            throw Error(ErrorKind::input, "--price: " + cluster.id + " has no " + *f.price + " price");
        }
        cluster = *priced;
    }
    BudgetHardware h{cluster.accelerator};
    for (const NodePrice& price : cluster.prices) {
        if (price.per_hour && !h.hour) {
            h.hour = price.amount / static_cast<double>(cluster.per_node);
            h.price_source = price.kind + ", " + price.provider + ", as of " + price.as_of;
        }
    }
    return h;
}

/// What turns hours or dollars into FLOPs must be there, and nothing else.
void check_budget(const ScaleQuestion& f) {
    if (f.gpu && f.cluster) {
        throw Error(ErrorKind::usage, "--cluster: cannot be combined with --gpu");
    }
    if (f.price && !f.cluster) {
        throw Error(ErrorKind::usage, "--price: needs --cluster");
    }
    std::vector<Problem> problems;
    if (f.flops) {
        for (const auto& [given, flag] :
             {std::pair{f.gpu.has_value(), "--gpu"}, std::pair{f.cluster.has_value(), "--cluster"},
              std::pair{f.mfu.has_value(), "--mfu"},
              std::pair{f.gpu_hour_price.has_value(), "--gpu-hour-price"},
              std::pair{f.precision.has_value(), "--precision"}}) {
            if (given) {
                problems.push_back({flag, "applies to --gpu-hours and --budget; --flops needs no hardware"});
            }
        }
    } else {
        if (!f.gpu && !f.cluster) {
            problems.push_back({"--gpu", "missing; give a catalogue accelerator, or --cluster"});
        }
        if (!f.mfu) {
            problems.push_back({"--mfu", "missing; give the share of peak that training reaches, as in 40%"});
        }
        if (f.budget && !f.gpu_hour_price && !f.cluster) {
            problems.push_back(
                {"--gpu-hour-price", "missing; give the price per accelerator-hour, or --cluster"});
        }
        if (f.gpu_hours && (f.gpu_hour_price || f.price)) {
            problems.push_back({f.price ? "--price" : "--gpu-hour-price", "applies only to --budget"});
        }
    }
    if (!problems.empty()) {
        throw Error(ErrorKind::usage, std::move(problems));
    }
}

}  // namespace

ScalingBudget ask(const ScaleQuestion& f, const Sources& sources) {
    const int given = f.flops.has_value() + f.gpu_hours.has_value() + f.budget.has_value();
    if (given != 1) {
        throw Error(ErrorKind::usage, std::string("--flops: ") +
                                          (given == 0 ? "missing; " : "more than one budget is given; ") +
                                          "give exactly one of --flops, --gpu-hours and --budget");
    }
    check_budget(f);
    ScalingBudget q{
        .compute = {}, .ratio = f.ratio, .parameters = f.parameters, .inference_tokens = f.inference_tokens};
    if (f.flops) {
        q.compute = Flops{*f.flops};
        return q;
    }
    const BudgetHardware hardware = hardware_of(f, sources.catalogue());
    const DataType type = f.precision.value_or(DataType::bf16);
    const std::optional<FlopRate> peak = peak_rate(hardware.accelerator, type);
    if (!peak) {
        throw Error(ErrorKind::input, "--gpu: " + hardware.accelerator.id + " has no " +
                                          std::string(to_string(type)) + " matrix rate; give --precision");
    }
    const std::optional<Dollars> hour = f.gpu_hour_price ? f.gpu_hour_price : hardware.hour;
    if (f.budget && !hour) {
        throw Error(ErrorKind::input,
                    "--budget: no hourly price of " + *f.cluster + " is known; give --gpu-hour-price");
    }
    const double hours = f.gpu_hours ? *f.gpu_hours : *f.budget / *hour;
    q.compute = *peak * (*f.mfu) * Seconds{hours * 3600.0};
    if (f.budget) {
        q.assumptions.push_back(
            to_text(*f.budget) + " at " + to_text(*hour) + " per accelerator-hour" +
            (hardware.price_source.empty() || f.gpu_hour_price ? "" : ": " + hardware.price_source));
    }
    q.assumptions.push_back(count_text(hours) + " hours of " + hardware.accelerator.id + " at " +
                            to_text(*peak) + " " + std::string(to_string(type)) + " and " +
                            percent_text(*f.mfu) + " of it");
    return q;
}

}  // namespace traincost
