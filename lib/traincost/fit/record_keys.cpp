#include "traincost/fit/record_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace traincost {

std::int64_t node_count(const RunRecord& record) {
    const std::int64_t per_node = std::max<std::int64_t>(1, record.cluster.per_node.value_or(8));
    return (record.cluster.accelerators + per_node - 1) / per_node;
}

namespace {

std::string size_class(double parameters) {
    constexpr std::array<std::pair<double, std::string_view>, 7> classes = {{{1e9, "<1B"},
                                                                             {3e9, "1-3B"},
                                                                             {10e9, "3-10B"},
                                                                             {30e9, "10-30B"},
                                                                             {100e9, "30-100B"},
                                                                             {300e9, "100-300B"},
                                                                             {1e30, ">300B"}}};
    for (const auto& [below, name] : classes) {
        if (parameters < below)
            return std::string(name);
    }
    return {};
}

struct Key {
    std::string_view name;
    std::string (*value)(const SourcedRecord& sourced, const RecordFacts& facts);
};

std::string stated(const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "unstated";
}
std::string stated(const std::optional<bool>& value) {
    return value ? (*value ? "yes" : "no") : "unstated";
}
std::string stated(const std::string& text) {
    return text.empty() ? "unstated" : text;
}

// "20-30%"
std::string tenth(double share) {
    const int tens = std::clamp(static_cast<int>(share * 10.0), 0, 9);
    return std::to_string(10 * tens) + "-" + std::to_string(10 * (tens + 1)) + "%";
}

#define TRAINCOST_KEY(name, expression)                                                                    \
    Key {                                                                                                  \
        name, [](const SourcedRecord& sourced, [[maybe_unused]] const RecordFacts& facts) -> std::string { \
            [[maybe_unused]] const RunRecord& r = sourced.record;                                          \
            return expression;                                                                             \
        }                                                                                                  \
    }
constexpr std::array keys = {
    TRAINCOST_KEY("stack", r.run.stack),
    TRAINCOST_KEY("accelerator", r.cluster.accelerator),
    TRAINCOST_KEY("class", facts.accelerator_class),
    TRAINCOST_KEY("source", sourced.source),
    TRAINCOST_KEY("id", r.id),
    TRAINCOST_KEY("model", r.model.name),
    TRAINCOST_KEY("family", r.model.family),
    TRAINCOST_KEY("size", size_class(facts.parameters)),
    TRAINCOST_KEY("layers", std::to_string(r.model.layers)),
    TRAINCOST_KEY("hidden", std::to_string(r.model.hidden)),
    TRAINCOST_KEY("moe", r.model.moe ? "moe" : "dense"),
    TRAINCOST_KEY("gpus", std::to_string(r.cluster.accelerators)),
    TRAINCOST_KEY("nodes", std::to_string(node_count(r))),
    TRAINCOST_KEY("tp", std::to_string(r.run.parallel.tp)),
    TRAINCOST_KEY("pp", std::to_string(r.run.parallel.pp)),
    TRAINCOST_KEY("vp", std::to_string(r.run.parallel.vp)),
    TRAINCOST_KEY("dp", std::to_string(r.run.parallel.dp)),
    TRAINCOST_KEY("cp", std::to_string(r.run.parallel.cp)),
    TRAINCOST_KEY("ep", std::to_string(r.run.parallel.ep)),
    TRAINCOST_KEY("zero", stated(r.run.parallel.zero)),
    TRAINCOST_KEY("sp", stated(r.run.parallel.sequence_parallel)),
    TRAINCOST_KEY("precision", r.run.precision),
    TRAINCOST_KEY("sequence", std::to_string(r.run.sequence)),
    TRAINCOST_KEY("micro_batch", std::to_string(r.run.micro_batch)),
    TRAINCOST_KEY("global_batch", std::to_string(r.run.global_batch)),
    TRAINCOST_KEY("accumulation", stated(r.run.accumulation)),
    TRAINCOST_KEY("recompute", stated(r.run.recompute)),
    TRAINCOST_KEY("attention", stated(r.run.attention_kernel)),
    TRAINCOST_KEY("offload", stated(r.run.offload)),
    TRAINCOST_KEY("compile", stated(r.run.compile)),
    TRAINCOST_KEY("task", stated(r.task)),
    TRAINCOST_KEY("quality", r.quality),
    TRAINCOST_KEY("kind", stated(r.measured.memory_kind)),
    TRAINCOST_KEY("version", stated(r.run.stack_version)),
    TRAINCOST_KEY("kernels", facts.measured_kernels ? "measured" : "of the family"),
    TRAINCOST_KEY("communication", tenth(facts.exposed_communication)),
};
#undef TRAINCOST_KEY

constexpr auto key_names = [] {
    std::array<std::string_view, keys.size()> names{};
    for (std::size_t i = 0; i < keys.size(); ++i)
        names[i] = keys[i].name;
    return names;
}();

}  // namespace

std::span<const std::string_view> record_keys() {
    return key_names;
}

std::optional<std::string> record_key(const SourcedRecord& record, const RecordFacts& facts,
                                      std::string_view key) {
    for (const Key& known : keys) {
        if (known.name == key)
            return known.value(record, facts);
    }
    return std::nullopt;
}

}  // namespace traincost
