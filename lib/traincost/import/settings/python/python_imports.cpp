// What stands outside of a Python file: the modules given beside it, and what its command line hands to its
// functions.

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_registry.hpp"

namespace traincost {

namespace {

/// "from train.config import TrainConfig as Config, rows": the module's last name, and what is taken of it
/// under which name; of "import config as c" the module itself.
struct PythonImport {
    std::string module;
    std::vector<std::pair<std::string, std::string>> names;
    bool of_module = false;
};

std::string last_of_path(const std::string& path) {
    return path.substr(path.rfind('.') + 1);
}

/// "a as b": both names.
std::pair<std::string, std::string> renamed(std::string text) {
    std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
    const std::size_t begin = text.find_first_not_of(' ');
    const std::size_t end = text.find(' ', begin);
    const std::size_t as = text.find(" as ");
    if (begin == std::string::npos) {
        return {};
    }
    const std::string name = text.substr(begin, end - begin);
    std::string given = as == std::string::npos ? name : text.substr(as + 4);
    given.erase(std::remove(given.begin(), given.end(), ' '), given.end());
    return {name, given};
}

std::vector<PythonImport> imports_of(const std::string& text) {
    std::vector<PythonImport> all;
    if (text.starts_with("import ")) {
        for (const std::string& part : split(text.substr(7), ',')) {
            const auto [path, name] = renamed(part);
            all.push_back({.module = last_of_path(path), .names = {{path, name}}, .of_module = true});
        }
        return all;
    }
    const std::size_t word = text.find(" import ");
    if (word == std::string::npos) {
        return all;
    }
    PythonImport from{.module = last_of_path(text.substr(5, word - 5)), .names = {}};
    for (const std::string& part : split(text.substr(word + 8), ',')) {
        const auto names = renamed(part);
        if (!names.first.empty()) {
            from.names.push_back(names);
            all.push_back({.module = names.first, .names = {names}, .of_module = true});  // of a package
        }
    }
    all.insert(all.begin(), std::move(from));
    return all;
}

}  // namespace

std::string PythonRegistry::library_name(const std::string& path) const {
    const std::size_t end = std::min(path.find('.'), path.size());
    const auto found = renamed_.find(path.substr(0, end));
    return found == renamed_.end() ? path : found->second + path.substr(end);
}

void PythonRegistry::import_given(const PythonStatement& statement) {
    const bool follows = !given_.modules.empty() && given_.deepest_import != 0;
    if (!follows && statement.text.find(" as ") == std::string::npos) {
        return;
    }
    for (const PythonImport& import : imports_of(statement.text)) {
        for (const auto& [name, here] : import.names) {
            if (!import.of_module && name != here) {
                renamed_[here] = name;
            }
        }
        if (!follows) {
            continue;
        }
        const auto found = given_.modules.find(import.module);
        if (found == given_.modules.end() || *found->second.file == file_) {
            continue;
        }
        GivenSettings beside = given_;
        beside.said.clear();
        --beside.deepest_import;
        try {
            const PythonRegistry module(found->second.text, *found->second.file, beside);
            loaded_.insert(import.module + ".py");
            Setting whole = empty(1);
            whole.kind = Setting::Kind::map;
            whole.members.reserve(module.globals_.size());
            const bool all = import.names.size() == 1 && import.names.front().first == "*";
            const auto name_here = [&](const std::string& name) {
                const auto taken = std::find_if(import.names.begin(), import.names.end(),
                                                [&](const auto& each) { return each.first == name; });
                return all ? name : taken == import.names.end() ? std::string() : taken->second;
            };
            for (const auto& [name, value] : module.globals_) {
                count_copy(value);
                if (import.of_module) {
                    whole.members.push_back({.key = name, .value = value});
                } else if (const std::string here = name_here(name); !here.empty()) {
                    globals_[here] = value;
                }
            }
            for (const auto& [name, members] : module.classes_) {
                count_copy(members);
                if (import.of_module) {
                    classes_[import.names.front().second + "." + name] = members;
                } else if (const std::string here = name_here(name); !here.empty()) {
                    classes_[here] = members;
                }
            }
            if (import.of_module) {
                globals_[import.names.front().second] = std::move(whole);
            }
        } catch (const Error&) {
            continue;  // the module's own complaint
        }
    }
}

void PythonRegistry::mark_told(const PythonStatement& statement) {
    static constexpr std::array<std::string_view, 6> calls = {"Fire(",     "typer.run(",  "CLI(",
                                                              "tyro.cli(", "defopt.run(", "auto_cli("};
    for (const std::string_view call : calls) {
        const std::size_t at = statement.text.find(call);
        const bool begins = at == 0 || (at != std::string::npos && !is_name_letter(statement.text[at - 1]));
        const auto function = functions_.find(begins ? word_at(statement.text, at + call.size()) : "");
        if (function != functions_.end()) {
            told_by_line_.insert(function->second.header);
        }
    }
}

void PythonRegistry::add_namespaces(std::vector<PythonScope>& all) const {
    std::map<std::string, bool> named;  // whether it is only named
    for (const PythonStatement& statement : statements_) {
        const std::string& text = statement.text;
        for (std::size_t at = 0; at < text.size();) {
            const std::string word = word_at(text, at);
            const std::size_t end = at + std::max<std::size_t>(word.size(), 1);
            const bool begins = at == 0 || text[at - 1] != '.';
            if (!word.empty() && begins && end < text.size() && classes_.contains(word)) {
                const bool attribute = text[end] == '.';
                const bool made = text[end] == '(' && !text.starts_with("class ");
                const auto known = named.try_emplace(word, true).first;
                known->second = known->second && !made;
                named[word + "."] |= attribute;
            }
            at = end;
        }
    }
    PythonScope scope;
    for (const auto& [name, members] : classes_) {
        const auto only = named.find(name);
        const auto attributes = named.find(name + ".");
        if (only != named.end() && only->second && attributes != named.end() && attributes->second) {
            Setting settings = members;
            std::erase_if(settings.members, [](const SettingMember& m) { return m.key.starts_with("$"); });
            scope.names[name] = std::move(settings);
        }
    }
    if (!scope.names.empty()) {
        scope.is_own = false;
        all.push_back(std::move(scope));
    }
}

void PythonRegistry::hand_settings(const Setting& decoration, const std::vector<std::string>& order,
                                   std::map<std::string, Setting>& values) {
    if (order.empty()) {
        return;
    }
    Setting& first = values[order.front()];
    if (const Setting* chosen = decoration.peek("$hydra")) {
        std::string name = chosen->quoted ? base_of(chosen->text) : "";
        name += name.empty() || name.ends_with(".yaml") ? "" : ".yaml";
        name = given_.files.contains(name) ? name : given_.jobs.size() == 1 ? *given_.jobs.begin() : "";
        const auto file = given_.files.find(name);
        if (file == given_.files.end()) {
            return;
        }
        loaded_.insert(name);
        if (const auto parts = given_.parts.find(name); parts != given_.parts.end()) {
            loaded_.insert(parts->second.begin(), parts->second.end());
        }
        count_copy(file->second);
        first = file->second;
    }
    if (first.is_map()) {
        tell(first, "");
    }
}

}  // namespace traincost
