// Files that hold recorded steps, whatever their form.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/logs/recordings/step_recording.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

/// Whether a text holds recorded steps: a benchmark.csv, rows of a timeline, or a Chrome trace.
bool is_recorded_text(std::string_view text);

/// The steps of such a text. `Error` of kind input where it is none, or is damaged.
std::vector<RecordedStep> read_recorded_text(std::string_view text, const std::string& file);

/// The step of a workbook's sheet Output, its numbers by place ("G1"): warm-up, micro-batches of a forward
/// and a backward pass (of one micro-batch, or where they make the stable part, of all), cool-down,
/// all-reduce. `Error` of kind input where a number is missing.
RecordedStep step_of_output_sheet(const std::map<std::string, double>& numbers, const std::string& file);

/// The numbers of one sheet of a spreadsheet file, by place. `Error` where there is no such sheet.
using SheetNumbers =
    std::function<std::map<std::string, double>(const std::string& file, const std::string& sheet)>;

/// The steps of a .csv (benchmark.csv, or the rows of a timeline), a .xlsx (the numbers of its sheet Output,
/// as 'export sheet' and the IIIS-Turing calculator place them) or a Chrome trace (.json). `Error` of kind
/// input or usage.
std::vector<RecordedStep> read_recording(const std::string& file, const SheetNumbers& sheet);

/// Whether the file's name is that of such a file; a .json is one where it holds a trace.
bool is_recording(const std::string& file);

/// One of a file's steps and the totals of all: {"schema_version", "kind": "recording", "file", "iterations",
/// "iteration" from 1, "total_s", "totals_s", "spans"}.
void write_recording(JsonWriter& out, const std::string& file, const std::vector<RecordedStep>& steps,
                     std::size_t picked);

}  // namespace traincost
