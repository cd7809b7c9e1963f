#include "traincost/import/settings/python/python_config.hpp"

#include <algorithm>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_loop.hpp"
#include "traincost/import/settings/python/python_model.hpp"
#include "traincost/import/settings/python/python_registry.hpp"
#include "traincost/import/settings/python/python_trainer.hpp"

namespace traincost {

namespace {

/// Switches that are off where nobody gives them say nothing.
void drop_switches_off(Setting& options) {
    std::erase_if(options.members,
                  [](const SettingMember& m) { return m.value.is_default && m.value.text == "false"; });
}

/// What a loop of one's own trains with, a file of constants for one, or what a program is told that hands
/// all of it on.
std::optional<Setting> own_loop(PythonRegistry& registry, const std::string& file, std::string_view text) {
    constexpr int of_loop = 2, of_constants = 4;
    const Setting globals = registry.globals();
    const bool defines = text.find("def ") != text.npos || text.find("class ") != text.npos ||
                         std::any_of(globals.members.begin(), globals.members.end(),
                                     [](const SettingMember& m) { return m.value.is_map(); });
    const bool trains = has_training_loop(text);
    const std::vector<PythonScope> scopes = registry.scopes();
    std::optional<Setting> root;
    if (trains || !defines) {
        root = loop_settings(scopes, trains ? of_loop : of_constants);
    } else if (text.find(".option(") != text.npos || text.find("yper.Option(") != text.npos) {
        root = options_alone(scopes, file);
    }
    if (root) {
        put_doings(*root, scopes, text);
        put_step_tokens(*root, scopes, text);
        put_rank_batches(*root, scopes, text);
        drop_divided_steps(*root, text);
        root->file = &file;
    }
    return root;
}

/// Says which configurations there are where none, or none of them, is chosen.
void require_choice(const PythonRegistry& registry, const std::string& name,
                    const std::vector<std::string>& names, const std::string& file) {
    std::string list;
    for (const std::string& each : names) {
        if (!each.starts_with('_')) {  // a helper of the others
            list += (list.empty() ? "" : ", ") + each;
        }
    }
    if (name.empty()) {
        throw Error(
            ErrorKind::input,
            std::vector<Problem>{
                {.path = file, .message = "has several configurations; choose one with --select: " + list}});
    }
    if (!registry.has(name)) {
        throw Error(ErrorKind::input,
                    std::vector<Problem>{
                        {.path = file,
                         .message = "has no configuration '" + name + "'" + did_you_mean(name, names) +
                                    (did_you_mean(name, names).empty() ? "; it has " + list : "")}});
    }
}

/// The classes of a file that makes nothing of them: what they begin with is what its importers get.
void add_classes(Setting& root, const PythonRegistry& registry) {
    const auto says_something = [](const SettingMember& m) {
        return m.value.is_map() &&
               std::any_of(m.value.members.begin(), m.value.members.end(),
                           [](const SettingMember& each) { return !each.key.starts_with("$"); });
    };
    if (std::any_of(root.members.begin(), root.members.end(), says_something)) {
        return;
    }
    for (const auto& [name, members] : registry.classes()) {
        const bool holds = name.ends_with("Config") || name.ends_with("Conf") || name.ends_with("Args") ||
                           name.ends_with("Arguments") || name.ends_with("Params") ||
                           name.ends_with("Settings") || name == "CFG";
        if (holds) {
            root.members.push_back({.key = name, .value = members});
            std::erase_if(root.members.back().value.members,
                          [](const SettingMember& m) { return m.key.starts_with("$"); });
        }
    }
}

/// The classes of a file whose functions return no settings, but what the classes are checked with.
std::optional<Setting> classes_alone(PythonRegistry& registry, const std::vector<std::string>& names) {
    constexpr std::size_t fewest = 3;
    Setting root = registry.globals();
    const std::size_t before = root.members.size();
    add_classes(root, registry);
    const bool returns = root.members.size() == before ||
                         std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                             const Setting result = registry.call(name);
                             return result.is_map() && result.members.size() >= fewest;
                         });
    return returns ? std::nullopt : std::optional(std::move(root));
}

/// A loop beside its model, or with the names of nanoGPT's settings, is not nanoGPT, which divides the steps
/// that it accumulates among its processes.
bool is_whole_loop(std::string_view text) {
    const auto says = [&](std::string_view part) { return text.find(part) != text.npos; };
    const bool accumulates = says("gradient_accumulation_steps");
    const bool named = says("block_size") && says("n_emb") && !says("Fabric(") && !says("Trainer(");
    return has_training_loop(text) &&
           ((says("nn.Module)") && !accumulates) || (named && !(accumulates && says("world_size"))));
}

/// The arguments of a trainer that the program makes, and what it does around it.
std::optional<Setting> made_arguments(PythonRegistry& registry, std::string_view text,
                                      const std::string& file, std::string_view select) {
    const std::vector<PythonScope> scopes = registry.scopes();
    auto root = trainer_arguments(scopes, file, select);
    // Lightning's trainer around adapters, or around Accelerate's devices, is what trains.
    if (!root || (root->has("$adapted") && makes_lightning_trainer(scopes))) {
        return std::nullopt;
    }
    put_doings(*root, scopes, text);
    put_divided_batch(*root, scopes, text);
    if (const auto loop =
            root->has("$adapted") && has_training_loop(text) ? loop_settings(scopes, 2) : std::nullopt) {
        for (const SettingMember& m : loop->members) {
            put(*root, m.key, &m.value);
        }
    }
    root->file = &file;
    return root;
}

Setting read_registry(PythonRegistry& registry, std::string_view text, const std::string& file,
                      std::string_view select, const KnowsSettings& knows) {
    if (auto root =
            makes_trainer_arguments(text) ? made_arguments(registry, text, file, select) : std::nullopt) {
        name_settings(*root);
        return std::move(*root);
    }
    if (select.empty()) {
        if (auto root = registry.built()) {
            root->file = &file;
            name_settings(*root);
            return std::move(*root);
        }
    }
    const bool whole = select.empty() && is_whole_loop(text);
    if (auto root = whole ? own_loop(registry, file, text) : std::nullopt; root && root->has("optimizer")) {
        name_settings(*root);
        return std::move(*root);
    }
    if (auto root = program_configuration(registry, file, select, knows)) {
        // A model's settings alone are not the loop's around it; those made of parts are a whole job's.
        const bool parts =
            std::any_of(root->members.begin(), root->members.end(),
                        [](const SettingMember& m) { return m.value.is_map() && m.value.has("$class"); });
        const bool model = select.empty() && root->has("$class") && !parts &&
                           root->peek("$class")->text.ends_with("Config") && has_training_loop(text);
        if (auto loop = model ? own_loop(registry, file, text) : std::nullopt) {
            name_settings(*loop);
            return std::move(*loop);
        }
        if (auto rest = root->has_any({"trainer", "fabric", "device_train_microbatch_size"})
                            ? loop_settings(registry.scopes(), 1)
                            : std::nullopt) {
            place_at(*root, "$loop") = std::move(*rest);
        }
        root->file = &file;
        name_settings(*root);
        return std::move(*root);
    }
    const std::vector<std::string> names = registry.names();
    std::string name(select);
    if (name.empty()) {
        name = names.size() == 1 ? names.front() : registry.outermost();
        const bool known = registry.has(name) ? knows(registry.call(name)) : knows(registry.globals());
        if (auto root = known ? std::nullopt : own_loop(registry, file, text)) {
            name_settings(*root);
            return std::move(*root);
        }
    }
    if (auto root = select.empty() && !names.empty() ? classes_alone(registry, names) : std::nullopt) {
        name_settings(*root);
        return std::move(*root);
    }
    if (names.empty()) {
        Setting root = registry.globals();
        if (select.empty() && !knows(root)) {
            add_classes(root, registry);
        }
        name_settings(root);
        return root;
    }
    require_choice(registry, name, names, file);
    Setting root = registry.call(name);
    root.file = &file;
    const bool options = std::any_of(root.members.begin(), root.members.end(),
                                     [](const SettingMember& m) { return m.value.is_default; });
    if (options && !root.has("$class")) {  // the program's own options, not a framework's configuration
        drop_switches_off(root);
        place_at(root, "$program") = scalar_setting(base_of(file), root);
    }
    name_settings(root);
    return root;
}

}  // namespace

Setting read_python_config(std::string_view text, const std::string& file, std::string_view select,
                           const KnowsSettings& knows, const GivenSettings& given,
                           std::set<std::string>& loaded) {
    PythonRegistry registry(text, file, given);
    Setting root = read_registry(registry, text, file, select, knows);
    loaded = registry.loaded();
    return root;
}

}  // namespace traincost
