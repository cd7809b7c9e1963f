// Forms of lines that are more than named values, progress bars apart.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/logs/lines/log_forms.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

using enum LogFact;

constexpr std::array<LogRule, 4> litgpt_rules = {{
    {"Memory used", allocated, giga},  // of its summary, where line ends were lost
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

/// "Epoch 1 | iter 128 step 32 | loss train: 10.9, val: n/a | iter time: 362.35 ms (step) …", and the older
/// "iter 31 step 1: loss 1.9221, iter time: 196.06ms (optimizer.step)". An iteration is a micro-step. One
/// line holds several where line ends were lost.
bool read_litgpt(std::string_view line, std::size_t /*at*/, LogFacts& facts) {
    constexpr std::string_view name = "iter ";
    constexpr std::string_view time_name = "iter time:";
    const std::size_t at = find_in(line, time_name);
    if (at == line.npos) {
        return false;
    }
    const std::size_t second = find_in(line, time_name, at + time_name.size());
    if (const std::size_t next = find_in(line, name, at + time_name.size()); next < second) {
        facts.next = second == line.npos ? 0 : next;
        line = line.substr(0, facts.next == 0 ? line.npos : next);
    }
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

bool read_llm_c_losses(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "s:";
    if (!line.starts_with(name)) {
        return false;
    }
    std::size_t behind = name.size();
    facts.iteration = whole_number_at(line, behind);
    if (!facts.iteration || behind != at) {
        return false;
    }
    if (const std::optional<double> value = value_behind(line, " trl:")) {
        facts.set(loss, *value);
    }
    return facts.has(loss);
}

bool read_bare_losses(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = " train ";
    std::size_t behind = 0;
    facts.iteration = whole_number_at(line, behind);
    if (!facts.iteration || behind != at) {
        return false;
    }
    const std::string_view value = trimmed(line.substr(at + name.size()));
    const std::optional<LogNumber> number = number_at(value);
    if (number && number->end == value.size()) {
        facts.set(loss, number->value);
    }
    return facts.has(loss);
}

constexpr std::array<LogRule, 3> fairseq_rules = {
    {{"loss", loss}, {"wps", tokens_per_s}, {"ups", steps_per_s}}};

/// "epoch 001:    450 / 1891 loss=11.521, ppl=1886.05, wps=52922, ups=0.5, …, num_updates=445, …", of all
/// accelerators; the oldest count no updates, and a colon is missing.
bool read_fairseq(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "epoch ";
    constexpr std::string_view updates = "num_updates=";
    std::size_t behind = line.rfind(name, at);
    if (behind == line.npos || !holds(line, "wps=")) {
        return false;
    }
    const std::optional<std::int64_t> epoch = whole_number_at(line, behind += name.size());
    behind += behind < line.size() && line[behind] == ':' ? 1 : 0;
    facts.iteration = whole_number_at(line, behind);
    const std::size_t slash = line.find_first_not_of(' ', behind);
    if (!epoch || !facts.iteration || slash == line.npos || line[slash] != '/') {
        return false;
    }
    const std::int64_t of_epoch = whole_number_at(line, behind = slash + 1).value_or(0);
    if (std::size_t number = find_in(line, updates, at); number != line.npos) {
        facts.iteration = whole_number_at(line, number += updates.size());
    } else if (*epoch > 0 && *epoch < (1 << 20) && of_epoch < (std::int64_t{1} << 31)) {
        *facts.iteration += (*epoch - 1) * of_epoch;
    }
    read_facts(line.substr(at), indexed_rules<fairseq_rules>, facts);
    return facts.iteration && facts.has(loss);
}

constexpr std::array<LogRule, 3> metric_logger_rules = {
    {{"loss", loss}, {"time", LogFact::step_time}, {"max mem", allocated, mebi}}};

bool read_metric_logger(std::string_view line, std::size_t at, LogFacts& facts) {
    const std::size_t eta = find_in(line, "eta: ");
    const std::size_t close = eta < at ? line.rfind(']', eta) : line.npos;
    const std::size_t open = close == line.npos ? close : line.rfind('[', close);
    if (open == line.npos || open == 0) {
        return false;
    }
    std::size_t number = open + 1;
    const std::optional<std::int64_t> batch = whole_number_at(line, number);
    if (!batch || line[number] != '/') {
        return false;
    }
    const std::int64_t of_epoch = whole_number_at(line, ++number).value_or(0);
    std::size_t before = line.rfind('[', open - 1);
    const std::int64_t epoch = before == line.npos ? 0 : whole_number_at(line, ++before).value_or(0);
    facts.iteration = *batch;
    if (epoch < (1 << 20) && of_epoch < (std::int64_t{1} << 31)) {
        *facts.iteration += epoch * of_epoch;
    }
    read_facts(line.substr(eta), indexed_rules<metric_logger_rules>, facts);
    return facts.has(loss) && facts.has(LogFact::step_time);
}

bool read_spoken_memory(std::string_view line, std::size_t at, LogFacts& facts) {
    const auto take = [&](std::string_view name, LogFact fact) {
        if (const std::size_t behind = find_in(line, name, at); behind != line.npos) {
            read_fact(line.substr(behind + name.size()), {"", fact, gibi, LogSuffix::bytes}, facts);
        }
    };
    take("allocated was ", allocated);
    take("reserved was ", reserved);
    return facts.known != 0;
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
    std::size_t behind = 0;
    for (std::size_t named = find_in(line, name); !facts.iteration; named = find_in(line, name, named + 1)) {
        if (named == line.npos || named >= at) {
            return false;
        }
        behind = named + name.size();
        facts.iteration = whole_number_at(line, behind);
        if (behind >= line.size() || line[behind] != ':') {
            facts.iteration.reset();  // "local_iter 1 total_iter 11: loss …"
        }
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
