// A timeline as rows: what 'timeline --format csv' prints and what people write by hand.
#pragma once

#include <string>
#include <string_view>

#include "traincost/import/logs/recordings/step_recording.hpp"

namespace traincost {

/// Whether the first line names the columns of such rows: it begins with the column stage, or has a begin and
/// an end.
bool has_timeline_rows(std::string_view text);

/// The step of rows under a first line that names the columns task (or phase or name), begin (or start) and
/// end, in any order, also as begin_s and end_s; stage and micro-batch (or micro_batch) may be there, others
/// are ignored. Times are seconds. A row without a stage is what all stages do. Lanes are stages by number.
/// `Error` of kind input, with the line, for a column that is missing, a stage that is not 0 to 65535, times
/// that are no seconds or do not grow, and where there is no row.
RecordedStep read_timeline_rows(std::string_view text, const std::string& file);

}  // namespace traincost
