#include "traincost/import/logs/log_members.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "traincost/base/name_words.hpp"
#include "traincost/import/logs/log_scan.hpp"

namespace traincost {

namespace {

constexpr std::size_t most_columns = 1024;

/// The text before the '"' that closes the string begun before `at`; `at` moves behind it.
std::optional<std::string_view> string_at(std::string_view line, std::size_t& at) {
    const std::size_t begin = at;
    for (; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\') {
            ++at;
        }
    }
    if (at >= line.size()) {
        return std::nullopt;
    }
    return line.substr(begin, at++ - begin);
}

/// Where the bracket that is open before `at` is closed, or the end.
std::size_t behind_list(std::string_view line, std::size_t at) {
    int depth = 1;
    while (at < line.size() && depth > 0) {
        const char c = line[at++];
        if (c == '"') {
            string_at(line, at);
        }
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    }
    return at;
}

/// Where the value that begins at `at` ends, or the end of the line. Values are short: a loop is faster than
/// a search.
std::size_t value_end(std::string_view line, std::size_t at) {
    while (at < line.size() && line[at] != ',' && line[at] != '}' && line[at] != ']') {
        ++at;
    }
    return at;
}

/// The text behind the last character that `is` one; all of it where none is.
template <class Is>
std::string_view behind_last(std::string_view text, Is&& is) {
    std::size_t at = text.size();
    while (at > 0 && !is(text[at - 1])) {
        --at;
    }
    return text.substr(at);
}

/// The text behind the last " - "; all of it where there is none.
std::string_view behind_dash(std::string_view text) {
    for (std::size_t at = text.rfind('-'); at != text.npos && at > 0; at = text.rfind('-', at - 1)) {
        if (text[at - 1] == ' ' && at + 1 < text.size() && text[at + 1] == ' ') {
            return text.substr(at + 2);
        }
    }
    return text;
}

bool is_numeral(std::string_view word) {
    return !word.empty() && ((word[0] >= '0' && word[0] <= '9') || word[0] == '-' || word[0] == '.' ||
                             word.starts_with("nan") || word.starts_with("inf"));
}

/// Whether the last word ends in a digit and has no letter: "Epoch 1/3", not "L1" of "L1 loss".
bool ends_in_number(std::string_view text) {
    const std::string_view word = behind_last(text, [](char c) { return c == ' '; });
    const auto is_letter = [](char c) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    return !word.empty() && word.back() >= '0' && word.back() <= '9' &&
           std::none_of(word.begin(), word.end(), is_letter);
}

/// The end of a name, behind what a launcher or a logger put before it, with the unit in brackets behind it.
std::string_view bare_name(std::string_view name) {
    name = trimmed(name);
    if (const std::size_t unit = name.rfind('('); name.ends_with(')') && unit != name.npos) {
        const std::string_view front = bare_name(name.substr(0, unit));
        return front.empty() ? name.substr(unit)
                             : name.substr(static_cast<std::size_t>(front.data() - name.data()));
    }
    name = trimmed(behind_last(behind_dash(name), [](char c) { return c == ']' || c == ')' || c == ':'; }));
    for (std::size_t at = name.rfind(' '); at != name.npos && at > 0; at = name.rfind(' ', at - 1)) {
        if (ends_in_number(name.substr(0, at))) {
            return trimmed(name.substr(at));
        }
    }
    return name;
}

/// The value at the beginning of `word`, also in brackets: "[10/500]"; nothing where there is none.
std::optional<std::string_view> numeral_in(std::string_view word) {
    if (word.size() > 1 && word[0] == '[' && word[1] >= '0' && word[1] <= '9') {
        word.remove_prefix(1);
    }
    return is_numeral(word) ? std::optional(word) : std::nullopt;
}

/// Names with values behind them: "loss 2.5", "Epoch [1/3] Step [10/500]".
void take_pairs(std::string_view text, const TakeValue& take) {
    std::size_t name = 0;
    for (std::size_t at = text.find(' '); at != text.npos; at = text.find(' ', at + 1)) {
        if (const std::optional<std::string_view> value = numeral_in(text.substr(at + 1));
            value && at > name) {
            take(bare_name(text.substr(name, at - name)), *value);
            name = std::min(text.find(' ', at + 1), text.size());
        }
    }
}

/// "Epoch 1 Step 100" of "Epoch 1 Step 100: loss=2.5"; nothing where the field has no such title.
std::string_view numbered_title(std::string_view field) {
    const std::size_t colon = field.find(": ");
    if (colon == field.npos || colon == 0 ||
        !((field[colon - 1] >= '0' && field[colon - 1] <= '9') || field[colon - 1] == ']')) {
        return {};
    }
    const std::string_view title = field.substr(0, colon);
    const std::string_view last = behind_last(title, [](char c) { return c == ' '; });
    return last.size() < title.size() && numeral_in(last) && !is_numeral(trimmed(field.substr(colon + 1)))
               ? title
               : std::string_view{};
}

/// "loss: 2.5", "loss=2.5", "loss 2.5", "2734.7 ms".
void take_field(std::string_view field, const TakeValue& take) {
    field = trimmed(field);
    constexpr std::string_view behind = " - ";  // a logger's "train:142 - Step 100"
    if (const std::size_t at = field.rfind(behind); at != field.npos) {
        field = trimmed(field.substr(at + behind.size()));
    }
    if (field.ends_with(':')) {
        field.remove_suffix(1);
    }
    const std::string_view last = behind_last(field, [](char c) { return c == ':' || c == '='; });
    if (last.size() < field.size()) {
        const std::string_view name = bare_name(field.substr(0, field.size() - last.size() - 1));
        const std::string_view value = trimmed(last);
        const std::size_t unit = std::min(value.find(' '), value.size());
        if (is_word_of({"throughput", "speed", "ips", "ips_total"}, name) && unit < value.size() &&
            is_numeral(value)) {
            take(trimmed(value.substr(unit)), value.substr(0, unit));  // "throughput=109226 tok/s"
        } else if (const std::string_view title = numbered_title(field); !title.empty()) {
            take_pairs(title, take);  // "Step 100: loss=2.5", "step 100: train loss 2.5"
            take_field(field.substr(title.size() + 1), take);
        } else {
            take(name, value);
        }
        return;
    }
    if (is_numeral(field)) {
        const std::size_t end = std::min(field.find(' '), field.size());
        take(trimmed(field.substr(end)), field.substr(0, end));
        return;
    }
    take_pairs(field, take);
}

}  // namespace

void for_each_member(std::string_view line, const TakeValue& take) {
    std::vector<std::size_t> lengths;  // of `path` before each object
    std::string path;
    std::string name;
    for (std::size_t at = 0; at < line.size();) {
        const char c = line[at++];
        if (c == '}' && !lengths.empty()) {
            path.resize(lengths.back());
            lengths.pop_back();
        }
        if (c == '[') {
            at = behind_list(line, at);
        }
        if (c != '"') {
            continue;
        }
        const std::optional<std::string_view> key = string_at(line, at);
        at = std::min(line.find_first_not_of(' ', at), line.size());
        if (!key || at == line.size() || line[at] != ':') {
            continue;
        }
        at = std::min(line.find_first_not_of(' ', at + 1), line.size());
        if (at == line.size()) {
            return;
        }
        std::string_view full = *key;
        if (!path.empty()) {
            full = name.assign(path).append(*key);
        }
        if (line[at] == '{') {
            lengths.push_back(path.size());
            path.append(*key).append("/");
            ++at;
        } else if (line[at] == '"') {
            if (const std::optional<std::string_view> value = string_at(line, ++at)) {
                take(full, *value);
            }
        } else if (line[at] != '[') {
            const std::size_t end = value_end(line, at);
            if (end == line.size()) {
                return;
            }
            take(full, line.substr(at, end - at));
            at = end;
        }
    }
}

void for_each_object(std::string_view line, const std::function<void(std::string_view)>& take) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < line.size();) {
        const char c = line[at++];
        if (c == '"') {
            string_at(line, at);
        } else if (c == '{') {
            begin = depth++ == 0 ? at - 1 : begin;
        } else if (c == '}' && depth > 0 && --depth == 0) {
            take(line.substr(begin, at - begin));
        }
    }
}

namespace {

/// The text from `at` to the quote that closes it, a doubled quote for one in it; returns where it closes.
std::size_t take_quoted(std::string_view line, std::size_t at, std::string& text) {
    text.clear();
    for (; at < line.size(); ++at) {
        if (line[at] == '"') {
            if (at + 1 == line.size() || line[at + 1] != '"') {
                break;
            }
            ++at;
        }
        text += line[at];
    }
    return at;
}

/// What a field of a line for people may end at.
constexpr std::array<bool, 256> may_end_field = [] {
    std::array<bool, 256> ends{};
    for (const char c : {' ', ',', '|', '\t'}) {
        ends[static_cast<unsigned char>(c)] = true;
    }
    return ends;
}();

/// Whether the word at `at` is a name with its value: "loss=2.5", "loss:2.5".
bool is_named_word(std::string_view line, std::size_t at) {
    const std::size_t end = line.find_first_of("=:, ", at);
    if (end >= line.size() || end == at) {
        return false;
    }
    const bool name = (line[at] | 0x20) >= 'a' && (line[at] | 0x20) <= 'z';
    return line[end] == '=' || (line[end] == ':' && name && is_numeral(line.substr(end + 1)));
}

/// Whether many words of the line are names with their values.
bool has_named_words(std::string_view line) {
    constexpr int many = 3;
    int signs = 0;  // each such word has one, with its value right behind
    for (std::size_t at = line.find(':'); at != line.npos && at + 1 < line.size();
         at = line.find(':', at + 1)) {
        signs += line[at + 1] != ' ' ? 1 : 0;
    }
    if (signs + std::count(line.begin(), line.end(), '=') < many) {
        return false;
    }
    int count = is_named_word(line, 0) ? 1 : 0;
    for (std::size_t at = line.find_first_of(" ,"); at != line.npos && count < many;
         at = line.find_first_of(" ,", at + 1)) {
        count += is_named_word(line, at + 1) ? 1 : 0;
    }
    return count >= many;
}

/// Whether the field at `at` is a name with its value: "loss: 2.5".
bool names_value(std::string_view line, std::size_t at) {
    const std::size_t end = line.find_first_of(":=,|", at);
    return end < line.size() && (line[end] == ':' || line[end] == '=');
}

}  // namespace

void for_each_field(std::string_view line, const TakeValue& take) {
    constexpr std::ptrdiff_t many = 3;
    const bool bars = line.find('|') != line.npos;
    const bool named = std::count(line.begin(), line.end(), '=') >= many || has_named_words(line);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (!may_end_field[static_cast<unsigned char>(line[i])]) {
            continue;
        }
        const bool gap = line[i] == '\t' || (line[i] == ' ' && i + 1 < line.size() && line[i + 1] == ' ');
        const bool comma = line[i] == ',' && i + 1 < line.size() && line[i + 1] == ' ';
        const bool between = comma && (!bars || names_value(line, i + 2));
        const bool word = named && (line[i] == ' ' || line[i] == ',') && is_named_word(line, i + 1);
        const bool dash = !bars && line.substr(i).starts_with(" - ");
        if (dash) {
            take_field(line.substr(begin, i - begin), take);
            begin = i + 3;
            i += 2;
            continue;
        }
        if (line[i] == '|' || word || between || (!bars && gap)) {
            take_field(line.substr(begin, i - begin), take);
            begin = i + 1;
        }
    }
    take_field(line.substr(begin), take);
}

void for_each_cell(std::string_view line, char separator, const TakeCell& take) {
    std::string unquoted;
    std::size_t count = 0;
    for (std::size_t at = 0; at <= line.size() && count < most_columns; ++count) {
        const std::size_t begin = line.find_first_not_of(' ', at);
        const bool quoted = begin != line.npos && line[begin] == '"';
        std::string_view cell;
        if (quoted) {
            at = std::min(line.find('"', begin + 1), line.size());
            cell = line.substr(begin + 1, at - begin - 1);
            if (at + 1 < line.size() && line[at + 1] == '"') {
                at = take_quoted(line, begin + 1, unquoted);
                cell = unquoted;
            }
        }
        const std::size_t end = std::min(line.find(separator, at), line.size());
        take(quoted ? cell : trimmed(line.substr(at, end - at)),
             end == line.size() || count + 1 == most_columns);
        at = end + 1;
    }
}

std::vector<std::string> fields_of_row(std::string_view line, char separator) {
    std::vector<std::string> fields;
    for_each_cell(line, separator, [&](std::string_view cell, bool) { fields.emplace_back(cell); });
    return fields;
}

}  // namespace traincost
