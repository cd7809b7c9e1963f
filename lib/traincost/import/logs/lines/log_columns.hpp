// What the names of a table of metrics mean: the columns of a CSV file, the keys of JSON lines.
#pragma once

#include <cstdint>
#include <string_view>

#include "traincost/import/logs/lines/log_facts.hpp"

namespace traincost {

enum class ColumnRole : std::uint8_t {
    none,
    iteration,
    optimizer_step,  ///< where an iteration may be a micro-step
    epoch,
    fact,
    clock,      ///< seconds since some start, or of a calendar
    bare_time,  ///< a time that says neither of what nor since when
    part,       ///< which part of the data a row is of: "train", "val"
};

/// Whether the values of such a column are numbers.
constexpr bool is_number(ColumnRole role) {
    return role == ColumnRole::fact || role == ColumnRole::iteration || role == ColumnRole::optimizer_step ||
           role == ColumnRole::epoch;
}

/// The rank of "wps": of all accelerators where fairseq writes it, whose updates a second stand beside it; of
/// one where others do.
inline constexpr int words_per_s_rank = 7;

/// The values under one name.
struct LogColumn {
    ColumnRole role = ColumnRole::none;
    LogFact fact = LogFact::step_time;
    double scale = 1.0;  ///< into base units; 0: the name does not say the unit
    LogSuffix suffix = LogSuffix::none;
    int rank = 0;  ///< of several columns of one role or fact, the lowest counts
};

/// By the words of the name: "step_time_ms", "train/loss", "tokens/s/GPU", "peak_mem_gb". Of validation,
/// evaluation and parts of a step it is none.
LogColumn column_of(std::string_view name);

}  // namespace traincost
