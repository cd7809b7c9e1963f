#include "traincost/import/logs/log_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "traincost/base/error.hpp"
#include "traincost/import/logs/lines/log_line.hpp"
#include "traincost/import/logs/lines/log_rows.hpp"
#include "traincost/import/logs/log_collector.hpp"
#include "traincost/io/text_file.hpp"

namespace traincost {

namespace {

using enum LogFact;

void note_missing(TrainingLog& log) {
    std::string missing;
    const auto name = [&](bool there, std::string_view what) {
        missing += there ? "" : (missing.empty() ? "" : ", ") + std::string(what);
    };
    name(log.step_time.has_value(), "step time");
    name(log.tokens_per_s || log.tokens_per_s_per_gpu || log.samples_per_s, "throughput");
    name(log.peak_memory.has_value(), "memory");
    name(log.loss_last || log.nan_steps > 0, "loss");
    if (!missing.empty()) {
        log.oddities.push_back({0, "not printed in " + std::to_string(log.lines) + " lines: " + missing});
    }
}

/// What the summary says of the whole run: the Trainer's before its lines, another's where the lines do not.
void set_whole_run(TrainingLog& log, LogFamily family, const LogFacts& run) {
    const bool trainer = family == LogFamily::hugging_face || log.framework == LogFramework::hf_trainer;
    const auto take = [&](LogFact fact, std::optional<double>& value) {
        if (trainer && run.has(fact)) {
            value = run[fact];
        }
    };
    take(whole_run_samples_per_s, log.samples_per_s);
    take(whole_run_steps_per_s, log.steps_per_s);
    const bool of_all = trainer || family == LogFamily::litgpt;
    if (of_all && !log.tokens_per_s && run.has(whole_run_tokens_per_s)) {
        log.tokens_per_s = run[whole_run_tokens_per_s];
    }
    if (family == LogFamily::megatron && !log.tokens_per_s_per_gpu &&
        run.has(whole_run_tokens_per_s_per_gpu)) {
        log.tokens_per_s_per_gpu = run[whole_run_tokens_per_s_per_gpu];
    }
}

/// What other lines beside the steps print of them: DeepSpeed's timer, a progress bar, the lines of
/// a script that runs on DeepSpeed.
void set_from_beside(TrainingLog& log, LogFamily family, LogCollector& steps) {
    if (family != LogFamily::deepspeed && !log.samples_per_s) {
        const LogTrack& timer = steps.track(LogFamily::deepspeed);
        log.samples_per_s = timer.median(samples_per_s);
        log.samples_per_s = log.samples_per_s ? log.samples_per_s : timer.median(running_samples_per_s);
    }
    if (family == LogFamily::deepspeed && !log.loss_last && log.nan_steps == 0) {
        log.loss_last = steps.track(LogFamily::metrics).last_loss();
    }
    if ((family == LogFamily::composer || family == LogFamily::metrics) && !log.step_time) {
        if (const std::optional<double> time = steps.track(LogFamily::bar).median(step_time)) {
            log.step_time = Seconds{*time};
        }
    }
}

void set_memory(TrainingLog& log, const LogFacts& run) {
    const auto take = [&](LogFact fact, std::optional<Bytes>& value) {
        if (run.has(fact)) {
            value = Bytes{run[fact]};
            log.peak_memory = log.peak_memory ? std::max(*log.peak_memory, *value) : *value;
        }
    };
    take(allocated, log.allocated);
    take(reserved, log.reserved);
    take(device, log.device);
}

void note_counts(TrainingLog& log) {
    if (log.micro_steps) {
        log.oddities.push_back(
            {0, "an iteration is a micro-step: " + std::to_string(*log.micro_steps) + " per optimizer step"});
    }
    if (log.skipped_steps > 0) {
        log.oddities.push_back(
            {0, std::to_string(log.skipped_steps) + " steps were skipped: the loss scale overflowed"});
    }
}

bool is_packed(const std::string& file) {
    constexpr int gzip_mark = 0x1f;  // with which no text begins
    return std::filesystem::is_regular_file(file) && io::file_stream(file)->peek() == gzip_mark;
}

}  // namespace

struct TrainingLogReader::State {
    LogCollector steps;
    std::int64_t lines = 0;
    std::int64_t bytes = 0;
};

TrainingLogReader::TrainingLogReader() : state_(std::make_unique<State>()) {
}

TrainingLogReader::~TrainingLogReader() = default;

std::int64_t TrainingLogReader::lines() const {
    return state_->lines;
}

void TrainingLogReader::read(std::istream& in) {
    LogLines lines(in);
    const std::size_t columns = columns_of_rows(lines.ahead());
    LogRowJoiner rows(columns);
    state_->steps.begin_file();
    const auto take = [&](const std::optional<LogLine>& line) {
        if (line) {
            state_->steps.take(*line);
        }
    };
    LogLine line;
    std::int64_t last = 0;
    while (lines.next(line)) {
        last = line.number;
        line.number += state_->lines;
        columns == 0 ? state_->steps.take(line) : take(rows.take(line));
    }
    take(rows.end());
    std::vector<LogOddity>& oddities = state_->steps.oddities;
    if (lines.junk_bytes() > 0) {
        oddities.push_back({lines.junk_line() + state_->lines,
                            std::to_string(lines.junk_bytes()) + " bytes of non-text, ignored"});
    }
    if (lines.long_lines() > 0) {
        oddities.push_back({0, std::to_string(lines.long_lines()) + " lines longer than 1 MiB, truncated"});
    }
    state_->lines += last;
    state_->bytes += lines.bytes();
}

std::optional<TrainingLog> TrainingLogReader::finish() {
    LogCollector& steps = state_->steps;
    steps.end();
    const std::optional<LogFamily> family = steps.family();
    if (!family) {
        return std::nullopt;
    }
    TrainingLog log;
    log.framework = *family == LogFamily::metrics
                        ? steps.metrics().framework()
                        : framework_of(*family, steps.dialects(), steps.words(),
                                       steps.track(LogFamily::deepspeed).steps() > 0);
    log.lines = state_->lines;
    log.bytes = state_->bytes;
    log.skipped_steps = static_cast<std::int64_t>(std::min(steps.skipped_steps(), 1e15));
    steps.track(*family).finish(log);
    set_whole_run(log, *family, steps.run());
    set_from_beside(log, *family, steps);
    set_memory(log, steps.run());
    note_counts(log);
    log.oddities.insert(log.oddities.end(), steps.oddities.begin(), steps.oddities.end());
    note_missing(log);
    std::stable_sort(log.oddities.begin(), log.oddities.end(), [](const LogOddity& a, const LogOddity& b) {
        return (a.line == 0 ? INT64_MAX : a.line) < (b.line == 0 ? INT64_MAX : b.line);
    });
    return log;
}

std::optional<TrainingLog> read_training_log(std::istream& in) {
    TrainingLogReader reader;
    reader.read(in);
    return reader.finish();
}

TrainingLog read_training_logs(const std::vector<std::string>& files) {
    TrainingLogReader reader;
    for (const std::string& path : files)
        reader.read(*io::file_stream(path));
    std::optional<TrainingLog> log = reader.finish();
    if (!log) {
        const std::string file = files.empty() ? "log" : files.front();
        if (!files.empty() && is_packed(file)) {
            throw Error(ErrorKind::input,
                        file + ": is compressed with gzip; unpack it first: gunzip " + file);
        }
        std::string known;
        for (int i = 0; i < log_framework_count; ++i) {
            known += (i > 0 ? ", " : "") + std::string(to_string(static_cast<LogFramework>(i)));
        }
        throw Error(ErrorKind::input, file + ": no training step found in " + std::to_string(reader.lines()) +
                                          " lines; supported logs: " + known);
    }
    return *std::move(log);
}

bool looks_like_training_log(std::string_view text) {
    std::istringstream in{std::string(text)};
    return read_training_log(in).has_value();
}

}  // namespace traincost
