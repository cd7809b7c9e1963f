#include <cli/recorded_steps.hpp>
#include <cli/sheet_reader.hpp>
#include <traincost/base/error.hpp>
#include <traincost/import/logs/recording_files.hpp>
#include <traincost/import/logs/timeline_rows.hpp>
#include <traincost/io/json.hpp>

namespace traincost::cli {

std::vector<RecordedStep> read_recording(const std::string& file) {
    if (file.ends_with(".csv")) {
        const std::string text = read_text_file(file);
        return has_timeline_rows(text) ? std::vector{read_timeline_rows(text, file)}
                                       : read_benchmark_csv(text, file);
    }
    if (file.ends_with(".xlsx"))
        return {step_of_output_sheet(sheet_numbers(file, "Output"), file)};
    if (file.ends_with(".json"))
        return read_chrome_trace(read_text_file(file), file);
    throw Error(ErrorKind::usage, "'" + file + "' is not known by its name; allowed: .csv, .xlsx, .json");
}

bool is_recording(const std::string& file) {
    if (file.ends_with(".csv") || file.ends_with(".xlsx"))
        return true;
    if (!file.ends_with(".json"))
        return false;
    const JsonDocument document = read_json_file(file);
    return document.root.array() != nullptr || document.root.find("traceEvents") != nullptr;
}

}  // namespace traincost::cli
