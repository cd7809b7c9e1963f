#include "traincost/import/logs/lines/log_members.hpp"

#include <algorithm>
#include <optional>

#include "traincost/import/logs/lines/log_scan.hpp"

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
        const auto full = [&] {
            return path.empty() ? *key : std::string_view(name.assign(path).append(*key));
        };
        if (line[at] == '{') {
            lengths.push_back(path.size());
            path.append(*key).append("/");
            ++at;
        } else if (line[at] == '"') {
            if (const std::optional<std::string_view> value = string_at(line, ++at)) {
                take(full(), *value);
            }
        } else if (line[at] != '[') {
            const std::size_t end = value_end(line, at);
            if (end == line.size()) {
                return;
            }
            take(full(), line.substr(at, end - at));
            at = end;
        }
    }
}

void for_each_object(std::string_view line, const LogTaker<std::string_view>& take) {
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

}  // namespace

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
