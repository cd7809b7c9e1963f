#include "traincost/import/logs/log_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "traincost/base/scale.hpp"
#include "traincost/import/logs/log_members.hpp"
#include "traincost/import/logs/log_scan.hpp"

namespace traincost {

namespace {

using enum LogFact;

constexpr std::size_t most_names = 4096;  // of one log
constexpr double surely_bytes = 1e8;      // no accelerator has so many megabytes

/// Of a column of a chart exported from Weights & Biases, "run - train/loss", the metric; nothing for the
/// least and the most of its runs.
std::string_view without_run(std::string_view name) {
    constexpr std::string_view between = " - ";
    if (name.ends_with("__MIN") || name.ends_with("__MAX")) {
        return {};
    }
    const std::size_t at = name.rfind(between);
    return at == name.npos ? name : name.substr(at + between.size());
}

bool is_training(std::string_view part) {
    for (const std::string_view other :
         {"val", "eval", "test", "dev", "VAL", "EVAL", "Val", "Eval", "Test"}) {
        if (part.starts_with(other)) {
            return false;
        }
    }
    return true;
}

/// Whether a step says more than its memory, batch and clock.
bool is_of_training(const LogFacts& facts) {
    constexpr std::array telling = {step_time,     clocked_step_time, tokens_per_s,   tokens_per_s_per_gpu,
                                    samples_per_s, steps_per_s,       tflops_per_gpu, loss};
    return std::any_of(telling.begin(), telling.end(), [&](LogFact f) { return facts.has(f); });
}

}  // namespace

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

void LogMetrics::name_columns(const std::vector<std::string>& names) {
    names_.clear();
    columns_.clear();
    for (const std::string& name : names) {
        names_.emplace_back(without_run(name));
        columns_.push_back(column(names_.back(), known_));
    }
}

bool LogMetrics::take_header(std::string_view line) {
    line = line.substr(std::min(line.find_first_not_of("#% "), line.size()));
    constexpr std::size_t longest = std::size_t{1} << 16;
    if (line.size() > longest || line.empty()) {
        return false;
    }
    char separator = 0;
    std::ptrdiff_t most = 0;
    for (const char c : {'\t', ',', ';', '|'}) {
        const std::ptrdiff_t count = std::count(line.begin(), line.end(), c);
        if (count > most) {
            most = count;
            separator = c;
        }
    }
    if (separator == 0) {
        return false;
    }
    const std::vector<std::string> names = fields_of_row(line, separator);
    bool iteration = false;
    bool step = false;
    for (const std::string& name : names) {
        const bool numeral =
            !name.empty() && (name[0] == '-' || name[0] == '.' || (name[0] >= '0' && name[0] <= '9'));
        if (numeral || name.size() > 200 || name.find(':') != name.npos || name.find('=') != name.npos) {
            return false;
        }
        const LogColumn what = column_of(without_run(name));
        iteration |= what.role == ColumnRole::iteration;
        step |= what.role == ColumnRole::fact && what.fact != global_batch && what.fact != sequence;
    }
    if (!iteration || !step) {
        return false;
    }
    separator_ = separator;
    name_columns(names);
    return true;
}

bool LogMetrics::is_row(std::string_view line) const {
    const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), separator_));
    return count + 1 >= std::min<std::size_t>(columns_.size(), 2) &&
           line.find_first_of("0123456789") != line.npos && line[0] != '{' && line.find(": ") == line.npos;
}

std::optional<LogFacts> LogMetrics::row(std::string_view line, bool ended) {
    std::vector<std::string> cells = fields_of_row(line, separator_);
    if (cells.size() > columns_.size() + 1) {
        return std::nullopt;
    }
    if (!ended) {  // the last value may lack digits
        cells.pop_back();
    }
    Gathered values;
    for (std::size_t i = 0; i < std::min(cells.size(), columns_.size()); ++i) {
        gather(values, names_[i], columns_[i], cells[i]);
    }
    apart_ |= values.facts.iteration && !is_of_training(values.facts);
    return finished(values);
}

void LogMetrics::gather(Gathered& values, std::string_view name, const LogColumn& what,
                        std::string_view value) {
    values.data_time |= name == "data_time";
    if (value.empty() || value == "null" || what.role == ColumnRole::none) {
        return;
    }
    switch (what.role) {
        case ColumnRole::none:
            return;
        case ColumnRole::part:
            values.other_part |= !is_training(value);
            return;
        case ColumnRole::bare_time:
            values.bare_time = value;
            return;
        case ColumnRole::iteration:
        case ColumnRole::epoch: {
            const std::optional<LogNumber> number = number_at(value);
            const bool whole = number && number->value >= 0 && number->value < 0x1p53;
            if (!whole) {
                return;
            }
            const auto n = static_cast<std::int64_t>(number->value);
            if (what.role == ColumnRole::epoch) {
                values.epoch = n;
            } else if (std::floor(number->value) == number->value && what.rank < values.iteration_rank) {
                values.facts.iteration = n;
                values.iteration_rank = what.rank;
            }
            return;
        }
        case ColumnRole::clock: {
            const std::optional<double> clock = clock_at(value);
            const std::optional<LogNumber> number = number_at(value);
            if (what.rank < values.clock_rank && (clock || number)) {
                values.clock = clock ? *clock : number->value * what.scale;
                values.clock_rank = what.rank;
            }
            return;
        }
        case ColumnRole::fact:
            break;
    }
    if (what.scale == 0) {
        const std::optional<LogNumber> number = number_at(value);
        values.bare_memory = value;
        if (!number || (number->suffix.empty() && number->value < surely_bytes)) {
            return;
        }
    }
    const auto fact = static_cast<std::size_t>(what.fact);
    int& rank = values.ranks[fact];
    if (values.facts.has(what.fact) && !is_memory(what.fact)) {
        if (what.rank + 1 >= rank) {
            return;
        }
        values.facts.forget(what.fact);
    }
    rank = what.rank + 1;
    read_fact(value, {"", what.fact, what.scale == 0 ? 1.0 : what.scale, what.suffix}, values.facts);
}

/// The time since the row before, by the clock of both; a clock that falls while iterations grow is none.
void LogMetrics::set_clocked(LogFacts& facts, const Gathered& values) {
    if (!values.clock || !std::isfinite(*values.clock)) {
        return;
    }
    const std::int64_t n = *facts.iteration;
    if (clock_iteration_ && n > *clock_iteration_) {
        clock_falls_ |= *values.clock < last_clock_;
        if (*values.clock > last_clock_ && !clock_falls_) {
            facts.set(clocked_step_time,
                      (*values.clock - last_clock_) / static_cast<double>(n - *clock_iteration_));
        }
    }
    if (!clock_iteration_ || n != *clock_iteration_) {
        clock_iteration_ = n;
        last_clock_ = *values.clock;
    }
}

std::optional<LogFacts> LogMetrics::finished(Gathered& values) {
    LogFacts& facts = values.facts;
    if (!facts.iteration || values.other_part) {
        return std::nullopt;
    }
    if (values.data_time) {  // OpenMMLab's time is of a step, its memory in MiB, its rate of a GPU
        if (values.bare_time) {
            read_fact(*values.bare_time, {"", step_time}, facts);
        }
        if (values.bare_memory) {
            read_fact(*values.bare_memory, {"", allocated, mebi}, facts);
        }
        if (facts.has(tokens_per_s)) {
            facts.set(tokens_per_s_per_gpu, facts[tokens_per_s]);
            facts.forget(tokens_per_s);
        }
    }
    if (facts.has(whole_run_samples_per_s) || facts.has(whole_run_steps_per_s)) {
        facts.forget(loss);  // the Trainer's summary: the mean of all
    }
    const std::int64_t printed = *facts.iteration;
    const bool next_epoch = values.epoch && last_epoch_ && *values.epoch > *last_epoch_;
    if (next_epoch && last_printed_ && printed < *last_printed_) {
        base_ += *last_printed_;
    }
    const bool again = values.epoch && last_epoch_ && *values.epoch < *last_epoch_;
    base_ = again ? 0 : base_;
    if (!is_of_training(facts)) {
        facts.iteration.reset();
        return facts.known != 0 ? std::optional(facts) : std::nullopt;
    }
    last_printed_ = printed;
    last_epoch_ = values.epoch ? values.epoch : last_epoch_;
    facts.iteration = printed + base_;
    set_clocked(facts, values);
    return facts;
}

std::optional<LogFacts> LogMetrics::named_values(std::string_view line) {
    Gathered values;
    for_each_field(line, [&](std::string_view name, std::string_view value) {
        const LogColumn& what = column(name, spoken_);
        if (what.role != ColumnRole::bare_time) {
            gather(values, name, what, value);
        }
    });
    const LogFacts& facts = values.facts;
    const bool measured = facts.has(step_time) || facts.has(tokens_per_s) ||
                          facts.has(tokens_per_s_per_gpu) || facts.has(samples_per_s) ||
                          facts.has(steps_per_s) || facts.has(tflops_per_gpu);
    return measured && facts.has(loss) ? finished(values) : std::nullopt;
}

bool LogMetrics::is_own_object(std::string_view line) {
    bool iteration = false;
    bool others = false;
    bool epoch = false;
    bool trainer = false;
    bool measured = false;
    for_each_member(line, [&](std::string_view name, std::string_view) {
        const LogColumn& what = column(name, known_);
        iteration |= what.role == ColumnRole::iteration;
        epoch |= what.role == ColumnRole::epoch;
        trainer |= name == "learning_rate" || name == "grad_norm";
        others |= name == "tps_per_gpu" || name == "current_steps" || name == "global_step/max_steps";
        measured |= what.role == ColumnRole::clock ||
                    (what.role == ColumnRole::fact && what.fact != loss && !is_memory(what.fact));
    });
    return iteration && !others && (measured || !trainer || !epoch);
}

std::optional<LogFacts> LogMetrics::object(std::string_view line) {
    Gathered values;
    for_each_member(line, [&](std::string_view name, std::string_view value) {
        gather(values, name, column(name, known_), value);
    });
    return finished(values);
}

void LogMetrics::begin_cells() {
    in_cells_ = true;
    notebook_ = true;
    columns_.clear();
    names_.clear();
    cells_.clear();
}

std::vector<LogFacts> LogMetrics::take_cells(std::string_view line) {
    std::vector<LogFacts> rows;
    for (std::size_t at = line.find('<'); at != line.npos; at = line.find('<', at + 1)) {
        const std::string_view tag = line.substr(at + 1);
        const bool name = tag.starts_with("th>");
        if (name || tag.starts_with("td>")) {
            const std::size_t end = std::min(tag.find('<'), tag.size());
            cells_.emplace_back(trimmed(tag.substr(3, end - 3)));
        } else if (tag.starts_with("/tr>")) {
            if (columns_.empty()) {
                name_columns(cells_);
            } else if (!cells_.empty()) {
                Gathered values;
                for (std::size_t i = 0; i < std::min(cells_.size(), columns_.size()); ++i) {
                    gather(values, names_[i], columns_[i], cells_[i]);
                }
                if (!values.facts.iteration && values.facts.has(loss)) {
                    values.facts.iteration = ++rows_;  // of epochs: lines with a loss are counted
                    values.epoch.reset();
                }
                if (const std::optional<LogFacts> facts = finished(values)) {
                    rows.push_back(*facts);
                }
            }
            cells_.clear();
        } else if (tag.starts_with("/table>")) {
            in_cells_ = false;
            columns_.clear();
        }
    }
    return rows;
}

}  // namespace traincost
