// The names that a Python file's functions give values to, with what their callers give them.

#include <algorithm>
#include <utility>

#include "traincost/import/settings/python/python_registry.hpp"

namespace traincost {

namespace {

bool is_same(const Setting& a, const Setting& b) {
    return a.text == b.text && a.kind == b.kind && a.quoted == b.quoted &&
           (a.is_scalar() || a.line == b.line);
}

/// What `all` says and `others` do not say alike is unknown.
void keep_same(std::map<std::string, Setting>& all, const std::map<std::string, Setting>& others) {
    for (auto& [key, value] : all) {
        const auto other = others.find(key);
        if (other == others.end() || !is_same(value, other->second)) {
            value = scalar_setting("<" + key + ">", value);
        }
    }
}

}  // namespace

std::vector<PythonScope> PythonRegistry::scopes() {
    std::map<std::string, PythonScope> of_functions;
    std::vector<PythonScope> all = {{.function = "", .names = globals_}};
    for (const auto& entry : functions_) {
        all.push_back(scope_of(entry.first, of_functions));
        if (const auto inner = of_functions.find(entry.first + ".inner"); inner != of_functions.end()) {
            all.push_back(inner->second);
        }
    }
    add_methods(all);
    add_namespaces(all);
    return all;
}

const PythonScope& PythonRegistry::scope_of(const std::string& name,
                                            std::map<std::string, PythonScope>& all) {
    if (const auto found = all.find(name); found != all.end()) {
        return found->second;  // empty where a function is its own caller's caller
    }
    all[name] = {};
    const PythonFunction& function = functions_.at(name);
    std::vector<std::string> order;
    PythonScope scope{
        .function = name, .called = function.called, .names = parameters(*function.header, order, globals_)};
    const auto sites = sites_.find(name);
    scope.is_told = !function.called || sites != sites_.end();
    bool first = true;
    std::map<std::string, Setting> given;
    for (std::size_t i = 0; sites != sites_.end() && i < sites->second.size(); ++i) {
        const PythonSite& site = sites->second[i];
        std::map<std::string, Setting> known =
            site.caller.empty() ? globals_ : scope_of(site.caller, all).names;
        if (reach_of(*site.statement) == PythonReach::never || is_never_called(site.caller)) {
            continue;
        }
        std::map<std::string, Setting> here;
        for (const std::string& parameter : order) {  // what the call does not say
            if (const auto standing = scope.names.find(parameter); standing != scope.names.end()) {
                here.insert(*standing);
            }
        }
        bind_called(site, order, known, here);
        if (first) {
            given = std::move(here);
        } else {
            keep_same(given, here);
            keep_same(here, given);
            given.merge(here);
        }
        first = false;
    }
    for (auto& [key, value] : given) {
        scope.names[key] = std::move(value);
    }
    for (const PythonStatement* statement : function.body) {
        if (statement->text.starts_with("return ")) {
            if (reach_of(*statement) == PythonReach::surely && !scope.names.contains("$returned")) {
                scope.names["$returned"] = expression(*statement, 7, scope.names);
            }
        } else {
            assign(*statement, scope.names);
        }
    }
    if (!function.inner.empty()) {
        all[name] = scope;
        note_inner(function, all[name + ".inner"], scope.names);
    }
    return all[name] = std::move(scope);
}

void PythonRegistry::note_inner(const PythonFunction& function, PythonScope& inner,
                                const std::map<std::string, Setting>& outer) {
    inner.function = "inner";
    inner.is_told = false;
    inner.is_own = false;
    const auto owner_of = [](const PythonStatement* statement) {
        const auto& headers = statement->within;
        const auto found = std::find_if(headers.begin(), headers.end(), [](const PythonStatement* header) {
            return begins_with(header->text, {"def ", "class "});
        });
        return found == headers.end() ? nullptr : *found;
    };
    std::map<std::string, Setting> names = outer;
    const auto keep = [&] {
        for (auto& [key, value] : names) {
            const auto before = outer.find(key);
            if (before == outer.end() || before->second.line != value.line) {
                inner.names[key + "@" + std::to_string(value.line)] = std::move(value);
            }
        }
        names = outer;
    };
    const PythonStatement* owner = nullptr;
    for (const PythonStatement* statement : function.inner) {
        if (owner_of(statement) != owner) {
            keep();
            owner = owner_of(statement);
            if (owner != nullptr) {
                entered_[owner] = PythonReach::surely;
                std::vector<std::string> order;
                for (auto& [key, value] : parameters(*owner, order, names)) {
                    names[key] = value;
                }
            }
        }
        note_statement(*statement, names);
    }
    keep();
}

void PythonRegistry::note_statement(const PythonStatement& statement, std::map<std::string, Setting>& names) {
    if (statement.text.starts_with("return ")) {
        names["$returned" + std::to_string(statement.lines.front())] = expression(statement, 7, names);
    } else if (!begins_with(statement.text, {"def ", "class ", "@"})) {
        assign(statement, names);
    }
}

bool PythonRegistry::is_never_called(const std::string& name) const {
    const auto sites = sites_.find(name);
    return sites != sites_.end() &&
           std::all_of(sites->second.begin(), sites->second.end(), [&](const PythonSite& site) {
               return reach_of(*site.statement) == PythonReach::never;
           });
}

bool PythonRegistry::assign_several(const PythonStatement& statement, std::size_t equals,
                                    std::map<std::string, Setting>& locals, Setting& first) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < equals;) {
        const std::string name = word_at(statement.text, at);
        if (!name.empty()) {
            names.push_back(name);
        }
        at += std::max<std::size_t>(name.size(), 1);
    }
    PythonCursor cursor(statement, equals + 1, locals);
    std::vector<Setting> values = {choice(cursor)};
    while (now(cursor) == ',' && values.size() < names.size()) {
        cursor.step();
        values.push_back(choice(cursor));
    }
    first = values.front();
    if (values.size() == 1 && values.front().is_list()) {
        values = std::vector<Setting>(values.front().items);
    }
    if (values.size() != names.size() || now(cursor) != '\0') {
        return false;
    }
    const bool conditional = reach_of(statement) == PythonReach::perhaps;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool same = conditional && repeats(statement, names[i], values[i], locals);
        store(names[i], std::move(values[i]), conditional && !same, locals);
    }
    return true;
}

void PythonRegistry::bind_called(const PythonSite& site, const std::vector<std::string>& order,
                                 std::map<std::string, Setting>& known,
                                 std::map<std::string, Setting>& names) {
    PythonCursor cursor(*site.statement, site.at, known);
    std::vector<Setting> positional;
    std::map<std::string, Setting> keywords;
    read_arguments(cursor, positional, keywords);
    const auto give = [&](const std::string& key, Setting value) {
        const bool is_known = !value.is_scalar() || value.quoted || as_number(value) || as_truth(value);
        names[key] = is_known ? std::move(value) : unknown(key, value);
    };
    for (std::size_t i = 0; i < std::min(order.size(), positional.size()); ++i) {
        give(order[i], std::move(positional[i]));
    }
    for (auto& [key, value] : keywords) {
        if (std::find(order.begin(), order.end(), key) != order.end()) {
            give(key, std::move(value));
        }
    }
}

}  // namespace traincost
