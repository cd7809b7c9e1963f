#include "traincost/import/logs/lines/log_unnamed.hpp"

#include "traincost/base/scale.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

struct Unit {
    std::string_view name;
    double scale;
};

bool is_lower_letter(char c) {
    return c >= 'a' && c <= 'z';
}

/// Where the number begins that ends before `end`, blanks between; npos where none does.
std::size_t number_begin(std::string_view line, std::size_t end) {
    while (end > 0 && line[end - 1] == ' ') {
        --end;
    }
    std::size_t begin = end;
    while (begin > 0 && (is_decimal_digit(line[begin - 1]) || line[begin - 1] == '.')) {
        --begin;
    }
    return begin < end && is_decimal_digit(line[begin]) ? begin : std::string_view::npos;
}

/// The time before "/step" and its like.
std::optional<TimeOfStep> before_divisor(std::string_view line, std::string_view divisor) {
    for (std::size_t at = find_in(line, divisor); at != line.npos; at = find_in(line, divisor, at + 1)) {
        const std::size_t behind = at + divisor.size();
        if (behind < line.size() && is_lower_letter(line[behind])) {
            continue;  // "s/steps" is none
        }
        std::size_t unit = at;
        while (unit > 0 && is_lower_letter(line[unit - 1])) {
            --unit;
        }
        for (const Unit& known :
             {Unit{"s", 1.0}, Unit{"sec", 1.0}, Unit{"secs", 1.0}, Unit{"seconds", 1.0}, Unit{"ms", milli}}) {
            const std::size_t begin =
                line.substr(unit, at - unit) == known.name ? number_begin(line, unit) : line.npos;
            if (begin != line.npos) {
                return TimeOfStep{line.substr(begin, unit - begin), known.scale};
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<TimeOfStep> time_of_step(std::string_view line) {
    if (line.find('<') != line.npos) {  // "[01:10<04:12, 13.0s/it]"
        return std::nullopt;
    }
    for (const std::string_view divisor : {"/step", "/iter", "/iteration", "/batch", "/it"}) {
        if (const std::optional<TimeOfStep> found = before_divisor(line, divisor)) {
            return found;
        }
    }
    for (const std::string_view name : {"step time ", "iter time ", "batch time "}) {
        const std::size_t at = find_in(line, name);
        const std::string_view value = at == line.npos ? std::string_view{} : line.substr(at + name.size());
        const std::optional<LogNumber> number = number_at(value);
        if (number && (number->suffix == "s" || number->suffix == "ms" || number->suffix == "sec")) {
            return TimeOfStep{value.substr(0, number->end), number->suffix == "ms" ? milli : 1.0};
        }
    }
    return std::nullopt;
}

std::optional<std::string_view> bare_step_of(std::string_view line) {
    std::size_t at = 0;
    const bool bracketed = line.starts_with('[');
    at = line.find_first_not_of("[| ");
    const std::size_t begin = at;
    if (begin == line.npos || !is_decimal_digit(line[begin]) || !whole_number_at(line, at) ||
        at >= line.size() || line[at] != '/') {
        return std::nullopt;
    }
    const std::string_view value = line.substr(begin, at - begin);
    if (!whole_number_at(line, ++at)) {
        return std::nullopt;
    }
    const std::string_view behind = trimmed(line.substr(at));
    const bool counts =
        behind.starts_with("step") || behind.starts_with("iter") || behind.starts_with("batch");
    return (bracketed && behind.starts_with(']')) || (!bracketed && counts) ? std::optional(value)
                                                                            : std::nullopt;
}

}  // namespace traincost
