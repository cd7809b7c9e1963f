#include "traincost/import/settings/python/python_registry.hpp"

#include <algorithm>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/base/name_letter.hpp"
#include "traincost/import/settings/python/python_made.hpp"
#include "traincost/import/settings/python/python_model.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

constexpr int deepest_python_call = 20;
constexpr int most_calls = 10'000;

/// "adapted(model, ...)", "DDP(module=model)" of the model that stands there.
bool wraps(const Setting& made, const Setting& stands) {
    const auto is_it = [&](const Setting& given) {
        return given.is_map() && stands.is_map() && given.line == stands.line;
    };
    const Setting* given = made.peek("$arguments");
    return (given != nullptr && given->is_list() && !given->items.empty() && is_it(given->items.front())) ||
           std::any_of(made.members.begin(), made.members.end(), [&](const SettingMember& m) {
               return (m.key == "model" || m.key == "module") && is_it(m.value);
           });
}

}  // namespace

PythonRegistry::PythonRegistry(std::string_view text, const std::string& file, const GivenSettings& given)
    : file_(file), given_(given), statements_(python_statements(text, file)) {
    collect();
    mark_called();
}

std::vector<std::string> PythonRegistry::names() const {
    std::vector<std::string> names;
    for (const auto& [name, function] : functions_) {
        if (function.returns) {
            names.push_back(name);
        }
    }
    return names;
}

std::string PythonRegistry::outermost() const {
    const auto type_of = [](const PythonFunction& function) {
        const std::string& text = function.header->text;
        const std::size_t arrow = text.rfind("->");
        return arrow == std::string::npos ? std::string() : text.substr(arrow);
    };
    const std::pair<const std::string, PythonFunction>* found = nullptr;
    for (const auto& each : functions_) {
        if (each.second.returns && !each.second.called) {
            if (found != nullptr) {
                return {};
            }
            found = &each;
        }
    }
    for (const auto& [name, function] : functions_) {
        if (found != nullptr && function.returns && function.called && !name.starts_with("_") &&
            type_of(function) == type_of(found->second)) {
            return {};
        }
    }
    return found == nullptr ? std::string() : found->first;
}

bool PythonRegistry::has(const std::string& name) const {
    return functions_.contains(name);
}

bool PythonRegistry::returns(const std::string& name) const {
    const auto found = functions_.find(name);
    return found != functions_.end() && found->second.returns;
}

bool PythonRegistry::starts(const std::string& name) const {
    const auto found = functions_.find(name);
    return found != functions_.end() && found->second.started;
}

std::optional<Setting> PythonRegistry::built() {
    constexpr std::string_view suffix = "_config_builder";
    for (const PythonStatement& statement : statements_) {
        const std::string& text = statement.text;
        std::size_t begin = text.find(std::string(suffix) + "=");
        for (int open = 0; begin != std::string::npos && begin > 0 && open == 0;) {
            --begin;
            open += text[begin] == '(' ? 1 : text[begin] == ')' ? -1 : 0;
        }
        while (begin != std::string::npos && begin > 0 &&
               (is_name_letter(text[begin - 1]) || text[begin - 1] == '.')) {
            --begin;
        }
        if (begin == std::string::npos || statement.text.starts_with("def ")) {
            continue;
        }
        const Setting said = expression(statement, begin, globals_);
        std::map<std::string, Setting> common;
        Setting root = empty(said.line);
        root.kind = Setting::Kind::map;
        for (const SettingMember& m : said.members) {
            if (!m.key.ends_with(suffix) && !m.key.starts_with("$")) {
                common["common." + m.key] = m.value;
                if (m.key == "sequence_length") {
                    common["common.dataset.effective_sequence_length"] = m.value;
                }
            }
        }
        for (const SettingMember& m : said.members) {
            if (!m.key.ends_with(suffix) || !has(m.value.text)) {
                continue;
            }
            const std::string part = m.key.substr(0, m.key.size() - suffix.size());
            Setting value = call(m.value.text, common);
            if (part == "data") {  // a data set and what loads it
                overlay(root, value);
            } else {
                place_at(root, part) = std::move(value);
            }
        }
        // What the call says itself is what the parts are told.
        for (const auto& [said_as, key] :
             {std::pair{"global_batch_size", "data_loader.global_batch_size"},
              std::pair{"sequence_length", "sequence_length"}, std::pair{"num_nodes", "num_nodes"}}) {
            if (const Setting* at = said.peek(said_as); at != nullptr && !root.has(key)) {
                place_at(root, key) = Setting(*at);
            }
        }
        if (!root.members.empty()) {
            return root;
        }
    }
    return std::nullopt;
}

Setting PythonRegistry::call(const std::string& name, const std::map<std::string, Setting>& arguments,
                             const std::vector<Setting>& positional) {
    Setting result;
    if (++calls_ > most_calls) {
        throw Error(ErrorKind::input,
                    std::vector<Problem>{{.path = file_,
                                          .message = "its functions call each other more than " +
                                                     std::to_string(most_calls) + " times"}});
    }
    if (++depth_ <= deepest_python_call) {
        std::vector<std::string> order;
        std::map<std::string, Setting> locals = parameters(*functions_.at(name).header, order, globals_);
        for (std::size_t i = 0; i < std::min(order.size(), positional.size()); ++i) {
            locals[order[i]] = positional[i];
        }
        for (auto& [key, value] : arguments) {
            locals[key] = value;
        }
        for (const PythonStatement* statement : functions_.at(name).body) {
            const bool returns = statement->text.starts_with("return ");
            if (returns && reach_of(*statement) == PythonReach::surely) {
                result = expression(*statement, 7, locals);
                break;
            }
            if (!returns) {
                assign(*statement, locals);
            }
        }
        if (const auto options = locals.find(std::string(options_of_parser)); options != locals.end()) {
            made_options_ = options->second;
        }
    }
    --depth_;
    return result;
}

Setting PythonRegistry::globals() {
    Setting root = empty(1);
    root.kind = Setting::Kind::map;
    for (const auto& [name, value] : globals_) {
        root.members.push_back({.key = name, .value = value});
    }
    return root;
}

std::map<std::string, Setting> PythonRegistry::parameters(const PythonStatement& header,
                                                          std::vector<std::string>& order,
                                                          std::map<std::string, Setting>& known) {
    std::map<std::string, Setting> values;
    const std::string& text = header.text;
    std::size_t at = text.find('(');
    while (at != std::string::npos && at < text.size() && text[at] != ')') {
        ++at;
        while (at < text.size() && (text[at] == ' ' || text[at] == '*')) {
            ++at;
        }
        std::size_t end = at;
        while (end < text.size() && is_name_letter(text[end])) {
            ++end;
        }
        const std::string name = text.substr(at, end - at);
        if (!name.empty()) {
            order.push_back(name);
        }
        const std::size_t type = text.find_first_not_of(": ", end);
        int depth = 0;
        for (at = end; at < text.size() && (depth > 0 || (text[at] != ',' && text[at] != ')')); ++at) {
            depth += text[at] == '[' || text[at] == '(' ? 1 : text[at] == ']' || text[at] == ')' ? -1 : 0;
            if (depth == 0 && text[at] == '=') {
                values[name] = expression(header, at + 1, known);
            }
        }
        if (const auto made = classes_.find(word_at(text, type));
            !name.empty() && made != classes_.end() && !values.contains(name)) {
            values[name] = made->second;  // what its type's members are unless a call says more
        }
        if (!name.empty() && !values.contains(name)) {
            values[name] = unknown(name, empty(header.lines.empty() ? 1 : header.lines.front()));
        }
    }
    if (const auto given = decorated_.find(&header); given != decorated_.end()) {
        if (given->second.has_any({"$hydra", "$wraps"})) {
            hand_settings(given->second, order, values);
            return values;
        }
        for (const SettingMember& m : given->second.members) {
            values[m.key] = m.value;
        }
        values[std::string(options_of_parser)] = given->second;
    } else if (told_by_line_.contains(&header)) {
        tell_parameters(order, values);
    }
    return values;
}

Setting PythonRegistry::empty(int line) const {
    Setting setting;
    setting.file = &file_;
    setting.line = line;
    return setting;
}

Setting PythonRegistry::unknown(std::string said, const Setting& place) {
    said.erase(std::remove_if(said.begin(), said.end(), [](char c) { return c == '<' || c == '>'; }),
               said.end());
    return scalar_setting("<" + said + ">", place);
}

std::string PythonRegistry::word_at(const std::string& text, std::size_t at) {
    std::size_t end = std::min(at, text.size());
    while (end < text.size() && is_name_letter(text[end])) {
        ++end;
    }
    return text.substr(std::min(at, text.size()), end - std::min(at, text.size()));
}

std::string PythonRegistry::part_at(const std::string& text, std::size_t at,
                                    const std::map<std::string, Setting>& locals) {
    const auto whole = locals.find(text.substr(0, at));
    if (at + 1 >= text.size() || text[at] != '[' || whole == locals.end() ||
        !(whole->second.is_map() || is_open(whole->second)) ||
        (text[at + 1] != '"' && text[at + 1] != '\'')) {
        return {};
    }
    const std::string key = word_at(text, at + 2);
    return text.compare(at + 2 + key.size(), 2, std::string{text[at + 1], ']'}) == 0 ? key : "";
}

void PythonRegistry::note_made(const std::string& path, const Setting& object, bool surely,
                               std::map<std::string, Setting>& locals) {
    if (surely) {
        Setting& done = locals[std::string(done_by_scope)];
        done.kind = Setting::Kind::list;
        done.items.push_back(object);  // nobody knows which of a loop's rounds is the last, but it was made
    } else {
        locals[std::string(perhaps_made) + std::string(class_name(object))] = unknown(path, object);
    }
}

void PythonRegistry::assign(const PythonStatement& statement, std::map<std::string, Setting>& locals) {
    const std::string& text = statement.text;
    const PythonReach reach = reach_of(statement);
    if (text.ends_with(":")) {
        entered_[&statement] = entered(statement, locals);
        note_opened(statement, locals);
        note_doing(statement, locals);
    }
    if (reach == PythonReach::never || text.ends_with(":")) {
        return;
    }
    const bool conditional = reach == PythonReach::perhaps;
    std::size_t end = 0;
    while (end < text.size() && (is_name_letter(text[end]) || text[end] == '.')) {
        ++end;
    }
    const std::string part = part_at(text, end, locals);
    std::size_t equals = end + (part.empty() ? 0 : part.size() + 4);  // the key, its quotes and brackets
    while (equals < text.size() && text[equals] == ' ') {
        ++equals;
    }
    const bool several = equals < text.size() && text[equals] == ',';
    while (several && equals < text.size() &&
           (is_name_letter(text[equals]) || text[equals] == ',' || text[equals] == ' ')) {
        ++equals;  // NAME, NAME = call(...)
    }
    if (end > 0 && equals < text.size() && text[equals] == ':') {  // NAME: TYPE = expression
        const std::size_t sign = text.find('=', equals);
        equals = sign == std::string::npos ? text.size() : sign;
    }
    const char sign = equals + 1 < text.size() && text[equals + 1] == '=' ? text[equals] : '=';
    if (sign == '+' || sign == '-' || sign == '*' || sign == '/') {
        ++equals;  // NAME *= expression
    }
    if (end == 0 || equals >= text.size() || text[equals] != '=' || text.compare(equals, 2, "==") == 0) {
        const std::string called = text.substr(0, end);
        if (called.ends_with(".add_argument")) {
            expression(statement, 0, locals);
        } else if (text.starts_with("@")) {
            decorate(statement);
        } else if (called.ends_with("Trainer") && !conditional) {  // "SFTTrainer(...).train()"
            locals["$trainer"] = expression(statement, 0, locals);
        } else if (!conditional && text.find("trainer=") != std::string::npos) {
            note_handed(expression(statement, 0, locals), locals);
        } else {
            note_doing(statement, locals);
        }
        return;  // nothing that sets a value
    }
    if (!conditional && assign_dataclasses(statement, equals, locals)) {
        return;
    }
    Setting value;
    if (!several) {
        value = expression(statement, equals + 1, locals);
    } else if (assign_several(statement, equals, locals, value)) {
        return;
    }
    if (several && value.is_list() && !value.items.empty() && !conditional) {
        value = Setting(value.items.front());  // what a function returns for "model, tokenizer"
    }
    const bool options = text.find(".parse_known_args(", equals) != std::string::npos;
    const bool changed = sign == '=' && is_changed_copy(value, text.substr(0, end), locals);
    if (several ? !options && !(value.is_map() && value.has("$class")) : changed) {
        return;  // which part of it is whose, or what config.merge(...) lays over it, nobody follows
    }
    const std::string path = text.substr(0, end) + (part.empty() ? "" : "." + part);
    if (sign != '=') {
        const auto before = locals.find(path);
        value = before == locals.end() ? unknown(path, value) : computed(sign, before->second, value);
    }
    if (conditional && sign == '=' && repeats(statement, path, value, locals)) {
        store(path, std::move(value), false, locals);
        return;
    }
    if (conditional && value.is_map() && value.has("$class")) {
        note_made(path, value, is_done(statement), locals);
    }
    store(path, std::move(value), conditional, locals);
}

bool PythonRegistry::repeats(const PythonStatement& statement, const std::string& path, const Setting& value,
                             const std::map<std::string, Setting>& locals) const {
    return value.is_scalar() && (value.quoted || as_number(value)) && path.find('.') == std::string::npos &&
           !locals.contains(path) && is_done(statement);
}

void PythonRegistry::store(const std::string& path, Setting value, bool conditional,
                           std::map<std::string, Setting>& locals) {
    const std::size_t dot = path.find('.');
    if (conditional) {
        const auto before = locals.find(path.substr(0, dot));
        const Setting* stands = before == locals.end()     ? nullptr
                                : dot == std::string::npos ? &before->second
                                                           : before->second.peek(path.substr(dot + 1));
        if ((stands != nullptr && wraps(value, *stands)) ||
            (stands != nullptr && stands->is_scalar() && value.is_scalar() && stands->text == value.text)) {
            return;  // the same either way, or "model = adapted(model, ...)"
        }
        value = unknown(path, value);
    }
    Setting& target = locals[path.substr(0, dot)];
    if (dot == std::string::npos) {
        target = std::move(value);
    } else {
        target.file = &file_;
        place_at(target, path.substr(dot + 1)) = std::move(value);
    }
}

}  // namespace traincost
