// `traincost compare`: jobs side by side.

#include <cli/commands/commands.hpp>
#include <cli/output_options.hpp>
#include <cli/page_output.hpp>
#include <traincost/ask/compare_question.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/answer_pages.hpp>
#include <traincost/report/charts/svg.hpp>
#include <traincost/report/estimate_answer.hpp>
#include <traincost/report/saved_answers.hpp>
#include <traincost/sheets/sheet_reader.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    std::vector<std::string> files;
    OutputFlags output;
};

/// Answers of several kinds: what they have in common, and their steps on one scale.
void compare_answers(const Flags& f, Context& context) {
    if (f.files.size() < 2) {
        throw Error(ErrorKind::usage, "compare: needs two answers or more");
    }
    const Sources sources(context.data_folder, &context.in);
    std::vector<SavedAnswer> answers;
    answers.reserve(f.files.size());
    for (const std::string& file : f.files) {
        answers.push_back(read_saved_answer(file, sources, sheet_numbers));
        if (!answers.back().yes) {
            context.exit_code = exit_no;
        }
    }
    if (f.output.json) {
        context.out << saved_answer_json(answers);
    } else if (page_wanted(f.output)) {
        throw Error(ErrorKind::usage, "--format: pages are of job files; answers of other kinds have svg");
    } else if (f.output.svg) {
        context.out << saved_answer_svg(answers);
    } else {
        constexpr std::size_t beside = 40;
        constexpr std::size_t least = 20;
        const std::size_t wide = context.style.width > beside + least ? context.style.width - beside : least;
        context.out << render(saved_answer_tables(answers, static_cast<int>(wide)), f.output.format,
                              context.style);
    }
}

void run_compare(const Flags& f, Context& context) {
    if (std::any_of(f.files.begin(), f.files.end(), is_other_answer)) {
        compare_answers(f, context);
        return;
    }
    if (std::count(f.files.begin(), f.files.end(), "-") > 1) {
        throw Error(ErrorKind::usage, "compare: the standard input can be read once only");
    }
    const Sources sources(context.data_folder, &context.in);
    CompareQuestion question;
    for (const std::string& file : f.files) {
        question.jobs.push_back({file, draft_from_file(file, sources)});
    }
    const CompareAnswer answer = ask(question, sources);
    if (f.output.json) {
        JsonWriter out;
        write_json(out, answer);
        context.out << out.text();
    } else if (page_wanted(f.output)) {
        const std::string verdict = answer.yes() ? "Every job fits" : "Not every job fits";
        write_page(page_of("Comparison of jobs", verdict, answer.yes() ? Tone::good : Tone::bad,
                           tables_of(answer), charts_of(answer)),
                   f.output, context);
    } else if (f.output.svg) {
        context.out << svg(charts_of(answer));
    } else {
        context.out << render(tables_of(answer), f.output.format, context.style);
    }
    context.exit_code = answer.yes() ? exit_yes : exit_no;
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("compare", "Comparison of jobs: values, differences, ratios to the first");
    const auto flags = std::make_shared<Flags>();
    command
        ->add_option("jobs", flags->files,
                     "Job files, --json output of estimate, method, days, plan, recommend, scale and of logs "
                     "(read), recorded steps (.csv, .xlsx, Chrome trace); - is standard input")
        ->required()
        ->type_name("FILE");
    add_output_options(*command, flags->output, Charts::yes, Pages::yes);
    command->callback([flags, &context] { run_compare(*flags, context); });
}

}  // namespace traincost::cli
