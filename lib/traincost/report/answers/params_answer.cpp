#include "traincost/report/answers/params_answer.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

Cell params_share_cell(std::int64_t part, std::int64_t whole) {
    return percent_cell(static_cast<double>(part) / static_cast<double>(whole));
}

Table params_totals_table(const ModelSpec& model, const ParameterCount& count) {
    Table table{.title = "Parameters of " + model.name};
    const auto row = [&](std::string_view what, std::int64_t n) {
        Cell cell = count_cell(n);
        cell.exact = cell.text;
        cell.text += " (" + count_text(static_cast<double>(n)) + ")";
        table.rows.push_back({text_cell(what), cell});
    };
    row("total", count.total);
    row("active per token", count.active);
    row("active, without input embedding", count.active_without_input_embedding);
    row("embedding and untied head", count.embedding);
    row("without these two", count.non_embedding);
    row("multiplying activations", count.matrix_active);
    if (count.mtp > 0) {
        row("multi-token prediction (not counted)", count.mtp);
    }
    for (const ExtraParameters& tower : model.towers) {
        row(tower.what + " (not counted)", tower.count);
    }
    return table;
}

Table params_modules_table(const ParameterCount& count) {
    Table table{.title = "By module", .columns = {"module", "count", "share"}};
    for (int i = 0; i < module_count; ++i) {
        const std::int64_t n = count.by_module[static_cast<std::size_t>(i)];
        if (n > 0) {
            table.rows.push_back({text_cell(to_string(static_cast<Module>(i))), count_cell(n),
                                  params_share_cell(n, count.total)});
        }
    }
    return table;
}

Table params_tensors_table(const ParamsAnswer& answer) {
    Table table{.title = "By tensor",
                .columns = {"tensor", "of", "layers", "copies", "rows", "columns", "count"}};
    for (const ParamsTensor& row : answer.tensors) {
        const WeightTensor& t = row.tensor;
        table.rows.push_back({text_cell(t.name), text_cell(row.where), count_cell(row.layers),
                              count_cell(t.copies), count_cell(t.rows), count_cell(t.columns),
                              count_cell(elements(t) * row.layers)});
    }
    if (answer.input.model.lm_head && answer.input.model.tied_embeddings) {
        table.remarks.push_back("The head reuses the embedding table and has no weights of its own.");
    }
    return table;
}

Table params_stages_table(const ParamsAnswer& answer) {
    Table table{.title = "On one rank", .columns = {"stage", "layers", "dense", "expert", "count"}};
    std::int64_t stage = 0;
    for (const auto& [layers, count] : answer.stages) {
        table.rows.push_back({count_cell(stage), count_cell(layers),
                              count_cell(static_cast<std::int64_t>(count.dense)),
                              count_cell(static_cast<std::int64_t>(count.expert)),
                              count_cell(static_cast<std::int64_t>(count.dense + count.expert))});
        ++stage;
    }
    return table;
}

}  // namespace

std::vector<Table> params_tables(const ParamsAnswer& answer, bool tensors) {
    std::vector<Table> tables = {params_totals_table(answer.input.model, answer.count),
                                 params_modules_table(answer.count)};
    if (tensors) {
        tables.push_back(params_tensors_table(answer));
    }
    if (!answer.stages.empty()) {
        tables.push_back(params_stages_table(answer));
    }
    for (const std::string& assumption : answer.input.assumptions) {
        tables.back().remarks.push_back("Assumed: " + assumption + ".");
    }
    return tables;
}

void write_json(JsonWriter& out, const ParamsAnswer& answer) {
    const ParameterCount& count = answer.count;
    out.begin_object().member("schema_version", 1).member("model", answer.input.model.name);
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
    for (const ParamsTensor& row : answer.tensors) {
        const WeightTensor& t = row.tensor;
        out.begin_object()
            .member("name", t.name)
            .member("module", to_string(t.module))
            .member("where", row.where);
        out.member("rows", t.rows).member("columns", t.columns).member("copies", t.copies);
        out.member("layers", row.layers).member("count", elements(t) * row.layers).end_object();
    }
    out.end_array();
    if (!answer.stages.empty()) {
        out.key("stages").begin_array();
        for (const auto& [layers, stage] : answer.stages) {
            out.begin_object().member("dense", stage.dense).member("expert", stage.expert);
            out.member("per_rank", stage.dense + stage.expert).end_object();
        }
        out.end_array();
    }
    out.array("assumptions", answer.input.assumptions).end_object();
}

}  // namespace traincost
