// `traincost timeline`: one step drawn in time, stage by stage.

#include <cli/commands/commands.hpp>
#include <cli/job_options.hpp>
#include <cli/output_options.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/step_timeline.hpp>
#include <traincost/io/job_json.hpp>
#include <traincost/io/timeline_json.hpp>
#include <traincost/report/estimate_tables.hpp>
#include <traincost/report/timeline_chart.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    JobFlags job;
    OutputFlags output;
    bool chrome = false;
    std::optional<int> width{};  ///< of the drawing; absent: what the terminal leaves
};

/// What the columns of stage and usage leave of a line.
int drawing_width(const TextStyle& style) {
    constexpr std::size_t beside = 14;
    constexpr std::size_t usual = 100;
    return static_cast<int>(std::min(usual, style.width - beside));
}

void run_timeline(const Flags& flags, Context& context) {
    const Catalogue catalogue(context.data_folder);
    const ResolvedJob resolved = resolve_job(flags.job, catalogue, context);
    const StepTimeline line = step_timeline(resolved.job);
    const std::string title = job_title(resolved.job);
    if (flags.chrome) {
        context.out << chrome_trace(line) << '\n';
        return;
    }
    if (flags.output.json) {
        JsonWriter out;
        out.begin_object().member("schema_version", 1);
        out.key("input");
        write_json(out, resolved.job);
        write_timeline_members(out, line);
        out.array("assumptions", resolved.assumptions);
        out.end_object();
        context.out << out.text();
        return;
    }
    if (flags.output.svg) {
        context.out << timeline_svg(line, title);
        return;
    }
    if (flags.output.format == Format::csv) {
        context.out << render(std::vector<Table>{timeline_events(line)}, Format::csv);
        return;
    }
    std::vector<Table> tables = {
        {.title = title, .columns = {}, .rows = {{text_cell(layout_text(resolved.job))}}, .remarks = {}},
        timeline_table(line, flags.width.value_or(drawing_width(context.style)))};
    if (const Estimate e = estimate(resolved.job); !e.fits) {
        tables.front().remarks.push_back(misfit_text(e));
    }
    if (!resolved.assumptions.empty()) {
        tables.push_back(remarks_table("Assumed", resolved.assumptions));
    }
    context.out << render(tables, flags.output.format, context.style);
}

}  // namespace

void add_timeline(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("timeline", "Timeline of one step, stage by stage");
    const auto flags = std::make_shared<Flags>();
    add_job_options(*command, flags->job);
    add_output_options(*command, flags->output, Charts::yes);
    command->add_flag("--chrome", flags->chrome, "Print a Chrome trace, for Perfetto or chrome://tracing");
    command
        ->add_option("--width", flags->width,
                     "Width of the drawing in characters; default: what the terminal leaves, at most 100")
        ->check(CLI::Range(10, 1000))
        ->type_name("COLUMNS");
    command->callback([flags, &context] { run_timeline(*flags, context); });
}

}  // namespace traincost::cli
