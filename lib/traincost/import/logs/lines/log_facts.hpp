// What one line of a log says, and the rules by which named values become facts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

/// What a value in a log means. Base units: seconds, bytes, tokens a second.
enum class LogFact : std::uint8_t {
    step_time,
    tokens_per_s,
    tokens_per_s_per_gpu,
    samples_per_s,
    running_samples_per_s,  ///< a mean since the start: used where no current one is printed
    steps_per_s,
    clocked_step_time,  ///< by a clock that each line prints: used where no time of a step is printed
    bare_time,          ///< of a step or since a start, which its course tells: used where it is a step's
    tflops_per_gpu,
    loss,
    elapsed,  ///< seconds since the start
    allocated,
    reserved,
    device,
    global_batch,
    sequence,
    skipped,        ///< steps skipped since the last line
    skipped_total,  ///< since the start
    nan_steps,
    whole_run_samples_per_s,  ///< of a summary: the last counts
    whole_run_tokens_per_s,
    whole_run_steps_per_s,
    whole_run_tokens_per_s_per_gpu,
};
inline constexpr int log_fact_count = 23;

/// How the letters behind a number change it.
enum class LogSuffix : std::uint8_t {
    none,   ///< not at all
    si,     ///< K, M, B or G, T: powers of 1000
    time,   ///< ms, us, s, min; seconds where there are none
    bytes,  ///< K, M, G, T with or without i: powers of 1024; without letters the rule's scale
    flops,  ///< G, T, P: into 10^12
};

/// A name, and what stands behind it. A name that begins with '|' must begin its field.
struct LogRule {
    std::string_view key;
    LogFact fact;
    double scale = 1.0;
    LogSuffix suffix = LogSuffix::none;
};

constexpr std::uint32_t bit_of(LogFact fact) {
    return 1U << static_cast<int>(fact);
}

class LogTrace;

/// The facts of a line.
struct LogFacts {
    std::optional<std::int64_t> iteration{};
    std::optional<std::int64_t> planned{};         ///< the last iteration there will be
    std::optional<std::int64_t> optimizer_step{};  ///< where an iteration is a micro-step
    std::uint32_t known = 0;                       ///< one bit a fact
    std::uint32_t closed = 0;                      ///< those whose number has a unit or an exponent
    std::array<double, log_fact_count> values{};
    std::array<std::int8_t, log_fact_count> decimals{};
    LogFact last = LogFact::step_time;  ///< the fact whose number ends the line, where `open`
    std::size_t next = 0;               ///< where in the line the next step begins; 0: nowhere
    bool open = false;                  ///< a number ends the line: it may be cut off
    LogTrace* trace = nullptr;          ///< takes down where values stand, or knows it; while a line is read

    bool has(LogFact fact) const {
        return (known & bit_of(fact)) != 0;
    }
    double operator[](LogFact fact) const {
        return values[static_cast<std::size_t>(fact)];
    }
    void set(LogFact fact, double value) {
        known |= bit_of(fact);
        values[static_cast<std::size_t>(fact)] = value;
    }
    /// Whether the line says how fast a step was.
    bool is_timed() const {
        constexpr std::uint32_t speeds = bit_of(LogFact::step_time) | bit_of(LogFact::tokens_per_s) |
                                         bit_of(LogFact::tokens_per_s_per_gpu) |
                                         bit_of(LogFact::samples_per_s) | bit_of(LogFact::steps_per_s) |
                                         bit_of(LogFact::tflops_per_gpu);
        return (known & speeds) != 0;
    }
    /// Takes the facts of `other` that are not known here.
    void complete_with(const LogFacts& other);
    void forget(LogFact fact) {
        known &= ~bit_of(fact);
    }
    /// The same as `other`, whose values that are not known stay behind: most lines say few.
    void become(const LogFacts& other);
    /// Knows nothing any more.
    void clear() {
        iteration.reset();
        planned.reset();
        optimizer_step.reset();
        known = 0;
        closed = 0;
        last = LogFact::step_time;
        next = 0;
        open = false;
    }
};

/// Whether of several values of one line the largest counts instead of the first.
constexpr bool is_memory(LogFact fact) {
    return fact == LogFact::allocated || fact == LogFact::reserved || fact == LogFact::device;
}

/// Rules, and for each character those whose key ends in it: so that most values cost one look.
struct LogRules {
    const LogRule* rules;
    std::array<std::uint64_t, 128> by_last{};  ///< one bit a rule
};

/// At most 64 rules, whose keys are ASCII; `list` must outlive what is made of it.
template <std::size_t n>
constexpr LogRules rules_of(const std::array<LogRule, n>& list) {
    static_assert(n <= 64);
    LogRules made{.rules = list.data()};
    for (std::size_t i = 0; i < n; ++i) {
        made.by_last[static_cast<unsigned char>(list[i].key.back())] |= std::uint64_t{1} << i;
    }
    return made;
}

/// The rules of a list of static lifetime, indexed once.
template <const auto& list>
inline constexpr LogRules indexed_rules = rules_of(list);

/// Reads every value of `line` that a rule names. The first value of a fact counts, of memory the largest.
void read_facts(std::string_view line, const LogRules& rules, LogFacts& facts);

/// Reads the number at the beginning of `text` as `rule` says.
void read_fact(std::string_view text, const LogRule& rule, LogFacts& facts);

/// The same where the number was read already; the rule is of no time since a start.
void take_number(std::string_view text, const LogNumber& number, const LogRule& rule, LogFacts& facts);

}  // namespace traincost
