#include "traincost/import/logs/log_collector.hpp"

#include <algorithm>
#include <cmath>

#include "traincost/import/logs/lines/log_envelope.hpp"
#include "traincost/import/logs/lines/log_rows.hpp"

namespace traincost {

namespace {

using enum LogFact;

constexpr int dialect_lines = 64;  // step lines looked at to tell dialects of one form apart

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

}  // namespace

LogCollector::LogCollector() : forms_(log_forms().begin(), log_forms().end()), anchors_(all_anchors()) {
}

/// What a program printed, out of its envelope: some lines, with colours.
void LogCollector::take_printed(std::string_view text, const LogLine& line) {
    std::string scratch;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        const std::string_view plain = without_colours(text.substr(0, end), scratch);
        if (!plain.empty()) {
            take_plain({line.number, plain, true});
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void LogCollector::take(const LogLine& line) {
    row_tried_ = false;
    if (metrics_.has_columns() && take_bare_row(line)) {
        return;
    }
    const bool alone = stands_alone(line);
    if (alone && take_by_route(line)) {
        return;
    }
    if (line.text.starts_with("{\"")) {
        if (const std::optional<std::string> printed = text_in_envelope(line.text)) {
            take_printed(*printed, line);
            return;
        }
    }
    const std::size_t shapes = metrics_.shapes();
    way_.reset();
    take_plain(line);
    if (alone && way_) {
        learn_route(line, shapes);
    }
}

void LogCollector::take_plain(const LogLine& line) {
    if (!head_of_bar_.empty()) {
        const std::string bar = head_of_bar_ + " " + std::string(line.text);
        head_of_bar_.clear();
        if (is_rest_of_bar(line.text)) {
            take_plain({line.number, bar, line.ended});
            return;
        }
    }
    if (is_head_of_bar(line.text)) {
        head_of_bar_ = line.text;
        return;
    }
    if (wrapped_ && continue_wrapped(line)) {
        return;
    }
    if (continue_block(line) || continue_nemo(line) || take_metrics(line)) {
        return;
    }
    if (!take_by_forms(line)) {
        take_words(line, hits_.from(forms_.size()));
    }
}

void LogCollector::keep_memory(const LogFacts& facts) {
    constexpr std::uint32_t memories = bit_of(allocated) | bit_of(reserved) | bit_of(device);
    if ((facts.known & memories) == 0) {
        return;
    }
    for (const LogFact fact : {allocated, reserved, device}) {
        if (facts.has(fact) && std::isfinite(facts[fact]) && facts[fact] > 0) {
            run_.set(fact, run_.has(fact) ? std::max(run_[fact], facts[fact]) : facts[fact]);
        }
    }
}

void LogCollector::keep_summary(const LogFacts& facts) {
    constexpr std::uint32_t summaries = bit_of(whole_run_samples_per_s) | bit_of(whole_run_tokens_per_s) |
                                        bit_of(whole_run_steps_per_s) |
                                        bit_of(whole_run_tokens_per_s_per_gpu);
    if ((facts.known & summaries) == 0) {
        return;
    }
    for (const LogFact fact : {whole_run_samples_per_s, whole_run_tokens_per_s, whole_run_steps_per_s,
                               whole_run_tokens_per_s_per_gpu}) {
        if (facts.has(fact) && std::isfinite(facts[fact]) && facts[fact] > 0) {
            run_.set(fact, facts[fact]);
        }
    }
}

/// A line beside the steps: its facts belong to the step that follows, or to the run.
void LogCollector::side(LogFamily family, const LogFacts& facts, std::int64_t line) {
    keep_summary(facts);
    if (facts.has(skipped_total) && std::isfinite(facts[skipped_total])) {
        skipped_most_ = std::max(skipped_most_, facts[skipped_total]);
    }
    if (family == LogFamily::deepspeed) {
        dialects_.deepspeed |= facts.has(skipped_total) || facts.has(reserved);
        overflows_ += facts.has(skipped) ? facts[skipped] : 0.0;
        if (facts.has(samples_per_s)) {  // a timer's line that lost its beginning
            LogFacts counted = facts;
            counted.iteration = ++timer_lines_;
            accept(family, counted, line);
        }
        return;
    }
    if (family == LogFamily::composer) {
        if (block_) {
            block_->first.complete_with(facts);
        }
        return;
    }
    std::optional<LogFacts>& waiting = carried_[static_cast<std::size_t>(family)];
    waiting = waiting ? waiting : std::optional(LogFacts{});
    waiting->complete_with(facts);
}

/// Whether the last number of the line may lack digits, its exponent or its unit: it ends a file without line
/// end, or a line which says less than the step before.
bool LogCollector::is_cut(LogFamily family, const LogFacts& facts, const LogLine& line) const {
    const std::optional<LogFacts>& before = shape_[static_cast<std::size_t>(family)];
    const bool shorter = before && (facts.known & ~before->known) == 0 && facts.known != before->known;
    if (!facts.open || (line.ended && !shorter)) {
        return false;
    }
    const char end = line.text.back();
    if (!line.ended && (end == '.' || end == ',')) {
        return true;
    }
    const auto at = static_cast<std::size_t>(facts.last);
    if (!before || !before->has(facts.last)) {
        const bool always_decimals = family == LogFamily::megatron || !facts.iteration;
        return !line.ended && always_decimals && facts.decimals[at] == 0;
    }
    constexpr double least = 0.15;  // of the value before, for whole numbers
    const std::uint32_t bit = 1U << at;
    const bool lost_digits = before->decimals[at] == 0 && facts[facts.last] < least * (*before)[facts.last];
    return before->decimals[at] > facts.decimals[at] || (before->closed & bit & ~facts.closed) != 0 ||
           (!line.ended && lost_digits);
}

void LogCollector::drop_cut_number(LogFamily family, LogFacts& facts, const LogLine& line) {
    if (is_cut(family, facts, line)) {
        facts.forget(facts.last);
        oddities.push_back({line.number, "the line is truncated; its last number is ignored"});
    }
}

void LogCollector::step(LogFamily family, LogFacts& facts, const LogLine& line) {
    const auto index = static_cast<std::size_t>(family);
    if (looked_at_[index] < dialect_lines) {
        ++looked_at_[index];
        look_for_dialects(family, line.text, facts, dialects_);
    }
    if (!shape_[index]) {
        shape_[index].emplace();
    }
    shape_[index]->become(facts);
    keep_summary(facts);
    if (family == LogFamily::composer) {
        if (block_) {
            accept(family, block_->first, block_->second);
        }
        block_ = {facts, line.number};
        return;
    }
    if (family == LogFamily::hugging_face) {
        hugging_face(facts, line);
        return;
    }
    if (family == LogFamily::deepspeed_chat) {
        deepspeed_chat(facts, line);
        return;
    }
    if (family == LogFamily::megatron && !facts.has(nan_steps) && facts.next == 0) {
        wrapped_field_ = open_field(line.text);
        row_prefix_ = row_prefix(line.text);
        wrapped_ = {facts, line.number};  // the count of NaN iterations ends a whole line
        return;
    }
    accept(family, facts, line.number);
}

/// Lines with a loss are counted. The same line twice is one; LLaMA-Factory prints a line of its own before
/// the Trainer's. JSON is the Trainer's where it names epochs.
void LogCollector::hugging_face(LogFacts& facts, const LogLine& line) {
    const auto epoch_key = static_cast<int>(LogWord::epoch_key);
    if ((words_ >> epoch_key & 1U) == 0 && !holds(line.text, "'loss'") && !holds(line.text, "\"epoch\":")) {
        return;
    }
    if (line.text.find('{') != line.text.npos) {
        const std::string_view dictionary = line.text.substr(line.text.find('{'));
        if (dictionary == last_loss_line_) {
            return;
        }
        last_loss_line_ = dictionary;
    }
    if (holds(line.text, "callbacks")) {
        close_callback();
        callback_ = {facts, line.number};
        return;
    }
    if (callback_) {
        facts.complete_with(callback_->first);
        callback_.reset();
    }
    ++trainer_lines_;
    facts.iteration = ++loss_lines_;
    accept(LogFamily::hugging_face, facts, line.number);
}

/// A line of times belongs to the step whose loss stands before it; without one it is the next step.
void LogCollector::deepspeed_chat(LogFacts& facts, const LogLine& line) {
    if (facts.has(loss)) {
        chat_step_ = *facts.iteration;
        chat_named_ = true;
    } else {
        chat_step_ += chat_named_ ? 0 : 1;
        chat_named_ = false;
        facts.iteration = chat_step_;
    }
    accept(LogFamily::deepspeed_chat, facts, line.number);
}

void LogCollector::close_callback() {
    if (callback_ && trainer_lines_ == 0) {
        callback_->first.iteration = ++loss_lines_;
        accept(LogFamily::hugging_face, callback_->first, callback_->second);
    }
    callback_.reset();
}

void LogCollector::end() {
    close_wrapped();
    end_block(0);
    if (block_) {
        accept(LogFamily::composer, block_->first, block_->second);
        block_.reset();
    }
    close_callback();
}

double LogCollector::skipped_steps() const {
    return std::max(skipped_most_, overflows_);
}

void LogCollector::accept(LogFamily family, const LogFacts& facts, std::int64_t line) {
    const LogPlace place = {.line = line, .beside = beside_, .start = start_};
    if (std::optional<LogFacts>& waiting = carried_[static_cast<std::size_t>(family)]) {
        LogFacts complete = facts;
        complete.complete_with(*waiting);
        waiting.reset();
        track(family).step(complete, place);
    } else {
        track(family).step(facts, place);
    }
    if (family != LogFamily::deepspeed && (family != LogFamily::metrics || facts.is_timed())) {
        beside_ = false;
        start_ = false;
    }
}

std::optional<LogFamily> LogCollector::family() const {
    std::optional<LogFamily> best;
    const auto weight = [&](LogFamily f) {
        const bool beside_others = f == LogFamily::bar || f == LogFamily::deepspeed ||
                                   f == LogFamily::mlperf || f == LogFamily::deepspeed_chat ||
                                   f == LogFamily::metrics;
        const std::int64_t steps = tracks_[static_cast<std::size_t>(f)].steps();
        constexpr std::int64_t strong = std::int64_t{1} << 40;
        const bool told = f == LogFamily::metrics && steps == 1 && !rows_ &&
                          !tracks_[static_cast<std::size_t>(f)].is_timed();
        return steps == 0 || told                            ? 0  // one mention of a loss makes no log
               : !beside_others                              ? steps + strong
               : f == LogFamily::mlperf                      ? 1
               : f == LogFamily::metrics                     ? 2  // of anything, beside a framework's own
               : f == LogFamily::deepspeed_chat              ? steps + 2  // it says more than the timer
               : f == LogFamily::bar && !dialects_.named_bar ? 1          // of anything
                                                             : steps + 1;
    };
    for (int i = 0; i < log_family_count; ++i) {
        const auto f = static_cast<LogFamily>(i);
        if (weight(f) > (best ? weight(*best) : 0)) {
            best = f;
        }
    }
    if (!best && (run_.has(whole_run_samples_per_s) || run_.has(whole_run_steps_per_s))) {
        return LogFamily::hugging_face;  // a summary alone
    }
    return best;
}

}  // namespace traincost
