// The steps of one form of line, gathered: which are new, which are printed again, where the run was
// restarted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "traincost/import/logs/lines/log_facts.hpp"
#include "traincost/import/logs/log_series.hpp"
#include "traincost/import/logs/training_log.hpp"

namespace traincost {

/// What stands around a step.
struct LogPlace {
    std::int64_t line = 0;
    bool beside = false;  ///< an evaluation or a checkpoint was named since the last step
    bool start = false;   ///< a start of training was named since the last step
};

/// A place where something was first seen, and how often.
struct LogCount {
    std::int64_t count = 0;
    std::int64_t line = 0;
    std::int64_t iteration = 0;

    void add(std::int64_t at_line, std::int64_t at_iteration) {
        if (count++ == 0) {
            line = at_line;
            iteration = at_iteration;
        }
    }
};

/// Steps in the order of the log.
class LogTrack {
public:
    /// A step. An iteration printed before is left out, unless the run goes on from it.
    void step(const LogFacts& facts, const LogPlace& place);

    std::int64_t steps() const {
        return seen_.size();
    }
    /// Whether a step says how fast it was.
    bool is_timed() const;

    /// Writes what was gathered, and what is odd about it, into `log`; nothing more may come after it.
    void finish(TrainingLog& log);

    /// The median of a rate or time; nothing where none was printed.
    std::optional<double> median(LogFact fact) const {
        return series_[static_cast<std::size_t>(fact)].median();
    }

    /// The last loss printed; nothing where it is not finite.
    std::optional<double> last_loss() const;

private:
    struct Back {  ///< an iteration below the last: another rank's, or a restart
        LogFacts facts;
        LogPlace place;
    };
    void accept(const LogFacts& facts, const LogPlace& place, bool first);
    void take(const LogFacts& facts, const LogPlace& place, bool first);
    void add(LogFact fact, const LogFacts& facts, const LogPlace& place, bool first);
    bool complete(const LogFacts& facts, const LogPlace& place);
    void begin_again(const Back& back);
    void set_beside(const Back& back);
    void take_loss(const LogFacts& facts, const LogPlace& place);
    void note_oddities(TrainingLog& log, const LogSeries& times) const;
    bool below(std::int64_t n) const;
    void follow_bare_time(const LogFacts& facts);
    bool is_bare_time_of_step() const;

    LogSeries& series(LogFact fact) {
        return series_[static_cast<std::size_t>(fact)];
    }

    IterationSet seen_;
    std::array<LogSeries, static_cast<std::size_t>(LogFact::tflops_per_gpu) + 1> series_{};
    std::optional<std::int64_t> last_{};   ///< the largest iteration since the last start
    std::optional<std::int64_t> first_{};  ///< of all
    std::int64_t begin_ = 0;               ///< the first printed
    std::int64_t largest_ = 0;
    std::int64_t interval_ = 0;  ///< smallest distance of two iterations; 0: not known
    std::optional<std::int64_t> planned_{};
    std::optional<Back> back_{};
    std::optional<LogFacts> previous_{};  ///< the last accepted step
    std::optional<LogFacts>
        first_step_end_{};  ///< the first and the last iteration with a new optimizer step
    std::optional<LogFacts> last_step_end_{};
    std::optional<double> loss_{};
    std::optional<double> global_batch_{};
    std::optional<double> sequence_{};
    double skipped_ = 0;
    std::int64_t rises_ = 0;  ///< of the bare time from one step to the next
    std::int64_t falls_ = 0;
    bool starts_with_mean_ = false;  ///< the first step time is that of all steps before the log
    LogCount repeated_;
    LogCount not_finite_;
    LogCount without_time_;
    std::vector<LogOddity> starts_;  ///< restarts
    std::int64_t restarts_ = 0;
};

}  // namespace traincost
