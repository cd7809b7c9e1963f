#include "traincost/fit/record_groups.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace traincost {

namespace {

using Selector = bool (*)(const RunRecord& record, const RecordFacts& facts);

bool from(const RunRecord& record, std::string_view source) {
    return record.id.starts_with(source) && record.id.size() > source.size() &&
           record.id[source.size()] == '-';
}

bool from_any(const RunRecord& record, std::initializer_list<std::string_view> sources) {
    return std::any_of(sources.begin(), sources.end(), [&](std::string_view s) { return from(record, s); });
}

bool nvidia_recipe(const RunRecord& record) {
    return from_any(record, {"nemo", "dgxc", "mbridge"});
}

bool plain_dense(const RunRecord& record) {
    return !record.model.moe && record.run.parallel.cp == 1 && record.run.precision == "bf16-mixed";
}

bool dtensor(const RunRecord& record) {
    return from(record, "h200") && record.run.stack == "pytorch" && record.run.parallel.tp > 1;
}

/// Groups that cut across stacks, accelerators and files.
struct Table {
    std::string_view name;
    Selector contains;
};

constexpr std::array<Table, 13> tables = {{
    {"h200 without DTensor",
     [](const RunRecord& r, const RecordFacts&) { return from(r, "h200") && !dtensor(r); }},
    {"h200 DTensor", [](const RunRecord& r, const RecordFacts&) { return dtensor(r); }},
    {"vtrain 2-8 GPUs",
     [](const RunRecord& r, const RecordFacts&) { return from(r, "vtrain") && r.cluster.accelerators <= 8; }},
    {"vtrain 64-512 GPUs",
     [](const RunRecord& r, const RecordFacts&) {
         return from(r, "vtrain") && r.cluster.accelerators >= 64;
     }},
    {"nemo, dgxc, mbridge dense",
     [](const RunRecord& r, const RecordFacts&) { return nvidia_recipe(r) && plain_dense(r); }},
    {"nemo, dgxc, mbridge MoE, CP, FP8, FP4",
     [](const RunRecord& r, const RecordFacts&) { return nvidia_recipe(r) && !plain_dense(r); }},
    {"mlperf, internevo, bigscience, megatron, flagperf",
     [](const RunRecord& r, const RecordFacts&) {
         return from_any(r, {"mlperf", "internevo", "bigscience", "megatron", "flagperf"});
     }},
    {"nanotron-sweep, tp <= 8, MFU >= 20 %",
     [](const RunRecord& r, const RecordFacts& f) {
         return from(r, "nanotron-sweep") && r.run.parallel.tp <= 8 && f.measured_mfu >= 0.20;
     }},
    {"nanotron-sweep, more than 70 GiB reserved",
     [](const RunRecord& r, const RecordFacts&) {
         constexpr double near_limit = 70.0 * 1073741824.0;  // of 79.1 GiB
         return from(r, "nanotron-sweep") && r.measured.memory_bytes.value_or(0.0) > near_limit;
     }},
    {"nanotron-sweep + nanotron-oom",
     [](const RunRecord& r, const RecordFacts&) {
         return from_any(r, {"nanotron-sweep", "nanotron-oom"});
     }},
    {"TPU, Trainium, Gaudi",
     [](const RunRecord& r, const RecordFacts&) {
         return r.cluster.accelerator.starts_with("tpu") || r.cluster.accelerator.starts_with("trainium") ||
                r.cluster.accelerator.starts_with("gaudi");
     }},
    {"litgpt, torchtune, llamafactory",
     [](const RunRecord& r, const RecordFacts&) {
         return from_any(r, {"litgpt", "torchtune", "llamafactory"});
     }},
    {"quality A", [](const RunRecord& r, const RecordFacts&) { return r.quality == "A"; }},
}};

}  // namespace

std::vector<std::string> groups_of(const SourcedRecord& sourced, const RecordFacts& facts) {
    const RunRecord& record = sourced.record;
    std::vector<std::string> groups = {"all", "stack:" + record.run.stack,
                                       "accelerator:" + record.cluster.accelerator,
                                       "source:" + sourced.source};
    for (const Table& table : tables) {
        if (table.contains(record, facts))
            groups.push_back("table:" + std::string(table.name));
    }
    return groups;
}

int group_order(std::string_view group) {
    constexpr std::array<std::string_view, 5> kinds = {"all", "table:", "source:", "stack:", "accelerator:"};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (group.starts_with(kinds[i]))
            return static_cast<int>(i);
    }
    return static_cast<int>(kinds.size());
}

bool is_of_layout_sweep(const RunRecord& record) {
    return from(record, "nanotron-sweep");
}

}  // namespace traincost
