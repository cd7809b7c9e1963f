// What can be said of each question, and of how its answer is printed.
#pragma once

#include "traincost/ask/job_input.hpp"
#include "traincost/ask/measured/calibrate_question.hpp"
#include "traincost/ask/measured/validate_question.hpp"
#include "traincost/ask/questions/achieved_question.hpp"
#include "traincost/ask/questions/catalogue_question.hpp"
#include "traincost/ask/questions/days_question.hpp"
#include "traincost/ask/questions/guide_question.hpp"
#include "traincost/ask/questions/params_question.hpp"
#include "traincost/ask/questions/recommend_question.hpp"
#include "traincost/ask/questions/scale_question.hpp"
#include "traincost/import/reading.hpp"
#include "traincost/report/answers/answer_pages.hpp"
#include "traincost/report/answers/bench_answer.hpp"
#include "traincost/report/answers/recommend_answer.hpp"
#include "traincost/report/answers/timeline_answer.hpp"
#include "traincost/report/commands/command_fields.hpp"
#include "traincost/report/printed_answer.hpp"

namespace traincost {

/// Whether a command draws charts.
enum class Charts : bool { no, yes };

/// Whether a command writes a page.
enum class Pages : bool { no, yes };

/// --json, --format, and where there are pages --output.
CommandFields fields_of(OutputWish& wish, Charts charts = Charts::no, Pages pages = Pages::no);

/// --job, and a flag for each field of a job that has one.
CommandFields fields_of(SaidJob& job);
/// Files of any kind, and which of the jobs in them.
CommandFields file_fields(SaidJob& job);
/// --to, the launch format that a job is written in.
CommandFields launch_format_fields(std::string& format, bool required = false);
CommandFields fields_of(BenchView& view);
CommandFields loop_fields(BenchView& view);
CommandFields fields_of(EstimateView& view);
/// --from and --iteration, a recorded step.
CommandFields fields_of(RecordingQuestion& question);
/// How the step is drawn; `chrome` is the file of a Chrome trace.
CommandFields fields_of(TimelineView& view, std::string& chrome);

/// Those of a search, and how many plans are explained.
CommandFields fields_of(RecommendQuestion& question, SaidJob& job, RecommendView& view);
/// Those of a job, in which dimensions of the search take several values, and the search's own.
CommandFields fields_of(SearchQuestion& question, SaidJob& job);
CommandField allow_risky_field(bool& target);

/// A flag for each question of the guide that one can answer.
CommandFields fields_of(GuideAnswers& said);
CommandFields fields_of(AchievedQuestion& question, std::vector<std::string>& logs);
CommandFields fields_of(DaysQuestion& question);
CommandFields fields_of(ParamsQuestion& question);
CommandFields fields_of(ReadQuestion& question);
CommandFields fields_of(ScaleQuestion& question);
/// `format` is that of the tables; `residuals_file` is where the table of residuals goes.
CommandFields fields_of(ValidateQuestion& question, std::string& format, std::string& residuals_file);
/// `folder` is where fitted records go.
CommandFields fields_of(CalibrateQuestion& question, std::string& folder);

}  // namespace traincost
