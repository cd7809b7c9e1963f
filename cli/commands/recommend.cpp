// `traincost recommend`: the best configurations, and why.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <cli/search_run.hpp>
#include <traincost/report/answers/launch_answer.hpp>
#include <traincost/report/commands/question_fields.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct RecommendFlags {
    SaidJob job{};
    RecommendQuestion question{};
    RecommendView view{};
    std::string launch{};
};

CommandFields fields(RecommendFlags& flags) {
    return fields_of(flags.question, flags.job, flags.view).add(launch_format_fields(flags.launch), "Output");
}

void run(RecommendFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    RecommendQuestion& question = flags.question;
    take_job(question.search, flags.job, sources);
    say_all(context, "assumed ", take_stack_of(flags.launch, sources.catalogue(), question.search));
    question.run = [&](SearchRequest& request) { return run_search(request, context); };
    if (question.search.shard) {
        const ShardAnswer part =
            searched_shard(question, texts_of(context.given, {"--shard", "--threads"}), sources);
        context.out << part.text;
        context.exit_code = part.interrupted ? exit_interrupted : exit_yes;
        return;
    }
    const RecommendAnswer answer = ask(question, sources);
    if (!flags.launch.empty() && !answer.plans.empty()) {
        write_launch({flags.launch, {}, flags.view.output.json}, answer.plans.front().job, sources, context);
    } else if (!answer.search.request.sites.empty()) {
        print(printed_answer(answer, flags.view, sources), flags.view.output, context);
    }
    say_all(context, "no plan: ", why_no_plan(answer));
    context.answer(answer.yes());
    if (answer.result.interrupted) {
        context.exit_code = exit_interrupted;
    }
}

}  // namespace

void add_recommend(CLI::App& command, Context& context) {
    declare<RecommendFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
