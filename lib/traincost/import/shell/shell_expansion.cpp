// Quotes, variables and substitutions.

#include <algorithm>
#include <cctype>

#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/shell/shell_state.hpp"

namespace traincost {

namespace {

constexpr int deepest_expansion = 40;

bool is_field_separator(char c) {
    return c == ' ' || c == '\t' || c == '\n';
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

ShellText counted(std::optional<std::size_t> count, ShellPlace place) {
    ShellText text;
    text.add(count ? std::to_string(*count) : std::string(1, unknown_mark), place);
    return text;
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
        while (name_end < end && is_name_letter(raw.chars[name_end])) {
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

/// "${NAME[@]}" and "$@", or how many items they have; null where nobody knows.
void ShellState::expand_all(const std::vector<ShellText>* items, bool length, bool quoted, ShellPlace place,
                            Field& out) {
    const auto put = [&](const ShellText& text) { quoted ? out.add_whole(text) : out.add_split(text); };
    if (length) {
        put(counted(items == nullptr ? std::nullopt : std::optional(items->size()), place));
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
}

/// The name at `at` of ${...}: a variable's, or @, * and #.
std::string ShellState::braced_name(const std::string& chars, std::size_t at, std::size_t end) {
    const std::size_t begin = at;
    while (at < end && is_name_letter(chars[at])) {
        ++at;
    }
    const bool special =
        at == begin && at < end && std::string_view("@*#").find(chars[at]) != std::string_view::npos;
    return chars.substr(begin, special ? 1 : at - begin);
}

// ${...} without its brackets.
void ShellState::expand_braces(const ShellText& raw, std::size_t begin, std::size_t end, bool quoted,
                               Field& out, int depth) {
    const ShellPlace place = raw.places[std::min(begin, raw.places.size() - 1)];
    const auto put = [&](const ShellText& text) { quoted ? out.add_whole(text) : out.add_split(text); };
    const bool length = begin + 1 < end && raw.chars[begin] == '#';
    const bool indirect = begin < end && raw.chars[begin] == '!';
    std::size_t at = begin + (length || indirect ? 1 : 0);
    std::string name = braced_name(raw.chars, at, end);
    at += name.size();
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
        all = index == "@" || index == "*";
        value = all ? std::nullopt : element(name, index);
    } else if (!all) {
        value = value_of(name);
    }
    if (all && at >= end) {
        expand_all(items_of(name), length, quoted, place, out);
        return;
    }
    if (all) {
        value = items_of(name) != nullptr && !items_of(name)->empty() ? std::optional(items_of(name)->front())
                                                                      : std::nullopt;
    }
    if (length) {
        const bool known = value && !is_unknown(*value);
        put(counted(known ? std::optional(value->chars.size()) : std::nullopt, place));
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

}  // namespace traincost
