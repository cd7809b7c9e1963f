// `traincost export bench`: the script that measures a job; `traincost loop`: the four commands around it.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/answers/bench_answer.hpp>
#include <traincost/report/commands/question_fields.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct BenchFlags {
    SaidJob job{};
    BenchView view{};
};

CommandFields fields(BenchFlags& flags) {
    return fields_of(flags.job).add(fields_of(flags.view));
}

CommandFields fields_with_loop(BenchFlags& flags) {
    return fields(flags).add(loop_fields(flags.view));
}

void run(BenchFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    const BenchAnswer answer =
        ask(BenchQuestion{draft_of(flags.job, sources), "pytorch", flags.view.options}, sources);
    if (flags.view.loop) {
        context.out << loop_text(answer, bench_words(context.given, flags.view.file), context.style.width);
        return;
    }
    say_all(context, {}, bench_remarks(answer));
    if (flags.view.file.empty()) {
        context.out << answer.script;
    } else {
        write_file(flags.view.file, answer.script);
    }
}

void run_loop(BenchFlags& flags, Context& context) {
    flags.view.loop = true;
    run(flags, context);
}

}  // namespace

void add_bench(CLI::App& command, Context& context) {
    declare<BenchFlags>(command, context, fields_with_loop, run);
}

void add_loop(CLI::App& command, Context& context) {
    declare<BenchFlags>(command, context, fields, run_loop);
}

}  // namespace traincost::cli
