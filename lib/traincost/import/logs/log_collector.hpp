// What the lines of a training log say, put together into the steps of a run; internal to import/logs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traincost/import/logs/lines/log_facts.hpp"
#include "traincost/import/logs/lines/log_forms.hpp"
#include "traincost/import/logs/lines/log_line.hpp"
#include "traincost/import/logs/lines/log_routes.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"
#include "traincost/import/logs/log_framework.hpp"
#include "traincost/import/logs/log_metrics.hpp"
#include "traincost/import/logs/log_track.hpp"

namespace traincost {

/// Takes a log line by line: recognises its form, and joins lines that belong to one step.
class LogCollector {
public:
    LogCollector();

    void take(const LogLine& line);

    /// Begins a further file of the log: its first lines may name columns.
    void begin_file();

    /// Completes the steps that waited for a further line. Call it once, after the last one.
    void end();

    /// The form most steps have; timers and reports that stand beside other frameworks' lines only where
    /// there is nothing else. None without a step or a summary.
    std::optional<LogFamily> family() const;

    LogTrack& track(LogFamily family) {
        return tracks_[static_cast<std::size_t>(family)];
    }
    const LogDialects& dialects() const {
        return dialects_;
    }
    /// Which words that tell frameworks apart were seen: a bit each.
    std::uint64_t words() const {
        return words_;
    }
    /// Tables and JSON lines.
    const LogMetrics& metrics() const {
        return metrics_;
    }
    /// Facts of the whole run: of its summary, and the most memory printed.
    const LogFacts& run() const {
        return run_;
    }
    /// Steps whose update was skipped, by the largest count printed.
    double skipped_steps() const;

    std::vector<LogOddity> oddities;

private:
    enum class Taken : std::uint8_t { nothing, beside, step };
    static constexpr int same_form_trusted =
        16;  ///< steps of one form in a row, after which a line is tried as one first
    static constexpr int lines_before_names = 100;  ///< of the columns of a table in a file, at most
    using Waiting = std::optional<std::pair<LogFacts, std::int64_t>>;  ///< a step and its line

    void take_printed(std::string_view text, const LogLine& line);
    void take_plain(const LogLine& line);
    bool take_metrics(const LogLine& line);
    bool take_bare_row(const LogLine& line);
    bool stands_alone(const LogLine& line) const;
    /// The form that lines are tried as first, counted from 1; 0 where none is trusted yet.
    std::size_t trusted_form() const {
        return same_form_ >= same_form_trusted ? last_form_ + 1 : 0;
    }
    void take_measured(const LogFacts& facts, const LogLine& line);
    void take_named(const LogLine& line, bool numbered);
    bool take_known(const LogLine& line);
    void take_step_beside_rows(const LogFacts& facts, const LogLine& line);
    bool take_object(std::string_view object, const LogLine& line);
    bool continue_block(const LogLine& line);
    void end_block(std::int64_t line);
    bool take_by_route(const LogLine& line);
    void learn_route(const LogLine& line, std::size_t shapes);
    bool take_by_forms(const LogLine& line);
    void count_form(std::size_t form);
    void take_words(const LogLine& line, std::uint64_t words);
    Taken take_as(std::size_t form, std::size_t at, const LogLine& line, LogTrace& trace);
    void side(LogFamily family, const LogFacts& facts, std::int64_t line);
    void step(LogFamily family, LogFacts& facts, const LogLine& line);
    void hugging_face(LogFacts& facts, const LogLine& line);
    void deepspeed_chat(LogFacts& facts, const LogLine& line);
    void accept(LogFamily family, const LogFacts& facts, std::int64_t line);
    void keep_memory(const LogFacts& facts);
    void keep_summary(const LogFacts& facts);
    bool is_cut(LogFamily family, const LogFacts& facts, const LogLine& line) const;
    void drop_cut_number(LogFamily family, LogFacts& facts, const LogLine& line);
    bool continue_wrapped(const LogLine& line);
    bool continue_nemo(const LogLine& line);
    void close_wrapped();
    void close_callback();

    std::vector<LogForm> forms_;
    Anchors anchors_;
    AnchorHits hits_;
    std::array<LogTrack, log_family_count> tracks_{};
    std::array<std::optional<LogFacts>, log_family_count> carried_{};  ///< facts for the step that follows
    std::array<std::optional<LogFacts>, log_family_count> shape_{};    ///< the last step of each
    std::array<int, log_family_count> looked_at_{};
    LogMetrics metrics_;
    int lines_of_file_ = 0;
    int unnamed_lines_ = 0;        ///< lines that were tried as named values in vain
    std::int64_t named_line_ = 0;  ///< the last that was not
    LogDialects dialects_;
    std::uint64_t words_ = 0;
    bool beside_ = false;
    bool start_ = false;
    bool rows_ = false;       ///< of a table or of JSON lines, which are no mention in prose
    bool row_tried_ = false;  ///< the line was read as a bare row in vain
    LogRoutes routes_;
    LogFacts facts_{};  ///< of the line that a form reads: clearing them costs less than making them
    LogTrace trace_;    ///< of the form that was tried last
    std::optional<LogRoute> way_{};  ///< of the line that is read, if it is one for others of its shape
    std::size_t last_form_ = 0;      ///< of the last step
    int same_form_ = 0;              ///< steps in a row of that form

    Waiting block_{};              ///< Composer's, still open
    Waiting wrapped_{};            ///< Megatron's, whose end may follow
    Waiting callback_{};           ///< LLaMA-Factory's line before the Trainer's
    std::string wrapped_field_{};  ///< begun in the last row of it
    std::string row_prefix_{};     ///< the launcher's, before its first row
    std::string head_of_bar_{};    ///< a row that its counts must follow
    std::int64_t loss_lines_ = 0;
    std::int64_t trainer_lines_ = 0;
    std::int64_t timer_lines_ = 0;  ///< DeepSpeed's without a step
    std::int64_t chat_step_ = 0;    ///< DeepSpeed-Chat's last
    bool chat_named_ = false;       ///< its loss was read, its times were not
    std::string last_loss_line_;
    LogFacts run_{};
    double skipped_most_ = 0;
    double overflows_ = 0;
};

}  // namespace traincost
