#include <cli/recorded_steps.hpp>
#include <cli/sheet_reader.hpp>
#include <traincost/base/error.hpp>
#include <traincost/io/json.hpp>

#include <cmath>

namespace traincost::cli {

namespace {

/// The Output sheet: warm-up, micro-batches of a forward and a backward pass, cool-down, all-reduce.
RecordedStep step_of_sheet(const std::string& file) {
    const auto numbers = sheet_numbers(file, "Output");
    const auto at = [&](const char* place) {
        const auto found = numbers.find(place);
        if (found == numbers.end() || !std::isfinite(found->second) || found->second < 0.0)
            throw Error(ErrorKind::input,
                        file + ": Output!" + place +
                            " holds no number; save the file in a spreadsheet program, which "
                            "computes its formulas");
        return found->second;
    };
    constexpr double most = 100000.0;
    const double m = at("E1");
    if (!(m >= 1.0) || m > most)
        throw Error(ErrorKind::input, file + ": Output!E1: must be 1 to 100000 micro-batches");
    std::vector<std::pair<std::string, Seconds>> phases = {{"warmup", Seconds{at("G1")}}};
    for (int i = 0; i < static_cast<int>(m); ++i) {
        phases.emplace_back("forward", Seconds{at("I1")});
        phases.emplace_back("backward", Seconds{at("K1")});
    }
    // What the stable part has beside its passes: transfers between stages.
    const double beside = at("M1") - std::floor(m) * (at("I1") + at("K1"));
    constexpr double rounding = 1e-9;
    if (beside > rounding * at("M1"))
        phases.emplace_back("transfer", Seconds{beside});
    phases.emplace_back("cooldown", Seconds{at("O1")});
    phases.emplace_back("allreduce", Seconds{at("Q1")});
    return step_of_phases(phases);
}

}  // namespace

std::vector<RecordedStep> read_recording(const std::string& file) {
    if (file.ends_with(".csv"))
        return read_benchmark_csv(read_text_file(file), file);
    if (file.ends_with(".xlsx"))
        return {step_of_sheet(file)};
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
