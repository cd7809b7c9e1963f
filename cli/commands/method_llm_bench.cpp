// `traincost method llm-bench`: llm-train-bench's FLOPs of a token, tokens/s and MFU.

#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>
#include <cli/options.hpp>
#include <traincost/methods/llm_bench.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

constexpr double giga = 1e9;
constexpr double percent = 100.0;

struct LlmBenchFlags {
    OutputFlags output;
    std::string model = "gpt2-1.5b";
    std::string gpu = "H100";
    std::optional<double> tflops, tokens_per_s;
    bool fp8 = false, causal = false, compare = false, list = false;
};

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
                               printed_cell(work.claimed.value() / giga, 4)});
    }
    Table peaks{.title = "Peaks (TFLOP/s)", .columns = {"--gpu", "bf16", "fp8"}, .rows = {}, .remarks = {}};
    for (const LlmBenchPeak& p : llm_bench_peaks()) {
        peaks.rows.push_back(
            {text_cell(p.name), printed_cell(p.bf16_TFLOPs, 1), printed_cell(p.fp8_TFLOPs, 1)});
    }
    return {models, peaks};
}

std::vector<Table> tables_of(const LlmBenchFlags& f) {
    const LlmBenchModel& model = llm_bench_model(f.model);
    const LlmBenchPeak& gpu = llm_bench_peak(f.gpu);
    const LlmBenchWork work = llm_bench_work(model);
    const double claimed = (f.causal ? work.causal : work.claimed).value();
    const double corrected = (f.causal ? work.corrected_causal : work.corrected).value();
    const double peak = f.fp8 ? gpu.fp8_TFLOPs : gpu.bf16_TFLOPs;
    constexpr double tera = 1e12;
    const auto row = [&](const char* name, double theirs, double ours, int digits) {
        std::vector<Cell> cells = {text_cell(name), printed_cell(theirs, digits)};
        if (f.compare) {
            cells.push_back(printed_cell(ours, digits));
        }
        return cells;
    };
    Table table{.title = std::string(model.name) + " on " + std::string(gpu.name),
                .columns = {"", "llm-bench"},
                .rows = {row("parameters", work.parameters, work.parameters, 1),
                         row("GFLOP/token", claimed / giga, corrected / giga, 4)},
                .remarks = {}};
    if (f.compare) {
        table.columns.emplace_back("corrected");
        table.remarks.emplace_back(
            model.kv_heads == 0
                ? "corrected: learned positions are looked up and multiply nothing; the tied head does."
                : "corrected: the input embedding is looked up and multiplies nothing; 6N counts it.");
        table.remarks.emplace_back(f.causal ? "Attention over visible keys only, in both."
                                            : "Attention over all positions, in both; --causal halves it.");
    }
    if (f.tflops || f.tokens_per_s) {
        const double tokens = f.tokens_per_s ? *f.tokens_per_s
                              : f.causal     ? *f.tflops * tera / claimed
                                             : llm_bench_tokens(work, *f.tflops);
        table.rows.push_back(row("tokens/s a GPU", tokens, tokens, 1));
        table.rows.push_back(row("TFLOP/s", tokens * claimed / tera, tokens * corrected / tera, 1));
        table.rows.push_back(row("MFU %", tokens * claimed / tera / peak * percent,
                                 tokens * corrected / tera / peak * percent, 1));
    }
    return {table};
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
    command->add_flag("--compare", f->compare, "The corrected figures beside its own");
    command->add_flag("--list", f->list, "Print its configurations and peaks");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        if (f->tflops) {
            refuse_all("with --tflops", {{"--tokens-per-s", f->tokens_per_s.has_value()}});
        }
        print_tables(f->list ? lists() : tables_of(*f), f->output, context);
    });
}

}  // namespace traincost::cli
