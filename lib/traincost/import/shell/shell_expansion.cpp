// Quotes, variables and substitutions.

#include <algorithm>
#include <cctype>

#include "traincost/base/text.hpp"
#include "traincost/import/shell/shell_state.hpp"

namespace traincost {

namespace {

constexpr int deepest_expansion = 40;
constexpr std::size_t longest_value = std::size_t{1} << 20;

bool is_field_separator(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

bool is_variable_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The end of what a bracket at `at` opens.
std::size_t closing(const std::string& text, std::size_t at, std::size_t end) {
    const char open = text[at];
    const char close = open == '(' ? ')' : '}';
    int depth = 0;
    for (std::size_t i = at; i < end; ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '\'' && open == '(') {
            const std::size_t quote = text.find('\'', i + 1);
            i = quote == std::string::npos ? end : quote;
        } else if (text[i] == open) {
            ++depth;
        } else if (text[i] == close && --depth == 0) {
            return i;
        }
    }
    return end;
}

}  // namespace

/// Words that grow while a raw word is expanded.
struct ShellState::Field {
    std::vector<ShellText> done;
    ShellText now;
    bool begun = false;  ///< `now` is a word even where it is empty
    bool split = true;

    void add(char c, ShellPlace place) {
        now.add(c, place);
        begun = true;
    }
    void add_split(const ShellText& text) {
        for (std::size_t i = 0; i < text.chars.size(); ++i) {
            if (split && is_field_separator(text.chars[i])) {
                end_word();
            } else {
                add(text.chars[i], text.places[i]);
            }
        }
    }
    void add_whole(const ShellText& text) {
        now.add(text);
        begun = true;
    }
    void end_word() {
        if (begun) {
            done.push_back(std::move(now));
        }
        now = {};
        begun = false;
    }
};

ShellText ShellState::unknown(ShellPlace place) {
    ShellText text;
    text.add(unknown_mark, place);
    return text;
}

std::vector<ShellText> ShellState::words_of(const ShellText& raw) {
    Field field;
    expand(raw, 0, raw.chars.size(), false, field, 0);
    field.end_word();
    return std::move(field.done);
}

ShellText ShellState::text_of(const ShellText& raw, bool quoted) {
    Field field;
    field.split = false;
    expand(raw, 0, raw.chars.size(), quoted, field, 0);
    ShellText joined;  // "${A[@]}" in an assignment: its items with blanks between them
    for (const ShellText& item : field.done) {
        joined.add(item);
        joined.add(' ', item.place());
    }
    joined.add(field.now);
    return joined;
}

void ShellState::expand(const ShellText& raw, std::size_t begin, std::size_t end, bool quoted, Field& out,
                        int depth) {
    if (depth > deepest_expansion || out.now.chars.size() > longest_value) {
        out.add_whole(unknown(raw.place()));
        return;
    }
    for (std::size_t i = begin; i < end;) {
        if (out.now.chars.size() > longest_value) {  // grown by what it holds several times
            out.now = unknown(raw.place());
            return;
        }
        const char c = raw.chars[i];
        if (c == '\\' && i + 1 < end) {
            const char next = raw.chars[i + 1];
            if (next == '\n') {
                i += 2;
            } else if (quoted && next != '$' && next != '"' && next != '\\' && next != '`') {
                out.add(c, raw.places[i]);
                ++i;
            } else {
                out.add(next, raw.places[i + 1]);
                i += 2;
            }
        } else if (c == '\'' && !quoted) {
            const std::size_t close = std::min(raw.chars.find('\'', i + 1), end);
            out.add_whole(raw.part(i + 1, close - i - 1));
            i = close + 1;
        } else if (c == '"') {
            if (quoted) {
                out.add(c, raw.places[i]);  // of a here-document
                ++i;
                continue;
            }
            std::size_t close = i + 1;
            while (close < end && raw.chars[close] != '"') {
                if (raw.chars[close] == '\\') {
                    ++close;
                } else if (raw.chars[close] == '$' && close + 1 < end &&
                           (raw.chars[close + 1] == '(' || raw.chars[close + 1] == '{')) {
                    close = closing(raw.chars, close + 1, end);
                }
                ++close;
            }
            out.begun = out.begun || raw.chars.compare(i, close - i, "\"$@") != 0;
            expand(raw, i + 1, std::min(close, end), true, out, depth + 1);
            i = close + 1;
        } else if (c == '$') {
            i = expand_dollar(raw, i, end, quoted, out, depth + 1);
        } else if (c == '`') {
            const std::size_t close = std::min(raw.chars.find('`', i + 1), end);
            const ShellText value = substituted(raw.part(i + 1, close - i - 1), raw.places[i], depth + 1);
            quoted ? out.add_whole(value) : out.add_split(value);
            i = close + 1;
        } else {
            out.add(c, raw.places[i]);
            ++i;
        }
    }
}

std::size_t ShellState::expand_dollar(const ShellText& raw, std::size_t at, std::size_t end, bool quoted,
                                      Field& out, int depth) {
    const ShellPlace place = raw.places[at];
    const char next = at + 1 < end ? raw.chars[at + 1] : '\0';
    const auto put = [&](const ShellText& text) { quoted ? out.add_whole(text) : out.add_split(text); };
    if (next == '(') {
        const std::size_t close = closing(raw.chars, at + 1, end);
        const std::string inside = raw.chars.substr(at + 2, close > at + 2 ? close - at - 2 : 0);
        if (inside.size() >= 2 && inside.front() == '(' && inside.back() == ')') {
            const auto x = arithmetic(inside.substr(1, inside.size() - 2));
            ShellText text;
            text.add(x ? std::to_string(*x) : std::string(1, unknown_mark), place);
            put(text);
        } else {
            put(substituted(raw.part(at + 2, inside.size()), place, depth));
        }
        return close + 1;
    }
    if (next == '{') {
        const std::size_t close = closing(raw.chars, at + 1, end);
        expand_braces(raw, at + 2, close, quoted, out, depth);
        return close + 1;
    }
    if (next == '\'' && !quoted) {
        return at + 1;  // $'...'
    }
    std::size_t name_end = at + 1;
    if (std::isdigit(static_cast<unsigned char>(next)) != 0 ||
        std::string_view("@*#?$!-").find(next) != std::string_view::npos) {
        name_end = at + 2;
    } else {
        while (name_end < end && is_variable_character(raw.chars[name_end])) {
            ++name_end;
        }
    }
    if (name_end == at + 1 || next == '\0') {
        out.add('$', place);
        return at + 1;
    }
    expand_name(std::string_view(raw.chars).substr(at + 1, name_end - at - 1), place, quoted, out);
    return name_end;
}

void ShellState::expand_name(std::string_view name, ShellPlace place, bool quoted, Field& out) {
    if (name == "@" || name == "*") {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (i > 0) {
                out.end_word();
            }
            quoted ? out.add_whole(arguments[i]) : out.add_split(arguments[i]);
        }
        return;
    }
    const ShellText value = value_of(name).value_or(unknown(place));
    quoted ? out.add_whole(value) : out.add_split(value);
}

std::optional<ShellText> ShellState::value_of(std::string_view name) const {
    if (name == "#" && arguments_known) {
        ShellText text;
        text.add(std::to_string(arguments.size()), {});
        return text;
    }
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
        const std::size_t n = static_cast<std::size_t>(std::atoi(std::string(name).c_str()));
        if (n >= 1 && n <= arguments.size()) {
            return arguments[n - 1];
        }
        return arguments_known && n >= 1 ? std::optional(ShellText{}) : std::nullopt;
    }
    const ShellVariable* found = find(name);
    if (found == nullptr) {
        return std::nullopt;
    }
    return found->items.empty() ? ShellText{} : found->items.front();
}

const std::vector<ShellText>* ShellState::items_of(std::string_view name) const {
    if (name == "@" || name == "*") {
        return &arguments;
    }
    const ShellVariable* found = find(name);
    return found == nullptr ? nullptr : &found->items;
}

// ${...} without its brackets.
void ShellState::expand_braces(const ShellText& raw, std::size_t begin, std::size_t end, bool quoted,
                               Field& out, int depth) {
    const ShellPlace place = raw.places[std::min(begin, raw.places.size() - 1)];
    const auto put = [&](const ShellText& text) { quoted ? out.add_whole(text) : out.add_split(text); };
    const bool length = begin + 1 < end && raw.chars[begin] == '#';
    const bool indirect = begin < end && raw.chars[begin] == '!';
    std::size_t at = begin + (length || indirect ? 1 : 0);
    const std::size_t name_begin = at;
    while (at < end && is_variable_character(raw.chars[at])) {
        ++at;
    }
    if (at == name_begin && at < end &&
        (raw.chars[at] == '@' || raw.chars[at] == '*' || raw.chars[at] == '#')) {
        ++at;
    }
    std::string name = raw.chars.substr(name_begin, at - name_begin);
    if (indirect) {
        const auto pointed = value_of(name);
        if (!pointed || is_unknown(*pointed)) {
            put(unknown(place));
            return;
        }
        name = pointed->chars;
    }
    std::optional<ShellText> value;
    bool all = name == "@" || name == "*";
    if (at < end && raw.chars[at] == '[') {
        const std::size_t close = std::min(raw.chars.find(']', at), end);
        const std::string index = text_of(raw.part(at + 1, close - at - 1)).chars;
        at = close + 1;
        const ShellVariable* found = find(name);
        all = index == "@" || index == "*";
        if (!all && found != nullptr) {
            if (const auto key = found->keyed.find(index); key != found->keyed.end()) {
                value = key->second;
            } else if (const auto n = arithmetic(index);
                       n && *n >= 0 && static_cast<std::size_t>(*n) < found->items.size()) {
                value = found->items[static_cast<std::size_t>(*n)];
            }
        }
    } else if (!all) {
        value = value_of(name);
    }
    if (all && at >= end) {
        const std::vector<ShellText>* items = items_of(name);
        if (length) {
            ShellText count;
            count.add(items == nullptr ? std::string(1, unknown_mark) : std::to_string(items->size()), place);
            put(count);
        } else if (items == nullptr) {
            put(unknown(place));
        } else {
            for (std::size_t i = 0; i < items->size(); ++i) {
                if (i > 0) {
                    out.end_word();
                }
                put((*items)[i]);
            }
        }
        return;
    }
    if (all) {
        value = items_of(name) != nullptr && !items_of(name)->empty() ? std::optional(items_of(name)->front())
                                                                      : std::nullopt;
    }
    if (length) {
        ShellText count;
        count.add(
            value && !is_unknown(*value) ? std::to_string(value->chars.size()) : std::string(1, unknown_mark),
            place);
        put(count);
        return;
    }
    if (at >= end) {
        put(value.value_or(unknown(place)));
        return;
    }
    // ${name:-word} and its kin.
    const bool colon = raw.chars[at] == ':' && at + 1 < end &&
                       std::string_view("-=+?").find(raw.chars[at + 1]) != std::string_view::npos;
    const char sign = raw.chars[at + (colon ? 1 : 0)];
    if (std::string_view("-=+?").find(sign) != std::string_view::npos) {
        const bool given = value.has_value() && !(colon && value->empty());
        const ShellText word = raw.part(at + (colon ? 2 : 1), end - at - (colon ? 2 : 1));
        if (sign == '+') {
            if (given) {
                Field inner;
                inner.split = false;
                expand(word, 0, word.chars.size(), quoted, inner, depth);
                put(inner.now);
            }
        } else if (given) {
            put(*value);
        } else if (sign == '?') {
            put(unknown(place));
        } else {
            ShellText fallback = text_of(word);
            if (sign == '=') {
                set(name, fallback);
            }
            put(fallback);
        }
        return;
    }
    if (!value) {
        put(unknown(place));
        return;
    }
    put(modified(*value, name, raw, at, end, depth).value_or(unknown(place)));
}

// ${name#p} ${name##p} ${name%p} ${name%%p} ${name/a/b} ${name//a/b} ${name^^} ${name,,} ${name:i:n}
std::optional<ShellText> ShellState::modified(ShellText value, std::string_view, const ShellText& raw,
                                              std::size_t at, std::size_t end, int) {
    if (is_unknown(value)) {
        return std::nullopt;
    }
    const char sign = raw.chars[at];
    const bool twice = at + 1 < end && raw.chars[at + 1] == sign;
    const std::size_t rest = at + (twice ? 2 : 1);
    if (sign == '#' || sign == '%') {
        const std::string pattern = text_of(raw.part(rest, end - rest)).chars;
        const std::size_t n = value.chars.size();
        for (std::size_t step = 0; step <= n; ++step) {
            const std::size_t cut = twice ? n - step : step;  // how much is taken away
            const std::string_view piece = sign == '#' ? std::string_view(value.chars).substr(0, cut)
                                                       : std::string_view(value.chars).substr(n - cut);
            if (matches(pattern, piece)) {
                return sign == '#' ? value.part(cut) : value.part(0, n - cut);
            }
        }
        return value;
    }
    if (sign == '^' || sign == ',') {
        for (std::size_t i = 0; i < value.chars.size() && (twice || i == 0); ++i) {
            const auto c = static_cast<unsigned char>(value.chars[i]);
            value.chars[i] = static_cast<char>(sign == '^' ? std::toupper(c) : std::tolower(c));
        }
        return value;
    }
    if (sign == '/') {
        const std::size_t middle = std::min(raw.chars.find('/', rest), end);
        const std::string from = text_of(raw.part(rest, middle - rest)).chars;
        const ShellText to = middle < end ? text_of(raw.part(middle + 1, end - middle - 1)) : ShellText{};
        if (from.empty() || from.find_first_of("*?[") != std::string::npos) {
            return std::nullopt;
        }
        ShellText out;
        for (std::size_t i = 0; i < value.chars.size();) {
            if (value.chars.compare(i, from.size(), from) == 0 && (twice || out.chars.size() == i)) {
                out.add(to.chars, value.places[i]);
                i += from.size();
                if (!twice) {
                    out.add(value.part(i));
                    break;
                }
            } else {
                out.add(value.chars[i], value.places[i]);
                ++i;
            }
        }
        return out;
    }
    if (sign == ':') {
        const std::string range = raw.chars.substr(at + 1, end - at - 1);
        const std::vector<std::string> parts = split(range, ':');
        const auto from = arithmetic(parts[0]);
        const auto count = parts.size() > 1 ? arithmetic(parts[1]) : std::optional<std::int64_t>(1 << 20);
        if (from && count && *from >= 0 && *count >= 0) {
            return value.part(static_cast<std::size_t>(*from), static_cast<std::size_t>(*count));
        }
    }
    return std::nullopt;
}

ShellVariable& ShellState::change(std::string_view name) {
    const auto found = variables_.find(name);
    if (!journals_.empty()) {
        ShellChanges& journal = journals_.back();
        if (!journal.contains(name)) {
            journal.emplace(name, found == variables_.end() ? std::nullopt : std::optional(found->second));
        }
    }
    return found != variables_.end() ? found->second : variables_[std::string(name)];
}

std::vector<ShellText> ShellState::options() const {
    std::vector<ShellText> all;
    for (const auto& [name, variable] : variables_) {
        const bool holds =
            std::any_of(variable.items.begin(), variable.items.end(), [](const ShellText& item) {
                const std::size_t begin = item.chars.find_first_not_of(" \t\n\\");
                return begin != std::string::npos && item.chars.compare(begin, 2, "--") == 0;
            });
        for (const ShellText& item : holds ? variable.items : std::vector<ShellText>{}) {
            for (std::size_t at = 0; at < item.chars.size();) {
                const std::size_t begin =
                    std::min(item.chars.find_first_not_of(" \t\n", at), item.chars.size());
                const std::size_t end = std::min(item.chars.find_first_of(" \t\n", begin), item.chars.size());
                if (end > begin && item.chars.compare(begin, end - begin, "\\") != 0) {
                    all.push_back(item.part(begin, end - begin));
                }
                at = end;
            }
        }
    }
    return all;
}

void ShellState::erase(std::string_view name) {
    if (const auto found = variables_.find(name); found != variables_.end()) {
        change(name);
        variables_.erase(found);
    }
}

ShellChanges ShellState::go_back() {
    ShellChanges changes = std::move(journals_.back());
    journals_.pop_back();
    for (auto& [name, before] : changes) {
        const auto found = variables_.find(name);
        std::optional<ShellVariable> now;
        if (found != variables_.end()) {
            now = std::move(found->second);
        }
        if (before) {
            variables_[name] = std::move(*before);
        } else if (found != variables_.end()) {
            variables_.erase(found);
        }
        before = std::move(now);
    }
    return changes;
}

// ARGS="$ARGS --more": what is there stays where it is, so that a list that grows line by line costs as much
// as its words.
bool ShellState::append_to_itself(const ShellAssignment& assignment) {
    const ShellVariable* own = find(assignment.name);
    if (assignment.append || !assignment.index.empty() || assignment.words.empty() || own == nullptr ||
        own->items.size() != 1 || own->array || !own->keyed.empty()) {
        return false;
    }
    const ShellText& raw = assignment.words.front();
    for (const std::string& start : {"\"$" + assignment.name, "\"${" + assignment.name + "}"}) {
        const bool braced = start.back() == '}';
        if (!raw.chars.starts_with(start) ||
            (!braced && raw.chars.size() > start.size() && is_variable_character(raw.chars[start.size()]))) {
            continue;
        }
        ShellText rest;
        rest.add('"', raw.places.front());
        rest.add(raw.part(start.size()));
        const ShellText tail = text_of(rest);
        ShellText& text = change(assignment.name).items.front();
        if (text.chars.size() < longest_value) {
            text.add(tail);
        }
        return true;
    }
    return false;
}

void ShellState::set(std::string_view name, ShellText value) {
    ShellVariable variable;
    variable.items.push_back(std::move(value));
    change(name) = std::move(variable);
}

void ShellState::assign(const ShellAssignment& assignment) {
    if (assignment.array) {
        ShellVariable fresh;
        ShellVariable& variable = assignment.append ? change(assignment.name) : fresh;
        variable.array = true;
        for (const ShellText& raw : assignment.words) {
            const std::size_t equals = raw.chars.find("]=");
            if (raw.chars.starts_with('[') && equals != std::string::npos) {
                variable.keyed[text_of(raw.part(1, equals - 1)).chars] = text_of(raw.part(equals + 2));
                continue;
            }
            for (ShellText& word : words_of(raw)) {
                variable.items.push_back(std::move(word));
            }
        }
        if (!assignment.append) {
            change(assignment.name) = std::move(fresh);
        }
        return;
    }
    if (append_to_itself(assignment)) {
        return;
    }
    ShellText value = assignment.words.empty() ? ShellText{} : text_of(assignment.words.front());
    if (!assignment.index.empty()) {
        ShellVariable& variable = change(assignment.name);
        variable.array = true;
        const std::string index = text_of(assignment.index).chars;
        const auto n = arithmetic(index);
        if (n && *n >= 0 && *n < 4096) {
            if (variable.items.size() <= static_cast<std::size_t>(*n)) {
                variable.items.resize(static_cast<std::size_t>(*n) + 1);
            }
            variable.items[static_cast<std::size_t>(*n)] = value;
        }
        variable.keyed[index] = std::move(value);
        return;
    }
    if (!assignment.append) {
        set(assignment.name, std::move(value));
        return;
    }
    ShellVariable& variable = change(assignment.name);
    if (variable.items.empty()) {
        variable.items.emplace_back();
    }
    if (variable.items.front().chars.size() < longest_value) {
        variable.items.front().add(value);
    }
}

bool ShellState::matches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
    while (t < text.size()) {
        bool same = p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]);
        std::size_t width = 1;
        if (p < pattern.size() && pattern[p] == '[') {
            const std::size_t close = pattern.find(']', p + 1);
            if (close != std::string_view::npos) {
                same = pattern.substr(p + 1, close - p - 1).find(text[t]) != std::string_view::npos;
                width = close - p + 1;
            }
        }
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (same) {
            p += width;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') {
        ++p;
    }
    return p == pattern.size();
}

}  // namespace traincost
