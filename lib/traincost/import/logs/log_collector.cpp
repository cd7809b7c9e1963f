#include "traincost/import/logs/log_collector.hpp"

#include <algorithm>
#include <cmath>

#include "traincost/import/logs/lines/log_envelope.hpp"
#include "traincost/import/logs/lines/log_rows.hpp"

namespace traincost {

namespace {

using enum LogFact;

constexpr int same_form_trusted = 16;  // steps of one form in a row, after which a line is tried as one first
constexpr int dialect_lines = 64;      // step lines looked at to tell dialects of one form apart

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

/// Reads the line as of form `i`, whose anchor stands at `at`; what it was.
LogCollector::Taken LogCollector::take_as(std::size_t i, std::size_t at, const LogLine& line) {
    const LogForm& form = forms_[i];
    Taken taken = Taken::nothing;
    for (std::size_t begin = 0;;) {
        const std::string_view text = line.text.substr(begin);
        LogFacts facts;
        const bool read = form.read(text, begin == 0 ? at : 0, facts);
        const std::size_t next = facts.next;
        if (read) {
            drop_cut_number(form.family, facts, line);
            keep_memory(facts);
            if (!facts.iteration) {
                side(form.family, facts, line.number);
                if (form.family == LogFamily::hugging_face || form.family == LogFamily::megatron) {
                    look_for_dialects(form.family, text, facts, dialects_);
                }
                return Taken::beside;
            }
            step(form.family, facts, {line.number, text.substr(0, next == 0 ? text.npos : next), line.ended});
            taken = Taken::step;
        }
        if (next == 0) {
            return taken;
        }
        begin += next;
    }
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
    if (line.text.starts_with("{\"")) {
        if (const std::optional<std::string> printed = text_in_envelope(line.text)) {
            take_printed(*printed, line);
            return;
        }
    }
    take_plain(line);
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
    // Most lines of most logs are of the same form as the last step.
    if (same_form_ >= same_form_trusted) {
        const std::size_t at = find_in(line.text, forms_[last_form_].anchor);
        if (at != line.text.npos && take_as(last_form_, at, line) == Taken::step) {
            return;
        }
    }
    if (take_known(line)) {
        return;
    }
    anchors_.find(line.text, hits_);
    if (!hits_.any()) {
        return;
    }
    words_ |= hits_.from(forms_.size());
    for (std::size_t i = 0; i < forms_.size(); ++i) {
        if (!hits_.has(i)) {
            continue;
        }
        const Taken taken = take_as(i, hits_.first[i], line);
        if (taken == Taken::step) {
            same_form_ = i == last_form_ ? same_form_ + 1 : 0;
            last_form_ = i;
            return;
        }
        if (taken == Taken::beside) {
            break;
        }
    }
    const auto here = [&](LogWord w) { return hits_.has(forms_.size() + static_cast<std::size_t>(w)); };
    using enum LogWord;
    if (here(step_cell) || here(epoch_cell)) {
        metrics_.begin_cells();
        take_metrics(line);
        return;
    }
    if (here(step_word) && metrics_.begin_block(line.text)) {
        return;
    }
    const bool numbered = here(step_word) || here(iter_word) || here(batch_word) || here(loss_behind_bar);
    if (numbered || here(epoch_word) || here(train_title)) {
        take_named(line, numbered);
    }
    const bool beside = here(evaluation) || here(validation) || here(validation_loss) ||
                        here(validation_loss_key) || here(checkpoint) || here(checkpoint_title);
    const bool start = here(training_starts) || here(training_begins) || here(resuming);
    if (beside || start) {
        metrics_.forget_named_shape();
    }
    beside_ |= beside;
    start_ |= start;
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

void LogCollector::step(LogFamily family, LogFacts facts, const LogLine& line) {
    const auto index = static_cast<std::size_t>(family);
    if (looked_at_[index] < dialect_lines) {
        ++looked_at_[index];
        look_for_dialects(family, line.text, facts, dialects_);
    }
    shape_[index] = facts;
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
void LogCollector::hugging_face(LogFacts facts, const LogLine& line) {
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
void LogCollector::deepspeed_chat(LogFacts facts, const LogLine& line) {
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
