// `traincost calibrate`: constants and kernel models fitted to measurements.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/answers/calibrate_answer.hpp>
#include <traincost/report/commands/question_fields.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct CalibrateFlags {
    CalibrateQuestion question{};
    std::string folder{};
    bool json = false;
};

CommandFields fields(CalibrateFlags& flags) {
    CommandFields fields = fields_of(flags.question, flags.folder);
    fields.toggle("--json", flags.json, "Print JSON");
    return fields;
}

void run(CalibrateFlags& flags, Context& context) {
    flags.question.records = !flags.folder.empty();
    const Sources sources(context.data_folder);
    const CalibrateAnswer answer = ask(flags.question, sources, remarks_to(context));
    context.answer(answer.yes());
    if (!answer.yes()) {
        say(context, nothing_fitted_text(answer));
    }
    if (!flags.folder.empty()) {
        write_data_records(flags.folder, answer.records(), context);
    }
    const std::string json = flags.json ? calibrate_json(answer) : std::string();
    context.out << (json.empty() ? to_text(calibrate_tables(answer), context.style) : json);
}

}  // namespace

void add_calibrate(CLI::App& command, Context& context) {
    declare<CalibrateFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
