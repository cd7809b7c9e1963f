#include "traincost/import/logs/log_track.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

using enum LogFact;

constexpr std::int64_t most_restarts_named = 5;
constexpr std::int64_t interleaved_intervals = 2;  // ranks may run this many logging intervals apart
constexpr double impossible_factor = 0.2;  // a step faster than this share of the median was not waited for

std::string plural(std::int64_t n, const std::string& noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

bool is_rate(double value) {
    return std::isfinite(value) && value > 0;
}

}  // namespace

bool LogTrack::is_timed() const {
    return std::any_of(series_.begin(), series_.end(), [](const LogSeries& s) { return !s.empty(); });
}

bool LogTrack::below(std::int64_t n) const {
    return last_ && n <= *last_;
}

void LogTrack::step(const LogFacts& facts, const LogPlace& place) {
    const std::int64_t n = *facts.iteration;
    const bool began = place.start && seen_.size() > 0;
    if (back_) {
        const Back back = *back_;
        back_.reset();
        if (below(n)) {  // it goes on from there: a restart
            begin_again(back);
        } else {
            set_beside(back);
        }
    }
    if (!below(n)) {
        if (began) {
            begin_again({facts, place});
        } else {
            accept(facts, place, !last_.has_value());
        }
        return;
    }
    if (n == *last_ && !began && complete(facts, place)) {
        return;
    }
    const bool near = n + interleaved_intervals * std::max<std::int64_t>(interval_, 1) >= *last_;
    if (!seen_.contains(n) && near && !began) {
        accept(facts, place, false);  // a rank that is late
    } else if (began) {
        begin_again({facts, place});
    } else if (near) {
        repeated_.add(place.line, n);
    } else {
        back_ = Back{facts, place};
    }
}

/// A line far below the others, from which the run does not go on: of another piece of the run, or printed
/// again. Its iteration counts, once.
void LogTrack::set_beside(const Back& back) {
    const std::int64_t n = *back.facts.iteration;
    if (!seen_.insert(n)) {
        repeated_.add(back.place.line, n);
        return;
    }
    for (int i = 0; i < static_cast<int>(series_.size()); ++i) {
        add(static_cast<LogFact>(i), back.facts, back.place, false);
    }
    first_ = std::min(first_.value_or(n), n);
}

/// The loss of a step; of one that is printed again, as a bar is, the last counts.
void LogTrack::take_loss(const LogFacts& facts, const LogPlace& place) {
    if (!facts.has(loss)) {
        return;
    }
    const bool same_step = previous_ && previous_->iteration == facts.iteration && loss_;
    const bool counted = same_step && !std::isfinite(*loss_);
    loss_ = facts[loss];
    if (!std::isfinite(*loss_) && !counted) {
        not_finite_.add(place.line, *facts.iteration);
    }
}

/// Two lines may speak of one iteration, a bar and a report: the second says what the first did not.
bool LogTrack::complete(const LogFacts& facts, const LogPlace& place) {
    if (!previous_ || previous_->iteration != facts.iteration) {
        return false;
    }
    take_loss(facts, place);
    bool more = false;
    for (int i = 0; i < static_cast<int>(series_.size()); ++i) {
        const auto fact = static_cast<LogFact>(i);
        if (facts.has(fact) && !previous_->has(fact) && fact != elapsed && fact != skipped) {
            add(fact, facts, place, seen_.size() == 1);
            previous_->set(fact, facts[fact]);
            more = true;
        }
    }
    return more;
}

std::optional<double> LogTrack::last_loss() const {
    return loss_ && std::isfinite(*loss_) ? loss_ : std::nullopt;
}

void LogTrack::begin_again(const Back& back) {
    ++restarts_;
    const std::int64_t n = *back.facts.iteration;
    if (restarts_ <= most_restarts_named) {
        starts_.push_back({back.place.line, "restart: iteration " + std::to_string(n) + " follows " +
                                                std::to_string(last_.value_or(0))});
    }
    last_.reset();
    accept(back.facts, back.place, true);
}

void LogTrack::add(LogFact fact, const LogFacts& facts, const LogPlace& place, bool first) {
    if (facts.has(fact) && is_rate(facts[fact])) {
        series(fact).add({.value = facts[fact],
                          .iteration = *facts.iteration,
                          .line = place.line,
                          .first = first,
                          .beside = place.beside});
    }
}

/// A step, whose time may be told by what passed since the one before it.
void LogTrack::accept(const LogFacts& given, const LogPlace& place, bool first) {
    if (!given.has(elapsed)) {
        take(given, place, first);
        return;
    }
    LogFacts facts = given;
    const std::int64_t n = *facts.iteration;
    const bool follows = !first && previous_ && previous_->has(elapsed) && n > *previous_->iteration &&
                         facts[elapsed] > (*previous_)[elapsed];
    if (follows) {
        facts.set(step_time,
                  (facts[elapsed] - (*previous_)[elapsed]) / static_cast<double>(n - *previous_->iteration));
    } else if (first && n > 0) {
        facts.set(step_time, facts[elapsed] / static_cast<double>(n));
        starts_with_mean_ = true;
    }
    take(facts, place, first);
}

/// Whether a time that has no other name is the time of a step: it rises and falls about a value, where one
/// since a start would rise.
bool LogTrack::is_bare_time_of_step() const {
    const LogSeries& times = series_[static_cast<std::size_t>(bare_time)];
    return rises_ <= 2 * falls_ && falls_ <= 2 * rises_ && times.is_steady();
}

void LogTrack::follow_bare_time(const LogFacts& facts) {
    if (facts.has(bare_time) && previous_ && previous_->has(bare_time)) {
        rises_ += facts[bare_time] > (*previous_)[bare_time] ? 1 : 0;
        falls_ += facts[bare_time] < (*previous_)[bare_time] ? 1 : 0;
    }
}

void LogTrack::take(const LogFacts& facts, const LogPlace& place, bool first) {
    const std::int64_t n = *facts.iteration;
    const bool is_new = seen_.insert(n);
    if (is_new) {
        follow_bare_time(facts);
        if (last_ && n > *last_) {
            interval_ = interval_ == 0 ? n - *last_ : std::min(interval_, n - *last_);
        }
        constexpr std::uint32_t kept = 2 * bit_of(tflops_per_gpu) - 1;  // that have a series
        for (std::uint32_t left = facts.known & kept; left != 0; left &= left - 1) {
            add(static_cast<LogFact>(std::countr_zero(left)), facts, place, first);
        }
        if (!facts.has(step_time) && !series(step_time).empty()) {
            without_time_.add(place.line, n);
        }
        skipped_ += facts.has(skipped) && is_rate(facts[skipped]) ? facts[skipped] : 0.0;
    } else {
        repeated_.add(place.line, n);
    }
    take_loss(facts, place);
    if (facts.has(global_batch) && is_rate(facts[global_batch])) {
        global_batch_ = facts[global_batch];
    }
    if (facts.has(sequence) && is_rate(facts[sequence])) {
        sequence_ = facts[sequence];
    }
    if (facts.optimizer_step && previous_ && previous_->optimizer_step &&
        *facts.optimizer_step > *previous_->optimizer_step) {
        first_step_end_ = first_step_end_ ? first_step_end_ : facts;
        last_step_end_ = facts;
    }
    planned_ = facts.planned ? facts.planned : planned_;
    begin_ = first_ ? begin_ : n;
    first_ = first_ ? std::min(*first_, n) : n;
    largest_ = std::max(largest_, n);
    last_ = last_ ? std::max(*last_, n) : n;
    if (!previous_) {
        previous_.emplace();
    }
    previous_->become(facts);
}

void LogTrack::finish(TrainingLog& log) {
    if (back_) {
        set_beside(*back_);
        back_.reset();
    }
    log.iterations = seen_.size();
    if (log.iterations == 0) {
        return;
    }
    log.first_iteration = first_;
    log.last_iteration = largest_;
    log.planned_iterations = planned_;
    if (begin_ > std::max<std::int64_t>(1, interval_)) {  // the log is a piece of a run
        for (int i = 0; i < static_cast<int>(series_.size()); ++i) {
            const bool mean = static_cast<LogFact>(i) == step_time && starts_with_mean_;
            if (!mean) {
                series_[static_cast<std::size_t>(i)].begin_midway();
            }
        }
    }
    if (series(step_time).empty()) {
        std::swap(series(step_time), series(clocked_step_time));
    }
    if (series(step_time).empty() && is_bare_time_of_step()) {
        std::swap(series(step_time), series(bare_time));
    }
    const std::optional<double> time = series(step_time).median();
    if (time) {
        log.step_time = Seconds{*time};
        log.spread = series(step_time).spread(*time);
    }
    log.tokens_per_s = series(tokens_per_s).median();
    log.tokens_per_s_per_gpu = series(tokens_per_s_per_gpu).median();
    log.samples_per_s = series(samples_per_s).median();
    if (!log.samples_per_s) {
        log.samples_per_s = series(running_samples_per_s).median();
    }
    log.steps_per_s = series(steps_per_s).median();
    log.tflops_per_gpu = series(tflops_per_gpu).median();
    log.loss_last = last_loss();
    const auto whole = [](std::optional<double> x) -> std::optional<std::int64_t> {
        constexpr double most = 1e15;
        return x && *x < most ? std::optional(static_cast<std::int64_t>(*x)) : std::nullopt;
    };
    log.global_batch = whole(global_batch_);
    log.sequence = whole(sequence_);
    if (first_step_end_) {
        const std::int64_t steps = *last_step_end_->optimizer_step - *first_step_end_->optimizer_step;
        const std::int64_t iterations = *last_step_end_->iteration - *first_step_end_->iteration;
        const std::int64_t ratio = steps > 0 ? (iterations + steps / 2) / steps : 1;
        log.micro_steps = ratio > 1 ? std::optional(ratio) : std::nullopt;
    }
    log.skipped_steps = std::max(log.skipped_steps, whole(skipped_).value_or(0));
    log.nan_steps = not_finite_.count;
    log.restarts = restarts_;
    log.repeated_lines = repeated_.count;
    note_oddities(log, series(step_time));
}

void LogTrack::note_oddities(TrainingLog& log, const LogSeries& times) const {
    const auto note = [&](std::int64_t line, const std::string& text) {
        log.oddities.push_back({line, text});
    };
    log.oddities.insert(log.oddities.end(), starts_.begin(), starts_.end());
    if (restarts_ > most_restarts_named) {
        note(0, plural(restarts_, "restart") + " in all");
    }
    if (repeated_.count > 0) {
        note(repeated_.line, "iteration " + std::to_string(repeated_.iteration) + " is printed again (" +
                                 plural(repeated_.count, "such line") + "); repeats are ignored");
    }
    if (not_finite_.count > 0) {
        note(not_finite_.line, "the loss of iteration " + std::to_string(not_finite_.iteration) +
                                   " is not a finite number (" + plural(not_finite_.count, "such iteration") +
                                   ")");
    }
    if (without_time_.count > 0) {
        note(without_time_.line, "iteration " + std::to_string(without_time_.iteration) +
                                     " has no step time (" + plural(without_time_.count, "such iteration") +
                                     ")");
    }
    if (!log.step_time) {
        return;
    }
    const double median = log.step_time->value();
    if (const std::optional<LogSample> slow = times.warm_up(median)) {
        note(slow->line, "warm-up: iteration " + std::to_string(slow->iteration) + " takes " +
                             to_text(Seconds{slow->value}) + ", " + to_significant(slow->value / median) +
                             " times the median; left out");
    }
    const StepSpread& spread = *log.spread;
    if (spread.slow > 0) {
        note(spread.slowest_line, plural(spread.slow, "slow step") + " (more than 1.5 times the median) of " +
                                      std::to_string(spread.steps) + "; the slowest, iteration " +
                                      std::to_string(spread.slowest_iteration) + ", takes " +
                                      to_text(spread.slowest));
    }
    if (spread.fastest.value() < impossible_factor * median) {
        note(0, "a step of " + to_text(spread.fastest) +
                    " is printed, which is too fast for the work: the log may not wait for the device");
    }
}

}  // namespace traincost
