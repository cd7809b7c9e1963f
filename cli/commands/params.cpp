#include <cli/commands/commands.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/params_answer.hpp>
#include <traincost/report/render.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>
#include <string>

namespace traincost::cli {

namespace {

struct Options {
    ParamsQuestion question;
    bool tensors = false;
    OutputFlags output;
};

void params(const Options& options, Context& context) {
    const Catalogue catalogue(context.data_folder);
    const ParamsAnswer answer = ask(options.question, Sources(catalogue, context.data_folder, &context.in));
    if (options.output.json) {
        JsonWriter out;
        write_json(out, answer);
        context.out << out.text();
        return;
    }
    context.out << render(params_tables(answer, options.tensors), options.output.format, context.style);
}

}  // namespace

void add_params(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("params", "Parameter count of a model by module, tensor and rank");
    const auto options = std::make_shared<Options>();
    command
        ->add_option(
            "MODEL", options->question.model,
            "Catalogue id, model file, Hugging Face config.json or its folder, or - for standard input")
        ->required();
    const auto degree = [&](const std::string& name, std::int64_t& target, const std::string& help) {
        add_parsed(
            *command, name, target, "N",
            [](const std::string& text) { return parse_count(text, Range::positive); }, help);
    };
    degree("--tp", options->question.tp, "Tensor-parallel degree");
    degree("--pp", options->question.pp, "Pipeline-parallel degree");
    degree("--vp", options->question.vp, "Virtual stages per pipeline stage");
    degree("--ep", options->question.ep, "Expert-parallel degree");
    degree("--etp", options->question.etp, "Tensor-parallel degree of experts");
    command->add_flag("--tensors", options->tensors, "Also list every weight tensor");
    add_output_options(*command, options->output);
    command->callback([options, &context] { params(*options, context); });
}

}  // namespace traincost::cli
