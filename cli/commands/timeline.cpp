// `traincost timeline`: one step drawn in time, stage by stage.

#include <cli/commands/commands.hpp>
#include <cli/job_flags.hpp>
#include <cli/network_options.hpp>
#include <cli/output_options.hpp>
#include <traincost/report/timeline_answer.hpp>
#include <traincost/sheets/sheet_reader.hpp>

#include <CLI/CLI.hpp>

#include <fstream>
#include <memory>
#include <optional>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    JobFlags job{};
    NetworkFlags network{};
    OutputFlags output{};
    std::optional<std::string> from{};  ///< a recorded step instead of a job
    std::string iteration = "median";
    std::optional<std::string> chrome{};  ///< file; - is the standard output
    std::optional<int> width{};
};

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

void run_timeline(const Flags& flags, Context& context) {
    const TimelineView view{flags.output.json, flags.output.svg, flags.output.format, flags.width};
    if (flags.from) {
        const RecordingAnswer answer = ask(RecordingQuestion{*flags.from, flags.iteration}, sheet_numbers);
        context.out << timeline_text(answer, view, context.style);
        return;
    }
    const Sources sources(context.data_folder, &context.in);
    ResolvedJob resolved = resolve(draft_of(flags.job, sources), sources);
    apply_network(flags.network, resolved);
    const TimelineAnswer answer = timeline_of(std::move(resolved));
    if (flags.chrome) {
        write_trace(trace_text(answer), *flags.chrome, context);
    } else {
        context.out << timeline_text(answer, view, context.style);
    }
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
