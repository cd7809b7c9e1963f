// `traincost method fast-llm`: Fast_LLM's pre-train sheet.

#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/json.hpp>
#include <traincost/methods/fast_llm.hpp>
#include <traincost/methods/printed.hpp>
#include <traincost/spec/names.hpp>

#include <CLI/CLI.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct FastLlmFlags {
    OutputFlags output;
    std::string variant = "readme";
    std::optional<std::int64_t> hidden, layers, sequence, vocab, heads, experts, nodes, gpus_per_node,
        gpu_memory, batch;
    std::optional<double> billion_tokens, tflops;
    bool no_checkpointing = false;
};

FastLlmVariant variant_from(const std::string& name) {
    constexpr std::array<std::string_view, 3> names = {"readme", "head", "moe"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (name == names[i]) {
            return static_cast<FastLlmVariant>(i);
        }
    }
    throw Error(ErrorKind::usage, "--variant: '" + name + "' is not known" + did_you_mean(name, names) +
                                      "; allowed: readme, head, moe");
}

FastLlmInput input_of(const FastLlmFlags& f) {
    const FastLlmVariant variant = variant_from(f.variant);
    const bool heads_matter = variant != FastLlmVariant::readme;
    require_all({{"--hidden", f.hidden.has_value()},
                 {"--layers", f.layers.has_value()},
                 {"--seq", f.sequence.has_value()},
                 {"--vocab", f.vocab.has_value()},
                 {"--heads", f.heads.has_value() || !heads_matter},
                 {"--experts", f.experts.has_value() || variant != FastLlmVariant::moe},
                 {"--nodes", f.nodes.has_value()},
                 {"--gpus-per-node", f.gpus_per_node.has_value()},
                 {"--gpu-memory", f.gpu_memory.has_value()},
                 {"--batch", f.batch.has_value()},
                 {"--btokens", f.billion_tokens.has_value()},
                 {"--tflops", f.tflops.has_value()}});
    return {.variant = variant,
            .hidden = *f.hidden,
            .layers = *f.layers,
            .sequence = *f.sequence,
            .vocab = *f.vocab,
            .heads = f.heads.value_or(1),  // the readme's formula has none
            .experts = f.experts.value_or(0),
            .nodes = *f.nodes,
            .gpus_per_node = *f.gpus_per_node,
            .gpu_memory_GB = *f.gpu_memory,
            .batch = *f.batch,
            .billion_tokens = *f.billion_tokens,
            .tflops = *f.tflops,
            .checkpointing = !f.no_checkpointing};
}

std::vector<Table> tables_of(const FastLlmSheet& sheet) {
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

std::string json_of(const FastLlmSheet& sheet) {
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
    out.end_object();
    return out.text();
}

}  // namespace

void add_fast_llm(CLI::App& parent, Context& context) {
    CLI::App* command = parent.add_subcommand("fast-llm", "Fast_LLM's pre-train sheet");
    const auto f = std::make_shared<FastLlmFlags>();
    command->add_option("--variant", f->variant, "readme, head or moe; default readme")->type_name("NAME");
    add_parsed(*command, "--hidden", f->hidden, "N", positive_count, "NHIDDEN");
    add_parsed(*command, "--layers", f->layers, "N", positive_count, "NLAYERS");
    add_parsed(*command, "--seq", f->sequence, "N", positive_count, "SEQ_LEN");
    add_parsed(*command, "--vocab", f->vocab, "N", positive_count, "VOCAB_SIZE");
    add_parsed(*command, "--heads", f->heads, "N", positive_count, "NHEAD (head and moe)");
    add_parsed(*command, "--experts", f->experts, "N", positive_count, "EXPERT_NUM (moe)");
    add_parsed(*command, "--nodes", f->nodes, "N", positive_count, "NODE");
    add_parsed(*command, "--gpus-per-node", f->gpus_per_node, "N", positive_count, "GPU_PER_NODE");
    add_parsed(*command, "--gpu-memory", f->gpu_memory, "GB", positive_count, "GPU_MEMORY");
    add_parsed(*command, "--batch", f->batch, "N", positive_count, "BATCH_SIZE");
    add_parsed(*command, "--btokens", f->billion_tokens, "BILLIONS", positive_number, "BTOKEN");
    add_parsed(*command, "--tflops", f->tflops, "TFLOPS", positive_number, "TFLOPS of a GPU");
    command->add_flag("--no-checkpointing", f->no_checkpointing, "Without gradient checkpointing");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        const FastLlmSheet sheet = fast_llm(input_of(*f));
        context.exit_code = sheet.plans.empty() ? exit_no : exit_yes;
        context.out << (f->output.json ? json_of(sheet) : render(tables_of(sheet), f->output.format));
    });
}

}  // namespace traincost::cli
