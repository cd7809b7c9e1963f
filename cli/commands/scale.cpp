// `traincost scale`: model size and tokens from a budget.

#include <cli/commands/commands.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/plan/operation.hpp>
#include <traincost/report/charts/svg.hpp>
#include <traincost/report/tables/scaling_tables.hpp>
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
    std::optional<std::string> cluster{};
    std::optional<std::string> price{};
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

/// An accelerator of the budget, and the price of its hour where a cluster says one.
struct Hardware {
    AcceleratorSpec accelerator;
    std::optional<Dollars> hour{};
    std::string price_source{};
};

Hardware hardware_of(const Flags& f, const Catalogue& catalogue) {
    if (!f.cluster) {
        return {catalogue.accelerator(*f.gpu)};
    }
    ClusterSpec cluster = catalogue.cluster(*f.cluster, 1).spec;
    if (f.price) {
        Operation operation;
        operation.price = f.price;
        const std::optional<ClusterSpec> priced = operated(cluster, operation);
        if (!priced) {
            throw Error(ErrorKind::input, "--price: " + cluster.id + " has no " + *f.price + " price");
        }
        cluster = *priced;
    }
    Hardware h{cluster.accelerator};
    for (const NodePrice& price : cluster.prices) {
        if (price.per_hour && !h.hour) {
            h.hour = price.amount / static_cast<double>(cluster.per_node);
            h.price_source = price.kind + ", " + price.provider + ", as of " + price.as_of;
        }
    }
    return h;
}

/// What turns hours or dollars into FLOPs must be there, and nothing else.
void require_flags(const Flags& f) {
    if (f.gpu && f.cluster) {
        throw Error(ErrorKind::usage, "--cluster: excludes --gpu");
    }
    if (f.price && !f.cluster) {
        throw Error(ErrorKind::usage, "--price: needs --cluster, whose price it is");
    }
    std::vector<Problem> problems;
    if (f.flops) {
        for (const auto& [given, flag] :
             {std::pair{f.gpu.has_value(), "--gpu"}, std::pair{f.cluster.has_value(), "--cluster"},
              std::pair{f.mfu.has_value(), "--mfu"},
              std::pair{f.gpu_hour_price.has_value(), "--gpu-hour-price"},
              std::pair{f.precision.has_value(), "--precision"}}) {
            if (given) {
                problems.push_back({flag, "is for --gpu-hours and --budget; --flops needs no hardware"});
            }
        }
    } else {
        if (!f.gpu && !f.cluster) {
            problems.push_back({"--gpu", "is missing: an accelerator of the catalogue, or --cluster"});
        }
        if (!f.mfu) {
            problems.push_back({"--mfu", "is missing: the share of the peak that training reaches, as 40%"});
        }
        if (f.budget && !f.gpu_hour_price && !f.cluster) {
            problems.push_back(
                {"--gpu-hour-price", "is missing: the price of one accelerator-hour, or --cluster"});
        }
        if (f.gpu_hours && (f.gpu_hour_price || f.price)) {
            problems.push_back({f.price ? "--price" : "--gpu-hour-price", "is for --budget"});
        }
    }
    if (!problems.empty()) {
        throw Error(ErrorKind::usage, std::move(problems));
    }
}

/// The budget in FLOPs, and how it came about.
ScalingQuestion question_of(const Flags& f, const Context& context) {
    const int given = f.flops.has_value() + f.gpu_hours.has_value() + f.budget.has_value();
    if (given != 1) {
        throw Error(ErrorKind::usage, std::string("--flops: ") +
                                          (given == 0 ? "is missing: " : "is one of several: ") +
                                          "give one of --flops, --gpu-hours and --budget");
    }
    require_flags(f);
    ScalingQuestion q{
        .compute = {}, .ratio = f.ratio, .parameters = f.parameters, .inference_tokens = f.inference_tokens};
    if (f.flops) {
        q.compute = Flops{*f.flops};
        return q;
    }
    const Catalogue catalogue(context.data_folder);
    const Hardware hardware = hardware_of(f, catalogue);
    const DataType type = f.precision.value_or(DataType::bf16);
    const std::optional<FlopRate> peak = peak_rate(hardware.accelerator, type);
    if (!peak) {
        throw Error(ErrorKind::input, "--gpu: " + hardware.accelerator.id + " has no " +
                                          std::string(to_string(type)) + " matrix rate; give --precision");
    }
    const std::optional<Dollars> hour = f.gpu_hour_price ? f.gpu_hour_price : hardware.hour;
    if (f.budget && !hour) {
        throw Error(ErrorKind::input,
                    "--budget: no hourly price of " + *f.cluster + " is known; give --gpu-hour-price");
    }
    const double hours = f.gpu_hours ? *f.gpu_hours : *f.budget / *hour;
    q.compute = *peak * (*f.mfu) * Seconds{hours * 3600.0};
    if (f.budget) {
        q.assumptions.push_back(
            to_text(*f.budget) + " at " + to_text(*hour) + " an accelerator-hour" +
            (hardware.price_source.empty() || f.gpu_hour_price ? "" : ": " + hardware.price_source));
    }
    q.assumptions.push_back(count_text(hours) + " hours of " + hardware.accelerator.id + " at " +
                            to_text(*peak) + " " + std::string(to_string(type)) + " and " +
                            percent_text(*f.mfu) + " of it");
    return q;
}

void write_allocation(JsonWriter& out, const Allocation& a) {
    out.member("parameters", a.parameters);
    out.member("tokens", a.tokens);
    out.member("tokens_per_parameter", a.tokens / a.parameters);
    out.member("loss", a.loss);
}

void print_json(Context& context, const ScalingQuestion& q) {
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", 1);
    out.member("flops", q.compute);
    out.key("laws").begin_array();
    for (std::size_t i = 0; i < scaling_law_names().size(); ++i) {
        out.begin_object();
        out.member("name", scaling_law_names()[i]);
        write_allocation(out, optimal_allocation(static_cast<ScalingLaw>(i), q.compute, q.ratio));
        out.end_object();
    }
    out.end_array();
    if (q.parameters) {
        out.key("given_size").begin_object();
        write_allocation(out, fixed_size(besiroglu_loss, q.compute, *q.parameters));
        const Allocation best = optimal_allocation(ScalingLaw::besiroglu, q.compute);
        out.member("tokens_as_good_as_optimum", tokens_for_loss(besiroglu_loss, *q.parameters, best.loss));
        out.end_object();
    }
    if (q.inference_tokens) {
        const LifetimeAllocation life = lifetime_optimal(besiroglu_loss, q.compute, *q.inference_tokens);
        out.key("lifetime").begin_object();
        write_allocation(out, life.allocation);
        out.member("training_flops", life.training);
        out.member("inference_flops", life.inference);
        out.end_object();
    }
    out.array("assumptions", q.assumptions);
    out.end_object();
    context.out << out.text();
}

void run_scale(const Flags& f, Context& context) {
    const ScalingQuestion question = question_of(f, context);
    if (f.output.json) {
        print_json(context, question);
    } else if (f.output.svg) {
        context.out << svg(scaling_charts(question));
    } else {
        context.out << render(scaling_tables(question), f.output.format, context.style);
    }
}

}  // namespace

void add_scale(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("scale", "Compute-optimal model size and tokens for a budget");
    const auto f = std::make_shared<Flags>();
    add_parsed(*command, "--flops", f->flops, "NUMBER", number_of, "Compute budget in FLOPs, as in 5.76e23");
    add_parsed(*command, "--gpu-hours", f->gpu_hours, "COUNT", number_of, "Budget in accelerator-hours");
    add_parsed(
        *command, "--budget", f->budget, "DOLLARS", [](auto& t) { return parse_dollars(t, Range::positive); },
        "Budget in dollars");
    add_parsed(
        *command, "--gpu-hour-price", f->gpu_hour_price, "DOLLARS",
        [](auto& t) { return parse_dollars(t, Range::positive); }, "Price per accelerator-hour");
    add_parsed(
        *command, "--gpu", f->gpu, "ID", [](auto& t) { return t; }, "Accelerator: a catalogue id");
    add_parsed(
        *command, "--cluster", f->cluster, "ID", [](auto& t) { return t; },
        "Node type that supplies accelerator and price");
    add_parsed(
        *command, "--price", f->price, "KIND", [](auto& t) { return t; },
        "Kind of price: on-demand, reserved, spot or market; default: the catalogue's first");
    add_parsed(
        *command, "--precision", f->precision, "TYPE",
        [](auto& t) {
            if (const auto type = data_type_from(t)) {
                return *type;
            }
            throw Error(ErrorKind::usage, "'" + t + "' is not a number format; allowed: bf16, fp16, fp8 ...");
        },
        "Matrix format whose peak is used; default bf16");
    add_parsed(
        *command, "--mfu", f->mfu, "FRACTION",
        [](auto& t) {
            const double x = parse_fraction(t, Range::positive);
            if (x > 1.0) {
                throw Error(ErrorKind::usage, "'" + t + "' is more than the whole; allowed: up to 100%");
            }
            return x;
        },
        "Model FLOPs utilisation of the training, as in 40%");
    add_parsed(*command, "--params", f->parameters, "COUNT", number_of, "Model size to judge, as in 70B");
    add_parsed(*command, "--inference-tokens", f->inference_tokens, "COUNT", number_of,
               "Inference tokens over the model's life, as in 10T");
    add_parsed(
        *command, "--tokens-per-param", f->ratio, "NUMBER",
        [](auto& t) { return parse_number(t, Range::positive); },
        "Tokens per parameter of the fixed-ratio law; default 20");
    add_output_options(*command, f->output, Charts::yes);
    command->callback([f, &context] { run_scale(*f, context); });
}

}  // namespace traincost::cli
