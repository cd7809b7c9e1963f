#include <cli/commands/catalogue_options.hpp>
#include <cli/commands/commands.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/ask/model_input.hpp>
#include <traincost/base/text.hpp>
#include <traincost/cost/params.hpp>
#include <traincost/io/json.hpp>
#include <traincost/report/render.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace traincost::cli {

namespace {

struct Options {
    std::string model;
    std::int64_t tp = 1;
    std::int64_t pp = 1;
    std::int64_t vp = 1;
    std::int64_t ep = 1;
    std::int64_t etp = 1;
    bool tensors = false;
    OutputFlags output;
};

/// One weight tensor of the model, and how many layers have it.
struct Row {
    std::string where;
    WeightTensor tensor;
    std::int64_t layers;
};

std::string kind_name(const LayerKind& kind) {
    const std::string side = kind.side == Side::encoder         ? "encoder layer"
                             : kind.side == Side::cross_decoder ? "decoder layer"
                                                                : "layer";
    if (kind.mixer == Mixer::recurrent || kind.mixer == Mixer::none || !kind.mlp) {
        if (kind.mixer == Mixer::none)
            return kind.moe ? "expert layer" : "MLP layer";
        const std::string mixer = kind.mixer == Mixer::recurrent ? "recurrent layer" : "attention layer";
        return !kind.mlp ? mixer : kind.moe ? "expert " + mixer : mixer;
    }
    return kind.moe ? "expert " + side : side;
}

std::vector<Row> inventory(const ModelSpec& model) {
    std::vector<Row> rows;
    const auto add = [&](const std::string& where, const WeightList& weights, std::int64_t layers) {
        for (const WeightTensor& tensor : weights) {
            rows.push_back({where, tensor, layers});
        }
    };
    add("input", embedding_weights(model), 1);
    for (const LayerKind& kind : layer_kinds(model)) {
        add(kind_name(kind), layer_weights(model, kind), kind.count);
    }
    add("output", head_weights(model, false), 1);
    return rows;
}

bool is_sharded(const Options& o) {
    return o.tp > 1 || o.pp > 1 || o.vp > 1 || o.ep > 1 || o.etp > 1;
}

std::vector<ShardedCount> stages(const ModelSpec& model, const Options& o) {
    const StageLayout layout{.pp = o.pp, .vp = o.vp, .blocks = block_count(model)};
    std::vector<ShardedCount> counts;
    for (std::int64_t stage = 0; stage < o.pp; ++stage) {
        counts.push_back(stage_parameters(model, layout, stage, o.tp, o.ep, o.etp));
    }
    return counts;
}

void check_degrees(const ModelSpec& model, const Options& o) {
    if (o.pp * o.vp > block_count(model)) {
        throw Error(ErrorKind::usage, "--pp " + std::to_string(o.pp) + " with --vp " + std::to_string(o.vp) +
                                          " makes more chunks than the " +
                                          std::to_string(block_count(model)) + " layers");
    }
    if (o.ep > 1 && !model.moe) {
        throw Error(ErrorKind::usage,
                    "--ep is " + std::to_string(o.ep) + ", but " + model.name + " has no experts; must be 1");
    }
    if (model.moe && o.ep > model.moe->experts) {
        throw Error(ErrorKind::usage, "--ep is " + std::to_string(o.ep) + ", must be at most the " +
                                          std::to_string(model.moe->experts) + " experts");
    }
}

void print_json(const ModelInput& input, const Options& options, Context& context) {
    const ModelSpec& model = input.model;
    const ParameterCount count = parameter_count(model);
    JsonWriter out;
    out.begin_object().member("schema_version", 1).member("model", model.name);
    out.member("total", count.total).member("active", count.active);
    out.member("active_without_input_embedding", count.active_without_input_embedding);
    out.member("embedding", count.embedding).member("non_embedding", count.non_embedding);
    out.member("multiplying", count.matrix_active).member("mtp", count.mtp);
    if (count.towers > 0) {
        out.member("towers", count.towers);
    }
    out.key("breakdown").begin_array();
    for (int i = 0; i < module_count; ++i) {
        const std::int64_t n = count.by_module[static_cast<std::size_t>(i)];
        if (n > 0) {
            out.begin_object()
                .member("name", to_string(static_cast<Module>(i)))
                .member("count", n)
                .end_object();
        }
    }
    out.end_array().key("tensors").begin_array();
    for (const Row& row : inventory(model)) {
        const WeightTensor& t = row.tensor;
        out.begin_object()
            .member("name", t.name)
            .member("module", to_string(t.module))
            .member("where", row.where);
        out.member("rows", t.rows).member("columns", t.columns).member("copies", t.copies);
        out.member("layers", row.layers).member("count", elements(t) * row.layers).end_object();
    }
    out.end_array();
    if (is_sharded(options)) {
        out.key("stages").begin_array();
        for (const ShardedCount& stage : stages(model, options)) {
            out.begin_object().member("dense", stage.dense).member("expert", stage.expert);
            out.member("per_rank", stage.dense + stage.expert).end_object();
        }
        out.end_array();
    }
    out.array("assumptions", input.assumptions).end_object();
    context.out << out.text();
}

Cell share_cell(std::int64_t part, std::int64_t whole) {
    return percent_cell(static_cast<double>(part) / static_cast<double>(whole));
}

Table totals_table(const ModelSpec& model, const ParameterCount& count) {
    Table table{.title = "Parameters of " + model.name};
    const auto row = [&](std::string_view what, std::int64_t n) {
        Cell cell = count_cell(n);
        cell.exact = cell.text;
        cell.text += " (" + count_text(static_cast<double>(n)) + ")";
        table.rows.push_back({text_cell(what), cell});
    };
    row("total", count.total);
    row("active, one token's", count.active);
    row("active, without input embedding", count.active_without_input_embedding);
    row("embedding and untied head", count.embedding);
    row("without these", count.non_embedding);
    row("multiplying activations", count.matrix_active);
    if (count.mtp > 0) {
        row("multi-token prediction, besides", count.mtp);
    }
    for (const ExtraParameters& tower : model.towers) {
        row(tower.what + ", besides", tower.count);
    }
    return table;
}

Table modules_table(const ParameterCount& count) {
    Table table{.title = "By module", .columns = {"module", "count", "share"}};
    for (int i = 0; i < module_count; ++i) {
        const std::int64_t n = count.by_module[static_cast<std::size_t>(i)];
        if (n > 0) {
            table.rows.push_back(
                {text_cell(to_string(static_cast<Module>(i))), count_cell(n), share_cell(n, count.total)});
        }
    }
    return table;
}

Table tensors_table(const ModelSpec& model) {
    Table table{.title = "By tensor",
                .columns = {"tensor", "of", "layers", "copies", "rows", "columns", "count"}};
    for (const Row& row : inventory(model)) {
        const WeightTensor& t = row.tensor;
        table.rows.push_back({text_cell(t.name), text_cell(row.where), count_cell(row.layers),
                              count_cell(t.copies), count_cell(t.rows), count_cell(t.columns),
                              count_cell(elements(t) * row.layers)});
    }
    if (model.lm_head && model.tied_embeddings) {
        table.remarks.push_back("The head multiplies by the embedding table and stores nothing of its own.");
    }
    return table;
}

Table stages_table(const ModelSpec& model, const Options& options) {
    Table table{.title = "On one rank", .columns = {"stage", "layers", "dense", "expert", "count"}};
    const StageLayout layout{.pp = options.pp, .vp = options.vp, .blocks = block_count(model)};
    std::int64_t stage = 0;
    for (const ShardedCount& count : stages(model, options)) {
        std::int64_t layers = 0;
        for (std::int64_t chunk = stage; chunk < options.pp * options.vp; chunk += options.pp) {
            layers += chunk_size(layout, chunk);
        }
        table.rows.push_back({count_cell(stage), count_cell(layers),
                              count_cell(static_cast<std::int64_t>(count.dense)),
                              count_cell(static_cast<std::int64_t>(count.expert)),
                              count_cell(static_cast<std::int64_t>(count.dense + count.expert))});
        ++stage;
    }
    return table;
}

void params(const Options& options, Context& context) {
    const Catalogue catalogue(context.data_folder);
    const ModelInput input = load_model(options.model, Sources(catalogue, context.data_folder, &context.in));
    check_degrees(input.model, options);
    if (options.output.json) {
        print_json(input, options, context);
        return;
    }
    const ParameterCount count = parameter_count(input.model);
    std::vector<Table> tables = {totals_table(input.model, count), modules_table(count)};
    if (options.tensors) {
        tables.push_back(tensors_table(input.model));
    }
    if (is_sharded(options)) {
        tables.push_back(stages_table(input.model, options));
    }
    for (const std::string& assumption : input.assumptions) {
        tables.back().remarks.push_back("Assumed: " + assumption + ".");
    }
    context.out << render(tables, options.output.format, context.style);
}

}  // namespace

void add_params(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("params", "Parameter count of a model by module, tensor and rank");
    const auto options = std::make_shared<Options>();
    command
        ->add_option(
            "MODEL", options->model,
            "Catalogue id, model file, Hugging Face config.json or its folder, or - for standard input")
        ->required();
    const auto degree = [&](const std::string& name, std::int64_t& target, const std::string& help) {
        add_parsed(
            *command, name, target, "N",
            [](const std::string& text) { return parse_count(text, Range::positive); }, help);
    };
    degree("--tp", options->tp, "Tensor-parallel degree");
    degree("--pp", options->pp, "Pipeline-parallel degree");
    degree("--vp", options->vp, "Virtual stages per pipeline stage");
    degree("--ep", options->ep, "Expert-parallel degree");
    degree("--etp", options->etp, "Tensor-parallel degree of experts");
    command->add_flag("--tensors", options->tensors, "Also list every weight tensor");
    add_output_options(*command, options->output);
    command->callback([options, &context] { params(*options, context); });
}

}  // namespace traincost::cli
