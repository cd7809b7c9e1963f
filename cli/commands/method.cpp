// `traincost method NAME`: a published calculator's own output.

#include <cli/commands/commands.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/json.hpp>
#include <traincost/methods/chinchilla.hpp>
#include <traincost/methods/fast_llm.hpp>
#include <traincost/methods/iiis.hpp>
#include <traincost/methods/printed.hpp>
#include <traincost/spec/names.hpp>

#include <CLI/CLI.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

std::int64_t positive_count(const std::string& text) {
    return parse_count(text, Range::positive);
}

double positive_number(const std::string& text) {
    return parse_number(text, Range::positive);
}

/// A number as the calculator prints it, and as a program wants it.
Cell printed_cell(double x, int digits) {
    return {.text = python_round_text(x, digits), .exact = to_exact(x), .number = true};
}

void require_all(std::initializer_list<std::pair<const char*, bool>> flags) {
    std::vector<Problem> missing;
    for (const auto& [name, given] : flags) {
        if (!given) {
            missing.push_back({name, "is missing"});
        }
    }
    if (!missing.empty()) {
        throw Error(ErrorKind::usage, std::move(missing));
    }
}

// ---- fast-llm ----

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

// ---- iiis ----

struct IiisFlags {
    OutputFlags output;
    std::optional<std::string> gpu, model;
    std::optional<double> network, tokens, epochs, bus;
    std::optional<std::int64_t> minibatch, microbatch, tp, pp, dp;
    std::optional<Recompute> recompute;
};

IiisInput input_of(const IiisFlags& f) {
    if (f.gpu) {
        iiis_gpu(*f.gpu);  // an unknown name is said first
    }
    if (f.model) {
        iiis_model(*f.model);
    }
    require_all({{"--gpu", f.gpu.has_value()},
                 {"--model", f.model.has_value()},
                 {"--network", f.network.has_value()},
                 {"--minibatch", f.minibatch.has_value()},
                 {"--microbatch", f.microbatch.has_value()},
                 {"--tp", f.tp.has_value()},
                 {"--pp", f.pp.has_value()},
                 {"--dp", f.dp.has_value()},
                 {"--tokens-m", f.tokens.has_value()},
                 {"--epochs", f.epochs.has_value()},
                 {"--recompute", f.recompute.has_value()}});
    IiisGpu gpu = iiis_gpu(*f.gpu);
    gpu.bus_GBps = f.bus.value_or(gpu.bus_GBps);
    return {.gpu = gpu,
            .model = iiis_model(*f.model),
            .network_Gbps = *f.network,
            .minibatch = *f.minibatch,
            .microbatch = *f.microbatch,
            .tp = *f.tp,
            .pp = *f.pp,
            .dp = *f.dp,
            .million_tokens = *f.tokens,
            .epochs = *f.epochs,
            .recompute = *f.recompute};
}

/// Its page's number format: whole numbers as they are, above 1 two decimals, else six.
Cell iiis_cell(double x) {
    const std::string text = std::floor(x) == x ? to_exact(x) : fixed_text(x, x > 1.0 ? 2 : 6);
    return {.text = text, .exact = to_exact(x), .number = true};
}

constexpr double iiis_GB = 1024.0 * 1024.0 * 1024.0;

/// A number of its output: group, the backend's name, what the page calls it, value. Memory is in bytes.
struct IiisNumber {
    std::string_view group;
    std::string_view key;
    std::string_view label;
    double value;
    bool memory = false;
};

std::vector<IiisNumber> numbers_of(const IiisResult& r) {
    const auto count = [](std::int64_t x) { return static_cast<double>(x); };
    return {
        {"parameter", "word_embedding", "Word embedding", r.parameters.word_embedding},
        {"parameter", "self_attention", "Self attention, a layer", r.parameters.self_attention},
        {"parameter", "feed_forward", "Feed forward, a layer", r.parameters.feed_forward},
        {"parameter", "position_embedding", "Position embedding", r.parameters.position_embedding},
        {"parameter", "total_parameters", "Total", r.parameters.total},
        {"recommended_config", "recomended_tensor_parallel_degree", "Tensor parallel degree",
         count(r.recommended.tp)},
        {"recommended_config", "recomended_pipeline_parallel_degree", "Pipeline parallel degree",
         count(r.recommended.pp)},
        {"recommended_config", "recommended_microbatch", "Microbatch size", count(r.recommended.microbatch)},
        {"memory_usage", "optimizer_states", "Optimizer States", r.memory.optimizer_states, true},
        {"memory_usage", "weights", "Weights", r.memory.weights, true},
        {"memory_usage", "gradients", "Gradients", r.memory.gradients, true},
        {"memory_usage", "activation", "Activation", r.memory.activation, true},
        {"memory_usage", "overall_usage", "Overall Usage", r.memory.overall, true},
        {"computation", "per_device_layers", "Per-device layers", r.computation.per_device_layers},
        {"computation", "num_microbatches", "Number of microbatches", r.computation.micro_batches},
        {"computation", "total_forward_computation_time", "Total forward", r.computation.forward},
        {"computation", "total_backward_computation_time", "Total backward", r.computation.backward},
        {"computation", "per_loop_forward_computation_time", "Per-loop forward", r.computation.loop_forward},
        {"computation", "per_loop_backward_computation_time", "Per-loop backward",
         r.computation.loop_backward},
        {"communication", "total_forward_allgather_time", "Total forward allgather",
         r.communication.forward_allgather},
        {"communication", "per_loop_forward_allgather_time", "Per-loop forward allgather",
         r.communication.loop_forward_allgather},
        {"communication", "total_backward_allgather_time", "Total backward allgather",
         r.communication.backward_allgather},
        {"communication", "per_loop_backward_allgather_time", "Per-loop backward allgather",
         r.communication.loop_backward_allgather},
        {"communication", "total_backward_reduce_scatter_time", "Total backward reduce-scatter",
         r.communication.backward_reduce_scatter},
        {"communication", "per_loop_backward_reduce_scatter_time", "Per-loop backward reduce-scatter",
         r.communication.loop_backward_reduce_scatter},
        {"communication", "total_p2p_time", "Total p2p", r.communication.p2p},
        {"communication", "per_loop_p2p_time", "Per-loop p2p", r.communication.loop_p2p},
        {"communication", "word_embedding_allreduce_time", "Word embedding allreduce",
         r.communication.embedding_allreduce},
        {"communication", "gradient_allreduce_time", "Gradient allreduce",
         r.communication.gradient_allreduce},
        {"timeline", "warmup_time", "Warmup", r.timeline.warmup},
        {"timeline", "forward_time", "Forward", r.timeline.forward},
        {"timeline", "forward_gpu_usage", "Forward GPU usage", r.timeline.forward_gpu_usage},
        {"timeline", "backward_time", "Backward", r.timeline.backward},
        {"timeline", "backward_gpu_usage", "Backward GPU usage", r.timeline.backward_gpu_usage},
        {"timeline", "cooldown_time", "Cooldown", r.timeline.cooldown},
        {"timeline", "stable_time", "Stable", r.timeline.stable},
        {"timeline", "allreduce_time", "Allreduce", r.timeline.allreduce},
        {"timeline", "per_iter_training_time", "Iteration", r.timeline.iteration},
        {"total_time", "global_minibatch_size", "Global minibatch size", r.total.global_minibatch},
        {"total_time", "total_number_of_iters", "Number of iterations", r.total.iterations},
        {"total_time", "total_training_time", "Total duration", r.total.seconds},
        {"total_time", "totoal_number_of_gpus", "Total number of gpus", count(r.total.gpus)},
    };
}

std::vector<Table> tables_of(const IiisResult& r) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> titles = {
        {{"parameter", "Parameters"},
         {"recommended_config", "Recommended"},
         {"memory_usage", "Memory (GB of 2^30)"},
         {"computation", "Computation Time (s)"},
         {"communication", "Communication Time (s)"},
         {"timeline", "Timeline (s)"},
         {"total_time", "Total"}}};
    std::vector<Table> tables;
    for (const auto& [group, title] : titles) {
        Table table{.title = std::string(title), .columns = {}, .rows = {}, .remarks = {}};
        for (const IiisNumber& number : numbers_of(r)) {
            if (number.group == group) {
                const bool floored = number.key == "total_number_of_iters";  // as its page does
                const double value = number.memory ? number.value / iiis_GB : number.value;
                table.rows.push_back(
                    {text_cell(number.label), iiis_cell(floored ? std::floor(value) : value)});
            }
        }
        if (group == "memory_usage" && r.memory.out_of_memory) {
            table.remarks.emplace_back("OUT OF MEMORY");
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

std::string json_of(const IiisResult& r) {
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", 1);
    out.member("method", "iiis");
    std::string_view group;
    for (const IiisNumber& number : numbers_of(r)) {
        if (number.group != group) {
            if (!group.empty()) {
                out.end_object();
            }
            group = number.group;
            out.key(group).begin_object();
        }
        out.member(number.key, number.value);
    }
    out.end_object();
    out.member("out_of_memory", r.memory.out_of_memory);
    out.end_object();
    return out.text();
}

void add_iiis(CLI::App& parent, Context& context) {
    CLI::App* command = parent.add_subcommand("iiis", "The IIIS-Turing LLM Training Calculator");
    const auto f = std::make_shared<IiisFlags>();
    const auto word = [](const std::string& text) { return text; };
    add_parsed(*command, "--gpu", f->gpu, "NAME", word, "A GPU of its table: H200, H100, A100, 4090, 3090");
    add_parsed(*command, "--model", f->model, "NAME", word, "A model of its table: LLAMA-7B, ...");
    add_parsed(*command, "--network", f->network, "GBIT_PER_S", positive_number, "Network of a host");
    add_parsed(*command, "--minibatch", f->minibatch, "N", positive_count, "Sequences of a rank");
    add_parsed(*command, "--microbatch", f->microbatch, "N", positive_count, "Sequences at once");
    add_parsed(*command, "--tp", f->tp, "N", positive_count, "Tensor parallel degree");
    add_parsed(*command, "--pp", f->pp, "N", positive_count, "Pipeline parallel degree");
    add_parsed(*command, "--dp", f->dp, "N", positive_count, "Data parallel degree");
    add_parsed(*command, "--tokens-m", f->tokens, "MILLIONS", positive_number, "Tokens of an epoch");
    add_parsed(*command, "--epochs", f->epochs, "N", positive_number, "Epochs");
    add_parsed(*command, "--bus", f->bus, "GB_PER_S", positive_number, "Bus bandwidth; default: the GPU's");
    add_parsed(
        *command, "--recompute", f->recompute, "full|selective|none",
        [](const std::string& text) {
            if (const auto value = value_of<Recompute>(text)) {
                return *value;
            }
            throw Error(ErrorKind::usage, "'" + text + "' is not known" +
                                              did_you_mean(text, enum_names<Recompute>()) +
                                              "; allowed: full, selective, none");
        },
        "Optimization strategy");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        const IiisResult r = iiis(input_of(*f));
        context.exit_code = r.memory.out_of_memory ? exit_no : exit_yes;
        context.out << (f->output.json ? json_of(r) : render(tables_of(r), f->output.format));
    });
}

// ---- chinchilla-grid ----

struct ChinchillaFlags {
    OutputFlags output;
    std::optional<double> tflops, utilization, cards, days;
};

Table table_of(const ChinchillaOptimum& grid, const ChinchillaOptimum& exact) {
    const auto row = [](std::string_view name, Cell by_grid, Cell by_formula) {
        return std::vector<Cell>{text_cell(name), std::move(by_grid), std::move(by_formula)};
    };
    const auto with_unit = [](double x, double unit, const char* letter) {
        Cell cell = printed_cell(x / unit, 2);
        cell.text += letter;
        cell.exact = to_exact(x);
        return cell;
    };
    constexpr double million = 1e6;
    constexpr double billion = 1e9;
    const Cell compute{
        .text = to_exact(grid.compute.value()), .exact = to_exact(grid.compute.value()), .number = true};
    return {.title = "Compute-optimal model",
            .columns = {"", "grid", "closed form"},
            .rows = {row("Total Compute Budget", compute, compute),
                     row("Estimated Final Loss", printed_cell(grid.loss, 3), printed_cell(exact.loss, 3)),
                     row("Optimal Model Size", with_unit(grid.parameters, million, "M"),
                         with_unit(exact.parameters, million, "M")),
                     row("Optimal Dataset Size", with_unit(grid.tokens, billion, "B"),
                         with_unit(exact.tokens, billion, "B"))},
            .remarks = {}};
}

void write_optimum(JsonWriter& out, const char* key, const ChinchillaOptimum& best) {
    out.key(key).begin_object();
    out.member("loss", best.loss).member("parameters", best.parameters).member("tokens", best.tokens);
    out.end_object();
}

void add_chinchilla(CLI::App& parent, Context& context) {
    CLI::App* command =
        parent.add_subcommand("chinchilla-grid", "Compute-Optimal-Model-Estimator's size, tokens and loss");
    const auto f = std::make_shared<ChinchillaFlags>();
    add_parsed(*command, "--tflops", f->tflops, "TFLOPS", positive_number, "Of a card");
    add_parsed(
        *command, "--utilization", f->utilization, "FRACTION",
        [](const std::string& text) { return parse_fraction(text, Range::positive); }, "0.25 or 25%");
    add_parsed(*command, "--cards", f->cards, "N", positive_number, "Number of cards");
    add_parsed(*command, "--days", f->days, "N", positive_number, "Training days");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        require_all({{"--tflops", f->tflops.has_value()},
                     {"--utilization", f->utilization.has_value()},
                     {"--cards", f->cards.has_value()},
                     {"--days", f->days.has_value()}});
        const Flops budget = chinchilla_compute(*f->tflops, *f->utilization, *f->cards, *f->days);
        const ChinchillaOptimum grid = chinchilla_grid(budget);
        const ChinchillaOptimum exact = chinchilla_closed_form(budget);
        if (!f->output.json) {
            const Table table = table_of(grid, exact);
            context.out << render({&table, 1}, f->output.format);
            return;
        }
        JsonWriter out;
        out.begin_object();
        out.member("schema_version", 1);
        out.member("method", "chinchilla-grid");
        out.member("compute_flop", budget);
        write_optimum(out, "grid", grid);
        write_optimum(out, "closed_form", exact);
        out.end_object();
        context.out << out.text();
    });
}

}  // namespace

void add_method(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("method", "A published calculator's own output");
    command->require_subcommand(0, 1);
    command->callback([command] {
        if (command->get_subcommands().empty()) {
            throw Error(ErrorKind::usage, "method: no method; methods: fast-llm, iiis, chinchilla-grid");
        }
    });
    add_fast_llm(*command, context);
    add_iiis(*command, context);
    add_chinchilla(*command, context);
}

}  // namespace traincost::cli
