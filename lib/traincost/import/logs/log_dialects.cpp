// Forms of lines that are more than named values.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/logs/log_forms.hpp"
#include "traincost/import/logs/log_scan.hpp"

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

constexpr std::array<LogRule, 3> litgpt_rules = {{
    {"iter time", step_time, 1.0, LogSuffix::time},
    {"loss train", loss},
    {"loss train (curr)", loss},
}};

constexpr std::array<LogRule, 6> mlperf_rules = {{
    {"throughput", samples_per_s},
    {"train step time", step_time},
    {"reduced train loss", loss},
    {"train loss", loss},
    {"loss", loss},
    {"max memory usage", allocated, gibi},
}};

/// The seconds of an iteration that a progress bar shows: "2.35s/it" or "0.43it/s", "ba" in Composer.
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

/// The whole number that ends at `end`; where it begins.
std::optional<std::size_t> number_before(std::string_view line, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') {
        --begin;
    }
    return begin < end ? std::optional(begin) : std::nullopt;
}

std::optional<double> value_behind(std::string_view line, std::string_view name) {
    const std::size_t at = find_in(line, name);
    if (at == line.npos) {
        return std::nullopt;
    }
    const std::optional<LogNumber> number = number_at(line.substr(at + name.size()));
    return number ? std::optional(number->value) : std::nullopt;
}

/// Where "50/100" ends in Lightning's other bar, "Epoch 0/2  ━━━━ 50/100 0:00:10 • 0:00:09 5.12it/s
/// loss: 2.3".
std::size_t end_of_rich_count(std::string_view line, std::size_t from) {
    const std::size_t bar = line.rfind("\u2501");
    const std::size_t count =
        bar == line.npos || bar < from ? line.npos : line.find_first_of("0123456789", bar);
    return count == line.npos ? line.npos : line.find(' ', count);
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
    if (!facts.has(LogFact::step_time)) {
        if (const std::optional<double> seconds = seconds_of_bar(line, bracket)) {
            facts.set(LogFact::step_time, *seconds);
        }
    }
    return facts.known != 0;
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

/// Whether "tok" or "Tok" stands in the line: by its rarest letter.
bool names_tokens(std::string_view line) {
    for (std::size_t k = line.find('k'); k != line.npos; k = line.find('k', k + 1)) {
        if (k >= 2 && line[k - 1] == 'o' && (line[k - 2] | 0x20) == 't') {
            return true;
        }
    }
    return false;
}

}  // namespace

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

/// A loop's own bar: "Training:  2%|  | 20/1000 [00:40<32:40,  2.00s/it, loss=1.42]".
bool read_own_bar(std::string_view line, std::size_t at, LogFacts& facts) {
    const std::size_t percent = line.rfind("%|", at);
    const std::string_view name = line.substr(0, percent);
    const bool looks =
        holds(name, "val") || holds(name, "Val") || holds(name, "est") || holds(name, "enerat");
    return percent != line.npos && !looks && read_bar(line, percent, 0, facts) && facts.has(loss);
}

/// "Epoch 1 | iter 128 step 32 | loss train: 10.9, val: n/a | iter time: 362.35 ms (step) …", and the older
/// "iter 31 step 1: loss 1.9221, iter time: 196.06ms (optimizer.step)". An iteration is a micro-step.
bool read_litgpt(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "iter ";
    constexpr std::string_view step = "step ";
    std::size_t behind = find_in(line, name);
    if (behind == line.npos || behind >= at) {
        return false;
    }
    facts.iteration = whole_number_at(line, behind += name.size());
    if (!facts.iteration) {
        return false;
    }
    if (std::size_t then = find_in(line, step, behind); then != line.npos && then < at) {
        facts.optimizer_step = whole_number_at(line, then += step.size());
    }
    read_facts(line.substr(behind), indexed_rules<litgpt_rules>, facts);
    if (const std::optional<double> value = value_behind(line, " loss "); value && !facts.has(loss)) {
        facts.set(loss, *value);
    }
    if (const std::optional<double> value = value_behind(line, " memory ")) {
        facts.set(allocated, *value * giga);
    }
    return facts.has(LogFact::step_time);
}

/// llm.c's "step    1/21479 | loss 11.007906 (+nanz)| … | 2734.72 ms | 40.3% bf16 MFU | 167751 tok/s" and
/// "step 3: train loss 4.36 (took 165.3 ms)".
bool read_llm_c(std::string_view line, std::size_t /*at*/, LogFacts& facts) {
    constexpr std::string_view name = "step ";
    constexpr std::string_view loss_name = "loss ";
    if (!line.starts_with(name)) {
        return false;
    }
    std::size_t at = name.size();
    facts.iteration = whole_number_at(line, at);
    if (!facts.iteration || at >= line.size() || line.substr(at).starts_with(": val")) {
        return false;
    }
    if (line[at] == '/') {
        facts.planned = whole_number_at(line, ++at);
    }
    if (const std::optional<double> value = value_behind(line, loss_name)) {
        facts.set(loss, *value);
    }
    const auto value_before = [&](std::string_view unit, LogFact fact, double scale) {
        const std::size_t end = find_in(line, unit, at);
        if (end == line.npos) {
            return;
        }
        const std::size_t begin = line.find_last_not_of("0123456789.,", end - 1) + 1;
        if (const std::optional<LogNumber> number = number_at(line.substr(begin, end - begin))) {
            facts.set(fact, number->value * scale);
        }
    };
    value_before(" ms", LogFact::step_time, milli);
    value_before(" tok/s", tokens_per_s, 1.0);
    return facts.has(loss) && facts.has(LogFact::step_time);
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

/// NeMo Automodel's "step 9 | epoch 0 | loss 0.6974 | … | mem 24.90 GiB | tps 11278.56(1409.82/gpu) | …".
bool read_automodel(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "step ";
    constexpr std::string_view memory = "| mem ";
    constexpr std::string_view rate = "| tps ";
    std::size_t behind = find_in(line, name);
    if (behind == line.npos || behind > at || holds(line.substr(0, behind), "[val]")) {
        return false;
    }
    facts.iteration = whole_number_at(line, behind += name.size());
    if (const std::optional<double> value = value_behind(line, "| loss ")) {
        facts.set(loss, *value);
    }
    if (const std::size_t used = find_in(line, memory); used != line.npos) {
        read_fact(line.substr(used + memory.size()), {"", allocated, gibi, LogSuffix::bytes}, facts);
    }
    if (const std::size_t all = find_in(line, rate); all != line.npos) {
        read_fact(line.substr(all + rate.size()), {"", tokens_per_s}, facts);
        if (const std::size_t one = line.find('(', all); one != line.npos && one < at) {
            read_fact(line.substr(one + 1), {"", tokens_per_s_per_gpu}, facts);
        }
    }
    return facts.iteration.has_value() && facts.has(loss);
}

void read_unnamed_rates(std::string_view line, LogFacts& facts) {
    const bool tokens = !facts.has(tokens_per_s_per_gpu) && names_tokens(line);
    const bool flops = !facts.has(tflops_per_gpu) && (holds(line, "FLOP") || holds(line, "flop"));
    if (!tokens && !flops) {
        return;
    }
    for_each_value(line, [&](std::string_view before, std::string_view after) {
        const std::size_t bar = before.rfind('|');
        const std::string key = lower(before.substr(bar == before.npos ? 0 : bar + 1));
        const bool of_one = holds(key, "gpu") || holds(key, "device");
        const bool rate = holds(key, "/s") || holds(key, "/gpu/s") || holds(key, "second");
        if (tokens && of_one && rate && holds(key, "tok")) {
            read_fact(after, {"", tokens_per_s_per_gpu}, facts);
        } else if (flops && of_one && holds(key, "tflop")) {
            read_fact(after, {"", tflops_per_gpu}, facts);
        }
    });
}

void read_bare_values(std::string_view line, LogFacts& facts) {
    constexpr double rounding = 0.02;
    for (const std::string_view name : {"| lm loss ", "| lm_loss "}) {
        if (const std::optional<double> value = facts.has(loss) ? std::nullopt : value_behind(line, name)) {
            facts.set(loss, *value);
        }
    }
    if (facts.has(samples_per_s) || !facts.has(LogFact::step_time) || !facts.has(global_batch)) {
        return;
    }
    const std::optional<double> value = value_behind(line, "| throughput: ");
    const double expected = facts[global_batch] / facts[LogFact::step_time];
    if (value && std::abs(*value / expected - 1.0) < rounding) {
        facts.set(samples_per_s, *value);
    }
}

/// "iter 10: loss 3.7366, time 8.81ms, mfu 0.14%"
bool read_nanogpt(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "iter ";
    constexpr std::string_view time_name = "time ";
    constexpr std::string_view memory = "cuda memory ";
    std::size_t behind = find_in(line, name);
    if (behind == line.npos || behind >= at) {
        return false;
    }
    facts.iteration = whole_number_at(line, behind += name.size());
    if (!facts.iteration || behind >= line.size() || line[behind] != ':') {
        return false;
    }
    read_fact(line.substr(find_in(line, time_name, at) + time_name.size()),
              {"", LogFact::step_time, 1.0, LogSuffix::time}, facts);
    if (const std::optional<double> value = value_behind(line, "loss ")) {
        facts.set(loss, *value);
    }
    if (const std::size_t used = find_in(line, memory); used != line.npos) {
        read_fact(line.substr(used + memory.size()), {"", allocated, gibi, LogSuffix::bytes}, facts);
    }
    return facts.has(LogFact::step_time);
}

/// ":::MLLOG {"key": "tracked_stats", "value": {"throughput": 30.7}, "metadata": {"step": 172032}}": progress
/// is counted in samples.
bool read_mlperf(std::string_view line, std::size_t at, LogFacts& facts) {
    line.remove_prefix(at);
    const auto whole = [&](std::string_view name) -> std::optional<std::int64_t> {
        const std::optional<double> value = value_behind(line, name);
        constexpr double most = 1e15;
        return value && *value >= 0 && *value < most ? std::optional(static_cast<std::int64_t>(*value))
                                                     : std::nullopt;
    };
    if (holds(line, "\"global_batch_size\"")) {
        read_fact(line.substr(std::min(line.size(), find_in(line, "\"value\":") + 8)), {"", global_batch},
                  facts);
        return facts.known != 0;
    }
    if (!holds(line, "\"tracked_stats\"")) {
        return false;
    }
    facts.iteration = whole("\"step\":");
    if (!facts.iteration) {
        facts.iteration = whole("\"samples_count\":");
    }
    read_facts(line, indexed_rules<mlperf_rules>, facts);
    return facts.iteration.has_value() && facts.known != 0;
}

}  // namespace traincost
