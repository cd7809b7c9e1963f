#include "traincost/ask/questions/days_question.hpp"

#include <algorithm>
#include <cmath>

#include "traincost/ask/node_rent.hpp"
#include "traincost/ask/questions/search_question.hpp"
#include "traincost/base/flag_values.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/methods/six_nd.hpp"
#include "traincost/plan/configuration_text.hpp"
#include "traincost/plan/price.hpp"

namespace traincost {

namespace {

/// The dense decoder of the catalogue whose size is nearest, of those with positions enough.
std::string nearest_model(double parameters, std::int64_t sequence, const Catalogue& catalogue) {
    std::string best;
    double least = HUGE_VAL;
    for (const CatalogueEntry& entry : catalogue.entries(Room::models)) {
        const ModelRecord record = catalogue.model_record(entry.id);
        if (record.spec.moe || record.spec.architecture != Architecture::decoder ||
            record.spec.max_position.value_or(sequence) < sequence) {
            continue;
        }
        const double total = static_cast<double>(parameter_count(record.spec).total);
        const double distance = std::abs(std::log(total / parameters));
        if (distance < least) {
            least = distance;
            best = entry.id;
        }
    }
    constexpr double far = 10.0;
    if (least > std::log(far)) {
        constexpr double mistyped = 1000.0;  // billions without their B
        throw Error(ErrorKind::usage,
                    "--params: no model of the catalogue has between a tenth and ten times of " +
                        count_text(parameters) + " parameters, so no rate can be modelled; " +
                        (parameters <= mistyped ? "did you mean '" + count_text(parameters) + "B'?"
                                                : std::string("give --tflops or --mfu")));
    }
    return best;
}

/// The rate of the best plan for the model of the catalogue that is nearest in size.
std::optional<DaysRate> modelled_rate(const DaysQuestion& f, const Sources& sources) {
    SearchQuestion words;
    words.said.model = nearest_model(*f.parameters, f.sequence, sources.catalogue());
    words.said.gpu = f.gpu;
    words.said.gpus = f.gpus;
    words.said.sequence = f.sequence;
    words.said.global_batch = f.global_batch;
    words.job = words.said;
    ResolvedSearch resolved = resolve_search(words, sources);
    const SearchResult result = f.run ? f.run(resolved.request) : search(resolved.request);
    if (result.best.empty()) {
        return std::nullopt;
    }
    const Plan& plan = result.best.front();
    const double tokens = static_cast<double>(f.sequence) * static_cast<double>(f.global_batch);
    const double N = static_cast<double>(parameter_count(resolved.request.model).total);
    const FlopRate all = six_nd(N, tokens) / plan.metrics.time;
    return DaysRate{all / static_cast<double>(*f.gpus),
                    "modelled: " + *words.said.model + ", " +
                        configuration_text(resolved.request, plan.configuration) + " (--tflops, --mfu)",
                    std::to_string(f.global_batch) + " sequences of " + std::to_string(f.sequence) +
                        " per step, " + resolved.request.sites.front().stack.id};
}

/// An accelerator-hour as `estimate` bills it: of its usual node, or of those that are let where that is not.
std::optional<GpuHourPrice> billed_price(const ClusterSpec& cluster, const Catalogue& catalogue) {
    ClusterChoice choice{cluster, {}};
    take_rent_of_other_nodes(std::nullopt, catalogue, choice);
    return gpu_hour_price(choice.spec);
}

void check_days(const DaysQuestion& f) {
    require_all({{"--params", f.parameters.has_value()},
                 {"--tokens", f.tokens.has_value()},
                 {"--gpus", f.gpus.has_value()},
                 {"--gpu", f.gpu.has_value()}});
    if (f.tflops) {
        refuse_all("with --tflops", {{"--mfu", f.mfu.has_value()}});
    }
}

/// The faster of the 16-bit formats: some matrix units take fp16 alone.
FlopRate peak_of(const AcceleratorSpec& accelerator) {
    const auto bf16 = peak_rate(accelerator, DataType::bf16);
    const auto fp16 = peak_rate(accelerator, DataType::fp16);
    const auto peak = bf16 && fp16 ? std::max(bf16, fp16) : bf16 ? bf16 : fp16;
    if (!peak) {
        throw Error(ErrorKind::input, "--gpu: " + accelerator.id + " has no 16-bit matrix rate");
    }
    return *peak;
}

std::optional<DaysRate> rate_of(const DaysQuestion& f, FlopRate peak, const AcceleratorSpec& accelerator,
                                const Sources& sources) {
    if (f.mfu) {
        return DaysRate{.each = peak * *f.mfu, .from = "given (--mfu)"};
    }
    if (!f.tflops) {
        return modelled_rate(f, sources);
    }
    constexpr double tera = 1e12;
    const FlopRate each{*f.tflops * tera};
    if (each > peak) {
        throw Error(ErrorKind::usage,
                    "--tflops: exceeds the peak of " + accelerator.id + ", " + to_text(peak));
    }
    return DaysRate{.each = each, .from = "given (--tflops)"};
}

}  // namespace

DaysAnswer ask(const DaysQuestion& f, const Sources& sources) {
    check_days(f);
    const Catalogue& catalogue = sources.catalogue();
    const ClusterSpec cluster = catalogue.cluster(catalogue.id(Room::accelerators, *f.gpu), *f.gpus).spec;
    DaysAnswer a{.question = f, .accelerator = cluster.accelerator.id, .peak = peak_of(cluster.accelerator)};
    a.rate = rate_of(f, a.peak, cluster.accelerator, sources);
    if (!a.rate) {
        return a;
    }
    const double gpus = static_cast<double>(*f.gpus);
    const FlopRate together = a.rate->each * gpus;
    constexpr double hour = 3600.0;
    a.compute = six_nd(*f.parameters, *f.tokens);
    a.tokens_per_s = together.value() / (6.0 * *f.parameters);
    a.time = six_nd_time(*f.parameters, *f.tokens, together);
    a.gpu_hours = a.time.value() / hour * gpus;
    if (const auto price = billed_price(cluster, catalogue)) {
        a.cost = price->amount * a.gpu_hours;
        a.price = to_text(price->amount) + ", " + price->kind + ", " + price->provider;
    }
    return a;
}

std::string no_layout_text(const DaysAnswer& answer) {
    return "no layout fits on " + std::to_string(*answer.question.gpus) + " of " + answer.accelerator +
           "; give --tflops or --mfu to compute the days anyway";
}

}  // namespace traincost
