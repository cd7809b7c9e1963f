// Expressions of Python: literals, names, sums, choices and calls.

#include <algorithm>
#include <cctype>
#include <cmath>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python_registry.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

Setting PythonRegistry::expression(const PythonStatement& statement, std::size_t at,
                                   std::map<std::string, Setting>& locals) {
    PythonCursor cursor(statement, at, locals);
    return choice(cursor);
}

Setting PythonRegistry::choice(PythonCursor& cursor) {
    Setting left = sum(cursor);
    for (;;) {
        now(cursor);
        if (takes(cursor, "or")) {
            const Setting right = sum(cursor);
            const bool known = left.quoted || as_number(left) || left.is_map() || left.is_list();
            left = known ? left : right;
        } else if (takes(cursor, "if")) {
            Setting other = empty(left.line);
            while (now(cursor) != '\0' && now(cursor) != ',' && now(cursor) != ')' &&
                   !takes(cursor, "else")) {
                const std::size_t before = cursor.at();
                sum(cursor);
                if (cursor.at() == before) {
                    cursor.step();
                }
            }
            other = sum(cursor);
            left = left.text == other.text && left.kind == other.kind && left.is_scalar()
                       ? left
                       : unknown(left.text + " if ... else " + other.text, empty(left.line));
        } else {
            return left;
        }
    }
}

bool PythonRegistry::takes(PythonCursor& cursor, std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (cursor.character(cursor.at() + i) != word[i]) {
            return false;
        }
    }
    if (is_name(cursor.character(cursor.at() + word.size()))) {
        return false;
    }
    cursor.go_to(cursor.at() + word.size());
    return true;
}

char PythonRegistry::now(PythonCursor& cursor) {
    while (cursor.character(cursor.at()) == ' ') {
        cursor.step();
    }
    return cursor.character(cursor.at());
}

Setting PythonRegistry::computed(char sign, const Setting& a, const Setting& b) const {
    const auto x = as_number(a);
    const auto y = as_number(b);
    if (!x || !y) {
        return unknown(a.text + " " + sign + " " + b.text, empty(a.line));
    }
    const double out = sign == '+'   ? *x + *y
                       : sign == '-' ? *x - *y
                       : sign == '*' ? *x * *y
                       : sign == '^' ? std::pow(*x, *y)
                       : sign == '|' ? std::floor(*x / *y)
                                     : *x / *y;
    return std::isfinite(out) ? scalar_setting(to_exact(out), a) : unknown(a.text, a);
}

Setting PythonRegistry::sum(PythonCursor& cursor) {
    Setting left = product(cursor);
    for (char sign = now(cursor); sign == '+' || sign == '-'; sign = now(cursor)) {
        cursor.step();
        left = computed(sign, left, product(cursor));
    }
    return left;
}

Setting PythonRegistry::product(PythonCursor& cursor) {
    Setting left = value(cursor);
    for (char sign = now(cursor); sign == '*' || sign == '/'; sign = now(cursor)) {
        cursor.step();
        const bool doubled = cursor.character(cursor.at()) == sign;  // ** is a power, // a whole quotient
        if (doubled) {
            cursor.step();
        }
        const char what = !doubled ? sign : sign == '*' ? '^' : '|';
        left = computed(what, left, value(cursor));
    }
    return left;
}

Setting PythonRegistry::value(PythonCursor& cursor) {
    if (++cursor.depth > deepest_setting) {
        fail_at_line(file_, cursor.line(), "nested more than " + std::to_string(deepest_setting) + " deep");
    }
    Setting out = primary(cursor);
    --cursor.depth;
    return out;
}

Setting PythonRegistry::primary(PythonCursor& cursor) {
    const char c = now(cursor);
    Setting out = empty(cursor.line());
    if (c == '"' || c == '\'') {
        cursor.step();
        std::size_t end = cursor.at();
        while (cursor.character(end) != c && cursor.character(end) != '\0') {
            end += cursor.character(end) == '\\' ? 2 : 1;
        }
        out = scalar_setting(cursor.until(end), out, true);
        cursor.go_to(end + 1);
        return out;
    }
    if (c == '[' || c == '(' || c == '{') {
        return bracket(cursor, c == '[' ? ']' : c == '(' ? ')' : '}');
    }
    if (c == '-') {
        cursor.step();
        const Setting inner = value(cursor);
        return scalar_setting("-" + inner.text, out);
    }
    std::size_t end = cursor.at();
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
    for (char next = c; is_name(next) || next == '.' ||
                        (number && (next == '-' || next == '+') && cursor.character(end - 1) == 'e');
         next = cursor.character(end)) {
        ++end;
    }
    const std::string word = cursor.until(end);
    if (word.empty()) {
        cursor.step();
        return out;
    }
    cursor.go_to(end);
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word == "True" || word == "False") {
        return scalar_setting(lower(word), out);
    }
    if (word == "None") {
        return out;
    }
    if (now(cursor) == '(') {
        return called(cursor, word, out);
    }
    if (const auto local = cursor.locals.find(word); local != cursor.locals.end()) {
        return local->second;
    }
    if (const auto global = globals_.find(word); global != globals_.end()) {
        return global->second;
    }
    if (const Setting* member = attribute(cursor, word)) {
        return *member;
    }
    return scalar_setting(word, out);
}

const Setting* PythonRegistry::attribute(const PythonCursor& cursor, const std::string& word) const {
    const std::size_t dot = word.find('.');
    if (dot == std::string::npos) {
        return nullptr;
    }
    const std::string head = word.substr(0, dot);
    const auto local = cursor.locals.find(head);
    const auto global = globals_.find(head);
    const Setting* object = local != cursor.locals.end() ? &local->second
                            : global != globals_.end()   ? &global->second
                                                         : nullptr;
    return object == nullptr || !object->is_map() ? nullptr : object->peek(word.substr(dot + 1));
}

Setting PythonRegistry::bracket(PythonCursor& cursor, char close) {
    Setting list = empty(cursor.line());
    list.kind = close == '}' ? Setting::Kind::map : Setting::Kind::list;
    cursor.step();
    bool tuple = false;
    while (now(cursor) != close && now(cursor) != '\0') {
        if (now(cursor) == ',') {
            tuple = true;
            cursor.step();
            continue;
        }
        Setting item = choice(cursor);
        if (now(cursor) == ':' && list.is_map()) {
            cursor.step();
            list.members.push_back({.key = item.text, .value = choice(cursor)});
        } else if (!list.is_map()) {
            list.items.push_back(std::move(item));
        }
    }
    cursor.step();
    if (close == ')' && !tuple && list.items.size() == 1) {
        return Setting(list.items.front());
    }
    return list;
}

std::optional<Setting> PythonRegistry::known_call(const std::string& name,
                                                  const std::vector<Setting>& positional,
                                                  const std::map<std::string, Setting>& keywords) {
    if ((name == "int" || name == "float" || name == "str" || name == "bool") && positional.size() == 1 &&
        positional.front().is_scalar() && keywords.empty()) {
        Setting plain = positional.front();
        plain.quoted = name == "str";
        return plain;
    }
    if ((name == "os.environ.get" || name == "os.getenv") && positional.size() == 2) {
        return positional.back();
    }
    const bool copies = name == "copy.deepcopy" || name == "deepcopy" || name == "copy.copy" ||
                        name == "replace" || name == "dataclasses.replace";
    if (copies && positional.size() == 1 && positional.front().is_map()) {
        Setting copy = positional.front();
        for (const auto& [key, value] : keywords) {
            place_at(copy, key) = value;
        }
        return copy;
    }
    return std::nullopt;
}

void PythonRegistry::add_option(Setting& options, const std::vector<Setting>& positional,
                                const std::map<std::string, Setting>& keywords) {
    options.kind = Setting::Kind::map;
    const auto said = keywords.find("default");
    const auto flag = std::find_if(positional.begin(), positional.end(),
                                   [](const Setting& name) { return name.text.starts_with("--"); });
    if (said == keywords.end() || flag == positional.end() || !said->second.is_scalar()) {
        return;
    }
    std::string key = flag->text.substr(2);
    std::replace(key.begin(), key.end(), '-', '_');
    Setting& option = place_at(options, key);
    option = said->second;
    option.is_default = true;
    option.name = flag->text;
}

std::optional<Setting> PythonRegistry::parser_call(PythonCursor& cursor, const std::string& name,
                                                   const std::vector<Setting>& positional,
                                                   const std::map<std::string, Setting>& keywords) {
    if (name.ends_with(".add_argument")) {
        add_option(cursor.locals[std::string(options_of_parser)], positional, keywords);
    } else if (!name.ends_with(".parse_args") && !name.ends_with(".parse_known_args")) {
        return std::nullopt;
    }
    return cursor.locals[std::string(options_of_parser)];
}

Setting PythonRegistry::called(PythonCursor& cursor, const std::string& name, const Setting& place) {
    std::vector<Setting> positional;
    std::map<std::string, Setting> keywords;
    cursor.step();
    while (now(cursor) != ')' && now(cursor) != '\0') {
        if (now(cursor) == ',') {
            cursor.step();
            continue;
        }
        int stars = 0;
        for (; now(cursor) == '*'; ++stars) {
            cursor.step();
        }
        std::size_t end = cursor.at();
        while (is_name(cursor.character(end))) {
            ++end;
        }
        std::size_t equals = end;
        while (cursor.character(equals) == ' ') {
            ++equals;
        }
        if (end > cursor.at() && cursor.character(equals) == '=' && cursor.character(equals + 1) != '=') {
            const std::string key = cursor.until(end);
            if (keywords.contains(key)) {
                fail_at_line(file_, cursor.line(), "the argument " + key + " is given twice");
            }
            cursor.go_to(equals + 1);
            keywords[key] = choice(cursor);
        } else {
            const std::size_t before = cursor.at();
            Setting argument = choice(cursor);
            if (stars < 2) {
                positional.push_back(std::move(argument));
            } else if (argument.is_map() && !argument.has("$class")) {
                for (SettingMember& m : argument.members) {
                    keywords[m.key] = std::move(m.value);
                }
            } else {
                keywords["$unpacked"] = unknown("**" + argument.text, argument);
                keywords["$unpacked"].name = "**" + argument.text;
            }
            if (cursor.at() == before) {
                cursor.step();
            }
        }
    }
    cursor.step();
    if (const auto known = known_call(name, positional, keywords)) {
        return *known;
    }
    if (const auto options = parser_call(cursor, name, positional, keywords)) {
        return *options;
    }
    Setting map = place;
    map.kind = Setting::Kind::map;
    if (has(name)) {
        map = call(name, keywords, positional);
        if (!map.is_map()) {
            return map;
        }
    } else {
        for (auto& [key, value] : keywords) {
            place_at(map, key) = std::move(value);
        }
    }
    if (!has(name) || !map.has("$class")) {  // what a function of the file returns knows its class
        place_at(map, "$class") = scalar_setting(name, place);
    }
    if (!positional.empty() && !has(name)) {
        Setting& rest = place_at(map, "$arguments");
        rest.kind = Setting::Kind::list;
        rest.items = std::move(positional);
    }
    // What is read from a call's result is not followed.
    while (cursor.character(cursor.at()) == '.' || is_name(cursor.character(cursor.at()))) {
        cursor.step();
    }
    return map;
}

}  // namespace traincost
