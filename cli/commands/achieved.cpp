// `traincost achieved`: how good a run was, from its step time or throughput.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/answers/achieved_answer.hpp>
#include <traincost/report/answers/answer_pages.hpp>
#include <traincost/report/commands/question_fields.hpp>

namespace traincost::cli {

namespace {

struct AchievedFlags {
    AchievedQuestion question{};
    SaidJob job{};
    std::vector<std::string> logs{};
    OutputWish output{};
};

CommandFields fields(AchievedFlags& flags) {
    return fields_of(flags.question, flags.logs)
        .add(fields_of(flags.job))
        .add(fields_of(flags.output, Charts::no, Pages::yes));
}

void run(AchievedFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    AchievedQuestion& question = flags.question;
    if (!flags.logs.empty()) {
        question.log = read_training_logs(flags.logs);
        question.log_name = flags.logs.front();
    }
    question.job = draft_of(flags.job, sources);
    const AchievedAnswer answer = ask(question, sources);
    print({.json = [&] { return json_text(answer); },
           .tables = [&] { return achieved_tables(answer); },
           .page = [&] { return page_of(answer); }},
          flags.output, context);
}

}  // namespace

void add_achieved(CLI::App& command, Context& context) {
    declare<AchievedFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
