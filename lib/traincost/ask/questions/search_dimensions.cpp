#include "traincost/ask/questions/search_dimensions.hpp"

#include <algorithm>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/spec/draft/everyday_names.hpp"
#include "traincost/spec/draft/job_values.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// The parts between commas, none of them empty.
std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts = split(text, ',');
    if (std::find(parts.begin(), parts.end(), "") != parts.end()) {
        throw Error(ErrorKind::usage, "'" + text + "' has an empty value");
    }
    return parts;
}

template <class T>
void sort_unique(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// A list of what `one` parses.
template <auto one>
auto list_of(const std::string& text) {
    std::vector<decltype(one(text))> values;
    for (const std::string& part : parts_of(text))
        values.push_back(one(part));
    sort_unique(values);
    return values;
}

bool on(const std::string& text) {
    if (text != "on" && text != "off") {
        throw Error(ErrorKind::usage, "unknown value '" + text + "'; allowed: on, off, or both as on,off");
    }
    return text == "on";
}

/// "none,selective:core_attn,layernorm,full:2": what is no kind belongs to the selective one before it.
std::vector<RecomputeChoice> recompute_list(const std::string& text) {
    std::vector<std::string> kinds;
    for (const std::string& part : parts_of(text)) {
        const bool kind = value_of<Recompute>(part.substr(0, part.find(':'))).has_value();
        if (!kind && !kinds.empty() && kinds.back().starts_with("selective:")) {
            kinds.back() += "," + part;
        } else {
            kinds.push_back(part);
        }
    }
    std::vector<RecomputeChoice> choices;
    for (const std::string& kind : kinds) {
        choices.push_back(recompute_choice(kind));
    }
    return choices;
}

NumberChoice zero_choice(const std::string& text) {
    if (const auto meant = zero_meant_by(text)) {
        return {.listed = {*meant}};
    }
    NumberChoice choice = number_choice(text);
    constexpr std::int64_t highest = 3;
    const bool open = choice.high == std::numeric_limits<std::int64_t>::max();
    const std::int64_t most = !choice.listed.empty() ? choice.listed.back() : open ? choice.low : choice.high;
    if (most > highest) {
        throw Error(ErrorKind::usage, "unknown value '" + text + "'; allowed: 0, 1, 2, 3");
    }
    return choice;
}

/// What of `possible` the choice allows. A list stays as it is, so that what is wrong with it can be said.
std::vector<std::int64_t> values_of(const NumberChoice& choice, const std::vector<std::int64_t>& possible,
                                    const char* flag, const std::string& what) {
    if (!choice.listed.empty()) {
        return choice.listed;
    }
    std::vector<std::int64_t> values;
    std::copy_if(possible.begin(), possible.end(), std::back_inserter(values),
                 [&](std::int64_t x) { return x >= choice.low && x <= choice.high; });
    if (values.empty()) {
        const std::string high =
            choice.high == std::numeric_limits<std::int64_t>::max() ? "" : std::to_string(choice.high);
        throw Error(ErrorKind::input, std::string(flag) + ": nothing from " + std::to_string(choice.low) +
                                          " to " + (high.empty() ? "any number" : high) + " is " + what);
    }
    return values;
}

/// Takes what is above a limit out of a dimension's values.
void limit(std::vector<std::int64_t>& values, const std::optional<std::int64_t>& most,
           const std::vector<std::int64_t>& possible, const char* flag) {
    if (!most) {
        return;
    }
    const std::vector<std::int64_t> before = values;
    if (values.empty()) {
        values = possible;
    }
    std::erase_if(values, [&](std::int64_t x) { return x > *most; });
    if (values.empty()) {
        throw Error(ErrorKind::usage, std::string(flag) + ": " + std::to_string(before.front()) +
                                          " is more than --max-" + std::string(flag).substr(2) + " " +
                                          std::to_string(*most));
    }
}

std::vector<std::int64_t> up_to(std::int64_t high) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 1; i <= high; ++i) {
        values.push_back(i);
    }
    return values;
}

std::vector<OffloadChoice> offload_choices(const DimensionChoices& f) {
    const std::vector<Offload> nowhere{Offload::none};
    const std::vector<double> nothing{0.0};
    std::vector<OffloadChoice> choices;
    for (const Offload optimizer : f.offload_optimizer.empty() ? nowhere : f.offload_optimizer) {
        for (const Offload parameters : f.offload_parameters.empty() ? nowhere : f.offload_parameters) {
            for (const double activations : f.offload_activations.empty() ? nothing : f.offload_activations) {
                choices.push_back({optimizer, parameters, activations});
            }
        }
    }
    return choices;
}

/// Says a member from its text.
template <auto member, auto parse>
void say_by(DimensionChoices& choices, const std::string& text) {
    choices.*member = parse(text);
}

std::int64_t positive_limit(const std::string& text) {
    return parse_count(text, Range::positive);
}

using D = DimensionChoices;

constexpr DimensionField fields[] = {
    {"--micro-batch", "N...", "Sequences per micro-batch on one rank",
     say_by<&D::micro_batch, number_choice>},
    {"--tp", "N...",
     "Tensor-parallel degrees to search: 8 or 1,2,4 or 2..8 or ..8 (all degrees take these forms); default: "
     "all the stack supports",
     say_by<&D::tp, number_choice>},
    {"--pp", "N...", "Pipeline-parallel degree", say_by<&D::pp, number_choice>},
    {"--vp", "N...", "Virtual stages per pipeline stage", say_by<&D::vp, number_choice>},
    {"--dp", "N...", "Data-parallel degrees to search", say_by<&D::dp, number_choice>},
    {"--cp", "N...", "Context-parallel degree", say_by<&D::cp, number_choice>},
    {"--ep", "N...", "Expert-parallel degree", say_by<&D::ep, number_choice>},
    {"--etp", "N...", "Tensor-parallel degree of experts", say_by<&D::etp, number_choice>},
    {"--zero", "0..3", "ZeRO stage: 1 shards optimizer states, 2 also gradients, 3 also weights (FSDP)",
     say_by<&D::zero, zero_choice>},
    {"--hybrid-shard", "RANKS...", "Ranks per shard group (HSDP) to search; 0: all",
     say_by<&D::hybrid_shard, number_choice>},
    {"--sequence-parallel", "on|off|on,off", "Sharding of activations between tensor-parallel regions",
     say_by<&D::sequence_parallel, list_of<on>>},
    {"--schedule", "NAME,NAME...", "Pipeline schedules: gpipe, 1f1b, interleaved, zero_bubble, dualpipe",
     say_by<&D::schedules, list_of<named<Schedule>>>},
    {"--recompute", "none,selective[:MODULES],full[:EVERY]", "Activation recomputation in the backward pass",
     say_by<&D::recompute, recompute_list>},
    {"--offload-optimizer", "none,cpu,nvme", "Locations of optimizer states and updates to search",
     say_by<&D::offload_optimizer, list_of<named<Offload>>>},
    {"--offload-parameters", "none,cpu,nvme", "Locations of weights to search",
     say_by<&D::offload_parameters, list_of<named<Offload>>>},
    {"--offload-activations", "FRACTION,...", "Shares of saved activations in host memory to search",
     say_by<&D::offload_activations, list_of<fraction>>},
    {"--max-tp", "N", "Largest tensor-parallel degree", say_by<&D::max_tp, positive_limit>},
    {"--max-pp", "N", "Largest pipeline-parallel degree", say_by<&D::max_pp, positive_limit>},
    {"--max-cp", "N", "Largest context-parallel degree", say_by<&D::max_cp, positive_limit>},
};

}  // namespace

NumberChoice number_choice(const std::string& text) {
    const auto dots = text.find("..");
    NumberChoice choice{};
    if (dots == text.npos) {
        for (const std::string& part : parts_of(text)) {
            choice.listed.push_back(parse_count(part));
        }
        sort_unique(choice.listed);
        return choice;
    }
    const std::string low = text.substr(0, dots);
    const std::string high = text.substr(dots + 2);
    if (low.empty() && high.empty()) {
        throw Error(ErrorKind::usage, "'" + text + "' is not a range; write LOW..HIGH, LOW.. or ..HIGH");
    }
    choice.low = low.empty() ? 0 : parse_count(low);
    if (!high.empty()) {
        choice.high = parse_count(high);
    }
    if (choice.low > choice.high) {
        throw Error(ErrorKind::usage, "'" + text + "' goes from " + std::to_string(choice.low) + " down to " +
                                          std::to_string(choice.high));
    }
    return choice;
}

std::span<const DimensionField> dimension_fields() {
    return fields;
}

SearchSpace restricted(SearchSpace space, const DimensionChoices& f, const Job& job) {
    const std::vector<std::int64_t> degrees = divisors(job.cluster.accelerators);
    const std::string of_all = "a divisor of " + std::to_string(job.cluster.accelerators) + " accelerators";
    const auto take = [](std::vector<std::int64_t>& values, const std::optional<NumberChoice>& choice,
                         const std::vector<std::int64_t>& possible, const char* flag,
                         const std::string& what) {
        if (choice) {
            values = values_of(*choice, possible, flag, what);
        }
    };
    take(space.tp, f.tp, degrees, "--tp", of_all);
    take(space.pp, f.pp, degrees, "--pp", of_all);
    take(space.dp, f.dp, degrees, "--dp", of_all);
    take(space.cp, f.cp, degrees, "--cp", of_all);
    take(space.etp, f.etp, degrees, "--etp", of_all);
    const std::int64_t experts = job.model.moe ? job.model.moe->experts : 1;
    take(space.ep, f.ep, divisors(experts), "--ep",
         "a divisor of the model's " + std::to_string(experts) + " experts");
    const std::int64_t blocks = block_count(job.model);
    take(space.vp, f.vp, up_to(blocks), "--vp", "at most the model's " + std::to_string(blocks) + " layers");
    take(space.zero, f.zero, {0, 1, 2, 3}, "--zero", "a ZeRO stage");
    take(space.micro_batch, f.micro_batch, divisors(job.run.global_batch), "--micro-batch",
         "a divisor of the global batch, " + std::to_string(job.run.global_batch));
    if (f.hybrid_shard) {
        space.hybrid_shard = values_of(*f.hybrid_shard, degrees, "--hybrid-shard", of_all);
        space.all_hybrid_shards = false;
    }
    limit(space.tp, f.max_tp, degrees, "--tp");
    limit(space.pp, f.max_pp, degrees, "--pp");
    limit(space.cp, f.max_cp, degrees, "--cp");
    if (!f.sequence_parallel.empty()) {
        space.sequence_parallel = f.sequence_parallel;
    }
    if (!f.schedules.empty()) {
        space.schedules = f.schedules;
    }
    if (!f.recompute.empty()) {
        space.recompute = f.recompute;
    }
    if (!f.offload_optimizer.empty() || !f.offload_parameters.empty() || !f.offload_activations.empty()) {
        space.offload = offload_choices(f);
    }
    return space;
}

}  // namespace traincost
