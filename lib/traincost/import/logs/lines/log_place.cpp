#include "traincost/import/logs/lines/log_place.hpp"

#include <algorithm>

#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

constexpr std::string_view figures = "0123456789";

/// The number of the epoch behind "Epoch" or "Train" in the text before a bracket; nothing where the text
/// does not end in it: "Epoch: [1]", "Train: 1/3 ( 33%)", "Train Epoch: 0".
std::optional<std::int64_t> epoch_before(std::string_view before) {
    before = trimmed(before);
    if (before.ends_with(':')) {
        before = trimmed(before.substr(0, before.size() - 1));
    }
    const bool ends = !before.empty() && (before.back() == ']' || before.back() == ')' ||
                                          figures.find(before.back()) != figures.npos);
    if (!ends) {
        return std::nullopt;
    }
    for (const std::string_view name : {"poch", "Train", "train"}) {
        const std::size_t at = before.rfind(name);
        const std::size_t number = at == before.npos ? at : before.find_first_of(figures, at);
        if (number == before.npos) {
            continue;
        }
        std::size_t end = number;
        const std::optional<std::int64_t> epoch = whole_number_at(before, end);
        // Between the name and its number stand signs, between the number and the end its total at most.
        const bool named =
            before.substr(at + name.size(), number - at - name.size()).find_first_not_of(" :=[(#ing") ==
            before.npos;
        const bool closed = before.substr(end).find_first_not_of("0123456789 /%.()]") == before.npos;
        if (epoch && named && closed) {
            return epoch;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<EpochPlace> place_in_epoch(std::string_view line) {
    constexpr std::int64_t most_epochs = 1 << 20;
    constexpr std::int64_t longest_epoch = std::int64_t{1} << 31;
    for (std::size_t open = 0; open < line.size(); ++open) {
        if (line[open] != '[' && line[open] != '(') {
            continue;
        }
        std::size_t at = open + 1;
        const std::optional<std::int64_t> n = whole_number_at(line, at);
        if (!n || at >= line.size() || line[at] != '/') {
            continue;
        }
        const std::optional<std::int64_t> length = whole_number_at(line, ++at);
        const std::size_t close = line.find(line[open] == '[' ? ']' : ')', at);
        const std::size_t end = close == line.npos ? line.size() : close + 1;
        const bool of_epochs = end < line.size() && (line[end] == '[' || line[end] == '(');
        if (!length || of_epochs) {
            continue;
        }
        if (const std::optional<std::int64_t> epoch = epoch_before(line.substr(0, open))) {
            const bool numbered = *epoch < most_epochs && *length < longest_epoch;
            return EpochPlace{*n + (numbered ? *epoch * *length : 0), end};
        }
    }
    return std::nullopt;
}

std::string_view without_stamp(std::string_view line) {
    constexpr std::string_view of_clock = "0123456789-/:.,TZ+[] ";
    const std::size_t last =
        line.substr(0, line.find_first_not_of(of_clock)).rfind(':');  // "2026-01-01 02:40:52"
    const bool is_clock = last != line.npos && last > 1 && last + 1 < line.size() &&
                          figures.find(line[last - 1]) != figures.npos &&
                          figures.find(line[last + 1]) != figures.npos;
    const std::size_t blank = is_clock ? line.find(' ', last) : line.npos;
    const std::size_t end = blank == line.npos ? blank : line.find_first_not_of(' ', blank);
    if (end == line.npos) {
        return line;
    }
    const std::string_view rest = line.substr(end);
    for (const std::string_view level : {"SUCCESS", "INFO", "DEBUG", "WARNING", "TRAIN"}) {
        if (rest.starts_with(level) && rest.substr(level.size()).starts_with(' ')) {
            return trimmed(rest.substr(level.size()));
        }
    }
    return rest;
}

}  // namespace traincost
