// `traincost compare`: jobs side by side.

#include <cli/commands/commands.hpp>
#include <cli/job_options.hpp>
#include <cli/output_options.hpp>
#include <cli/saved_answers.hpp>
#include <traincost/io/estimate_json.hpp>
#include <traincost/io/residuals_json.hpp>
#include <traincost/report/comparison.hpp>
#include <traincost/report/svg.hpp>

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

struct Compared {
    std::vector<ComparedJob> jobs;
    std::vector<std::vector<std::string>> assumptions;  ///< of each job
};

const StageMemory& peak_of(const Estimate& e) {
    return e.stages[static_cast<std::size_t>(e.peak_stage)];
}

Compared compared(const Flags& f, Context& context) {
    if (f.files.size() < 2) {
        throw Error(ErrorKind::usage, "compare: needs two job files or more");
    }
    if (std::count(f.files.begin(), f.files.end(), "-") > 1) {
        throw Error(ErrorKind::usage, "compare: the standard input can be read once only");
    }
    const Catalogue catalogue(context.data_folder);
    Compared c;
    for (const std::string& file : f.files) {
        JobFlags flags;
        flags.job_file = file;
        ResolvedJob resolved = resolve_job(flags, catalogue, context);
        Estimate e = estimate(resolved.job);
        c.jobs.push_back({file, std::move(resolved.job), std::move(resolved.operation), std::move(e)});
        c.assumptions.push_back(std::move(resolved.assumptions));
    }
    return c;
}

void print_json(Context& context, const Compared& c) {
    const Residuals residuals = read_residuals(context.data_folder);
    const Estimate& first = c.jobs.front().estimate;
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", estimate_schema_version);
    out.key("jobs").begin_array();
    for (std::size_t i = 0; i < c.jobs.size(); ++i) {
        const ComparedJob& job = c.jobs[i];
        out.begin_object();
        out.member("file", job.name);
        out.member("step_ratio", job.estimate.step.total / first.step.total);
        out.member("memory_ratio", peak_of(job.estimate).device / peak_of(first).device);
        write_estimate_members(out, job.job, job.estimate, uncertainty(residuals, job.job, job.estimate),
                               c.assumptions[i], job.operation);
        out.end_object();
    }
    out.end_array().end_object();
    context.out << out.text();
}

/// Answers of several kinds: what they have in common, and their steps on one scale.
void compare_answers(const Flags& f, Context& context) {
    if (f.files.size() < 2) {
        throw Error(ErrorKind::usage, "compare: needs two answers or more");
    }
    const Catalogue catalogue(context.data_folder);
    std::vector<SavedAnswer> answers;
    answers.reserve(f.files.size());
    for (const std::string& file : f.files) {
        answers.push_back(read_answer(file, catalogue, context));
    }
    if (f.output.json) {
        context.out << answer_json(answers);
    } else if (f.output.svg) {
        context.out << answer_svg(answers);
    } else {
        constexpr std::size_t beside = 40;
        constexpr std::size_t least = 20;
        const std::size_t wide = context.style.width > beside + least ? context.style.width - beside : least;
        context.out << render(answer_tables(answers, static_cast<int>(wide)), f.output.format, context.style);
    }
}

void run_compare(const Flags& f, Context& context) {
    if (std::any_of(f.files.begin(), f.files.end(), is_other_answer)) {
        compare_answers(f, context);
        return;
    }
    const Compared c = compared(f, context);
    if (f.output.json) {
        print_json(context, c);
    } else if (f.output.svg) {
        context.out << svg(comparison_charts(c.jobs));
    } else {
        context.out << render(std::vector<Table>{comparison_table(c.jobs)}, f.output.format, context.style);
    }
    const bool all_fit =
        std::all_of(c.jobs.begin(), c.jobs.end(), [](const ComparedJob& job) { return job.estimate.fits; });
    context.exit_code = all_fit ? exit_yes : exit_no;
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("compare", "Comparison of jobs: values, differences, ratios to the first");
    const auto flags = std::make_shared<Flags>();
    command
        ->add_option("jobs", flags->files,
                     "Job files, output of 'estimate --json' or 'method --json', recorded steps (.csv, "
                     ".xlsx, Chrome trace); - is "
                     "standard input")
        ->required()
        ->type_name("FILE");
    add_output_options(*command, flags->output, Charts::yes);
    command->callback([flags, &context] { run_compare(*flags, context); });
}

}  // namespace traincost::cli
