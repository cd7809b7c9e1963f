// Progress bars: of Lightning, NeMo, Composer and torchtune, and of loops of one's own.

#include <array>
#include <string>

#include "traincost/base/scale.hpp"
#include "traincost/import/logs/lines/log_columns.hpp"
#include "traincost/import/logs/lines/log_forms.hpp"
#include "traincost/import/logs/lines/log_routes.hpp"
#include "traincost/import/logs/lines/log_rows.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

using enum LogFact;

constexpr std::array<LogRule, 16> bar_rules = {{
    {"train step timing in s", step_time},
    {"reduced train loss", loss},
    {"samples/sec", samples_per_s},
    {"tokens per sec per gpu", tokens_per_s_per_gpu},
    {"TFLOPS per GPU", tflops_per_gpu},
    {"train loss step", loss},
    {"train loss", loss},
    {"train/loss step", loss},
    {"train/loss", loss},
    {"loss/train/total", loss},  // Composer's bar
    {"loss/train", loss},
    {"loss", loss},
    {"gpt loss", loss},
    {"mem", allocated, gibi, LogSuffix::bytes},
    {"vram", allocated, gibi, LogSuffix::bytes},
    {"peak memory usage", allocated},
}};

/// What a loop of one's own sets behind its bar: names that every such loop chooses anew.
constexpr std::array<LogRule, 28> own_bar_rules = {{
    {"tok/s", tokens_per_s, 1.0, LogSuffix::si},
    {"toks/s", tokens_per_s, 1.0, LogSuffix::si},
    {"tokens/s", tokens_per_s, 1.0, LogSuffix::si},
    {"tok/sec", tokens_per_s, 1.0, LogSuffix::si},
    {"tokens/sec", tokens_per_s, 1.0, LogSuffix::si},
    {"tok s", tokens_per_s, 1.0, LogSuffix::si},
    {"tokens s", tokens_per_s, 1.0, LogSuffix::si},
    {"tok per s", tokens_per_s, 1.0, LogSuffix::si},
    {"tok per sec", tokens_per_s, 1.0, LogSuffix::si},
    {"tokens per sec", tokens_per_s, 1.0, LogSuffix::si},
    {"tokens per second", tokens_per_s, 1.0, LogSuffix::si},
    {"tps", tokens_per_s, 1.0, LogSuffix::si},
    {"samples/s", samples_per_s, 1.0, LogSuffix::si},
    {"samples per sec", samples_per_s, 1.0, LogSuffix::si},
    {"dt", step_time, 1.0, LogSuffix::time},
    {"dt ms", step_time, milli},
    {"dt(ms)", step_time, milli},
    {"step time", step_time, 1.0, LogSuffix::time},
    {"step ms", step_time, milli},
    {"step time ms", step_time, milli},
    {"iter time", step_time, 1.0, LogSuffix::time},
    {"avr loss", loss},  // sd-scripts'
    {"avg loss", loss},
    {"step loss", loss},
    {"gpu mem", allocated, gibi, LogSuffix::bytes},
    {"max mem", allocated, gibi, LogSuffix::bytes},
    {"peak mem", allocated, gibi, LogSuffix::bytes},
    {"gpu memory", allocated, gibi, LogSuffix::bytes},
}};

/// The whole number that ends at `end`; where it begins.
std::optional<std::size_t> number_before(std::string_view line, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') {
        --begin;
    }
    return begin < end ? std::optional(begin) : std::nullopt;
}

/// Where "50/100" ends in Lightning's other bar, "Epoch 0/2  ━━━━ 50/100 0:00:10 • 0:00:09 5.12it/s
/// loss: 2.3".
std::size_t end_of_rich_count(std::string_view line, std::size_t from) {
    const std::size_t bar = line.rfind("\u2501");
    const std::size_t count =
        bar == line.npos || bar < from ? line.npos : line.find_first_of("0123456789", bar);
    return count == line.npos ? line.npos : line.find(' ', count);
}

/// "throughput=8.2047 sample_per_sec": what it is of, its unit says.
void read_rate_with_unit(std::string_view line, std::size_t from, LogFacts& facts) {
    constexpr std::string_view name = "throughput=";
    const std::size_t at = find_in(line, name, from);
    if (at == line.npos) {
        return;
    }
    const std::string_view text = line.substr(at + name.size());
    const std::optional<LogNumber> number = number_at(text);
    if (!number) {
        return;
    }
    const std::string_view behind = text.substr(number->end);
    const LogColumn unit = column_of(trimmed(behind.substr(0, behind.find_first_of(",]"))));
    if (unit.role == ColumnRole::fact && !facts.has(unit.fact)) {
        facts.set(unit.fact, number->value);
    }
}

/// Reads a progress bar whose counts stand behind `from`; `epoch` counts from 0. A bar without a total counts
/// on through the epochs too.
bool read_bar(std::string_view line, std::size_t from, std::int64_t epoch, LogFacts& facts) {
    std::size_t bracket = find_in(line, " [", from);
    if (bracket == line.npos) {
        bracket = end_of_rich_count(line, from);
    }
    if (bracket == line.npos) {
        return false;
    }
    std::size_t end = bracket;
    if (const bool without_total = line.substr(0, end).ends_with("it"); without_total) {
        end -= 2;
    }
    const std::optional<std::size_t> last = number_before(line, end);
    if (!last) {
        return false;
    }
    std::size_t n_at = *last;
    std::int64_t total = 0;
    if (*last > 0 && line[*last - 1] == '/') {
        total = whole_number_at(line, n_at).value_or(0);
        const std::optional<std::size_t> first = number_before(line, *last - 1);
        if (!first) {
            return false;
        }
        n_at = *first;
    }
    const std::optional<std::int64_t> n = whole_number_at(line, n_at);
    if (facts.trace != nullptr) {
        facts.trace->doubt();  // a bar at nought is none
    }
    if (!n || *n == 0 || epoch >= (1 << 20) || total >= (std::int64_t{1} << 31)) {
        return false;
    }
    constexpr std::int64_t unknown_total = 1'000'000;
    facts.iteration = *n + epoch * (total > 0 ? total : unknown_total);
    read_facts(line.substr(bracket), indexed_rules<bar_rules>, facts);
    if (const std::optional<double> value = value_behind(line, "reduced_train_loss=")) {
        facts.set(loss, *value);  // beside it "loss" is a running mean
    }
    if (const std::optional<double> value = value_behind(line, ", throughput=");
        value && holds(line, "throughput_peak=")) {
        facts.set(samples_per_s, *value);  // NeMo on Trainium
    }
    read_rate_with_unit(line, bracket, facts);
    if (!facts.has(LogFact::step_time)) {
        if (const std::optional<double> seconds = seconds_of_bar(line, bracket)) {
            facts.set(LogFact::step_time, *seconds);
        }
    }
    return facts.known != 0;
}

/// Whether what stands before a bar says that it is no training.
bool is_of_evaluation(std::string_view title) {
    return holds(title, "val") || holds(title, "Val") || holds(title, "est") || holds(title, "enerat");
}

/// Where the next bar of an epoch begins in `line`: its "Epoch 3:" behind `from`; npos where none does.
std::size_t next_epoch(std::string_view line, std::size_t from) {
    constexpr std::string_view name = "Epoch ";
    for (std::size_t at = find_in(line, name, from); at != line.npos; at = find_in(line, name, at + 1)) {
        std::size_t behind = at + name.size();
        if (whole_number_at(line, behind) && behind < line.size() && line[behind] == ':') {
            return at;
        }
    }
    return line.npos;
}

}  // namespace

std::optional<double> seconds_of_bar(std::string_view line, std::size_t from) {
    for (const std::string_view unit : {"s/it", "it/s", "s/ba", "ba/s"}) {
        const std::size_t at = find_in(line, unit, from);
        if (at == line.npos) {
            continue;
        }
        std::size_t begin = at;
        while (begin > 0 && ((line[begin - 1] >= '0' && line[begin - 1] <= '9') || line[begin - 1] == '.')) {
            --begin;
        }
        const std::optional<LogNumber> number = number_at(line.substr(begin, at - begin));
        if (number && number->value > 0) {
            return unit.front() == 's' ? number->value : 1.0 / number->value;
        }
    }
    return std::nullopt;
}

/// "Epoch 0:  47%|####     | 7/15 [06:19<07:13, 49.5s/it, reduced_train_loss=11.50, …]", also without a
/// total: "Epoch 0: : 129it [43:14, 20.11s/it, …]". Iterations count on through the epochs. One line holds
/// several where its carriage returns were lost.
bool read_progress_bar(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "Epoch ";
    if (trimmed(line.substr(0, at)).ends_with("eval")) {
        return false;
    }
    at += name.size();
    if (const std::size_t next = next_epoch(line, at); next != line.npos) {
        facts.next = next;
        line = line.substr(0, next);
    }
    const std::optional<std::int64_t> epoch = whole_number_at(line, at);
    return epoch && read_bar(line, at, *epoch, facts);
}

/// Composer's bar without an epoch: "train   0%|   | 9/5000 [00:18<2:15:12,  1.63s/ba,
/// loss/train/total=9.7]".
bool read_composer_bar(std::string_view line, std::size_t at, LogFacts& facts) {
    const std::size_t percent = line.rfind("%|", at);
    return percent != line.npos && holds(line.substr(0, percent), "train") &&
           read_bar(line, percent, 0, facts);
}

/// A loop's own bar, with a loss or at least a learning rate: "Training:  2%|  | 20/1000 [00:40<32:40,
/// 2.00s/it, loss=1.42]"; without its middle, "5/24 [01:10<04:12, 13.0s/it, loss=3.21]", where nothing else
/// could be meant. What the loop measures itself counts before the bar's own rate, which is of calls.
bool read_own_bar(std::string_view line, std::size_t at, LogFacts& facts) {
    std::size_t percent = line.rfind("%|", at);
    if (percent == line.npos) {
        const std::size_t count = line.find_first_not_of(' ');
        if (!is_rest_of_bar(line.substr(count)) || line.find('<', count) > at) {
            return false;
        }
        percent = 0;
    }
    if (is_of_evaluation(line.substr(0, percent))) {
        return false;
    }
    read_facts(line.substr(at), indexed_rules<own_bar_rules>, facts);
    return read_bar(line, percent, 0, facts) && (facts.has(loss) || holds(line.substr(percent), " lr="));
}

/// A loop's own bar whose loss stands before it: "Training Epoch: 2/3, step 5/203 completed (loss: 0.76):
/// 2%|  | 6/203 [00:15<08:16,  2.52s/it]".
bool read_own_titled_bar(std::string_view line, std::size_t at, LogFacts& facts) {
    const std::size_t percent = line.rfind("%|", at);
    const std::string_view title = line.substr(0, percent);
    if (percent == line.npos || is_of_evaluation(title)) {
        return false;
    }
    for (const std::string_view name : {"oss: ", "oss=", "oss "}) {
        if (const std::optional<double> value = facts.has(loss) ? std::nullopt : value_behind(title, name)) {
            facts.set(loss, *value);
        }
    }
    constexpr std::string_view epoch_name = "poch";
    std::int64_t epoch = 0;
    if (const std::size_t named = find_in(title, epoch_name); named != title.npos) {
        std::size_t number = title.find_first_not_of(" :=[", named + epoch_name.size());
        epoch = number == title.npos ? 0 : whole_number_at(title, number).value_or(0);
    }
    return facts.has(loss) && read_bar(line, percent, epoch, facts);
}

/// torchtune's progress bar: "1|80|Loss: 0.4203: 100%|…| 80/80 [00:30<00:00, 3.0s/it]", epoch and step. One
/// line holds several where its carriage returns were lost.
bool read_torchtune_bar(std::string_view line, std::size_t /*at*/, LogFacts& facts) {
    constexpr std::string_view name = "|Loss:";
    const std::size_t at = find_in(line, name);
    if (const std::size_t second = find_in(line, name, at + name.size()); second != line.npos) {
        facts.next = line.find_last_not_of("0123456789|", second) + 1;
        line = line.substr(0, facts.next);
    }
    const std::optional<std::size_t> begin = number_before(line, at);
    if (!begin || *begin == 0 || line[*begin - 1] != '|') {
        return false;
    }
    std::size_t step = *begin;
    facts.iteration = whole_number_at(line, step);
    read_fact(line.substr(at + name.size()), {"", loss}, facts);
    if (const std::optional<double> seconds = seconds_of_bar(line, at)) {
        facts.set(LogFact::step_time, *seconds);
    }
    return facts.iteration.has_value() && facts.has(loss);
}

}  // namespace traincost
