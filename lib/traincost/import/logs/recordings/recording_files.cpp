#include "traincost/import/logs/recordings/recording_files.hpp"

#include <cmath>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/import/logs/recordings/timeline_rows.hpp"
#include "traincost/import/recognise.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

namespace {

bool is_trace(std::string_view text) {
    if (text.find("\"ph\"") == text.npos || recognise(text) != Content::json)
        return false;
    return text[text.find_first_not_of(" \t\r\n")] == '[' || text.find("\"traceEvents\"") != text.npos;
}

/// A row that begins an iteration.
bool has_iterations(std::string_view text) {
    constexpr std::string_view start = "iteration start";
    for (auto at = text.find(start); at != text.npos; at = text.find(start, at + 1)) {
        const std::string_view before = text.substr(0, at);
        const auto line = before.find_last_not_of(" \t\"");
        const auto behind = text.find_first_not_of(" \t\"", at + start.size());
        if ((line == before.npos || before[line] == '\n') && behind != text.npos && text[behind] == ',')
            return true;
    }
    return false;
}

}  // namespace

bool is_recorded_text(std::string_view text) {
    return has_timeline_rows(text) || has_iterations(text) || is_trace(text);
}

std::vector<RecordedStep> read_recorded_text(std::string_view text, const std::string& file) {
    if (has_timeline_rows(text))
        return {read_timeline_rows(text, file)};
    return is_trace(text) ? read_chrome_trace(text, file) : read_benchmark_csv(text, file);
}

std::vector<RecordedStep> read_recording(const std::string& file, const SheetNumbers& sheet) {
    if (file.ends_with(".csv")) {
        const std::string text = read_text_file(file);
        return has_timeline_rows(text) ? std::vector{read_timeline_rows(text, file)}
                                       : read_benchmark_csv(text, file);
    }
    if (file.ends_with(".xlsx"))
        return {step_of_output_sheet(sheet(file, "Output"), file)};
    if (file.ends_with(".json"))
        return read_chrome_trace(read_text_file(file), file);
    throw Error(ErrorKind::usage, "'" + file + "' has an unknown ending; allowed: .csv, .xlsx, .json");
}

bool is_recording(const std::string& file) {
    if (file.ends_with(".csv") || file.ends_with(".xlsx"))
        return true;
    if (!file.ends_with(".json"))
        return false;
    const JsonDocument document = read_json_file(file);
    return document.root.array() != nullptr || document.root.find("traceEvents") != nullptr;
}

RecordedStep step_of_output_sheet(const std::map<std::string, double>& numbers, const std::string& file) {
    const auto at = [&](const char* place) {
        const auto found = numbers.find(place);
        if (found == numbers.end() || !std::isfinite(found->second) || found->second < 0.0)
            throw Error(ErrorKind::input, file + ": Output!" + place +
                                              " has no number; save the file in a spreadsheet program, which "
                                              "computes its formulas");
        return found->second;
    };
    constexpr double most = 100000.0;
    const double m = at("E1");
    if (!(m >= 1.0) || m > most)
        throw Error(ErrorKind::input, file + ": Output!E1: must be 1 to 100000 micro-batches");
    std::vector<std::pair<std::string, Seconds>> phases = {{"warmup", Seconds{at("G1")}}};
    constexpr double rounding = 1e-9;
    // The IIIS-Turing template's passes are the iteration's, its exported results' a micro-batch's.
    const bool whole = std::abs(at("I1") + at("K1") - at("M1")) <= rounding * at("M1");
    const double loops = std::floor(m);
    const double forward = at("I1") / (whole ? loops : 1.0);
    const double backward = at("K1") / (whole ? loops : 1.0);
    for (int i = 0; i < static_cast<int>(m); ++i) {
        phases.emplace_back("forward", Seconds{forward});
        phases.emplace_back("backward", Seconds{backward});
    }
    // What the stable part has beside its passes: transfers between stages.
    const double beside = at("M1") - loops * (forward + backward);
    if (beside > rounding * at("M1"))
        phases.emplace_back("transfer", Seconds{beside});
    phases.emplace_back("cooldown", Seconds{at("O1")});
    phases.emplace_back("allreduce", Seconds{at("Q1")});
    return step_of_phases(phases);
}

void write_recording(JsonWriter& out, const std::string& file, const std::vector<RecordedStep>& steps,
                     std::size_t picked) {
    const RecordedStep& step = steps[picked];
    out.begin_object().member("schema_version", 1).member("kind", "recording").member("file", file);
    out.member("iterations", steps.size()).member("iteration", picked + 1).member("total_s", step.total);
    out.key("totals_s").begin_array();
    for (const RecordedStep& each : steps)
        out.value(each.total);
    out.end_array().key("spans").begin_array();
    for (const RecordedSpan& span : step.spans) {
        out.begin_object().member("lane", span.lane).member("name", span.name);
        out.member("begin_s", span.begin).member("end_s", span.end);
        if (span.micro_batch)
            out.member("micro_batch", *span.micro_batch);
        out.end_object();
    }
    out.end_array().end_object();
}

}  // namespace traincost
