// `traincost method six-nd`: C = 6ND, and how long that takes.

#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>
#include <cli/options.hpp>
#include <traincost/methods/six_nd.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct SixNdFlags {
    OutputFlags output;
    std::optional<double> parameters, tokens, tflops, peak, mfu;
    std::int64_t gpus = 1;
};

Table table_of(const SixNdFlags& f) {
    constexpr double tera = 1e12;
    const Flops C = six_nd(*f.parameters, *f.tokens);
    Table table{.title = {},
                .columns = {"", "value"},
                .rows = {{text_cell("C = 6ND"), Cell{.text = python_text(C.value()), .number = true}}},
                .remarks = {"6N has the input embedding, and no attention scores; 2N of it is forward."}};
    if (!f.tflops && !f.peak) {
        return table;
    }
    const double each = f.tflops ? *f.tflops : *f.peak * *f.mfu;
    const FlopRate together{each * tera * static_cast<double>(f.gpus)};
    const double seconds = six_nd_time(*f.parameters, *f.tokens, together).value();
    table.rows.push_back({text_cell("TFLOP/s a GPU"), printed_cell(each, 2)});
    table.rows.push_back({text_cell("tokens/s"), printed_cell(together.value() / (6.0 * *f.parameters), 2)});
    constexpr double day = 86400.0;
    table.rows.push_back({text_cell("T_days"), printed_cell(seconds / day, 2)});
    return table;
}

}  // namespace

void add_six_nd(CLI::App& parent, Context& context) {
    CLI::App* command = parent.add_subcommand("six-nd", "Compute of a run by 6ND, and its days");
    const auto f = std::make_shared<SixNdFlags>();
    add_parsed(*command, "--params", f->parameters, "COUNT", positive_parameters, "N, parameters: 7B");
    add_parsed(*command, "--tokens", f->tokens, "COUNT", positive_parameters, "D, tokens: 2T");
    add_parsed(*command, "--gpus", f->gpus, "N", positive_count, "GPUs; default 1");
    add_parsed(*command, "--tflops", f->tflops, "TFLOPS", positive_number, "TFLOP/s a GPU reaches");
    add_parsed(*command, "--peak", f->peak, "TFLOPS", positive_number, "Peak TFLOP/s of a GPU, with --mfu");
    add_parsed(
        *command, "--mfu", f->mfu, "FRACTION", [](auto& t) { return parse_fraction(t, Range::positive); },
        "Share of --peak that is reached: 0.45 or 45%");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        require_all({{"--params", f->parameters.has_value()}, {"--tokens", f->tokens.has_value()}});
        if (f->tflops) {
            refuse_all("with --tflops", {{"--peak", f->peak.has_value()}, {"--mfu", f->mfu.has_value()}});
        } else if (f->peak || f->mfu) {
            require_all({{"--peak", f->peak.has_value()}, {"--mfu", f->mfu.has_value()}});
        }
        print_tables({table_of(*f)}, f->output, context);
    });
}

}  // namespace traincost::cli
