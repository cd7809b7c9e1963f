#include "traincost/import/settings/python/python_trainer.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_loop.hpp"
#include "traincost/import/settings/python/python_made.hpp"
#include "traincost/import/settings/python/python_model.hpp"
#include "traincost/import/settings/python/python_told.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 13> argument_classes = {
    "TrainingArguments", "SFTConfig",       "DPOConfig",   "ORPOConfig", "CPOConfig",
    "KTOConfig",         "RewardConfig",    "GKDConfig",   "GRPOConfig", "BCOConfig",
    "PRMConfig",         "OnlineDPOConfig", "NashMDConfig"};

bool makes_arguments(const Setting& made) {
    const std::string_view name = class_name(made);
    return std::any_of(argument_classes.begin(), argument_classes.end(), [&](std::string_view each) {
        // "DataTrainingArguments" are of the data alone.
        return name == each ||
               (each == "TrainingArguments" && name.ends_with(each) && !name.starts_with("Data"));
    });
}

/// The arguments that a scope's names hold; several where they differ.
std::vector<const Setting*> arguments_in(const PythonScope& scope) {
    std::vector<const Setting*> found;
    for (const auto& [name, value] : scope.names) {
        visit_calls(value, [&](const Setting& call) {
            const bool known = std::any_of(found.begin(), found.end(), [&](const Setting* each) {
                return each->line == call.line;  // the same call, handed on
            });
            if (makes_arguments(call) && !known) {
                found.push_back(&call);
            }
        });
    }
    return found;
}

/// What --select may choose: the function, or where it makes several the names it gives them.
std::string names_in(const PythonScope& scope, bool several) {
    std::string names;
    for (const auto& [name, value] : scope.names) {
        if (makes_arguments(value)) {
            names += (names.empty() ? "" : ", ") + name;
        }
    }
    return (several || scope.function.empty()) && !names.empty() ? names : scope.function;
}

/// The model that another function loads, where the program loads one alone; "main" knows its callees' best.
void put_loaded_model(Setting& root, const std::vector<PythonScope>& scopes) {
    Setting loaded;
    std::set<int> lines;
    const auto look = [&](const PythonScope& scope) {
        for (const auto& [name, value] : scope.names) {
            visit_calls(value, [&](const Setting& call) {
                const Setting* kind = call.peek("$class");
                if (class_name(call) == "from_pretrained" && is_language_model(kind->text)) {
                    lines.insert(call.line);
                    put_model(loaded, call);
                }
            });
        }
    };
    for (const bool main : {true, false}) {
        for (const PythonScope& scope : scopes) {
            if ((scope.function == "main") == main) {
                look(scope);
            }
        }
    }
    if (lines.size() == 1) {
        for (const SettingMember& m : loaded.members) {
            put(root, m.key, &m.value);
        }
    }
}

/// The adapter that another function returns, where the program makes one alone.
void put_returned_adapter(Setting& root, const std::vector<PythonScope>& scopes) {
    std::set<int> lines;
    const Setting* adapter = nullptr;
    for (const PythonScope& scope : scopes) {
        for (const auto& entry : scope.names) {
            const bool returned = entry.first.starts_with("$");
            visit_calls(entry.second, [&](const Setting& call) {
                if (class_name(call) == "LoraConfig") {
                    lines.insert(call.line);
                    adapter = returned ? &call : adapter;
                }
            });
        }
    }
    if (lines.size() == 1 && adapter != nullptr) {
        put_model(root, *adapter);
    }
}

}  // namespace

bool makes_trainer_arguments(std::string_view text) {
    const bool adapts = text.find("LoraConfig(") != text.npos || text.find("get_peft_model(") != text.npos;
    const bool accelerates = text.find("Accelerator(") != text.npos;
    const bool parses = text.find("HfArgumentParser(") != text.npos || text.find("TrlParser(") != text.npos;
    return parses || ((adapts || accelerates) && text.find("from_pretrained(") != text.npos) ||
           std::any_of(argument_classes.begin(), argument_classes.end(), [&](std::string_view each) {
               return text.find(std::string(each) + "(") != text.npos;
           });
}

namespace {

/// A trainer's arguments, and the scope that holds them.
struct Held {
    const PythonScope* scope;
    const Setting* arguments;
};

/// Whether the arguments are those of a program's own command line, which others are made of.
bool are_options(const Setting& arguments) {
    return arguments.has(options_of_parser);
}

/// Whether they say anything of training: a trainer may only predict.
bool train(const Setting& arguments) {
    static constexpr std::array<std::string_view, 6> of_training = {
        "per_device_train_batch_size", "num_train_epochs", "max_steps",
        "gradient_accumulation_steps", "learning_rate",    "$unpacked"};
    return std::any_of(of_training.begin(), of_training.end(),
                       [&](std::string_view key) { return arguments.has(key); });
}

void keep_where_some(std::vector<Held>& all, bool (*holds)(const Setting&), bool wanted) {
    const auto is_wanted = [&](const Held& each) { return holds(*each.arguments) == wanted; };
    if (std::any_of(all.begin(), all.end(), is_wanted)) {
        std::erase_if(all, [&](const Held& each) { return !is_wanted(each); });
    }
}

/// How many of a trainer's arguments nobody knows.
std::ptrdiff_t count_open(const Setting& arguments) {
    return std::count_if(arguments.members.begin(), arguments.members.end(),
                         [](const SettingMember& m) { return m.key[0] != '$' && is_open(m.value); });
}

/// The arguments of the program's trainers, each once, where most of them are known; those of `select` where
/// it names some.
std::vector<Held> held_arguments(const std::vector<PythonScope>& scopes, std::string_view select) {
    std::vector<Held> all;
    std::set<int> seen;  // the lines of calls: what a function makes stands where it is called, too
    for (const PythonScope& scope : scopes) {
        const auto chosen = scope.names.find(std::string(select));
        if (!select.empty() && chosen != scope.names.end() && makes_arguments(chosen->second)) {
            return {{.scope = &scope, .arguments = &chosen->second}};  // the name the arguments are given
        }
        if (!select.empty() && scope.function != select) {
            continue;
        }
        for (const Setting* each : arguments_in(scope)) {
            if (seen.insert(each->line).second) {
                all.push_back({.scope = &scope, .arguments = each});
                continue;
            }
            const auto before = std::find_if(
                all.begin(), all.end(), [&](const Held& held) { return held.arguments->line == each->line; });
            if (count_open(*each) < count_open(*before->arguments)) {
                *before = {.scope = &scope, .arguments = each};  // where its function is called
            }
        }
    }
    keep_where_some(all, are_options, false);
    keep_where_some(all, train, true);
    return all;
}

[[noreturn]] void fail_several(const std::vector<Held>& all, const std::string& file) {
    std::string names;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const PythonScope* scope = all[i].scope;
        if (i > 0 && all[i - 1].scope == scope) {
            continue;
        }
        const auto count =
            std::count_if(all.begin(), all.end(), [&](const Held& each) { return each.scope == scope; });
        names += (names.empty() ? "" : ", ") + names_in(*scope, count > 1);
    }
    throw Error(ErrorKind::input,
                std::vector<Problem>{{.path = file,
                                      .message = "makes the arguments of several trainers: " + names +
                                                 "; choose one with --select"}});
}

/// The rows and tokens that a loop of one's own reads at once.
void put_loader(Setting& root, const PythonScope& scope) {
    for (const auto& entry : scope.names) {
        visit_calls(entry.second, [&](const Setting& call) {
            std::string made = lower(class_name(call)) + " " + lower(entry.first);
            std::erase(made, '_');
            const auto holds = [&](std::string_view part) { return made.find(part) != std::string::npos; };
            if (holds("dataloader") && !holds("val") && !holds("eval") && !holds("test")) {
                put(root, "per_device_train_batch_size", call.peek("batch_size"));
                put(root, "max_seq_length", call.peek("max_length"));
                put(root, "max_seq_length", call.peek("max_seq_length"));
            }
        });
    }
}

}  // namespace

std::optional<Setting> trainer_arguments(const std::vector<PythonScope>& scopes, const std::string& file,
                                         std::string_view select) {
    const std::vector<Held> all = held_arguments(scopes, select);
    if (all.size() > 1) {
        fail_several(all, file);
    }
    const Setting* arguments = all.empty() ? nullptr : all.front().arguments;
    Setting root;
    if (arguments != nullptr) {
        root = *arguments;
        place_at(root, "$trains") = Setting(*root.peek("$class"));
    }
    for (const PythonScope& scope : scopes) {
        const std::vector<const Setting*> found = arguments_in(scope);
        const bool holds = std::any_of(found.begin(), found.end(),
                                       [&](const Setting* each) { return each->line == root.line; });
        if (arguments == nullptr || holds || scope.function.empty()) {
            for (const auto& [name, value] : scope.names) {
                visit_calls(value, [&](const Setting& call) { put_model(root, call); });
            }
        }
    }
    if (arguments != nullptr) {
        put_loaded_model(root, scopes);
        put_returned_adapter(root, scopes);
    }
    for (const std::string_view key : {"max_seq_length", "max_length"}) {
        const Setting* handed = root.peek(key);  // on by a function of which nobody knows the caller
        if (handed != nullptr && handed->text.starts_with('<')) {
            std::erase_if(root.members, [&](const SettingMember& m) { return m.key == key; });
            put_length(root, scopes);
        }
    }
    if (!root.has("max_seq_length") && !root.has("max_length")) {
        put_length(root, scopes);
    }
    if (arguments == nullptr) {
        const Setting* by = root.has("lora_r") ? root.peek("lora_r") : root.peek("$accelerated");
        if (by == nullptr || !root.has("model_name_or_path")) {
            return std::nullopt;
        }
        place_at(root, "$adapted") = Setting(*by);
        for (const PythonScope& scope : scopes) {
            put_loader(root, scope);
        }
        if (root.has("$accelerated")) {
            put_options(root, scopes);
        }
    }
    hide_names(root);
    return root;
}

}  // namespace traincost
