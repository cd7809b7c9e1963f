// `traincost timeline`: one step drawn in time, stage by stage.

#include <cli/commands/commands.hpp>
#include <cli/job_options.hpp>
#include <cli/network_options.hpp>
#include <cli/output_options.hpp>
#include <cli/recorded_steps.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/step_timeline.hpp>
#include <traincost/import/logs/recording_files.hpp>
#include <traincost/io/answers/timeline_json.hpp>
#include <traincost/io/job_json.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/charts/recording_chart.hpp>
#include <traincost/report/charts/timeline_chart.hpp>
#include <traincost/report/charts/timeline_svg.hpp>
#include <traincost/report/tables/estimate_tables.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    JobFlags job;
    NetworkFlags network;
    OutputFlags output;
    std::optional<std::string> from{};  ///< a recorded step instead of a job
    std::string iteration = "median";
    std::optional<std::string> chrome{};  ///< file; - is the standard output
    std::optional<int> width{};           ///< of the drawing; absent: what the terminal leaves
};

/// What the columns of stage, lane and use leave of a line.
int drawing_width(const TextStyle& style) {
    constexpr std::size_t beside = 33;
    constexpr std::size_t least = 20;
    return static_cast<int>(std::max(least, style.width > beside ? style.width - beside : least));
}

/// The trace into a file, or to the standard output.
void write_trace(const std::string& trace, const std::string& file, Context& context) {
    if (file == "-") {
        context.out << trace;
        return;
    }
    std::ofstream out(file, std::ios::binary);
    out << trace;
    out.flush();
    if (!out) {
        throw Error(ErrorKind::input, "--chrome: " + file + " cannot be written");
    }
    context.out << file << ": " << trace.size() / 1024 << " KiB, for ui.perfetto.dev or chrome://tracing\n";
}

/// A step that was recorded.
void run_recording(const Flags& flags, Context& context) {
    const std::vector<RecordedStep> steps = read_recording(*flags.from);
    const std::size_t picked = picked_step(steps, flags.iteration);
    const std::string name =
        "iteration " + std::to_string(picked + 1) + " of " + std::to_string(steps.size());
    const std::vector<NamedRecording> shown = {{name, steps[picked]}};
    if (flags.output.json) {
        JsonWriter out;
        write_recording(out, *flags.from, steps, picked);
        context.out << out.text();
    } else if (flags.output.svg) {
        context.out << recording_svg(shown);
    } else {
        const int width = flags.width.value_or(drawing_width(context.style));
        context.out << render(std::vector<Table>{recording_table(shown, width), phase_table(steps[picked])},
                              flags.output.format, context.style);
    }
}

void run_timeline(const Flags& flags, Context& context) {
    if (flags.from) {
        run_recording(flags, context);
        return;
    }
    const Catalogue catalogue(context.data_folder);
    ResolvedJob resolved = resolve_job(flags.job, catalogue, context);
    apply_network(flags.network, resolved.job, resolved.assumptions);
    const StepTimeline line = step_timeline(resolved.job);
    const StepLanes lanes = step_lanes(line);
    const std::string title = job_title(resolved.job);
    const std::string layout = layout_text(resolved.job);
    if (flags.chrome) {
        write_trace(chrome_trace(line, lanes, title + ", " + layout), *flags.chrome, context);
        return;
    }
    if (flags.output.json) {
        JsonWriter out;
        out.begin_object().member("schema_version", 1);
        out.key("input");
        write_json(out, resolved.job);
        write_timeline_members(out, line, lanes);
        out.array("assumptions", resolved.assumptions);
        out.end_object();
        context.out << out.text();
        return;
    }
    if (flags.output.svg) {
        context.out << timeline_svg(line, lanes, title, layout);
        return;
    }
    if (flags.output.format == Format::csv) {
        context.out << render(std::vector<Table>{timeline_events(line)}, Format::csv);
        return;
    }
    const int width = flags.width.value_or(drawing_width(context.style));
    std::vector<Table> tables = {
        {.title = title, .columns = {}, .rows = {{text_cell(layout)}}, .remarks = {}},
        timeline_table(line, lanes, width),
        memory_drawing(line, width)};
    if (line.stages > 1) {
        tables.push_back(lane_usage_table(lanes));
    }
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
    command
        ->add_option("--from", flags->from,
                     "Recorded step instead of a job: benchmark.csv, rows of a timeline (.csv), a sheet "
                     "(.xlsx) or a Chrome trace (.json)")
        ->type_name("FILE");
    command
        ->add_option("--iteration", flags->iteration,
                     "Iteration of --from: its number, median or slowest; default median")
        ->type_name("N|median|slowest");
    add_job_options(*command, flags->job);
    add_network_options(*command, flags->network);
    add_output_options(*command, flags->output, Charts::yes);
    command
        ->add_option("--chrome", flags->chrome,
                     "File for a Chrome trace, for Perfetto or chrome://tracing; - is standard output")
        ->type_name("FILE");
    command
        ->add_option("--width", flags->width,
                     "Width of the drawing in characters; default: what the terminal leaves")
        ->check(CLI::Range(10, 1000))
        ->type_name("COLUMNS");
    command->callback([flags, &context] { run_timeline(*flags, context); });
}

}  // namespace traincost::cli
