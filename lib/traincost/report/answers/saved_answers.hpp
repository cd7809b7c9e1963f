// Saved answers of any kind, brought to the figures they have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/sources.hpp"
#include "traincost/import/logs/recordings/recording_files.hpp"
#include "traincost/report/charts/recording_chart.hpp"
#include "traincost/report/printed_answer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// What an answer says, by the name of the figure, and its step where it has one.
struct SavedAnswer {
    std::string name;
    std::string kind;  ///< "estimate", "method iiis", "recording"
    std::vector<std::pair<std::string, Cell>> figures;
    std::optional<RecordedStep> step;
    bool yes = true;  ///< false: an estimate that does not fit
};

/// Whether the file is neither a job nor an estimate: a method's answer ('method NAME --json'), that of
/// days, plan, recommend, scale or a log's, or a recorded step.
bool is_other_answer(const std::string& file);

/// A job, an estimate, a method's answer, or a recorded step (its median iteration).
/// `Error` where the file cannot be read or is none of them.
SavedAnswer read_saved_answer(const std::string& file, const Sources& sources, const SheetNumbers& sheets);

/// All of them; nothing where every file is a job or an estimate. `Error` where one is neither, or there is
/// only one.
std::optional<std::vector<SavedAnswer>> read_saved_answers(const std::vector<std::string>& files,
                                                           const Sources& sources,
                                                           const SheetNumbers& sheets);

/// Whether every one of them is yes.
bool all_yes(const std::vector<SavedAnswer>& answers);

/// In each form; tables fit a terminal of that width.
PrintedAnswer printed_answer(const std::vector<SavedAnswer>& answers, std::size_t width);

/// One column an answer, one row a figure that any of them has, in the order of the first; steps stacked
/// below on one scale.
std::vector<Table> saved_answer_tables(const std::vector<SavedAnswer>& answers, int columns);

/// The stacked steps as SVG.
std::string saved_answer_svg(const std::vector<SavedAnswer>& answers);

/// "schema_version", and an object for each answer: name, kind, figures in base units, phases.
std::string saved_answer_json(const std::vector<SavedAnswer>& answers);

}  // namespace traincost
