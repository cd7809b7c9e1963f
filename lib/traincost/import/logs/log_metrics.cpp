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

/// "10,125" of a table whose separator is no comma: its comma is a decimal point.
std::string_view with_point(std::string_view cell, std::string& scratch) {
    const std::size_t comma = cell.find(',');
    if (comma == cell.npos || comma != cell.rfind(',') || cell.find('.') != cell.npos) {
        return cell;
    }
    scratch = cell;
    scratch[comma] = '.';
    return scratch;
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

/// Where the text begins behind a launcher's rank: "0: ", "[rank3]: "; 0 where there is none.
std::size_t behind_launcher(std::string_view line) {
    constexpr std::size_t longest = 40;
    const std::size_t end = line.find(": ");
    if (end == line.npos || end == 0 || end > longest ||
        line.substr(0, end).find_first_of(" ,;|\t") != line.npos) {
        return 0;
    }
    const char last = line[end - 1] == ']' && end > 1 ? line[end - 2] : line[end - 1];
    return last >= '0' && last <= '9' ? std::min(line.find_first_not_of(' ', end + 1), line.size()) : 0;
}

/// Whether a step says more than its memory, batch and clock.
bool is_of_training(const LogFacts& facts) {
    return facts.is_timed() || facts.has(clocked_step_time) || facts.has(loss);
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

void LogMetrics::name_columns(const std::vector<std::string>& names) {
    names_.clear();
    columns_.clear();
    data_time_column_ = std::find(names.begin(), names.end(), "data_time") != names.end();
    for (const std::string& name : names) {
        names_.emplace_back(without_run(name));
        columns_.push_back(column(names_.back(), known_));
    }
}

bool LogMetrics::take_header(std::string_view line) {
    const std::size_t prefix = behind_launcher(line);
    const std::string_view launcher = line.substr(0, prefix);
    line.remove_prefix(prefix);
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
        iteration |= what.role == ColumnRole::iteration || what.role == ColumnRole::optimizer_step;
        step |= what.role == ColumnRole::fact && what.fact != global_batch && what.fact != sequence;
    }
    if (!iteration || !step) {
        return false;
    }
    separator_ = separator;
    launcher_ = launcher;
    name_columns(names);
    return true;
}

std::string_view LogMetrics::bare_row(std::string_view line) const {
    return line.starts_with(launcher_) ? line.substr(launcher_.size()) : std::string_view{};
}

bool LogMetrics::is_row(std::string_view line) const {
    if (line.empty()) {
        return false;
    }
    const bool separated = columns_.size() < 2 || line.find(separator_) != line.npos;
    return separated && std::any_of(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
           line[0] != '{' && line.find(": ") == line.npos;
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

const LogFacts* LogMetrics::row(std::string_view line, bool ended) {
    Gathered& values = gathered_;
    values.clear();
    values.data_time = data_time_column_;
    std::string scratch;
    std::size_t i = 0;
    const auto take_cell = [&](std::string_view cell, bool last) {
        const bool said = i < columns_.size() && columns_[i].role != ColumnRole::none;
        if (said && (ended || !last)) {  // the last value may lack digits
            gather(values, names_[i], columns_[i], separator_ == ';' ? with_point(cell, scratch) : cell);
        }
        ++i;
    };
    if (line.find('"') != line.npos) {
        for_each_cell(line, separator_, take_cell);
    } else {
        for (std::size_t at = 0; at <= line.size();) {
            std::size_t end = at;
            while (end < line.size() && line[end] != separator_) {
                ++end;
            }
            const bool said = i < columns_.size() && columns_[i].role != ColumnRole::none;
            take_cell(said ? trimmed(line.substr(at, end - at)) : std::string_view{}, end == line.size());
            at = end + 1;
        }
    }
    if (i > columns_.size() + 1) {
        return nullptr;
    }
    apart_ |= values.facts.iteration && !is_of_training(values.facts);
    return finish(values) ? &values.facts : nullptr;
}

/// A number of a step or an epoch.
void LogMetrics::gather_count(Gathered& values, const LogColumn& what, std::string_view value) {
    const std::optional<LogNumber> number = number_at(value);
    const bool whole = number && number->value >= 0 && number->value < 0x1p53;
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
            gather_count(values, what, value);
            return;
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
        case ColumnRole::fact:
            break;
    }
    std::optional<LogNumber> number = number_at(value);
    if (number && is_memory(what.fact)) {
        take_unit_of_whole(value, *number);
    }
    if (what.scale == 0) {
        values.bare_memory.emplace(value);
        if (!number ||
            (number->suffix.empty() && number->value < surely_bytes && !is_bare_quotient(*number))) {
            return;
        }
    }
    if (number && what.fact == tokens_per_s && number->end < value.size() && value[number->end] == '/') {
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
    if (number) {
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
