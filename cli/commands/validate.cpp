// `traincost validate`: predictions held against measurements.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/answers/validate_answer.hpp>
#include <traincost/report/commands/question_fields.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct ValidateFlags {
    ValidateQuestion question{};
    std::string format = "table";
    std::string residuals_file{};
};

CommandFields fields(ValidateFlags& flags) {
    return fields_of(flags.question, flags.format, flags.residuals_file);
}

void run(ValidateFlags& flags, Context& context) {
    flags.question.new_residuals = !flags.residuals_file.empty();
    const Sources sources(context.data_folder);
    const ValidateAnswer answer = ask(flags.question, sources, remarks_to(context));
    if (!flags.residuals_file.empty()) {
        write_file(flags.residuals_file, answer.residuals);
    }
    context.out << validate_text(answer, flags.question.view, flags.format, context.style);
}

}  // namespace

void add_validate(CLI::App& command, Context& context) {
    declare<ValidateFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
