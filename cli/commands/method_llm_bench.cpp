// `traincost method llm-bench`: llm-train-bench's FLOPs of a token, tokens/s and MFU.

#include <cli/commands/method_compare.hpp>
#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>
#include <cli/options.hpp>
#include <traincost/cost/flops.hpp>
#include <traincost/methods/llm_bench.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

constexpr double giga = 1e9;
constexpr double tera = 1e12;
constexpr double percent = 100.0;

struct LlmBenchFlags {
    OutputFlags output;
    std::string model = "gpt2-1.5b";
    std::string gpu = "H100";
    std::optional<double> tflops, tokens_per_s;
    CompareFlags compare;
    bool fp8 = false, causal = false, list = false;
};

/// GFLOP with all four decimals.
Cell gflop_cell(Flops x) {
    return {.text = decimals_text(x.value() / giga, 4), .exact = to_exact(x.value() / giga), .number = true};
}

std::vector<Table> lists() {
    Table models{.title = "Configurations",
                 .columns = {"--model", "layers", "hidden", "heads", "kv heads", "ffn", "sequence", "vocab",
                             "parameters", "GFLOP/token"},
                 .rows = {},
                 .remarks = {}};
    for (const LlmBenchModel& m : llm_bench_models()) {
        const LlmBenchWork work = llm_bench_work(m);
        models.rows.push_back({text_cell(m.name), count_cell(m.layers), count_cell(m.hidden),
                               count_cell(m.heads), count_cell(m.kv_heads == 0 ? m.heads : m.kv_heads),
                               count_cell(m.ffn), count_cell(m.sequence), count_cell(m.vocab),
                               count_cell(static_cast<std::int64_t>(work.parameters)),
                               gflop_cell(work.claimed)});
    }
    Table peaks{.title = "Peaks (TFLOP/s)", .columns = {"--gpu", "bf16", "fp8"}, .rows = {}, .remarks = {}};
    for (const LlmBenchPeak& p : llm_bench_peaks()) {
        peaks.rows.push_back(
            {text_cell(p.name), printed_cell(p.bf16_TFLOPs, 1), printed_cell(p.fp8_TFLOPs, 1)});
    }
    return {models, peaks};
}

/// Tokens a second of a GPU, given or by its count.
std::optional<double> rate_of(const LlmBenchFlags& f, const LlmBenchWork& work) {
    if (f.tokens_per_s || !f.tflops) {
        return f.tokens_per_s;
    }
    return f.causal ? *f.tflops * tera / work.causal.value() : llm_bench_tokens(work, *f.tflops);
}

std::vector<Table> tables_of(const LlmBenchFlags& f) {
    const LlmBenchModel& model = llm_bench_model(f.model);
    const LlmBenchPeak& gpu = llm_bench_peak(f.gpu);
    const LlmBenchWork work = llm_bench_work(model);
    const double claimed = (f.causal ? work.causal : work.claimed).value();
    const double corrected = (f.causal ? work.corrected_causal : work.corrected).value();
    const double peak = f.fp8 ? gpu.fp8_TFLOPs : gpu.bf16_TFLOPs;
    const auto row = [&](const char* name, double theirs, double ours, int digits) {
        std::vector<Cell> cells = {text_cell(name), printed_cell(theirs, digits)};
        if (f.compare.compare) {
            cells.push_back(printed_cell(ours, digits));
        }
        return cells;
    };
    Table table{.title = std::string(model.name) + " on " + std::string(gpu.name),
                .columns = {"", "llm-bench"},
                .rows = {row("parameters", work.parameters, work.parameters, 1),
                         {text_cell("GFLOP/token"), gflop_cell(Flops{claimed})}},
                .remarks = {}};
    if (f.compare.compare) {
        table.columns.emplace_back("corrected");
        table.rows.back().push_back(gflop_cell(Flops{corrected}));
        table.remarks.emplace_back(
            model.kv_heads == 0
                ? "corrected: learned positions are looked up and multiply nothing; the tied head does."
                : "corrected: the input embedding is looked up and multiplies nothing; 6N counts it.");
        table.remarks.emplace_back(f.causal ? "Attention over visible keys only, in both."
                                            : "Attention over all positions, in both; --causal halves it.");
    }
    if (const auto rate = rate_of(f, work)) {
        table.rows.push_back(row("tokens/s a GPU", *rate, *rate, 1));
        table.rows.push_back(row("TFLOP/s", *rate * claimed / tera, *rate * corrected / tera, 1));
        table.rows.push_back(row("MFU %", *rate * claimed / tera / peak * percent,
                                 *rate * corrected / tera / peak * percent, 1));
    }
    return {table};
}

/// A model of our catalogue by both counts; its own where it is the same.
Table inventory(const LlmBenchFlags& f, Context& context) {
    const LlmBenchModel& model = llm_bench_model(f.model);
    const LlmBenchWork work = llm_bench_work(model);
    JobDraft job;
    job.model = compared_model(f.compare, f.model);
    job.gpu = compared_gpu(f.compare, f.gpu);
    job.gpus = 1;
    job.sequence = model.sequence;
    job.micro_batch = 1;
    job.global_batch = 1;
    const OwnEstimate o = own_estimate(job, context);
    const double tokens = static_cast<double>(model.sequence);
    const auto ours = [&](FlopConvention convention) {
        return gflop_cell(model_flops(o.job, convention) / tokens);
    };
    return compared_table(
        {{"parameters", printed_cell(work.parameters, 1),
          printed_cell(static_cast<double>(o.estimate.parameters.total), 1),
          "vocabulary and layers as published"},
         {"GFLOP/token, all positions", gflop_cell(work.claimed), ours(FlopConvention::exact_full),
          "its 6N counts tables that are looked up; ours every product"},
         {"GFLOP/token, causal", gflop_cell(work.causal), ours(FlopConvention::exact),
          "the same, attention over visible keys"}},
        "llm-bench", o);
}

/// Whether a catalogue model is that configuration (the proxies, with fewer layers, are nobody's).
bool has_own(const LlmBenchFlags& f) {
    return f.compare.model || catalogue_model(f.model);
}

void print(const LlmBenchFlags& f, Context& context) {
    std::vector<Table> tables = tables_of(f);
    if (f.compare.compare && has_own(f)) {
        tables.push_back(inventory(f, context));
    }
    const LlmBenchPeak& gpu = llm_bench_peak(f.gpu);
    const LlmBenchWork work = llm_bench_work(llm_bench_model(f.model));
    const auto rate = rate_of(f, work);
    if (rate && !f.output.json && f.output.format == Format::table) {
        const double claimed = (f.causal ? work.causal : work.claimed).value();
        context.out << llm_bench_line(*rate * claimed / tera, f.fp8 ? gpu.fp8_TFLOPs : gpu.bf16_TFLOPs)
                    << "\n\n";
    }
    print_tables(tables, f.output, context);
}

}  // namespace

void add_llm_bench(CLI::App& parent, Context& context) {
    CLI::App* command =
        parent.add_subcommand("llm-bench", "llm-train-bench's FLOPs per token, tokens/s and MFU");
    const auto f = std::make_shared<LlmBenchFlags>();
    command->add_option("--model", f->model, "Configuration (see --list); default gpt2-1.5b")
        ->type_name("NAME");
    command->add_option("--gpu", f->gpu, "GPU whose peak is the MFU's: H100, H200, MI300X; default H100")
        ->type_name("NAME");
    add_parsed(*command, "--tflops", f->tflops, "TFLOPS", positive_number, "TFLOP/s a GPU by its own count");
    add_parsed(*command, "--tokens-per-s", f->tokens_per_s, "RATE", positive_number,
               "Tokens a second of a GPU");
    command->add_flag("--use-fp8", f->fp8, "The FP8 peak");
    command->add_flag("--causal", f->causal, "Half the attention, as from 841b861a on");
    add_compare_options(*command, f->compare);
    command->add_flag("--list", f->list, "Print its configurations and peaks");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        if (f->tflops) {
            refuse_all("with --tflops", {{"--tokens-per-s", f->tokens_per_s.has_value()}});
        }
        require_comparison(f->compare);
        if (f->list) {
            print_tables(lists(), f->output, context);
        } else {
            print(*f, context);
        }
    });
}

}  // namespace traincost::cli
