#include "traincost/import/script_settings.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "traincost/base/text.hpp"
#include "traincost/import/launch_words.hpp"
#include "traincost/import/process_flags.hpp"

namespace traincost {

namespace {

struct Meaning {
    std::string_view variable;
    std::string_view setting;
};

constexpr Meaning meanings[] = {
    {"TP", "tensor_model_parallel_size"},
    {"TP_SIZE", "tensor_model_parallel_size"},
    {"PP", "pipeline_model_parallel_size"},
    {"PP_SIZE", "pipeline_model_parallel_size"},
    {"CP", "context_parallel_size"},
    {"CP_SIZE", "context_parallel_size"},
    {"EP", "expert_model_parallel_size"},
    {"EP_SIZE", "expert_model_parallel_size"},
    {"DP", "data_parallel_size"},
    {"MBS", "micro_batch_size"},
    {"MICRO_BATCH", "micro_batch_size"},
    {"MICRO_BATCH_SIZE", "micro_batch_size"},
    {"GBS", "global_batch_size"},
    {"GLOBAL_BATCH", "global_batch_size"},
    {"GLOBAL_BATCH_SIZE", "global_batch_size"},
    {"SEQ_LEN", "seq_length"},
    {"SEQLEN", "seq_length"},
    {"SEQ_LENGTH", "seq_length"},
    {"DEVICES_PER_NODE", "$launcher.nproc_per_node"},
    {"GPUS_PER_NODE", "$launcher.nproc_per_node"},
    {"NNODES", "$launcher.nnodes"},
    {"NUM_NODES", "$launcher.nnodes"},
};

/// The meaning of "TP", of "HL_TP": a prefix may say whose variable it is.
const Meaning* meaning_of(std::string_view variable) {
    const auto named = [&](std::string_view name) {
        const auto* found = std::find_if(std::begin(meanings), std::end(meanings),
                                         [&](const Meaning& m) { return m.variable == name; });
        return found == std::end(meanings) ? nullptr : found;
    };
    if (const Meaning* exact = named(variable)) {
        return exact;
    }
    const std::size_t prefix = variable.find('_');
    return prefix == variable.npos || prefix > 3 ? nullptr : named(variable.substr(prefix + 1));
}

}  // namespace

std::vector<LaunchDocument> script_settings(const StartedCommand& command,
                                            const std::vector<const std::string*>& files) {
    const auto script = std::find_if(command.words.begin(), command.words.end(),
                                     [](const ShellText& word) { return word.chars.ends_with(".sh"); });
    const bool first = script == command.words.begin();
    if (script == command.words.end() ||
        (!first && (script != command.words.begin() + 1 ||
                    !is_one_of(base_of(command.words.front().chars), {"bash", "sh"})))) {
        return {};
    }
    LaunchDocument job;
    LaunchDocument launcher;
    const bool in_micro_batches =
        std::any_of(command.environment.begin(), command.environment.end(), [](const auto& variable) {
            return is_one_of(variable.first, {"MBS", "MICRO_BATCH_SIZE", "MICRO_BATCH"});
        });
    int told = 0;
    for (const auto& [name, value] : command.environment) {
        if (is_one_of(name, {"TE_FP8", "FP8", "HL_FP8"}) && value.chars == "1") {
            place_at(job.root, "fp8_format") = word_setting("hybrid", value.place(), files);
        }
        const Meaning* meaning = meaning_of(name);
        const bool whole = meaning == nullptr && in_micro_batches && is_one_of(name, {"BS", "BATCH_SIZE"});
        if (meaning == nullptr && !whole) {
            continue;
        }
        const std::string key(whole ? "global_batch_size" : meaning->setting);
        Setting setting = word_setting(value.chars, value.place(), files);
        setting.name = name;
        told += key.starts_with('$') ? 0 : 1;
        place_at(key.starts_with('$') ? launcher.root : job.root, key) = std::move(setting);
    }
    constexpr int enough = 3;
    if (told < enough) {
        return {};
    }
    place_at(job.root, "$script") = word_setting(script->chars, script->place(), files);
    place_at(job.root, "$program") = word_setting(script->chars, script->place(), files);
    job.is_command = true;
    std::vector<LaunchDocument> documents;
    documents.push_back(std::move(job));
    if (launcher.root.has("$launcher")) {
        place_at(launcher.root, "$starts") = word_setting(script->chars, script->place(), files);
        launcher.is_command = true;
        documents.push_back(std::move(launcher));
    }
    return documents;
}

}  // namespace traincost
