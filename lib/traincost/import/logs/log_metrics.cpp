#include "traincost/import/logs/log_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "traincost/base/scale.hpp"
#include "traincost/import/logs/lines/log_members.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

using enum LogFact;

constexpr std::size_t most_names = 4096;  // of one log
constexpr double surely_bytes = 1e8;      // no accelerator has so many megabytes
constexpr double surely_giga = 200.0;     // with all digits of a quotient: no run needs so few megabytes
constexpr int digits_of_quotient = 6;

bool is_training(std::string_view part) {
    for (const std::string_view other :
         {"val", "eval", "test", "dev", "VAL", "EVAL", "Val", "Eval", "Test"}) {
        if (part.starts_with(other)) {
            return false;
        }
    }
    return true;
}

/// "5.1/23.7 GiB": a part has the unit of the whole.
void take_unit_of_whole(std::string_view value, LogNumber& number) {
    if (number.suffix.empty() && number.end < value.size() && value[number.end] == '/') {
        if (const std::optional<LogNumber> whole = number_at(value.substr(number.end + 1))) {
            number.suffix = whole->suffix;
        }
    }
}

/// "12.4834623336792": bytes divided by 2^30, without a unit.
bool is_bare_quotient(const LogNumber& number) {
    return number.suffix.empty() && number.decimals >= digits_of_quotient && number.value < surely_giga;
}

/// What the last of so many decimals is.
double last_digit(int decimals) {
    static const std::array<double, 10> digits = [] {
        std::array<double, 10> powers{};
        for (std::size_t i = 0; i < powers.size(); ++i) {
            powers[i] = std::pow(10.0, -static_cast<double>(i));
        }
        return powers;
    }();
    return digits[static_cast<std::size_t>(std::clamp(decimals, 0, 9))];
}

}  // namespace

bool LogMetrics::is_of_training(const LogFacts& facts) {
    return facts.is_timed() || facts.has(clocked_step_time) || facts.has(loss);
}

const LogColumn& LogMetrics::column(std::string_view name, Columns& known) {
    const auto found = known.find(name);
    if (found != known.end()) {
        return found->second;
    }
    if (known.size() >= most_names) {
        unknown_ = column_of(name);
        return unknown_;
    }
    return known.emplace(std::string(name), column_of(name)).first->second;
}

/// The same, sooner where names come in the order in which they came before: lines of one program do.
const LogColumn& LogMetrics::column_in_turn(std::string_view name, std::size_t place, Columns& known,
                                            std::vector<Named>& turn) {
    if (place < turn.size() && turn[place]->first == name) {
        return turn[place]->second;
    }
    const LogColumn& what = column(name, known);
    const auto found = known.find(name);
    if (found != known.end() && place <= turn.size()) {
        turn.resize(std::max(turn.size(), place + 1));
        turn[place] = &*found;
    }
    return what;
}

void LogMetrics::Gathered::clear() {
    facts.clear();
    iteration_rank = 100;
    clock_rank = 100;
    epoch.reset();
    clock.reset();
    clock_digit = 0;
    bare_time.reset();
    bare_memory.reset();
    data_time = false;
    data_beside = false;
    placed = false;
    other_part = false;
    ranks = {};
}

/// A number of a step or an epoch.
void LogMetrics::gather_count(Gathered& values, const LogColumn& what, std::string_view value,
                              const LogNumber* number) {
    const bool whole = number != nullptr && number->value >= 0 && number->value < 0x1p53;
    if (!whole) {
        return;
    }
    if (what.role == ColumnRole::iteration && (number->suffix == "s" || number->suffix == "ms")) {
        read_fact(value, {"", LogFact::step_time, 1.0, LogSuffix::time}, values.facts);  // "iter: 14.72s"
        return;
    }
    const auto n = static_cast<std::int64_t>(number->value);
    if (what.role == ColumnRole::epoch) {
        values.epoch = n;
    } else if (what.role == ColumnRole::optimizer_step) {
        values.facts.optimizer_step = n;
    } else if (std::floor(number->value) == number->value && what.rank < values.iteration_rank) {
        values.facts.iteration = number->suffix == "K" ? n * 1000 : n;  // "step:18K"
        values.iteration_rank = what.rank;
    }
}

void LogMetrics::gather(Gathered& values, std::string_view name, const LogColumn& what,
                        std::string_view value) {
    if (what.role == ColumnRole::none) {
        values.data_time |= name == "data_time";
        values.data_beside |= name == "data" || name == "Data";
        return;
    }
    if (value.empty() || value == "null") {
        return;
    }
    switch (what.role) {
        case ColumnRole::none:
            return;
        case ColumnRole::part:
            values.other_part |= !is_training(value);
            return;
        case ColumnRole::bare_time:
            values.bare_time.emplace(value);
            return;
        case ColumnRole::iteration:
        case ColumnRole::optimizer_step:
        case ColumnRole::epoch:
        case ColumnRole::fact: {
            std::optional<LogNumber> number = number_at(value);
            gather_number(values, what, value, number ? &*number : nullptr);
            return;
        }
        case ColumnRole::clock: {
            const std::optional<double> clock = clock_at(value);
            const std::optional<LogNumber> number = number_at(value);
            if (what.rank < values.clock_rank && (clock || number)) {
                values.clock = clock ? *clock : number->value * what.scale;
                values.clock_digit = clock ? 1.0 : what.scale * last_digit(number->decimals);
                values.clock_rank = what.rank;
            }
            return;
        }
    }
}

/// A count or a fact, whose number was read; null where the value is none.
void LogMetrics::gather_number(Gathered& values, const LogColumn& what, std::string_view value,
                               LogNumber* number) {
    if (what.role != ColumnRole::fact) {
        gather_count(values, what, value, number);
        return;
    }
    if (number != nullptr && is_memory(what.fact)) {
        take_unit_of_whole(value, *number);
    }
    if (what.scale == 0) {
        values.bare_memory.emplace(value);
        if (number == nullptr ||
            (number->suffix.empty() && number->value < surely_bytes && !is_bare_quotient(*number))) {
            return;
        }
    }
    if (number != nullptr && what.fact == tokens_per_s && number->end < value.size() &&
        value[number->end] == '/') {
        return;  // "5092/261 tok/s", of two texts
    }
    const auto fact = static_cast<std::size_t>(what.fact);
    std::int8_t& rank = values.ranks[fact];
    if (values.facts.has(what.fact)) {
        if (what.rank + 1 > rank || (what.rank + 1 == rank && !is_memory(what.fact))) {
            return;
        }
        if (what.rank + 1 < rank) {
            values.facts.forget(what.fact);
        }
    }
    rank = static_cast<std::int8_t>(what.rank + 1);
    if (number != nullptr) {
        const double scale = what.scale != 0 ? what.scale : is_bare_quotient(*number) ? gibi : 1.0;
        take_number(value, *number, {"", what.fact, scale, what.suffix}, values.facts);
    }
}

/// A bare time beside the data's is of a step, and so is one with its mean in brackets; the memory beside
/// them is in MiB. Another may be of a step or since a start: its course will tell.
void LogMetrics::take_bare_time(Gathered& values) {
    LogFacts& facts = values.facts;
    const bool beside_data = values.data_time || values.data_beside;
    if (values.bare_memory && beside_data && !facts.has(allocated)) {
        read_fact(*values.bare_memory, {"", allocated, mebi, LogSuffix::bytes}, facts);
    }
    if (!values.bare_time || facts.has(LogFact::step_time) || clock_at(*values.bare_time)) {
        return;
    }
    const bool of_step = beside_data || values.bare_time->find('(') != values.bare_time->npos;
    read_fact(*values.bare_time, {"", of_step ? LogFact::step_time : bare_time, 1.0, LogSuffix::time}, facts);
}

std::optional<LogFacts> LogMetrics::finished(Gathered& values) {
    return finish(values) ? std::optional(values.facts) : std::nullopt;
}

bool LogMetrics::finish(Gathered& values) {
    LogFacts& facts = values.facts;
    facts.iteration = facts.iteration ? facts.iteration : facts.optimizer_step;
    if (!facts.iteration || values.other_part) {
        return false;
    }
    take_bare_time(values);
    if (values.data_time) {  // OpenMMLab's rate is of a GPU
        if (facts.has(tokens_per_s)) {
            facts.set(tokens_per_s_per_gpu, facts[tokens_per_s]);
            facts.forget(tokens_per_s);
        }
    }
    if (facts.has(tokens_per_s) &&
        values.ranks[static_cast<std::size_t>(tokens_per_s)] == words_per_s_rank + 1 &&
        !facts.has(steps_per_s)) {
        facts.forget(tokens_per_s);
    }
    if (facts.has(whole_run_samples_per_s) || facts.has(whole_run_steps_per_s)) {
        facts.forget(loss);  // the Trainer's summary: the mean of all
    }
    const std::int64_t printed = *facts.iteration;
    const bool next_epoch = values.epoch && last_epoch_ && *values.epoch > *last_epoch_;
    if (next_epoch && last_printed_ && printed <= *last_printed_) {
        base_ += *last_printed_ + (printed == 0 ? 1 : 0);
    }
    const bool again = values.epoch && last_epoch_ && *values.epoch < *last_epoch_;
    base_ = again ? 0 : base_;
    if (!is_of_training(facts)) {
        facts.iteration.reset();
        return facts.known != 0;
    }
    last_printed_ = printed;
    last_epoch_ = values.epoch ? values.epoch : last_epoch_;
    facts.iteration = printed + base_;
    set_clocked(facts, values);
    return true;
}

}  // namespace traincost
