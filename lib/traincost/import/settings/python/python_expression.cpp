// Expressions of Python: literals, names, sums and choices.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_made.hpp"
#include "traincost/import/settings/python/python_registry.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

Setting PythonRegistry::expression(const PythonStatement& statement, std::size_t at,
                                   std::map<std::string, Setting>& locals) {
    PythonCursor cursor(statement, at, locals);
    return choice(cursor);
}

std::optional<bool> PythonRegistry::truth_of(const Setting& value) {
    if (value.is_null()) {  // None
        return false;
    }
    if (!value.is_scalar() || (!value.quoted && (value.text.empty() || value.text.front() == '<'))) {
        return std::nullopt;
    }
    if (value.quoted) {
        return !value.text.empty();
    }
    if (const auto number = as_number(value)) {
        return *number != 0.0;
    }
    return value.text == "true"    ? std::optional(true)
           : value.text == "false" ? std::optional(false)
                                   : std::nullopt;
}

Setting PythonRegistry::choice(PythonCursor& cursor) {
    Setting left = either(cursor);
    now(cursor);
    while (takes(cursor, "if")) {
        const auto holds = truth_of(either(cursor));
        while (now(cursor) != '\0' && now(cursor) != ',' && now(cursor) != ')' && !takes(cursor, "else")) {
            const std::size_t before = cursor.at();
            sum(cursor);
            if (cursor.at() == before) {
                cursor.step();
            }
        }
        const Setting other = choice(cursor);
        const bool same = left.text == other.text && left.kind == other.kind && left.is_scalar();
        if (holds == false) {
            left = other;
        } else if (!holds && !same) {
            left = unknown(left.text + " if ... else " + other.text, empty(left.line));
        }
        now(cursor);
    }
    return left;
}

Setting PythonRegistry::either(PythonCursor& cursor) {
    Setting left = compared(cursor);
    for (;;) {
        now(cursor);
        if (takes(cursor, "or")) {
            const Setting right = compared(cursor);
            const bool known = as_number(left) || left.is_map() || left.is_list();
            left = known || truth_of(left) == true ? left : right;
        } else if (takes(cursor, "and")) {
            const Setting right = compared(cursor);
            const auto holds = truth_of(left);
            left = !holds   ? unknown(left.text + " and " + right.text, empty(left.line))
                   : *holds ? right
                            : left;
        } else {
            return left;
        }
    }
}

Setting PythonRegistry::compared(PythonCursor& cursor) {
    now(cursor);
    if (takes(cursor, "not")) {
        const Setting inner = compared(cursor);
        const auto holds = truth_of(inner);
        return holds ? scalar_setting(*holds ? "false" : "true", inner)
                     : unknown("not " + inner.text, empty(inner.line));
    }
    Setting left = sum(cursor);
    const char sign = now(cursor);
    const bool equal = cursor.character(cursor.at() + 1) == '=' && (sign == '=' || sign == '!');
    const bool orders = sign == '<' || sign == '>';
    if (equal || orders) {
        const bool or_same = orders && cursor.character(cursor.at() + 1) == '=';
        cursor.go_to(cursor.at() + (equal || or_same ? 2 : 1));
        const Setting right = sum(cursor);
        const auto known = [](const Setting& value) {
            return value.is_scalar() &&
                   (value.quoted || as_number(value) || value.text == "true" || value.text == "false");
        };
        if (const auto holds = equal ? is_device(left, right) : std::nullopt) {
            return scalar_setting(*holds == (sign == '=') ? "true" : "false", left);
        }
        if (!known(left) || !known(right)) {
            return unknown(left.text + " compared with " + right.text, empty(left.line));
        }
        const double difference = as_number(left).value_or(0.0) - as_number(right).value_or(0.0);
        const bool holds = equal                          ? (left.text == right.text) == (sign == '=')
                           : or_same && difference == 0.0 ? true
                           : sign == '<'                  ? difference < 0.0
                                                          : difference > 0.0;
        return scalar_setting(holds ? "true" : "false", left);
    }
    for (const std::string_view word : {"is", "in"}) {
        if (takes(cursor, word)) {
            now(cursor);
            const bool inverted = takes(cursor, "not");
            const Setting right = sum(cursor);
            const bool known = left.is_null() || left.quoted || left.is_map() || left.is_list() ||
                               as_number(left) || imported_.contains(left.text);
            if (word == "is" && right.is_null() && known) {
                return scalar_setting(left.is_null() != inverted ? "true" : "false", left);
            }
            return unknown(left.text + " " + std::string(word), empty(left.line));
        }
    }
    return left;
}

bool PythonRegistry::takes(PythonCursor& cursor, std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (cursor.character(cursor.at() + i) != word[i]) {
            return false;
        }
    }
    if (is_name_letter(cursor.character(cursor.at() + word.size()))) {
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
    while (cursor.character(cursor.at()) == '[') {
        out = part_of(std::move(out), bracket(cursor, ']'));
    }
    --cursor.depth;
    return out;
}

Setting PythonRegistry::part_of(Setting whole, const Setting& keys) {
    if (whole.has("$class")) {
        return whole;  // of what a call returns, nobody knows the parts
    }
    const Setting* key = keys.items.size() == 1 ? &keys.items.front() : nullptr;
    const Setting* part = nullptr;
    if (key != nullptr && key->quoted && whole.is_map()) {
        part = whole.member(key->text);
    } else if (const auto index = key == nullptr ? std::nullopt : as_whole(*key); index && whole.is_list()) {
        const auto size = static_cast<std::int64_t>(whole.items.size());
        const std::int64_t at = *index < 0 ? *index + size : *index;
        part = at >= 0 && at < size ? &whole.items[static_cast<std::size_t>(at)] : nullptr;
    }
    return part != nullptr ? Setting(*part)
                           : unknown("a part of " + (whole.text.empty() ? "it" : whole.text), whole);
}

Setting PythonRegistry::literal(PythonCursor& cursor) const {
    Setting out = empty(cursor.line());
    const char quote = cursor.character(cursor.at());
    cursor.step();
    std::size_t end = cursor.at();
    while (cursor.character(end) != quote && cursor.character(end) != '\0') {
        end += cursor.character(end) == '\\' ? 2 : 1;
    }
    out = scalar_setting(cursor.until(end), out, true);
    cursor.go_to(end + 1);
    return out;
}

Setting PythonRegistry::filled(const PythonCursor& cursor, const Setting& text) const {
    std::string out;
    for (std::size_t i = 0; i < text.text.size(); ++i) {
        const char c = text.text[i];
        if (c != '{' && c != '}') {
            out += c;
            continue;
        }
        const std::size_t end = text.text.find('}', i);
        if (c == '}' || end == std::string::npos) {
            return unknown("a text", text);
        }
        const std::string name = text.text.substr(i + 1, end - i - 1);
        const Setting* value = named(cursor, name);
        value = value == nullptr ? attribute(cursor, name) : value;
        if (value == nullptr || !value->is_scalar() || (!value->quoted && !as_number(*value))) {
            return unknown("a text", text);
        }
        out += value->text;
        i = end;
    }
    return scalar_setting(out, text, true);
}

Setting PythonRegistry::primary(PythonCursor& cursor) {
    const char c = now(cursor);
    Setting out = empty(cursor.line());
    if (c == '"' || c == '\'') {
        return literal(cursor);
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
    for (char next = c; is_name_letter(next) || next == '.' ||
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
    if (const char quote = cursor.character(end); word.size() <= 2 &&
                                                  word.find_first_not_of("fFrRbBuU") == word.npos &&
                                                  (quote == '"' || quote == '\'')) {
        const Setting text = literal(cursor);
        const bool fills = word.find_first_of("fF") != word.npos && text.text.find('{') != text.text.npos;
        return fills ? filled(cursor, text) : text;
    }
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word == "True" || word == "False") {
        return scalar_setting(lower(word), out);
    }
    if (word == "None") {
        return out;
    }
    if (word == "lambda") {  // what it returns
        skip_parameters(cursor);
        return choice(cursor);
    }
    if (now(cursor) == '(') {
        return called(cursor, word, out);
    }
    if (const Setting* known = named(cursor, word)) {
        count_copy(*known);
        Setting value = *known;
        if (const auto type = classes_.find(word); type != classes_.end() && known == &type->second) {
            for (SettingMember& m : value.members) {  // a class by itself is none of its objects
                m.key = m.key == "$class" ? "$type" : m.key;
            }
        }
        return value;
    }
    if (const Setting* member = attribute(cursor, word)) {
        count_copy(*member);
        return *member;
    }
    return scalar_setting(word, out);
}

namespace {

std::int64_t count_parts(const Setting& value) {
    std::int64_t parts = 1;
    for (const SettingMember& m : value.members) {
        parts += count_parts(m.value);
    }
    for (const Setting& item : value.items) {
        parts += count_parts(item);
    }
    return parts;
}

}  // namespace

void PythonRegistry::count_copy(const Setting& value) {
    constexpr std::int64_t most_parts = 500'000;
    copied_ += count_parts(value);
    if (copied_ > most_parts) {
        throw Error(ErrorKind::input,
                    std::vector<Problem>{{.path = file_,
                                          .message = "its values hold each other more than " +
                                                     std::to_string(most_parts) + " times"}});
    }
}

const Setting* PythonRegistry::named(const PythonCursor& cursor, const std::string& word) const {
    for (const auto* names : {&std::as_const(cursor.locals), &globals_, &classes_}) {
        if (const auto found = names->find(word); found != names->end()) {
            return &found->second;
        }
    }
    return nullptr;
}

const Setting* PythonRegistry::attribute(const PythonCursor& cursor, const std::string& word) const {
    const std::size_t dot = word.find('.');
    if (dot == std::string::npos) {
        return nullptr;
    }
    const std::string head = word.substr(0, dot);
    const Setting* object = named(cursor, head);
    const Setting* member =
        object == nullptr || !object->is_map() ? nullptr : object->peek(word.substr(dot + 1));
    // "self.args.rows" of an object that nobody is seen to make is what the program's own options say
    return member == nullptr && head == "self" ? attribute(cursor, word.substr(dot + 1)) : member;
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

}  // namespace traincost
