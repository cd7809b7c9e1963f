#include "traincost/import/logs/lines/log_columns.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "traincost/base/name_words.hpp"
#include "traincost/base/scale.hpp"

namespace traincost {

namespace {

using enum LogFact;

/// Names whose words do not tell, or tell otherwise.
struct NamedColumn {
    std::string_view name;
    LogFact fact;
    double scale;
    bool decimal = false;  ///< a unit behind the value is of powers of ten
};
constexpr std::array<NamedColumn, 26> named_columns = {{
    {"train/train_samples_per_second", whole_run_samples_per_s, 1.0},  // the Trainer, of all steps
    {"train/train_steps_per_second", whole_run_steps_per_s, 1.0},
    {"throughput(tps)", tokens_per_s_per_gpu, 1.0},  // torchtitan
    {"time_metrics/end_to_end(s)", step_time, 1.0},
    {"device/items_per_sec", tokens_per_s_per_gpu, 1.0},  // Lightning's throughput monitor
    {"throughput/device/items_per_sec", tokens_per_s_per_gpu, 1.0},
    {"System/Peak GPU Memory (MB)", allocated, mega},  // OLMo
    {"throughput/device/batches_per_second", steps_per_s, 1.0},
    {"throughput/device/BPS", steps_per_s, 1.0},
    {"throughput/device/flopsPS", tflops_per_gpu, 1.0 / tera},
    {"throughput/duration", step_time, 1.0},         // Levanter
    {"throughput(wps)", tokens_per_s_per_gpu, 1.0},  // torchtitan until 2024
    {"perf/throughput", tokens_per_s_per_gpu, 1.0},  // verl
    {"peak_memory_active", allocated, gibi},         // torchtune
    {"peak_memory_alloc", allocated, gibi},
    {"peak_memory_reserved", reserved, gibi},
    {"memory/peak_allocated_mem", allocated, giga},  // Composer
    {"memory/peak_active_mem", allocated, giga},
    {"memory/peak_reserved_mem", reserved, giga},
    {"memory/allocated_mem", allocated, giga},
    {"memory/active_mem", allocated, giga},
    {"memory/reserved_mem", reserved, giga},
    {"memory/current_allocated_mem", allocated, giga},
    {"memory/current_active_mem", allocated, giga},
    {"memory/current_reserved_mem", reserved, giga},
    {"Peak mem", allocated, giga, true},  // MLX
}};

constexpr bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
constexpr bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
constexpr bool is_figure(char c) {
    return c >= '0' && c <= '9';
}

/// A bar before one of these is a division, and before others a folder: "tok/s", "train/loss".
bool is_divisor(std::string_view word) {
    return is_word_of({"s", "sec", "second", "it", "iter", "iteration", "step", "ba", "gpu", "device", "chip",
                       "npu", "rank"},
                      word);
}

/// The words of a name in lower case: "step_timeMs (s)" has four. A division is the word "per".
NameWords column_words(std::string_view name) {
    NameWords words;
    bool bar = false;
    for (std::size_t i = 0; i < name.size();) {
        const char c = name[i];
        if (!is_lower(c) && !is_upper(c) && !is_figure(c)) {
            bar = bar || c == '/';
            if (c == '%') {
                words.emplace_back("%");
            }
            ++i;
            continue;
        }
        std::string word;
        do {
            word += is_upper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
            ++i;
        } while (
            i < name.size() && (is_lower(name[i]) || is_upper(name[i]) || is_figure(name[i])) &&
            !(is_upper(name[i]) && is_lower(name[i - 1]) && i + 1 < name.size() && is_lower(name[i + 1])));
        if (bar && !words.empty() && is_divisor(word)) {
            words.emplace_back("per");
        }
        bar = false;
        words.push_back(std::move(word));
    }
    return words;
}

bool is_second(std::string_view word) {
    return is_word_of({"s", "sec", "secs", "second", "seconds"}, word);
}

/// Whether the words say "per second", also as "tokens_sec".
bool says_rate(const NameWords& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        const bool counted =
            is_word_of({"per", "tok", "toks", "token", "tokens", "samples", "it"}, words[i - 1]);
        if (is_second(words[i]) && counted) {
            return true;
        }
    }
    return has_word(words, {"tps", "tgs", "wps", "ups"});
}

bool is_of_one(const NameWords& words) {
    return has_word(words, {"gpu", "device", "chip", "npu", "rank", "accelerator", "tpu", "tgs"});
}

std::optional<int> iteration_rank(const NameWords& words) {
    NameWords bare = words;
    bare.erase(std::remove_if(bare.begin(), bare.end(),
                              [](const std::string& w) {
                                  return is_word_of({"train", "training", "trainer", "per", "num", "number",
                                                     "n", "current", "no", "id", "idx"},
                                                    w);
                              }),
               bare.end());
    if (bare.size() == 2 && bare[0] == "global" &&
        is_word_of({"step", "steps", "iter", "iteration"}, bare[1])) {
        return 0;
    }
    if (bare == NameWords{"micro", "step"}) {
        return 3;
    }
    if (bare.size() != 1) {
        return std::nullopt;
    }
    if (is_word_of({"step", "iteration"}, bare[0])) {
        return 1;
    }
    if (bare[0] == "updates" && has_word(words, {"num"})) {
        return 1;  // beside it, "update" counts epochs and their fractions
    }
    return is_word_of({"steps", "iter", "iters", "iterations", "update", "updates"}, bare[0])
               ? std::optional(2)
               : std::nullopt;
}

/// The factor that a time's name says; 1 where it says none.
double scale_of_time(const NameWords& words) {
    if (has_word(words, {"ms", "msec", "millis", "milliseconds", "millisecond"})) {
        return milli;
    }
    if (has_word(words, {"us", "microseconds"})) {
        return micro;
    }
    if (has_word(words, {"minutes", "mins"})) {
        return 60.0;
    }
    return has_word(words, {"h", "hours", "hrs"}) ? 3600.0 : 1.0;
}

LogColumn of_fact(LogFact fact, int rank, double scale = 1.0, LogSuffix suffix = LogSuffix::none) {
    return {.role = ColumnRole::fact, .fact = fact, .scale = scale, .suffix = suffix, .rank = rank};
}

/// A mean of many steps counts where no value of one is there.
int mean_rank(const NameWords& words) {
    return has_word(words, {"avg", "average", "mean", "running", "ema", "smooth", "smoothed", "median"}) ? 5
                                                                                                         : 0;
}

LogColumn rate_column(const NameWords& words) {
    const int rank = mean_rank(words) + (has_word(words, {"total", "cumulative", "overall", "real"}) ? 3 : 0);
    if (has_word(words, {"wps"})) {
        return of_fact(tokens_per_s, words_per_s_rank);
    }
    if (has_word(words, {"tok", "toks", "token", "tokens", "tps", "tgs"})) {
        const bool others = has_word(words, {"gen", "generated", "generation", "decode", "prefill", "rollout",
                                             "inference", "input", "output", "prompt"});
        return others ? LogColumn{}
                      : of_fact(is_of_one(words) ? tokens_per_s_per_gpu : tokens_per_s, rank, 1.0,
                                LogSuffix::si);
    }
    if (has_word(words, {"samples", "sample", "sequences", "sequence", "seqs", "seq", "examples"})) {
        return is_of_one(words) ? LogColumn{} : of_fact(samples_per_s, rank, 1.0, LogSuffix::si);
    }
    if (has_word(words, {"flops"}) && is_of_one(words)) {
        return of_fact(tflops_per_gpu, rank, 1.0 / tera, LogSuffix::flops);
    }
    const bool steps = has_word(words, {"step", "steps", "it", "its", "iter", "iters", "iteration",
                                        "iterations", "batch", "batches", "update", "updates", "ups"});
    return steps && !is_of_one(words) ? of_fact(steps_per_s, rank) : LogColumn{};
}

/// Parts of a step, and what stands beside it.
bool is_part_of_step(const NameWords& words) {
    return has_word(words, {"data",     "fwd",     "forward", "bwd",        "backward", "optim", "optimizer",
                            "load",     "loading", "loader",  "dataloader", "comm",     "wait",  "clip",
                            "save",     "saving",  "ckpt",    "checkpoint", "loss",     "sync",  "compile",
                            "generate", "gen",     "gpu",     "cpu",        "tokenize", "h2d",   "host",
                            "total",    "all",     "cum",     "cumulative", "since",    "start", "end",
                            "stamp",    "epoch",   "token",   "tokens",     "sample",   "actor", "critic",
                            "ref",      "reward",  "rollout", "weights",    "values",   "adv"});
}

LogColumn time_column(const NameWords& words) {
    const bool time = has_word(words, {"time", "times", "timing", "duration", "elapsed", "dt", "ms", "msec",
                                       "sec", "secs", "s", "seconds", "second", "us"});
    const bool step = has_word(words, {"step", "iter", "iteration", "it", "batch", "update", "dt"});
    // "batch_cost" of Paddle, "Batch (t)" of open_clip
    const bool cost = has_word(words, {"batch"}) && is_word_of({"cost", "t"}, words.back());
    const double scale = scale_of_time(words);
    if ((time || cost) && step && !is_part_of_step(words)) {
        return of_fact(step_time, mean_rank(words), scale, LogSuffix::time);
    }
    const bool clock =
        has_word(words, {"elapsed", "runtime", "wall", "wallclock", "walltime", "timestamp"}) ||
        (has_word(words, {"time"}) && has_word(words, {"total", "train", "training", "cumulative"}) &&
         !has_word(words, {"data", "per"}));
    if (clock && !has_word(words, {"remaining", "epoch", "step", "iter", "batch"})) {
        return {.role = ColumnRole::clock,
                .scale = scale,
                .suffix = LogSuffix::time,
                .rank = has_word(words, {"timestamp"}) ? 9
                        : has_word(words, {"runtime"}) ? 5
                                                       : 0};
    }
    return words.size() == 1 && is_word_of({"time", "duration"}, words[0])
               ? LogColumn{.role = ColumnRole::bare_time}
               : LogColumn{};
}

std::optional<double> scale_of_memory(const NameWords& words) {
    if (has_word(words, {"gib", "gb", "gbytes", "gigabytes"})) {
        return gibi;
    }
    if (has_word(words, {"mib", "mb", "mbytes", "megabytes"})) {
        return mebi;
    }
    if (has_word(words, {"kib", "kb"})) {
        return 1024.0;
    }
    return has_word(words, {"bytes", "byte"}) ? std::optional(1.0) : std::nullopt;
}

LogColumn memory_column(const NameWords& words) {
    const bool memory = has_word(words, {"memory", "mem", "vram", "hbm"});
    if (!memory ||
        has_word(words, {"cpu",       "host",  "ram",         "rss",  "percent",  "pct",  "%",
                         "util",      "ratio", "utilization", "frac", "fraction", "free", "total",
                         "available", "limit", "capacity",    "num",  "count",    "ooms", "retries",
                         "bandwidth", "bw",    "time",        "kv",   "cache"})) {
        return {};
    }
    const LogFact fact = has_word(words, {"reserved", "cached"})              ? reserved
                         : has_word(words, {"used", "device", "nvml", "smi"}) ? device
                                                                              : allocated;
    const bool of_device = has_word(
        words, {"gpu", "cuda", "vram", "hbm", "device", "max", "peak", "allocated", "alloc", "reserved"});
    const int rank = of_device ? 0 : 1;  // a bare "mem" beside another is the host's
    return of_fact(fact, rank, scale_of_memory(words).value_or(0.0), LogSuffix::bytes);
}

LogColumn loss_column(const NameWords& words) {
    const bool loss_word =
        has_word(words, {"loss"}) || (is_word_of({"ce", "xent"}, words.back()) && words.size() <= 2);
    if (!loss_word ||
        !only_words(words, {"loss",    "train",   "training", "lm",      "llm",   "ce",      "step",
                            "batch",   "per",     "global",   "avg",     "mean",  "total",   "learning",
                            "metrics", "reduced", "model",    "nll",     "cross", "entropy", "main",
                            "ema",     "smooth",  "smoothed", "running", "xent",  "raw",     "samples",
                            "average", "current", "curr",     "item",    "last"})) {
        return {};
    }
    const int kind = has_word(words, {"total"})                          ? 2
                     : has_word(words, {"ce", "entropy", "nll", "main"}) ? 1
                                                                         : 0;
    return of_fact(LogFact::loss, kind + mean_rank(words));
}

/// Values of validation, and values that are no one step's.
bool is_beside_training(const NameWords& words) {
    return has_word(words,
                    {"val", "valid", "validation", "eval", "evaluation", "test", "dev", "heldout", "holdout",
                     "remaining", "eta", "left", "target", "best", "min", "std", "stddev", "var"});
}

}  // namespace

LogColumn column_of(std::string_view name) {
    for (const NamedColumn& column : named_columns) {
        if (column.name == name) {
            return of_fact(column.fact, 0, column.scale,
                           column.decimal                  ? LogSuffix::none
                           : is_memory(column.fact)        ? LogSuffix::bytes
                           : column.fact == tflops_per_gpu ? LogSuffix::flops
                                                           : LogSuffix::none);
        }
    }
    if (name == "_step") {  // of calls of wandb.log, which may be several a step
        return {.role = ColumnRole::iteration, .rank = 5};
    }
    const NameWords words = column_words(name);
    if (words.empty()) {
        return {};
    }
    if (const std::optional<int> rank = iteration_rank(words)) {
        return {.role = ColumnRole::iteration, .rank = *rank};
    }
    if (words.size() == 2 && is_word_of({"opt", "optim", "optimizer"}, words[0]) &&
        is_word_of({"step", "steps"}, words[1])) {
        return {.role = ColumnRole::optimizer_step};
    }
    if (words.back() == "epoch" && only_words(words, {"train", "training", "trainer", "epoch", "current"})) {
        return {.role = ColumnRole::epoch};
    }
    if (words.size() == 1 &&
        is_word_of({"split", "phase", "mode", "kind", "type", "stage", "set"}, words[0])) {
        return {.role = ColumnRole::part};
    }
    if (is_beside_training(words)) {
        return {};
    }
    if (const LogColumn memory = memory_column(words); memory.role == ColumnRole::fact) {
        return memory;
    }
    if (has_word(words, {"tflops", "tflop"})) {
        const bool other = has_word(words, {"total", "cluster", "all", "hfu"});
        return other ? LogColumn{}
                     : of_fact(tflops_per_gpu, mean_rank(words) +
                                                   (has_word(words, {"hardware", "hw"}) ? 3 : 0) +
                                                   (says_rate(words) ? 0 : 1));
    }
    if (says_rate(words)) {
        return rate_column(words);
    }
    if (words.back() == "size" && only_words(words, {"train", "global", "batch", "size"}) &&
        has_word(words, {"global"})) {
        return of_fact(global_batch, 0);
    }
    if (has_word(words, {"seqlen", "seq", "sequence"}) &&
        only_words(words, {"seqlen", "seq", "sequence", "len", "length", "actual"}) && words.size() < 4 &&
        words.back() != "seq" && words.back() != "sequence") {
        return of_fact(LogFact::sequence, 0);
    }
    if (const LogColumn loss = loss_column(words); loss.role == ColumnRole::fact) {
        return loss;
    }
    return time_column(words);
}

}  // namespace traincost
