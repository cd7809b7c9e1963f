#include "traincost/import/settings/python/python_program.hpp"

#include <algorithm>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/import/settings/python/python_made.hpp"

namespace traincost {

namespace {

/// A configuration, and by what name it is chosen.
struct Candidate {
    std::string name;
    Setting root;
    std::string function{};  ///< whose names hold it
};

/// Whether it is Lightning's trainer, or its Fabric, whatever it is called.
std::string_view lightning_part(const Setting& value) {
    const std::string_view path = class_path(value);
    const std::string_view name = class_name(value);
    const bool tells = value.has_any({"devices", "accelerator", "precision", "strategy", "max_epochs"}) &&
                       !value.has_any({"args", "train_dataset", "model"});
    return !tells || path.empty() ? "" : name == "Trainer" ? "trainer" : name == "Fabric" ? "fabric" : "";
}

/// The names of a scope as one configuration.
Setting together(const PythonScope& scope, const std::string& file) {
    Setting root;
    root.kind = Setting::Kind::map;
    root.file = &file;
    root.line = 1;
    for (const auto& [name, value] : scope.names) {
        if (!name.starts_with("$")) {
            root.members.push_back({.key = name, .value = value});
        }
    }
    std::vector<const Setting*> trainers;
    for (const auto& [name, value] : scope.names) {
        if (value.is_map() && !lightning_part(value).empty()) {
            trainers.push_back(&value);
        }
    }
    if (trainers.size() == 1 && !root.has_any({"trainer", "fabric"})) {
        place_at(root, lightning_part(*trainers.front())) = *trainers.front();
    }
    return root;
}

/// Whether a map is what a program may be told on its command line.
bool is_options(const Setting& map) {
    const auto defaults = std::count_if(map.members.begin(), map.members.end(),
                                        [](const SettingMember& m) { return m.value.is_default; });
    const auto parts = std::count_if(map.members.begin(), map.members.end(),
                                     [](const SettingMember& m) { return m.value.is_map(); });
    return defaults > 0 && parts <= defaults;  // one that is made of parts may be told some of them
}

/// What a scope holds that a reader knows: all its names, or an object of its own.
void add_of_scope(const PythonScope& scope, const std::string& file, const KnowsSettings& knows,
                  std::vector<Candidate>& found) {
    if (Setting root = together(scope, file); knows(root)) {
        found.push_back({.name = scope.function, .root = std::move(root)});
        return;
    }
    for (const auto& [name, value] : scope.names) {
        const bool handed_on =
            std::any_of(found.begin(), found.end(), [&, &at = value](const Candidate& each) {
                return each.root.line == at.line;  // what a function made, where it is called
            });
        if (value.is_map() && value.has("$class") && !is_options(value) && !handed_on && knows(value)) {
            found.push_back({.name = scope.function.empty() ? name : scope.function,
                             .root = value,
                             .function = scope.function});
        }
    }
}

/// Whether something in `value` stands in that line.
bool holds_line(const Setting& value, int line) {
    return std::any_of(value.members.begin(), value.members.end(), [&](const SettingMember& m) {
        return (m.value.is_map() && m.value.line == line) || holds_line(m.value, line);
    });
}

/// What another configuration holds is a part of it.
void drop_parts(std::vector<Candidate>& candidates) {
    const std::vector<Candidate> all = candidates;
    std::erase_if(candidates, [&](const Candidate& part) {
        return std::any_of(all.begin(), all.end(), [&](const Candidate& whole) {
            return whole.root.line != part.root.line && holds_line(whole.root, part.root.line);
        });
    });
}

/// Whether one of its names is a trainer that the program makes.
bool makes_trainer(const Candidate& candidate) {
    return std::any_of(
        candidate.root.members.begin(), candidate.root.members.end(), [](const SettingMember& m) {
            const Setting* made = m.value.is_map() ? m.value.peek("$class") : nullptr;
            return made != nullptr && (made->text.ends_with("Trainer") || made->text.ends_with("Fabric"));
        });
}

/// Constants that look like settings are not what trains where a trainer stands beside them.
void drop_constants(std::vector<Candidate>& candidates) {
    if (std::any_of(candidates.begin(), candidates.end(), makes_trainer)) {
        std::erase_if(candidates, [](const Candidate& each) { return !makes_trainer(each); });
    }
}

/// Whether they are objects of several classes that one function makes, and agree: parts of what it trains.
bool are_parts(const std::vector<Candidate>& all) {
    Setting root = all.front().root;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const Setting& other = all[i].root;
        if (all[i].function != all.front().function || class_path(other).empty() ||
            class_path(other) == class_path(root)) {
            return false;
        }
        for (const SettingMember& m : other.members) {
            const Setting* stands = root.member(m.key);
            if (stands == nullptr) {
                root.members.push_back(m);
            } else if (m.key != "$class" && stands->text != m.value.text) {
                return false;
            }
        }
    }
    return true;
}

std::string names_of(const std::vector<Candidate>& candidates) {
    std::string names;
    for (const Candidate& each : candidates) {
        names +=
            (names.empty() ? "" : ", ") + (each.name.empty() ? std::string("the file's top") : each.name);
    }
    return names;
}

/// The functions whose results a reader knows.
std::vector<Candidate> returned(PythonRegistry& registry, const std::vector<PythonScope>& scopes,
                                const KnowsSettings& knows) {
    std::vector<Candidate> found;
    for (const PythonScope& scope : scopes) {
        const auto result = scope.names.find("$returned");
        if (scope.function.empty() || result == scope.names.end() || !registry.returns(scope.function)) {
            continue;
        }
        const Setting& root = result->second;
        if (root.is_map() && root.has("$class") && knows(root)) {
            found.push_back({.name = scope.function, .root = root});
        }
    }
    return found;
}

}  // namespace

bool makes_lightning_trainer(const std::vector<PythonScope>& scopes) {
    return std::any_of(scopes.begin(), scopes.end(), [](const PythonScope& scope) {
        return scope.is_own && std::any_of(scope.names.begin(), scope.names.end(), [](const auto& entry) {
                   return entry.second.is_map() && !lightning_part(entry.second).empty();
               });
    });
}

std::optional<Setting> program_configuration(PythonRegistry& registry, const std::string& file,
                                             std::string_view select, const KnowsSettings& knows) {
    const std::vector<PythonScope> scopes = registry.scopes();
    std::vector<Candidate> made = returned(registry, scopes, knows);
    const auto is_made = [&](const std::string& function) {
        return std::any_of(made.begin(), made.end(),
                           [&](const Candidate& each) { return each.name == function; });
    };
    const auto held_by = [&](bool called) {
        std::vector<Candidate> held;
        for (const PythonScope& scope : scopes) {
            if (scope.is_own && scope.called == called && !is_made(scope.function) &&
                (select.empty() || (scope.function == select && !scope.function.empty()))) {
                add_of_scope(scope, file, knows, held);
            }
        }
        drop_parts(held);
        drop_constants(held);
        return held;
    };
    std::vector<Candidate> held = held_by(false);
    if (held.empty() && made.empty()) {
        held = held_by(true);
    } else if (held.empty()) {
        std::erase_if(made, [&](const Candidate& each) {
            return select.empty() ? !registry.starts(each.name) : each.name != select;
        });
        drop_parts(made);
        if (made.size() == 1) {
            return std::move(made.front().root);
        }
    }
    if (held.size() == 1) {
        return std::move(held.front().root);
    }
    if (held.size() > 1) {
        if (are_parts(held)) {
            return std::nullopt;
        }
        throw Error(ErrorKind::input,
                    std::vector<Problem>{{.path = file,
                                          .message = "trains with several configurations: " + names_of(held) +
                                                     "; choose one with --select"}});
    }
    return std::nullopt;
}

}  // namespace traincost
