#include "traincost/import/logs/log_members.hpp"

#include <algorithm>
#include <optional>

#include "traincost/import/logs/log_scan.hpp"

namespace traincost {

namespace {

constexpr std::size_t most_columns = 1024;

/// The text before the '"' that closes the string begun before `at`; `at` moves behind it.
std::optional<std::string_view> string_at(std::string_view line, std::size_t& at) {
    const std::size_t begin = at;
    for (; at < line.size() && line[at] != '"'; ++at) {
        at += line[at] == '\\' ? 1 : 0;
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

bool is_numeral(std::string_view word) {
    return !word.empty() && ((word[0] >= '0' && word[0] <= '9') || word[0] == '-' || word[0] == '.' ||
                             word.starts_with("nan") || word.starts_with("inf"));
}

/// The end of a name, behind what a launcher or a logger put before it, with the unit in brackets behind it.
std::string_view bare_name(std::string_view name) {
    name = trimmed(name);
    if (const std::size_t unit = name.rfind('('); name.ends_with(')') && unit != name.npos) {
        const std::string_view front = bare_name(name.substr(0, unit));
        return front.empty() ? name.substr(unit)
                             : name.substr(static_cast<std::size_t>(front.data() - name.data()));
    }
    constexpr std::string_view dash = " - ";
    if (const std::size_t at = name.rfind(dash); at != name.npos) {
        name = name.substr(at + dash.size());
    }
    return trimmed(name.substr(name.find_last_of("])0123456789:") + 1));
}

/// "loss: 2.5", "loss=2.5", "loss 2.5", "2734.7 ms".
void take_field(std::string_view field, const TakeValue& take) {
    field = trimmed(field);
    constexpr std::string_view behind = " - ";  // a logger's "train:142 - Step 100"
    if (const std::size_t at = field.rfind(behind); at != field.npos) {
        field = trimmed(field.substr(at + behind.size()));
    }
    if (const std::size_t at = field.find_last_of(":="); at != field.npos) {
        const std::string_view name = bare_name(field.substr(0, at));
        const std::string_view value = trimmed(field.substr(at + 1));
        const std::size_t unit = std::min(value.find(' '), value.size());
        if ((name == "throughput" || name == "speed") && unit < value.size() && is_numeral(value)) {
            take(trimmed(value.substr(unit)), value.substr(0, unit));  // "throughput=109226 tok/s"
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
    for (std::size_t at = field.find(' '); at != field.npos; at = field.find(' ', at + 1)) {
        if (is_numeral(field.substr(at + 1))) {
            take(bare_name(field.substr(0, at)), field.substr(at + 1));
            return;
        }
    }
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
        name.assign(path).append(*key);
        if (line[at] == '{') {
            lengths.push_back(path.size());
            path = name + "/";
            ++at;
        } else if (line[at] == '"') {
            if (const std::optional<std::string_view> value = string_at(line, ++at)) {
                take(std::string_view(name), *value);
            }
        } else if (line[at] != '[') {
            const std::size_t end = line.find_first_of(",}]", at);
            if (end == line.npos) {
                return;
            }
            take(std::string_view(name), line.substr(at, end - at));
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

/// Whether the word at `at` is a name with its value: "loss=2.5".
bool is_named_word(std::string_view line, std::size_t at) {
    const std::size_t end = line.find_first_of("= ,", at);
    return end != line.npos && end > at && line[end] == '=';
}

}  // namespace

void for_each_field(std::string_view line, const TakeValue& take) {
    constexpr std::ptrdiff_t many = 3;
    const bool bars = line.find('|') != line.npos;
    const bool named = std::count(line.begin(), line.end(), '=') >= many;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool gap = line[i] == '\t' || (line[i] == ' ' && i + 1 < line.size() && line[i + 1] == ' ');
        const bool comma = line[i] == ',' && i + 1 < line.size() && line[i + 1] == ' ';
        const bool word = named && (line[i] == ' ' || line[i] == ',') && is_named_word(line, i + 1);
        const bool dash = !bars && line.substr(i).starts_with(" - ");
        if (dash) {
            take_field(line.substr(begin, i - begin), take);
            begin = i + 3;
            i += 2;
            continue;
        }
        if (line[i] == '|' || word || (!bars && (gap || comma))) {
            take_field(line.substr(begin, i - begin), take);
            begin = i + 1;
        }
    }
    take_field(line.substr(begin), take);
}

std::vector<std::string> fields_of_row(std::string_view line, char separator) {
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size() && fields.size() < most_columns;) {
        std::string field;
        const std::size_t begin = line.find_first_not_of(' ', at);
        if (begin != line.npos && line[begin] == '"') {
            for (at = begin + 1; at < line.size(); ++at) {
                if (line[at] != '"') {
                    field += line[at];
                } else if (at + 1 < line.size() && line[at + 1] == '"') {
                    field += line[at++];
                } else {
                    break;
                }
            }
        }
        const std::size_t end = std::min(line.find(separator, at), line.size());
        if (begin == line.npos || line[begin] != '"') {
            field = trimmed(line.substr(at, end - at));
        }
        fields.push_back(std::move(field));
        at = end + 1;
    }
    return fields;
}

}  // namespace traincost
