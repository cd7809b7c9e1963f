// Steps that were measured or computed elsewhere, as spans of time: benchmark.csv of the IIIS-Turing
// calculator and Chrome traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// Something that was under way in a lane. Times count from the step's begin.
struct RecordedSpan {
    std::string lane;
    std::string name;
    Seconds begin;
    Seconds end;
    std::optional<std::int64_t> micro_batch{};  ///< where the recording says it
};

struct RecordedStep {
    std::vector<RecordedSpan> spans;  ///< by lane, then by time
    Seconds total;
};

/// Phases one after the other, in one lane.
RecordedStep step_of_phases(const std::vector<std::pair<std::string, Seconds>>& phases);

/// The iterations of a benchmark.csv: rows of a label and the seconds since the row before, so that a row's
/// value is the duration of the phase that the previous row names. Rows outside 'iteration start' to
/// 'iteration end' and iterations that do not end are left out. `Error` of kind input, with the line, for
/// what is no such row, and where no iteration ends.
std::vector<RecordedStep> read_benchmark_csv(std::string_view text, const std::string& file);

/// The steps of a Chrome trace (an object with traceEvents, or their array): each slice called ProfilerStep#N
/// with all that runs in it, else the whole trace. Lanes are threads by name. `Error` of kind input where
/// there is no slice.
std::vector<RecordedStep> read_chrome_trace(std::string_view text, const std::string& file);

/// Index of the step called "1" (the first), "median" or "slowest". `Error` of kind usage for another, and
/// for a number beyond the steps.
std::size_t picked_step(const std::vector<RecordedStep>& steps, const std::string& which);

}  // namespace traincost
