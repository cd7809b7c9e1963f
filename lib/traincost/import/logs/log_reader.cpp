#include "traincost/import/logs/log_reader.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "traincost/base/error.hpp"
#include "traincost/import/logs/log_forms.hpp"
#include "traincost/import/logs/log_framework.hpp"
#include "traincost/import/logs/log_line.hpp"
#include "traincost/import/logs/log_scan.hpp"
#include "traincost/import/logs/log_track.hpp"
#include "traincost/io/text_file.hpp"

namespace traincost {

namespace {

using enum LogFact;

constexpr int same_form_trusted = 16;  // steps of one form in a row, after which a line is tried as one first
constexpr int dialect_lines = 64;      // step lines looked at to tell dialects of one form apart

}  // namespace

struct TrainingLogReader::State {
    enum class Taken : std::uint8_t { nothing, beside, step };
    State();
    void take(const LogLine& line);
    Taken take_as(std::size_t form, std::size_t at, const LogLine& line);
    void side(LogFamily family, const LogFacts& facts);
    void step(LogFamily family, LogFacts facts, const LogLine& line);
    void hugging_face(LogFacts facts, const LogLine& line);
    void accept(LogFamily family, LogFacts facts, std::int64_t line);
    void keep_memory(const LogFacts& facts);
    void drop_cut_number(LogFamily family, LogFacts& facts, const LogLine& line);
    bool continue_wrapped(const LogLine& line);
    void close_wrapped();
    std::optional<LogFamily> family() const;
    void note_missing(TrainingLog& log) const;

    LogTrack& track(LogFamily family) {
        return tracks[static_cast<std::size_t>(family)];
    }

    std::vector<LogForm> forms;
    Anchors anchors;
    AnchorHits hits;
    std::array<LogTrack, log_family_count> tracks{};
    std::array<std::optional<LogFacts>, log_family_count> carried{};  ///< facts for the step that follows
    std::array<std::optional<LogFacts>, log_family_count> shape{};    ///< the last step of each
    std::array<int, log_family_count> looked_at{};
    LogDialects dialects;
    std::uint64_t words = 0;
    bool beside = false;
    bool start = false;
    std::size_t last_form = 0;  ///< of the last step
    int same_form = 0;          ///< steps in a row of that form

    std::optional<std::pair<LogFacts, std::int64_t>> block{};    ///< Composer's, still open
    std::optional<std::pair<LogFacts, std::int64_t>> wrapped{};  ///< Megatron's, whose end may follow
    std::optional<std::pair<LogFacts, std::int64_t>>
        callback{};  ///< LLaMA-Factory's line before the Trainer's
    std::int64_t loss_lines = 0;
    std::int64_t trainer_lines = 0;
    std::string last_loss_line;
    LogFacts run{};  ///< of a summary, and memory: the largest
    double skipped_most = 0;
    double overflows = 0;

    std::int64_t lines = 0;
    std::int64_t bytes = 0;
    std::vector<LogOddity> oddities;
};

namespace {

std::vector<std::string_view> all_anchors() {
    std::vector<std::string_view> all;
    for (const LogForm& form : log_forms()) {
        all.push_back(form.anchor);
    }
    for (int i = 0; i < log_word_count; ++i) {
        all.push_back(text_of(static_cast<LogWord>(i)));
    }
    return all;
}

/// Facts of `from` that `to` does not have.
void complete(LogFacts& to, const LogFacts& from) {
    for (int i = 0; i < log_fact_count; ++i) {
        const auto fact = static_cast<LogFact>(i);
        if (from.has(fact) && !to.has(fact)) {
            to.set(fact, from[fact]);
        }
    }
}

}  // namespace

TrainingLogReader::State::State() : forms(log_forms().begin(), log_forms().end()), anchors(all_anchors()) {
}

/// Reads the line as of form `i`, whose anchor stands at `at`; what it was.
TrainingLogReader::State::Taken TrainingLogReader::State::take_as(std::size_t i, std::size_t at,
                                                                  const LogLine& line) {
    const LogForm& form = forms[i];
    Taken taken = Taken::nothing;
    for (std::size_t begin = 0;;) {
        const std::string_view text = line.text.substr(begin);
        LogFacts facts;
        if (!form.read(text, begin == 0 ? at : 0, facts)) {
            return taken;
        }
        const std::size_t next = facts.next;
        keep_memory(facts);
        if (!facts.iteration) {
            side(form.family, facts);
            return Taken::beside;
        }
        step(form.family, facts, {line.number, text.substr(0, next == 0 ? text.npos : next), line.ended});
        taken = Taken::step;
        if (next == 0) {
            return taken;
        }
        begin += next;
    }
}

/// Takes the rest of a wrapped Megatron line into the step it belongs to; the step is complete with a line
/// that is none, or that is too far below.
bool TrainingLogReader::State::continue_wrapped(const LogLine& line) {
    constexpr std::int64_t most_rows = 12;  // of one line on a narrow terminal
    LogFacts rest;
    if (line.number - wrapped->second <= most_rows && read_megatron_rest(line.text, rest)) {
        complete(wrapped->first, rest);
        if (!rest.has(nan_steps)) {
            return true;
        }
        close_wrapped();
        return true;
    }
    close_wrapped();
    return false;
}

void TrainingLogReader::State::close_wrapped() {
    if (wrapped) {
        const auto [facts, line] = *wrapped;
        wrapped.reset();
        accept(LogFamily::megatron, facts, line);
    }
}

void TrainingLogReader::State::take(const LogLine& line) {
    if (wrapped && continue_wrapped(line)) {
        return;
    }
    // Most lines of most logs are of the same form as the last step.
    if (same_form >= same_form_trusted) {
        const std::size_t at = find_in(line.text, forms[last_form].anchor);
        if (at != line.text.npos && take_as(last_form, at, line) == Taken::step) {
            return;
        }
    }
    anchors.find(line.text, hits);
    if (hits.found == 0) {
        return;
    }
    words |= hits.found >> forms.size();
    for (std::size_t i = 0; i < forms.size(); ++i) {
        if (!hits.has(i)) {
            continue;
        }
        const Taken taken = take_as(i, hits.first[i], line);
        if (taken == Taken::step) {
            same_form = i == last_form ? same_form + 1 : 0;
            last_form = i;
            return;
        }
        if (taken == Taken::beside) {
            break;
        }
    }
    const auto here = [&](LogWord w) { return hits.has(forms.size() + static_cast<std::size_t>(w)); };
    using enum LogWord;
    beside |= here(evaluation) || here(validation) || here(validation_title) || here(validation_loss) ||
              here(validation_loss_key) || here(checkpoint) || here(checkpoint_title);
    start |= here(training_starts) || here(training_begins) || here(resuming);
}

void TrainingLogReader::State::keep_memory(const LogFacts& facts) {
    for (const LogFact fact : {allocated, reserved, device}) {
        if (facts.has(fact) && std::isfinite(facts[fact]) && facts[fact] > 0) {
            run.set(fact, run.has(fact) ? std::max(run[fact], facts[fact]) : facts[fact]);
        }
    }
}

/// A line beside the steps: its facts belong to the step that follows, or to the run.
void TrainingLogReader::State::side(LogFamily family, const LogFacts& facts) {
    for (const LogFact fact : {whole_run_samples_per_s, whole_run_tokens_per_s, whole_run_steps_per_s}) {
        if (facts.has(fact) && std::isfinite(facts[fact]) && facts[fact] > 0) {
            run.set(fact, facts[fact]);
        }
    }
    if (facts.has(skipped_total) && std::isfinite(facts[skipped_total])) {
        skipped_most = std::max(skipped_most, facts[skipped_total]);
    }
    if (family == LogFamily::deepspeed) {
        overflows += facts.has(skipped) ? facts[skipped] : 0.0;
        return;
    }
    if (family == LogFamily::composer) {
        if (block) {
            complete(block->first, facts);
        }
        return;
    }
    std::optional<LogFacts>& waiting = carried[static_cast<std::size_t>(family)];
    waiting = waiting ? waiting : std::optional(LogFacts{});
    complete(*waiting, facts);
}

/// A number that ends a file without line end may lack digits, and so may one that ends a line which says
/// less than the step before: it counts only with as many decimals as before.
void TrainingLogReader::State::drop_cut_number(LogFamily family, LogFacts& facts, const LogLine& line) {
    const std::optional<LogFacts>& before = shape[static_cast<std::size_t>(family)];
    const bool shorter = before && (facts.known & ~before->known) == 0 && facts.known != before->known;
    if (!facts.open || (line.ended && !shorter)) {
        return;
    }
    const auto at = static_cast<std::size_t>(facts.last);
    if (before && before->has(facts.last) && before->decimals[at] > facts.decimals[at]) {
        facts.forget(facts.last);
        oddities.push_back({line.number, "the line is truncated; its last number is ignored"});
    }
}

void TrainingLogReader::State::step(LogFamily family, LogFacts facts, const LogLine& line) {
    const auto index = static_cast<std::size_t>(family);
    drop_cut_number(family, facts, line);
    if (looked_at[index] < dialect_lines) {
        ++looked_at[index];
        look_for_dialects(family, line.text, facts, dialects);
    }
    shape[index] = facts;
    for (const LogFact fact : {whole_run_samples_per_s, whole_run_tokens_per_s, whole_run_steps_per_s}) {
        if (facts.has(fact) && std::isfinite(facts[fact]) && facts[fact] > 0) {
            run.set(fact, facts[fact]);
        }
    }
    if (family == LogFamily::composer) {
        if (block) {
            accept(family, block->first, block->second);
        }
        block = {facts, line.number};
        return;
    }
    if (family == LogFamily::hugging_face) {
        hugging_face(facts, line);
        return;
    }
    if (family == LogFamily::megatron && !facts.has(nan_steps) && facts.next == 0) {
        wrapped = {facts, line.number};  // the count of NaN iterations ends a whole line
        return;
    }
    accept(family, facts, line.number);
}

/// Lines with a loss are counted. The same line twice is one; LLaMA-Factory prints a line of its own before
/// the Trainer's.
void TrainingLogReader::State::hugging_face(LogFacts facts, const LogLine& line) {
    if (line.text.find('{') != line.text.npos) {
        const std::string_view dictionary = line.text.substr(line.text.find('{'));
        if (dictionary == last_loss_line) {
            return;
        }
        last_loss_line = dictionary;
    }
    if (holds(line.text, "callbacks")) {
        if (callback && trainer_lines == 0) {
            callback->first.iteration = ++loss_lines;
            accept(LogFamily::hugging_face, callback->first, callback->second);
        }
        callback = {facts, line.number};
        return;
    }
    if (callback) {
        complete(facts, callback->first);
        callback.reset();
    }
    ++trainer_lines;
    facts.iteration = ++loss_lines;
    accept(LogFamily::hugging_face, facts, line.number);
}

void TrainingLogReader::State::accept(LogFamily family, LogFacts facts, std::int64_t line) {
    std::optional<LogFacts>& waiting = carried[static_cast<std::size_t>(family)];
    if (waiting) {
        complete(facts, *waiting);
        waiting.reset();
    }
    track(family).step(facts, {.line = line, .beside = beside, .start = start});
    if (family != LogFamily::deepspeed) {
        beside = false;
        start = false;
    }
}

/// The form most steps have; timers and reports that stand beside other frameworks' lines only where there is
/// nothing else.
std::optional<LogFamily> TrainingLogReader::State::family() const {
    std::optional<LogFamily> best;
    const auto weight = [&](LogFamily f) {
        const bool beside_others = f == LogFamily::bar || f == LogFamily::deepspeed || f == LogFamily::mlperf;
        const std::int64_t steps = tracks[static_cast<std::size_t>(f)].steps();
        constexpr std::int64_t strong = std::int64_t{1} << 40;
        return steps == 0 ? 0 : !beside_others ? steps + strong : f == LogFamily::mlperf ? 1 : steps + 1;
    };
    for (int i = 0; i < log_family_count; ++i) {
        const auto f = static_cast<LogFamily>(i);
        if (weight(f) > (best ? weight(*best) : 0)) {
            best = f;
        }
    }
    if (!best && (run.has(whole_run_samples_per_s) || run.has(whole_run_steps_per_s))) {
        return LogFamily::hugging_face;  // a summary alone
    }
    return best;
}

void TrainingLogReader::State::note_missing(TrainingLog& log) const {
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

TrainingLogReader::TrainingLogReader() : state_(std::make_unique<State>()) {
}

TrainingLogReader::~TrainingLogReader() = default;

std::int64_t TrainingLogReader::lines() const {
    return state_->lines;
}

void TrainingLogReader::read(std::istream& in) {
    LogLines lines(in);
    LogLine line;
    std::int64_t last = 0;
    while (lines.next(line)) {
        last = line.number;
        line.number += state_->lines;
        state_->take(line);
    }
    if (lines.junk_bytes() > 0) {
        state_->oddities.push_back({lines.junk_line() + state_->lines,
                                    std::to_string(lines.junk_bytes()) + " bytes of non-text, ignored"});
    }
    if (lines.long_lines() > 0) {
        state_->oddities.push_back(
            {0, std::to_string(lines.long_lines()) + " lines longer than 1 MiB, truncated"});
    }
    state_->lines += last;
    state_->bytes += lines.bytes();
}

std::optional<TrainingLog> TrainingLogReader::finish() {
    State& s = *state_;
    s.close_wrapped();
    if (s.block) {
        s.accept(LogFamily::composer, s.block->first, s.block->second);
        s.block.reset();
    }
    if (s.callback && s.trainer_lines == 0) {
        s.callback->first.iteration = ++s.loss_lines;
        s.accept(LogFamily::hugging_face, s.callback->first, s.callback->second);
        s.callback.reset();
    }
    const std::optional<LogFamily> family = s.family();
    if (!family) {
        return std::nullopt;
    }
    TrainingLog log;
    log.framework = framework_of(*family, s.dialects, s.words, s.track(LogFamily::deepspeed).steps() > 0);
    log.lines = s.lines;
    log.bytes = s.bytes;
    log.skipped_steps = static_cast<std::int64_t>(std::min(std::max(s.skipped_most, s.overflows), 1e15));
    s.track(*family).finish(log);
    const auto whole_run = [&](LogFact fact, std::optional<double>& value) {
        if (*family == LogFamily::hugging_face && s.run.has(fact)) {
            value = s.run[fact];
        }
    };
    whole_run(whole_run_samples_per_s, log.samples_per_s);
    whole_run(whole_run_steps_per_s, log.steps_per_s);
    if (!log.tokens_per_s) {
        whole_run(whole_run_tokens_per_s, log.tokens_per_s);
    }
    const auto memory = [&](LogFact fact, std::optional<Bytes>& value) {
        if (s.run.has(fact)) {
            value = Bytes{s.run[fact]};
            log.peak_memory = log.peak_memory ? std::max(*log.peak_memory, *value) : *value;
        }
    };
    memory(allocated, log.allocated);
    memory(reserved, log.reserved);
    memory(device, log.device);
    if (log.micro_steps) {
        log.oddities.push_back(
            {0, "an iteration is a micro-step: " + std::to_string(*log.micro_steps) + " per optimizer step"});
    }
    if (log.skipped_steps > 0) {
        log.oddities.push_back(
            {0, std::to_string(log.skipped_steps) + " steps were skipped: the loss scale overflowed"});
    }
    log.oddities.insert(log.oddities.end(), s.oddities.begin(), s.oddities.end());
    s.note_missing(log);
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
        std::string known;
        for (int i = 0; i < log_framework_count; ++i) {
            known += (i > 0 ? ", " : "") + std::string(to_string(static_cast<LogFramework>(i)));
        }
        throw Error(ErrorKind::input, (files.empty() ? std::string("log") : files.front()) +
                                          ": no training step found in " + std::to_string(reader.lines()) +
                                          " lines; supported logs: " + known);
    }
    return *std::move(log);
}

bool looks_like_training_log(std::string_view text) {
    std::istringstream in{std::string(text)};
    return read_training_log(in).has_value();
}

}  // namespace traincost
