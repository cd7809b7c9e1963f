#include "traincost/import/logs/lines/log_rows.hpp"

#include <algorithm>

#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

/// Whether `text` begins with `prefix`, whatever its digits.
bool begins_like(std::string_view text, std::string_view prefix) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return text.size() >= prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), text.begin(),
                      [&](char a, char b) { return a == b || (digit(a) && digit(b)); });
}

}  // namespace

std::string row_prefix(std::string_view line) {
    line = line.substr(0, std::min(find_in(line, "samples/sec"), find_in(line, "iteration")));
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    return std::string(line);
}

std::optional<std::string_view> without_prefix(std::string_view row, std::string_view prefix) {
    row = trimmed(row);
    prefix = trimmed(prefix);
    if (!begins_like(row, prefix) && prefix.ends_with(']')) {
        // Megatron's date stands in the first row only
        prefix = trimmed(prefix.substr(0, prefix.rfind('[')));
    }
    return begins_like(row, prefix) ? std::optional(row.substr(prefix.size())) : std::nullopt;
}

std::string open_field(std::string_view line) {
    constexpr std::size_t longest = 80;
    const std::string_view field = trimmed(line.substr(line.rfind('|') + 1));
    return field.size() <= longest ? std::string(field) : std::string();
}

bool is_head_of_bar(std::string_view line) {
    constexpr std::string_view name = "Epoch ";
    constexpr std::size_t longest = 200;
    if (line.size() > longest || !trimmed(line).starts_with(name)) {
        return false;
    }
    std::size_t at = find_in(line, name) + name.size();
    return whole_number_at(line, at) && at < line.size() && line[at] == ':' &&
           line.find('%', at) != line.npos && line.find('[', at) == line.npos;
}

bool is_rest_of_bar(std::string_view line) {
    std::size_t at = 0;
    return whole_number_at(line, at) && at < line.size() && line[at] == '/' && whole_number_at(line, ++at) &&
           line.substr(at).starts_with(" [");
}

}  // namespace traincost
