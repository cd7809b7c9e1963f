// The objects of a Python file's own classes, and what their methods make.

#include <algorithm>
#include <string>
#include <utility>

#include "traincost/import/settings/python/python_made.hpp"
#include "traincost/import/settings/python/python_registry.hpp"

namespace traincost {

namespace {

constexpr int most_objects = 500;
constexpr int deepest_object = 4;

/// "Rows" of "class Rows(Dataset):".
std::string class_in(const std::string& header) {
    const std::size_t begin = header.find(' ') + 1;
    return header.substr(begin, header.find_first_of("(:", begin) - begin);
}

bool is_placeholder(const Setting& value) {
    return value.is_scalar() && value.text.starts_with("<");
}

/// The one object that the scopes make of a class; nothing where they make several that differ.
const Setting* only_object(const std::vector<PythonScope>& all, std::string_view name) {
    const Setting* found = nullptr;
    bool differs = false;
    for (const PythonScope& scope : all) {
        for (const auto& entry : scope.names) {
            visit_calls(entry.second, [&](const Setting& call) {
                if (class_path(call) == name) {
                    differs = differs || (found != nullptr && found->line != call.line);
                    found = &call;
                }
            });
        }
    }
    return differs ? nullptr : found;
}

}  // namespace

void PythonRegistry::construct(Setting& object, const std::string& name,
                               const std::map<std::string, Setting>& keywords,
                               const std::vector<Setting>& positional) {
    const auto maker = makers_.find(name);
    if (maker == makers_.end() || ++objects_ > most_objects || depth_ >= deepest_object) {
        return;
    }
    ++depth_;
    std::vector<std::string> order;
    std::map<std::string, Setting> names = parameters(*maker->second, order, globals_);
    for (std::size_t i = 1; i < order.size() && i <= positional.size(); ++i) {
        names[order[i]] = positional[i - 1];
        place_at(object, order[i]) = positional[i - 1];
    }
    for (const auto& [key, value] : keywords) {
        names[key] = value;
    }
    const std::map<std::string, Setting> given = names;
    const auto is_given = [&](const Setting& value) {
        return std::any_of(given.begin(), given.end(), [&](const auto& each) {
            return each.second.is_map() && each.second.line == value.line;
        });
    };
    names["self"] = empty(object.line);
    for (const PythonStatement* header : maker->second->within) {
        entered_[header] = PythonReach::surely;
    }
    entered_[maker->second] = PythonReach::surely;
    for (const PythonStatement* statement : methods_[maker->second]) {
        note_statement(*statement, names);
    }
    for (const SettingMember& m : names["self"].members) {
        if ((m.value.is_scalar() && !is_placeholder(m.value)) || (m.value.is_map() && is_given(m.value))) {
            place_at(object, m.key) = m.value;
        }
    }
    --depth_;
}

void PythonRegistry::add_methods(std::vector<PythonScope>& all) {
    for (const auto& [header, body] : methods_) {
        const std::string name = word_at(header->text, 4);
        if (name.starts_with("from_") || name == "forward") {
            continue;  // another way to make the same
        }
        for (const PythonStatement* outer : header->within) {
            entered_[outer] = PythonReach::surely;
        }
        entered_[header] = PythonReach::surely;
        PythonScope scope{.function = name, .is_told = false, .is_own = false};
        const Setting* object = only_object(all, class_in(header->within.front()->text));
        if (object != nullptr) {
            std::vector<std::string> order;
            scope.names = parameters(*header, order, globals_);
            for (auto& [key, value] : scope.names) {
                const Setting* told = object->peek(key);
                if (name != "__init__") {
                    value = unknown(key, value);  // its callers are not followed
                } else if (told != nullptr) {
                    value = Setting(*told);
                }
            }
            Setting& self = scope.names["self"] = *object;
            std::erase_if(self.members, [](const SettingMember& m) { return m.key.starts_with("$"); });
        }
        for (const PythonStatement* statement : body) {
            note_statement(*statement, scope.names);
        }
        all.push_back(std::move(scope));
    }
}

}  // namespace traincost
