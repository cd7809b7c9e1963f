#include "traincost/report/methods/own_estimate.hpp"

#include <array>
#include <utility>

#include "traincost/ask/resolve.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/report/methods/form_values.hpp"
#include "traincost/report/tables/estimate_tables.hpp"

namespace traincost {

namespace {

/// A row of a calculator's table, without case, spaces and hyphens, and the record it stands for.
struct Row {
    std::string_view name;
    std::string_view id;
};

constexpr std::array<Row, 44> models = {{{"llama7b", "llama-7b"},
                                         {"llama13b", "llama-13b"},
                                         {"llama30b", "llama-33b"},
                                         {"llama32b", "llama-33b"},
                                         {"llama65b", "llama-65b"},
                                         {"llama270b", "llama-2-70b"},
                                         {"llama27b", "llama-2-7b"},
                                         {"llama213b", "llama-2-13b"},
                                         {"llama38b", "llama-3-8b"},
                                         {"llama3.18b", "llama-3.1-8b"},
                                         {"llama3.170b", "llama-3.1-70b"},
                                         {"baichuan27b", "baichuan2-7b"},
                                         {"baichuan213b", "baichuan2-13b"},
                                         {"mixtral8x7b", "mixtral-8x7b"},
                                         {"chatglm36b", "chatglm3-6b"},
                                         {"mistral7bv0.1", "mistral-7b-v0.1"},
                                         {"gpt3", "gpt3-175b"},
                                         {"gpt3175b", "gpt3-175b"},
                                         {"gpt3small", "gpt3-125m"},
                                         {"gpt3medium", "gpt3-350m"},
                                         {"gpt3large", "gpt3-760m"},
                                         {"gpt3xl", "gpt3-1.3b"},
                                         {"gpt32.7b", "gpt3-2.7b"},
                                         {"gpt36.7b", "gpt3-6.7b"},
                                         {"gpt313b", "gpt3-13b"},
                                         {"gpt2", "gpt2-124m"},
                                         {"gpt2125m", "gpt2-124m"},
                                         {"gpt2350m", "gpt2-355m"},
                                         {"gpt2774m", "gpt2-774m"},
                                         {"gpt21.5b", "gpt2-1.5b"},
                                         {"gpt2medium", "gpt2-355m"},
                                         {"gpt2large", "gpt2-774m"},
                                         {"gpt2xl", "gpt2-1.5b"},
                                         {"bigscience/bloom560m", "bloom-560m"},
                                         {"bigscience/bloom1b1", "bloom-1b1"},
                                         {"bigscience/bloom1b7", "bloom-1b7"},
                                         {"bigscience/bloom3b", "bloom-3b"},
                                         {"bigscience/bloom7b1", "bloom-7b1"},
                                         {"bigscience/bloom", "bloom-176b"},
                                         {"huggyllama/llama7b", "llama-7b"},
                                         {"huggyllama/llama13b", "llama-13b"},
                                         {"huggyllama/llama30b", "llama-33b"},
                                         {"huggyllama/llama65b", "llama-65b"},
                                         {"qwen1.5moe", "qwen1.5-moe-a2.7b"}}};

constexpr std::array<Row, 8> gpus = {{{"h200", "h200-sxm-141gb"},
                                      {"h100", "h100-sxm5-80gb"},
                                      {"a100", "a100-sxm4-80gb"},
                                      {"a800", "a800-sxm4-80gb"},
                                      {"h800", "h800-sxm5-80gb"},
                                      {"mi300x", "mi300x-192gb"},
                                      {"4090", "rtx-4090"},
                                      {"3090", "rtx-3090"}}};

template <class Rows>
std::optional<std::string> id_of(const Rows& rows, std::string_view name) {
    std::string plain;
    for (const char c : lower(name)) {
        if (c != ' ' && c != '-' && c != '_') {
            plain += c;
        }
    }
    for (const Row& row : rows) {
        if (row.name == plain) {
            return std::string(row.id);
        }
    }
    return std::nullopt;
}

std::string id_or_error(const std::optional<std::string>& given, const std::optional<std::string>& id,
                        std::string_view row, const char* flag, const char* what) {
    if (given || id) {
        return given ? *given : *id;
    }
    throw Error(ErrorKind::usage, std::string(flag) + ": is missing: no " + what +
                                      " in the catalogue corresponds to " + std::string(row));
}

}  // namespace

void add_compare_fields(MethodForm& form, CompareFlags& flags) {
    const auto word = [](const std::string& text) { return text; };
    form.add_switch("--compare", flags.compare,
                    "Comparison of its figures with this program's estimate, each difference explained");
    form.add("--as-model", flags.model, "ID", word,
             "Model for the comparison: id or file; default: the one of that name");
    form.add("--as-gpu", flags.gpu, "ID", word,
             "Accelerator for the comparison; default: the one of that name");
}

void require_comparison(const CompareFlags& flags) {
    if (!flags.compare) {
        refuse_all("without --compare",
                   {{"--as-model", flags.model.has_value()}, {"--as-gpu", flags.gpu.has_value()}});
    }
}

std::optional<std::string> catalogue_model(std::string_view name) {
    return id_of(models, name);
}

std::optional<std::string> catalogue_gpu(std::string_view name) {
    return id_of(gpus, name);
}

std::string compared_model(const CompareFlags& flags, std::string_view row) {
    return id_or_error(flags.model, catalogue_model(row), row, "--as-model", "model");
}

std::string compared_gpu(const CompareFlags& flags, std::string_view row) {
    return id_or_error(flags.gpu, catalogue_gpu(row), row, "--as-gpu", "accelerator");
}

OwnEstimate own_estimate(const JobDraft& said, const Sources& sources) {
    ResolvedJob resolved = resolve(said, sources);
    Estimate e = estimate(resolved.job);
    return {std::move(resolved.job), std::move(e)};
}

Table compared_table(const std::vector<ComparedFigure>& figures, const std::string& theirs,
                     const OwnEstimate& ours) {
    Table table{.title = "Compared", .columns = {"", theirs, "ours", "why"}, .rows = {}, .remarks = {}};
    for (const ComparedFigure& f : figures) {
        table.rows.push_back({text_cell(f.what), f.theirs, f.ours, text_cell(f.why)});
    }
    table.remarks.push_back("ours: " + job_title(ours.job) + ", " + layout_text(ours.job));
    return table;
}

Cell gigabyte_cell(Bytes bytes) {
    constexpr double giga = 1e9;
    return printed_cell(bytes.value() / giga, 2);
}

Cell seconds_cell(Seconds time) {
    return cell(time);
}

}  // namespace traincost
