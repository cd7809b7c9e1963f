#include "traincost/import/logs/lines/log_fields.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "traincost/base/name_words.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

/// The text behind the last character that `is` one; all of it where none is.
template <class Is>
std::string_view behind_last(std::string_view text, Is&& is) {
    std::size_t at = text.size();
    while (at > 0 && !is(text[at - 1])) {
        --at;
    }
    return text.substr(at);
}

/// Whether " - " stands at `at`.
bool is_dash(std::string_view text, std::size_t at) {
    return text[at] == ' ' && at + 2 < text.size() && text[at + 1] == '-' && text[at + 2] == ' ';
}

/// The text behind the last " - "; all of it where there is none. Fields are short: a loop is faster than a
/// search.
std::string_view behind_dash(std::string_view text) {
    for (std::size_t at = text.size(); at > 0; --at) {
        if (is_dash(text, at - 1)) {
            return text.substr(at + 2);
        }
    }
    return text;
}

bool is_numeral(std::string_view word) {
    if (word.empty()) {
        return false;
    }
    const char c = word[0];
    return (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           ((c == 'n' || c == 'i') && (word.starts_with("nan") || word.starts_with("inf")));
}

/// A set of characters, looked up.
struct CharacterSet {
    std::array<bool, 256> has{};

    constexpr explicit CharacterSet(std::string_view characters) {
        for (const char c : characters) {
            has[static_cast<unsigned char>(c)] = true;
        }
    }
    /// Where one of them stands in `text` from `at` on, or its end.
    std::size_t find_in(std::string_view text, std::size_t at) const {
        while (at < text.size() && !has[static_cast<unsigned char>(text[at])]) {
            ++at;
        }
        return at;
    }
};

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
            const std::string_view called = bare_name(text.substr(name, at - name));
            name = std::min(text.find(' ', at + 1), text.size());
            const auto begin = static_cast<std::size_t>(value->data() - text.data());
            const std::size_t unit = std::min(text.find(' ', name + 1), text.size());
            take(called, text.substr(begin, unit - begin));
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

/// Where a value ends that begins at `at`: behind its word, the unit behind a blank and a mean in brackets,
/// "0.52 s (0.46)".
std::size_t end_of_value(std::string_view field, std::size_t at) {
    std::size_t end = std::min(field.find(' ', at), field.size());
    const std::size_t word = std::min(field.find_first_not_of(' ', end), field.size());
    const std::size_t behind = std::min(field.find(' ', word), field.size());
    if (is_word_of({"ms", "us", "s", "sec", "secs", "seconds", "min", "GB", "GiB", "MB", "MiB", "it/s",
                    "s/it", "tok/s", "tokens/s", "samples/s"},
                   field.substr(word, behind - word))) {
        end = behind;
    }
    const std::size_t bracket = std::min(field.find_first_not_of(' ', end), field.size());
    if (bracket < field.size() && field[bracket] == '(') {
        const std::size_t close = field.find(')', bracket);
        end = close == field.npos ? end : close + 1;
    }
    return end;
}

/// Where the value behind the next "name: " begins, from `at` on; npos where none does.
std::size_t next_spoken_value(std::string_view field, std::size_t at) {
    for (; at + 1 < field.size(); ++at) {
        if (field[at] != ':' || field[at + 1] != ' ') {
            continue;
        }
        const std::size_t value = field.find_first_not_of(' ', at + 1);
        if (value == field.npos || is_numeral(field.substr(value))) {
            return value;
        }
    }
    return field.npos;
}

/// Names and values with nothing between them but blanks: "Loss: 1.07 (1.06) Batch (t): 18.24 LR: 0.1".
void take_spoken_pairs(std::string_view field, const TakeValue& take) {
    std::size_t name = 0;
    for (std::size_t value = next_spoken_value(field, 0); value != field.npos;) {
        const std::size_t colon = field.rfind(':', value);
        const std::size_t end = end_of_value(field, value);
        take(bare_name(field.substr(name, colon - name)), field.substr(value, end - value));
        name = end;
        value = next_spoken_value(field, end);
    }
}

/// A rate or time whose name says less than its unit: "throughput=109226 tok/s", "speed: 0.071s/iter".
bool take_by_unit(std::string_view name, std::string_view value, const TakeValue& take) {
    const char first = name.empty() ? ' ' : static_cast<char>(name[0] | 0x20);
    if ((first != 't' && first != 's' && first != 'i') || name.size() > 10 ||
        !is_word_of({"throughput", "speed", "ips", "ips_total"}, lower(name))) {
        return false;
    }
    const std::optional<LogNumber> number = number_at(value);
    const std::string_view unit = number ? trimmed(value.substr(number->end)) : std::string_view{};
    if (unit.empty()) {
        return false;
    }
    take(unit, value.substr(0, number->end));
    return true;
}

/// The field behind "36.25/s" at its beginning, a rate of what nothing says.
std::string_view behind_bare_rate(std::string_view field, const TakeValue& take) {
    constexpr std::string_view unit = "/s";
    const std::size_t end = std::min(field.find(' '), field.size());
    if (is_numeral(field) && field.substr(0, end).ends_with(unit)) {
        take(unit, field.substr(0, end - unit.size()));
        return trimmed(field.substr(end));
    }
    return field;
}

/// "loss: 2.5", "loss=2.5", "loss 2.5", "2734.7 ms".
void take_field(std::string_view field, const TakeValue& take) {
    field = trimmed(behind_dash(field));  // of a logger's "train:142 - Step 100"
    if (field.ends_with(':')) {
        field.remove_suffix(1);
    }
    field = behind_bare_rate(field, take);
    const std::string_view last = behind_last(field, [](char c) { return c == ':' || c == '='; });
    if (last.size() < field.size()) {
        const std::string_view front = field.substr(0, field.size() - last.size() - 1);
        if (next_spoken_value(front, 0) < front.size()) {
            take_spoken_pairs(field, take);
            return;
        }
        const std::string_view name = bare_name(front);
        const std::string_view value = trimmed(last);
        if (take_by_unit(name, value, take)) {
            return;
        }
        if (const std::string_view title = numbered_title(field); !title.empty()) {
            take_pairs(title, take);  // "Step 100: loss=2.5", "step 100: train loss 2.5"
            take_field(field.substr(title.size() + 1), take);
        } else {
            take(name, value);
        }
        return;
    }
    if (is_numeral(field)) {
        const std::size_t end = std::min(field.find(' '), field.size());
        const std::optional<LogNumber> number = end == field.size() ? number_at(field) : std::nullopt;
        take(number ? field.substr(number->end) : trimmed(field.substr(end)),
             field.substr(0, end));  // "8060.5ms"
        return;
    }
    take_pairs(field, take);
}

constexpr CharacterSet ends_of_field(" ,;|\t");
constexpr CharacterSet ends_of_word(" ,");
constexpr CharacterSet ends_of_named_word("=:, ");
constexpr CharacterSet ends_of_field_name(":=,|");

/// Whether the word at `at` is a name with its value: "loss=2.5", "loss:2.5".
bool is_named_word(std::string_view line, std::size_t at) {
    const std::size_t end = ends_of_named_word.find_in(line, at);
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
    for (std::size_t at = ends_of_word.find_in(line, 0); at < line.size() && count < many;
         at = ends_of_word.find_in(line, at + 1)) {
        count += is_named_word(line, at + 1) ? 1 : 0;
    }
    return count >= many;
}

/// Whether the blanks at `at` align a number behind its name: "step:   8".
bool is_aligned(std::string_view line, std::size_t at) {
    if (line[at] != ' ' || at == 0 || (line[at - 1] != ':' && line[at - 1] != '=')) {
        return false;
    }
    const std::size_t value = std::min(line.find_first_not_of(' ', at), line.size());
    return value > at + 1 && is_numeral(line.substr(value));
}

/// Whether the field at `at` is a name with its value: "loss: 2.5".
bool names_value(std::string_view line, std::size_t at) {
    const std::size_t end = ends_of_field_name.find_in(line, at);
    return end < line.size() && (line[end] == ':' || line[end] == '=');
}

}  // namespace

void for_each_field(std::string_view line, const TakeValue& take) {
    constexpr std::ptrdiff_t many = 3;
    const bool bars = line.find('|') != line.npos;
    const bool named = std::count(line.begin(), line.end(), '=') >= many || has_named_words(line);
    std::size_t begin = 0;
    for (std::size_t i = ends_of_field.find_in(line, 0); i < line.size();
         i = ends_of_field.find_in(line, i + 1)) {
        if (is_aligned(line, i)) {
            i = line.find_first_not_of(' ', i) - 1;
            continue;
        }
        const bool gap = line[i] == '\t' || (line[i] == ' ' && i + 1 < line.size() && line[i + 1] == ' ');
        const bool comma = (line[i] == ',' || line[i] == ';') && i + 1 < line.size() && line[i + 1] == ' ';
        const bool between = comma && (!bars || names_value(line, i + 2));
        const bool word = named && (line[i] == ' ' || line[i] == ',') && is_named_word(line, i + 1);
        if (!bars && is_dash(line, i)) {
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

}  // namespace traincost
