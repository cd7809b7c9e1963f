// `method fast-llm`: Fast_LLM's pre-train sheet.
#include <array>
#include <cmath>
#include <memory>

#include "traincost/base/text.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/methods/fast_llm.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/report/methods/fast_llm_comparison.hpp"
#include "traincost/report/methods/form_values.hpp"
#include "traincost/report/methods/forms.hpp"
#include "traincost/report/methods/own_estimate.hpp"
#include "traincost/spec/draft/everyday_names.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

constexpr double fast_llm_tera = 1e12;

struct FastLlmFlags {
    std::string variant = "readme";
    std::optional<std::string> preset;
    std::optional<std::int64_t> hidden, layers, sequence, vocab, heads, experts, nodes, gpus_per_node,
        gpu_memory, batch, gpus;
    std::optional<double> billion_tokens, tflops, parameters;
    std::optional<Seconds> step;
    CompareFlags compare;
    bool no_checkpointing = false, after_train = false, list = false;
};

FastLlmVariant fast_llm_variant_from(const std::string& name) {
    constexpr std::array<std::string_view, 3> names = {"readme", "head", "moe"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (name == names[i]) {
            return static_cast<FastLlmVariant>(i);
        }
    }
    throw Error(ErrorKind::usage, "--variant: unknown value '" + name + "'; allowed: readme, head, moe" +
                                      did_you_mean(name, names));
}

FastLlmInput fast_llm_input_of(const FastLlmFlags& f) {
    const FastLlmVariant variant = fast_llm_variant_from(f.variant);
    refuse_all("without --after-train", {{"--params", f.parameters.has_value()},
                                         {"--step-time", f.step.has_value()},
                                         {"--gpus", f.gpus.has_value()}});
    if (variant != FastLlmVariant::moe) {
        refuse_all("of this variant", {{"--experts", f.experts.has_value()}});
    }
    if (variant == FastLlmVariant::readme) {
        refuse_all("of this variant, whose formulas have no heads", {{"--heads", f.heads.has_value()}});
    }
    FastLlmInput in = fast_llm_defaults(variant);
    if (f.preset) {
        const FastLlmPreset& preset = fast_llm_preset(*f.preset);
        in.hidden = preset.hidden;
        in.layers = preset.layers;
        in.sequence = preset.sequence;
        in.vocab = preset.vocab;
    }
    take(f.hidden, in.hidden);
    take(f.layers, in.layers);
    take(f.sequence, in.sequence);
    take(f.vocab, in.vocab);
    take(f.heads, in.heads);
    take(f.experts, in.experts);
    take(f.nodes, in.nodes);
    take(f.gpus_per_node, in.gpus_per_node);
    take(f.gpu_memory, in.gpu_memory_GB);
    take(f.batch, in.batch);
    take(f.billion_tokens, in.billion_tokens);
    take(f.tflops, in.tflops);
    in.checkpointing = !f.no_checkpointing;
    return in;
}

/// The constants as its user would have edited them.
std::string fast_llm_constants_text(const FastLlmInput& in) {
    std::string text = "Constants: NHIDDEN=" + std::to_string(in.hidden) +
                       " NLAYERS=" + std::to_string(in.layers) + " SEQ_LEN=" + std::to_string(in.sequence) +
                       " VOCAB_SIZE=" + std::to_string(in.vocab);
    if (in.variant != FastLlmVariant::readme) {
        text += " NHEAD=" + std::to_string(in.heads);
    }
    if (in.variant == FastLlmVariant::moe) {
        text += " EXPERT_NUM=" + std::to_string(in.experts);
    }
    return text + " NODE=" + std::to_string(in.nodes) + " GPU_PER_NODE=" + std::to_string(in.gpus_per_node) +
           " GPU_MEMORY=" + std::to_string(in.gpu_memory_GB) + " BATCH_SIZE=" + std::to_string(in.batch) +
           " BTOKEN=" + to_exact(in.billion_tokens) + " TFLOPS=" + to_exact(in.tflops) +
           " Gradient_checkpointing=" + (in.checkpointing ? "True" : "False");
}

Table fast_llm_presets_table() {
    Table table{.title = "Models of Fast_LLM's scripts",
                .columns = {"--preset", "NHIDDEN", "NLAYERS", "SEQ_LEN", "VOCAB_SIZE"},
                .rows = {},
                .remarks = {}};
    for (const FastLlmPreset& row : fast_llm_presets()) {
        table.rows.push_back({text_cell(row.name), count_cell(row.hidden), count_cell(row.layers),
                              count_cell(row.sequence), count_cell(row.vocab)});
    }
    for (const char* variant : {"readme", "head", "moe"}) {
        const std::string constants =
            fast_llm_constants_text(fast_llm_defaults(fast_llm_variant_from(variant)));
        table.remarks.push_back("--variant " + std::string(variant) + ": " + constants);
    }
    return table;
}

std::vector<Table> fast_llm_tables_of(const FastLlmSheet& sheet) {
    std::vector<Table> tables;
    tables.push_back(
        {.title = "Model",
         .columns = {"Model_size/B", "NHIDDEN/NLAYERS", "Usable_memory/GB"},
         .rows = {{printed_cell(sheet.model_size, 2), count_cell(sheet.ratio), count_cell(sheet.usable_GB)}},
         .remarks = {}});
    Table memory{.title = "Memory",
                 .columns = {"Module", "Size/B", "Eval_memory/GB", "Train_momery/GB"},
                 .rows = {},
                 .remarks = {}};
    for (const FastLlmMemory& row : sheet.memory) {
        memory.rows.push_back({text_cell(row.name), printed_cell(row.size, 2), printed_cell(row.eval, 2),
                               printed_cell(row.train, 2)});
    }
    Table zero{
        .title = "Strategies", .columns = {"Strategy", "Eval/GB", "Train/GB"}, .rows = {}, .remarks = {}};
    for (const FastLlmZero& row : sheet.zero) {
        zero.rows.push_back({text_cell(row.name), printed_cell(row.eval, 2), printed_cell(row.train, 2)});
    }
    Table plans{.title = "Recommended",
                .columns = {"Zero", "DP", "TP", "PP", "Train_memory/GB", "Trianing_days"},
                .rows = {},
                .remarks = sheet.messages};
    for (const FastLlmPlan& row : sheet.plans) {
        plans.rows.push_back({text_cell(row.strategy),
                              {.text = row.dp, .number = true},
                              count_cell(row.tp),
                              count_cell(row.pp),
                              printed_cell(row.train_GB, 2),
                              printed_cell(row.days, 2)});
    }
    if (!sheet.plans.empty()) {
        plans.remarks.emplace_back("Please find the best batch_size by adjusting BATCH_SIZE");
    }
    tables.push_back(std::move(memory));
    tables.push_back(std::move(zero));
    tables.push_back(std::move(plans));
    return tables;
}

std::string fast_llm_json_of(const FastLlmSheet& sheet, const std::vector<Table>& compared) {
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", 1);
    out.member("method", "fast-llm");
    out.member("model_size_B", sheet.model_size);
    out.member("hidden_over_layers", sheet.ratio);
    out.member("usable_GB", sheet.usable_GB);
    out.key("memory").begin_array();
    for (const FastLlmMemory& row : sheet.memory) {
        out.begin_object();
        out.member("name", row.name).member("size_B", row.size);
        out.member("eval_GB", row.eval).member("train_GB", row.train);
        out.end_object();
    }
    out.end_array().key("zero").begin_array();
    for (const FastLlmZero& row : sheet.zero) {
        out.begin_object();
        out.member("name", row.name).member("eval_GB", row.eval).member("train_GB", row.train);
        out.end_object();
    }
    out.end_array().key("plans").begin_array();
    for (const FastLlmPlan& row : sheet.plans) {
        out.begin_object();
        out.member("strategy", row.strategy).member("dp", parse_number(row.dp)).member("tp", row.tp);
        out.member("pp", row.pp).member("train_GB", row.train_GB).member("days", row.days);
        out.end_object();
    }
    out.end_array();
    out.array("messages", sheet.messages);
    if (!compared.empty()) {
        out.key("compared");
        write_json(out, compared.front());
    }
    out.end_object();
    return out.text();
}

/// The figure of its post-train script, from what a run took.
MethodAnswer fast_llm_after_train(const FastLlmFlags& f) {
    refuse_all("with --after-train", {{"--preset", f.preset.has_value()},
                                      {"--hidden", f.hidden.has_value()},
                                      {"--layers", f.layers.has_value()},
                                      {"--vocab", f.vocab.has_value()},
                                      {"--heads", f.heads.has_value()},
                                      {"--experts", f.experts.has_value()},
                                      {"--nodes", f.nodes.has_value()},
                                      {"--gpus-per-node", f.gpus_per_node.has_value()},
                                      {"--gpu-memory", f.gpu_memory.has_value()},
                                      {"--btokens", f.billion_tokens.has_value()},
                                      {"--tflops", f.tflops.has_value()},
                                      {"--no-checkpointing", f.no_checkpointing},
                                      {"--compare", f.compare.compare}});
    FastLlmRun run = fast_llm_run_defaults();
    take(f.parameters, run.parameters);
    take(f.sequence, run.sequence);
    take(f.batch, run.global_batch);
    take(f.step, run.step);
    take(f.gpus, run.gpus);
    const double tflops = fast_llm_achieved(run).value() / fast_llm_tera;
    JsonWriter out;
    out.begin_object().member("schema_version", 1).member("method", "fast-llm");
    out.member("tflops_per_gpu", tflops).end_object();
    const Table table{
        .title = {},
        .columns = {},
        .rows = {{text_cell("TFLOPS"), printed_cell(tflops, 2)}},
        .remarks = {"8ND, which always counts recomputation; 6ND would be " +
                        decimals_text(tflops * 6.0 / 8.0, 2) + ".",
                    "N " + count_text(run.parameters) + ", sequence " + std::to_string(run.sequence) +
                        ", global batch " + std::to_string(run.global_batch) + ", step " + to_text(run.step) +
                        ", " + std::to_string(run.gpus) + " GPUs"}};
    return {.tables = {table}, .json = out.text()};
}

MethodAnswer fast_llm_answer(const FastLlmFlags& f, const Sources& sources) {
    if (f.list) {
        return {.tables = {fast_llm_presets_table()}};
    }
    if (f.after_train) {
        return fast_llm_after_train(f);
    }
    require_comparison(f.compare);
    const FastLlmInput in = fast_llm_input_of(f);
    const FastLlmSheet sheet = fast_llm(in);
    std::vector<Table> compared;
    if (f.compare.compare) {
        compared = fast_llm_comparison(in, sheet, f.compare, sources);
    }
    MethodAnswer answer{.original = fast_llm_text(sheet) + '\n' + fast_llm_constants_text(in) + '\n',
                        .tables = fast_llm_tables_of(sheet),
                        .json = fast_llm_json_of(sheet, compared),
                        .yes = !sheet.plans.empty()};
    answer.in_original = answer.tables.size();
    answer.tables.insert(answer.tables.end(), compared.begin(), compared.end());
    return answer;
}

}  // namespace

MethodForm fast_llm_form() {
    MethodForm form;
    const auto f = std::make_shared<FastLlmFlags>();
    form.add_text("--variant", f->variant, "NAME", "Script: readme, head or moe; default: readme");
    form.add(
        "--preset", f->preset, "NAME", [](auto& t) { return t; },
        "Model from its comments: Llama2-7B, ... (see --list)");
    form.add("--hidden", f->hidden, "N", positive_count,
             "NHIDDEN; this and the constants below default to the script's values (see --list)");
    form.add("--layers", f->layers, "N", positive_count, "NLAYERS");
    form.add("--seq", f->sequence, "N", sequence_length, "SEQ_LEN");
    form.add("--vocab", f->vocab, "N", positive_count, "VOCAB_SIZE");
    form.add("--heads", f->heads, "N", positive_count, "NHEAD (head and moe)");
    form.add("--experts", f->experts, "N", positive_count, "EXPERT_NUM (moe)");
    form.add("--nodes", f->nodes, "N", positive_count, "NODE");
    form.add("--gpus-per-node", f->gpus_per_node, "N", positive_count, "GPU_PER_NODE");
    form.add("--gpu-memory", f->gpu_memory, "GB", positive_count, "GPU_MEMORY");
    form.add("--batch", f->batch, "N", positive_count,
             "BATCH_SIZE per rank; with --after-train, the global batch");
    form.add("--btokens", f->billion_tokens, "BILLIONS", form_number, "BTOKEN");
    form.add("--tflops", f->tflops, "TFLOPS", form_number, "TFLOPS per GPU");
    form.add_switch("--no-checkpointing", f->no_checkpointing, "Without gradient checkpointing");
    form.add_switch("--after-train", f->after_train,
                    "TFLOPS reached per GPU, from --params, --seq, --batch, --step-time and --gpus");
    form.add("--params", f->parameters, "COUNT", positive_parameters,
             "Parameters (after-train); default: 7B");
    form.add("--step-time", f->step, "DURATION", form_duration, "Step time (after-train); default: 6.8s");
    form.add("--gpus", f->gpus, "N", positive_count, "GPUs (after-train); default: 32");
    add_compare_fields(form, f->compare);
    form.add_switch("--list", f->list, "Print the models and constants of its scripts");
    form.answer = [f](const Sources& sources) { return fast_llm_answer(*f, sources); };
    return form;
}

}  // namespace traincost
