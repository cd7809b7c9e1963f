// Steps that 'timeline --from' and 'compare' take from files.
#pragma once

#include <traincost/import/logs/step_recording.hpp>

#include <string>
#include <vector>

namespace traincost::cli {

/// The steps of a .csv (benchmark.csv, or the rows of a timeline), a .xlsx (the numbers of its sheet Output,
/// as 'export sheet' and the IIIS-Turing calculator place them) or a Chrome trace (.json). `Error` of kind
/// input or usage.
std::vector<RecordedStep> read_recording(const std::string& file);

/// Whether the file's name is that of such a file; a .json is one where it holds a trace.
bool is_recording(const std::string& file);

}  // namespace traincost::cli
