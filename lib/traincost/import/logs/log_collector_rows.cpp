// Lines that stand in several rows of a log.

#include <string>

#include "traincost/import/logs/lines/log_rows.hpp"
#include "traincost/import/logs/log_collector.hpp"

namespace traincost {

/// Takes the rest of a wrapped Megatron line into the step it belongs to; the step is complete with a line
/// that is none, or that is too far below. Primus's memory stands behind the count of NaN iterations.
bool LogCollector::continue_wrapped(const LogLine& line) {
    constexpr std::int64_t most_rows = 12;  // of one line on a narrow terminal
    LogFacts rest;
    const std::optional<std::string_view> bare = without_prefix(line.text, row_prefix_);
    const std::string row = bare ? wrapped_field_ + " " + std::string(*bare) : std::string(line.text);
    if (line.number - wrapped_->second <= most_rows && read_megatron_rest(row, rest)) {
        wrapped_field_ = open_field(line.text);
        drop_cut_number(LogFamily::megatron, rest, line);
        keep_memory(rest);
        wrapped_->first.complete_with(rest);
        return true;
    }
    close_wrapped();
    return false;
}

/// A row of NeMo's that begins with a bar, into the step before it.
bool LogCollector::continue_nemo(const LogLine& line) {
    const std::optional<LogFacts>& before = shape_[static_cast<std::size_t>(LogFamily::nemo)];
    if (line.text.front() != '|' || !before) {
        return false;
    }
    LogFacts rest;
    if (!read_nemo_rest(line.text, rest)) {
        return false;
    }
    drop_cut_number(LogFamily::nemo, rest, line);
    keep_memory(rest);
    rest.iteration = before->iteration;
    accept(LogFamily::nemo, rest, line.number);
    return true;
}

void LogCollector::close_wrapped() {
    if (wrapped_) {
        const auto [facts, line] = *wrapped_;
        wrapped_.reset();
        accept(LogFamily::megatron, facts, line);
    }
}

}  // namespace traincost
