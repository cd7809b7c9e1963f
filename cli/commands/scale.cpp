// `traincost scale`: model size and tokens from a budget.

#include <cli/commands/commands.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/json.hpp>
#include <traincost/plan/scaling_laws.hpp>
#include <traincost/spec/accelerator.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    std::optional<double> flops{};
    std::optional<double> gpu_hours{};
    std::optional<Dollars> budget{};
    std::optional<Dollars> gpu_hour_price{};
    std::optional<std::string> gpu{};
    std::optional<DataType> precision{};
    std::optional<double> mfu{};
    std::optional<double> parameters{};
    std::optional<double> inference_tokens{};
    double ratio = 20.0;
    OutputFlags output;
};

double number_of(const std::string& text) {
    // "5.76e23" is past what a count holds.
    return text.find_first_of("eE") != text.npos ? parse_number(text, Range::positive)
                                                 : static_cast<double>(parse_count(text, Range::positive));
}

/// The budget in FLOPs, and how it came about.
struct Budget {
    Flops compute;
    std::vector<std::string> assumptions;
};

Budget budget_of(const Flags& f, const Context& context) {
    const int given = f.flops.has_value() + f.gpu_hours.has_value() + f.budget.has_value();
    if (given != 1) {
        throw Error(ErrorKind::usage, std::string("--flops: ") +
                                          (given == 0 ? "is missing: " : "is one of several: ") +
                                          "give one of --flops, --gpu-hours and --budget");
    }
    if (f.flops) {
        return {Flops{*f.flops}, {}};
    }
    std::vector<Problem> missing;
    if (!f.gpu) {
        missing.push_back({"--gpu", "is missing: an accelerator of the catalogue"});
    }
    if (!f.mfu) {
        missing.push_back({"--mfu", "is missing: the share of the peak that training reaches, as 40%"});
    }
    if (f.budget && !f.gpu_hour_price) {
        missing.push_back({"--gpu-hour-price", "is missing: the price of one accelerator-hour"});
    }
    if (!missing.empty()) {
        throw Error(ErrorKind::usage, std::move(missing));
    }
    const Catalogue catalogue(context.data_folder);
    const AcceleratorSpec accelerator = catalogue.accelerator(*f.gpu);
    const DataType type = f.precision.value_or(DataType::bf16);
    const std::optional<FlopRate> peak = peak_rate(accelerator, type);
    if (!peak) {
        throw Error(ErrorKind::input, "--gpu: " + accelerator.id + " has no " + std::string(to_string(type)) +
                                          " matrix rate; give --precision");
    }
    const double hours = f.gpu_hours ? *f.gpu_hours : *f.budget / *f.gpu_hour_price;
    Budget b{*peak * (*f.mfu) * Seconds{hours * 3600.0}, {}};
    b.assumptions.push_back(count_text(hours) + " hours of " + accelerator.id + " at " + to_text(*peak) +
                            " " + std::string(to_string(type)) + " and " + percent_text(*f.mfu) + " of it");
    return b;
}

std::string_view law_title(std::size_t law) {
    static constexpr std::string_view titles[] = {
        "Chinchilla 1: training envelopes", "Chinchilla 2: IsoFLOP profiles", "Chinchilla 3: parametric loss",
        "Besiroglu: the same, fitted again", "a fixed ratio"};
    return titles[law];
}

std::vector<Cell> row_of(std::string_view title, const Allocation& a) {
    return {text_cell(title), short_count_cell(a.parameters), short_count_cell(a.tokens),
            number_cell(a.tokens / a.parameters), number_cell(a.loss)};
}

Table given_size_table(const Flags& f, Flops compute) {
    const Allocation best = optimal_allocation(ScalingLaw::besiroglu, compute);
    const Allocation given = fixed_size(besiroglu_loss, compute, *f.parameters);
    Table table{.title = "The given size, by Besiroglu's loss",
                .columns = {"", "parameters", "tokens", "tokens/parameter", "loss"},
                .rows = {row_of("all of the budget", given)},
                .remarks = {}};
    const std::optional<double> tokens = tokens_for_loss(besiroglu_loss, *f.parameters, best.loss);
    if (tokens) {
        table.rows.push_back(row_of("as good as the optimum", {*f.parameters, *tokens, best.loss}));
        table.remarks.push_back("As good as the optimum takes " +
                                percent_text(6.0 * *f.parameters * *tokens / compute.value()) +
                                " of the budget.");
    } else {
        table.remarks.emplace_back("No number of tokens makes it as good as the optimum.");
    }
    return table;
}

Table lifetime_table(const Flags& f, Flops compute) {
    const LifetimeAllocation life = lifetime_optimal(besiroglu_loss, compute, *f.inference_tokens);
    const Allocation best = optimal_allocation(ScalingLaw::besiroglu, compute);
    const double before = compute.value() + 2.0 * best.parameters * *f.inference_tokens;
    Table table{.title = "As good as the optimum, and cheapest over " + count_text(*f.inference_tokens) +
                         " tokens of inference",
                .columns = {"", "parameters", "tokens", "tokens/parameter", "loss"},
                .rows = {row_of("over-trained", life.allocation)},
                .remarks = {}};
    table.remarks.push_back("Training " + to_text(life.training) + ", inference " + to_text(life.inference) +
                            ": together " + percent_text((life.training + life.inference).value() / before) +
                            " of what the training optimum takes.");
    return table;
}

void write_allocation(JsonWriter& out, const Allocation& a) {
    out.member("parameters", a.parameters);
    out.member("tokens", a.tokens);
    out.member("tokens_per_parameter", a.tokens / a.parameters);
    out.member("loss", a.loss);
}

void print_json(const Flags& f, Context& context, const Budget& budget) {
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", 1);
    out.member("flops", budget.compute);
    out.key("laws").begin_array();
    for (std::size_t i = 0; i < scaling_law_names().size(); ++i) {
        out.begin_object();
        out.member("name", scaling_law_names()[i]);
        write_allocation(out, optimal_allocation(static_cast<ScalingLaw>(i), budget.compute, f.ratio));
        out.end_object();
    }
    out.end_array();
    if (f.parameters) {
        out.key("given_size").begin_object();
        write_allocation(out, fixed_size(besiroglu_loss, budget.compute, *f.parameters));
        const Allocation best = optimal_allocation(ScalingLaw::besiroglu, budget.compute);
        out.member("tokens_as_good_as_optimum", tokens_for_loss(besiroglu_loss, *f.parameters, best.loss));
        out.end_object();
    }
    if (f.inference_tokens) {
        const LifetimeAllocation life = lifetime_optimal(besiroglu_loss, budget.compute, *f.inference_tokens);
        out.key("lifetime").begin_object();
        write_allocation(out, life.allocation);
        out.member("training_flops", life.training);
        out.member("inference_flops", life.inference);
        out.end_object();
    }
    out.array("assumptions", budget.assumptions);
    out.end_object();
    context.out << out.text();
}

void run_scale(const Flags& f, Context& context) {
    const Budget budget = budget_of(f, context);
    if (f.output.json) {
        print_json(f, context, budget);
        return;
    }
    Table table{.title = "Compute-optimal for " + to_significant(budget.compute.value() / 1e18) + "e18 FLOP",
                .columns = {"by", "parameters", "tokens", "tokens/parameter", "loss"},
                .rows = {},
                .remarks = budget.assumptions};
    for (std::size_t i = 0; i < scaling_law_names().size(); ++i) {
        table.rows.push_back(
            row_of(law_title(i), optimal_allocation(static_cast<ScalingLaw>(i), budget.compute, f.ratio)));
    }
    table.remarks.emplace_back(
        "Losses are nats a token on MassiveText; Chinchilla 3 by its own law, the others by Besiroglu's.");
    std::vector<Table> tables{table};
    if (f.parameters) {
        tables.push_back(given_size_table(f, budget.compute));
    }
    if (f.inference_tokens) {
        tables.push_back(lifetime_table(f, budget.compute));
    }
    context.out << render(tables, f.output.format);
}

}  // namespace

void add_scale(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("scale", "Model size and tokens from a compute budget");
    const auto f = std::make_shared<Flags>();
    add_parsed(*command, "--flops", f->flops, "NUMBER", number_of, "Budget in FLOPs: 5.76e23");
    add_parsed(*command, "--gpu-hours", f->gpu_hours, "COUNT", number_of, "Budget in accelerator-hours");
    add_parsed(
        *command, "--budget", f->budget, "DOLLARS", [](auto& t) { return parse_dollars(t, Range::positive); },
        "Budget in dollars");
    add_parsed(
        *command, "--gpu-hour-price", f->gpu_hour_price, "DOLLARS",
        [](auto& t) { return parse_dollars(t, Range::positive); }, "Price of one accelerator-hour");
    add_parsed(
        *command, "--gpu", f->gpu, "ID", [](auto& t) { return t; }, "Accelerator: an id of the catalogue");
    add_parsed(
        *command, "--precision", f->precision, "TYPE",
        [](auto& t) {
            if (const auto type = data_type_from(t)) {
                return *type;
            }
            throw Error(ErrorKind::usage, "'" + t + "' is not a number format; allowed: bf16, fp16, fp8 ...");
        },
        "Matrix format the peak is taken of; default bf16");
    add_parsed(
        *command, "--mfu", f->mfu, "FRACTION",
        [](auto& t) {
            const double x = parse_fraction(t, Range::positive);
            if (x > 1.0) {
                throw Error(ErrorKind::usage, "'" + t + "' is more than the whole; allowed: up to 100%");
            }
            return x;
        },
        "Share of the peak that training reaches: 40%");
    add_parsed(*command, "--params", f->parameters, "COUNT", number_of, "A model size to judge: 70B");
    add_parsed(*command, "--inference-tokens", f->inference_tokens, "COUNT", number_of,
               "Tokens the model will process after training: 10T");
    add_parsed(
        *command, "--tokens-per-param", f->ratio, "NUMBER",
        [](auto& t) { return parse_number(t, Range::positive); }, "Of the fixed ratio; default 20");
    add_output_options(*command, f->output);
    command->callback([f, &context] { run_scale(*f, context); });
}

}  // namespace traincost::cli
