// `traincost timeline`: one step drawn in time, stage by stage.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/sheets/sheet_reader.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct TimelineFlags {
    RecordingQuestion recording{};
    SaidJob job{};
    TimelineView view{};
    std::string chrome{};
};

CommandFields fields(TimelineFlags& flags) {
    return fields_of(flags.recording).add(fields_of(flags.job)).add(fields_of(flags.view, flags.chrome));
}

void run(TimelineFlags& flags, Context& context) {
    if (!flags.recording.file.empty()) {
        const RecordingAnswer answer = ask(flags.recording, sheet_numbers);
        context.out << timeline_text(answer, flags.view, context.style);
        return;
    }
    const Sources sources(context.data_folder, &context.in);
    const TimelineAnswer answer = ask(TimelineQuestion{draft_of(flags.job, sources)}, sources);
    if (flags.chrome.empty()) {
        context.out << timeline_text(answer, flags.view, context.style);
    } else {
        write_or_print(flags.chrome, trace_text(answer), "--chrome: ", context,
                       ", for ui.perfetto.dev or chrome://tracing");
    }
}

}  // namespace

void add_timeline(CLI::App& command, Context& context) {
    declare<TimelineFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
