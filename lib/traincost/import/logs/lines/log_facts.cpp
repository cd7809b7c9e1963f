#include "traincost/import/logs/lines/log_facts.hpp"

#include "traincost/base/scale.hpp"
#include "traincost/import/logs/lines/log_routes.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace traincost {

namespace {

constexpr double kibi = 1024.0;

/// `base` to the power that the first letter has among `prefixes`: of "K" 1, of "M" 2; 1 for another letter.
double power(double base, std::string_view letters, std::string_view prefixes) {
    double value = 1.0;
    for (const char prefix : prefixes) {
        value *= base;
        if (!letters.empty() && letters.front() == prefix) {
            return value;
        }
    }
    return 1.0;
}

double time_unit(std::string_view letters, double otherwise) {
    if (letters == "ms") {
        return 1e-3;
    }
    if (letters == "us") {
        return 1e-6;
    }
    if (letters == "s" || letters == "sec") {
        return 1.0;
    }
    if (letters == "min") {
        return 60.0;
    }
    return otherwise;
}

double factor(const LogRule& rule, std::string_view letters) {
    switch (rule.suffix) {
        case LogSuffix::none:
            return rule.scale;
        case LogSuffix::si:
            return rule.scale * (letters.starts_with('B') ? 1e9 : power(kilo, letters, "KMGTP"));
        case LogSuffix::time:
            return time_unit(letters, rule.scale);
        case LogSuffix::bytes: {
            const double unit = power(kibi, letters, "KMGT");
            return unit > 1.0 ? unit : rule.scale;
        }
        case LogSuffix::flops: {
            const double unit = power(kilo, letters, "KMGTP");
            return unit > 1.0 ? unit / tera : rule.scale;
        }
    }
    return rule.scale;
}

bool matches(std::string_view before, std::string_view key) {
    if (key.front() != '|') {
        return ends_in_key(before, key);
    }
    key.remove_prefix(1);
    if (!ends_in_key(before, key)) {
        return false;
    }
    const std::string_view rest = trimmed(before.substr(0, before.size() - key.size()));
    return rest.empty() || rest.back() == '|';
}

}  // namespace

void LogFacts::become(const LogFacts& other) {
    iteration = other.iteration;
    planned = other.planned;
    optimizer_step = other.optimizer_step;
    known = other.known;
    closed = other.closed;
    last = other.last;
    next = other.next;
    open = other.open;
    for (std::uint32_t left = known; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        values[i] = other.values[i];
        decimals[i] = other.decimals[i];
    }
}

void LogFacts::complete_with(const LogFacts& other) {
    for (int i = 0; i < log_fact_count; ++i) {
        const auto fact = static_cast<LogFact>(i);
        if (other.has(fact) && !has(fact)) {
            set(fact, other[fact]);
        }
    }
}

void read_fact(std::string_view text, const LogRule& rule, LogFacts& facts) {
    if (rule.fact == LogFact::elapsed) {
        if (const std::optional<double> seconds = clock_at(text); seconds && !facts.has(rule.fact)) {
            facts.set(rule.fact, *seconds);
        }
        return;
    }
    if (const std::optional<LogNumber> number = number_at(text)) {
        take_number(text, *number, rule, facts);
    }
}

void take_number(std::string_view text, const LogNumber& number, const LogRule& rule, LogFacts& facts) {
    const double scale =
        number.suffix.empty() && rule.suffix != LogSuffix::none ? rule.scale : factor(rule, number.suffix);
    const double value = number.value * scale;
    if (is_memory(rule.fact) && facts.has(rule.fact)) {
        facts.set(rule.fact, std::max(value, facts[rule.fact]));
    } else if (!facts.has(rule.fact)) {
        facts.set(rule.fact, value);
        facts.decimals[static_cast<std::size_t>(rule.fact)] =
            static_cast<std::int8_t>(std::min(number.decimals, 100));
    }
    if (!number.suffix.empty() || number.exponent) {
        facts.closed |= 1U << static_cast<int>(rule.fact);
    }
    if (number.end == text.size() || text.substr(number.end) == ",") {
        facts.open = true;
        facts.last = rule.fact;
    }
}

void read_facts(std::string_view line, const LogRules& rules, LogFacts& facts) {
    if (facts.trace != nullptr && facts.trace->read(line, facts)) {
        return;
    }
    for_each_value(line, [&](std::string_view before, std::string_view after) {
        const unsigned char last = before.empty() ? 0 : static_cast<unsigned char>(before.back());
        for (std::uint64_t left = last < rules.by_last.size() ? rules.by_last[last] : 0; left != 0;
             left &= left - 1) {
            const LogRule& rule = rules.rules[std::countr_zero(left)];
            if (matches(before, rule.key)) {
                read_fact(after, rule, facts);
                if (facts.trace != nullptr) {
                    facts.trace->note(after.data(), rule);
                }
                return;
            }
        }
    });
    if (facts.trace != nullptr) {
        facts.trace->close();
    }
}

}  // namespace traincost
