// `method llm-bench`: llm-train-bench's FLOPs of a token, tokens/s and MFU.
#include <memory>

#include "traincost/cost/flops.hpp"
#include "traincost/methods/llm_bench.hpp"
#include "traincost/report/methods/form_values.hpp"
#include "traincost/report/methods/forms.hpp"
#include "traincost/report/methods/own_estimate.hpp"

namespace traincost {

namespace {

constexpr double llm_bench_giga = 1e9;
constexpr double llm_bench_tera = 1e12;
constexpr double llm_bench_percent = 100.0;

struct LlmBenchFlags {
    std::string model = "gpt2-1.5b";
    std::string gpu = "H100";
    std::optional<double> tflops, tokens_per_s;
    CompareFlags compare;
    bool fp8 = false, causal = false, list = false;
};

/// GFLOP with all four decimals.
Cell llm_bench_gflop_cell(Flops x) {
    return {.text = decimals_text(x.value() / llm_bench_giga, 4),
            .exact = to_exact(x.value() / llm_bench_giga),
            .number = true};
}

std::vector<Table> llm_bench_lists() {
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
                               llm_bench_gflop_cell(work.claimed)});
    }
    Table peaks{.title = "Peaks (TFLOP/s)", .columns = {"--gpu", "bf16", "fp8"}, .rows = {}, .remarks = {}};
    for (const LlmBenchPeak& p : llm_bench_peaks()) {
        peaks.rows.push_back(
            {text_cell(p.name), printed_cell(p.bf16_TFLOPs, 1), printed_cell(p.fp8_TFLOPs, 1)});
    }
    return {models, peaks};
}

/// Tokens per second and GPU, given or by its count.
std::optional<double> llm_bench_rate_of(const LlmBenchFlags& f, const LlmBenchWork& work) {
    if (f.tokens_per_s || !f.tflops) {
        return f.tokens_per_s;
    }
    return f.causal ? *f.tflops * llm_bench_tera / work.causal.value() : llm_bench_tokens(work, *f.tflops);
}

/// Its own rate: what was given is not taken through the four decimals of a token's GFLOP and back.
double llm_bench_claimed_rate(const LlmBenchFlags& f, double tokens_per_s, Flops claimed) {
    return f.tflops ? *f.tflops : tokens_per_s * claimed.value() / llm_bench_tera;
}

std::vector<Table> llm_bench_tables_of(const LlmBenchFlags& f) {
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
                         {text_cell("GFLOP/token"), llm_bench_gflop_cell(Flops{claimed})}},
                .remarks = {}};
    if (f.compare.compare) {
        table.columns.emplace_back("corrected");
        table.rows.back().push_back(llm_bench_gflop_cell(Flops{corrected}));
        table.remarks.emplace_back(
            model.kv_heads == 0
                ? "corrected: learned positions are looked up, not multiplied; the tied head is multiplied."
                : "corrected: the input embedding is looked up, not multiplied; 6N counts it.");
        table.remarks.emplace_back(f.causal ? "Attention over visible keys only, in both."
                                            : "Attention over all positions in both; --causal halves it.");
    }
    if (const auto rate = llm_bench_rate_of(f, work)) {
        const double theirs = llm_bench_claimed_rate(f, *rate, Flops{claimed});
        const double ours = *rate * corrected / llm_bench_tera;
        table.rows.push_back(row("tokens/s per GPU", *rate, *rate, 1));
        table.rows.push_back(row("TFLOP/s", theirs, ours, 1));
        table.rows.push_back(
            row("MFU %", theirs / peak * llm_bench_percent, ours / peak * llm_bench_percent, 1));
    }
    return {table};
}

/// A model of our catalogue by both counts; its own where it is the same.
Table llm_bench_inventory(const LlmBenchFlags& f, const Sources& sources) {
    const LlmBenchModel& model = llm_bench_model(f.model);
    const LlmBenchWork work = llm_bench_work(model);
    JobDraft job;
    job.model = compared_model(f.compare, f.model);
    job.gpu = compared_gpu(f.compare, f.gpu);
    job.gpus = 1;
    job.sequence = model.sequence;
    job.micro_batch = 1;
    job.global_batch = 1;
    const OwnEstimate o = own_estimate(job, sources);
    const double tokens = static_cast<double>(model.sequence);
    const auto ours = [&](FlopConvention convention) {
        return llm_bench_gflop_cell(model_flops(o.job, convention) / tokens);
    };
    return compared_table(
        {{"parameters", printed_cell(work.parameters, 1),
          printed_cell(static_cast<double>(o.estimate.parameters.total), 1),
          "vocabulary and layers as published"},
         {"GFLOP/token, all positions", llm_bench_gflop_cell(work.claimed), ours(FlopConvention::exact_full),
          "theirs: 6N counts lookup tables; ours: every matrix product"},
         {"GFLOP/token, causal", llm_bench_gflop_cell(work.causal), ours(FlopConvention::exact),
          "the same, attention over visible keys"}},
        "llm-bench", o);
}

/// Whether a catalogue model is that configuration (the proxies, with fewer layers, are nobody's).
bool llm_bench_has_own(const LlmBenchFlags& f) {
    return f.compare.model || catalogue_model(f.model);
}

MethodAnswer llm_bench_answer(const LlmBenchFlags& f, const Sources& sources) {
    if (f.tflops) {
        refuse_all("with --tflops", {{"--tokens-per-s", f.tokens_per_s.has_value()}});
    }
    require_comparison(f.compare);
    if (f.list) {
        return {.tables = llm_bench_lists()};
    }
    MethodAnswer answer{.tables = llm_bench_tables_of(f)};
    if (f.compare.compare && llm_bench_has_own(f)) {
        answer.tables.push_back(llm_bench_inventory(f, sources));
    }
    const LlmBenchPeak& gpu = llm_bench_peak(f.gpu);
    const LlmBenchWork work = llm_bench_work(llm_bench_model(f.model));
    if (const auto rate = llm_bench_rate_of(f, work)) {
        const Flops claimed = f.causal ? work.causal : work.claimed;
        answer.original = llm_bench_line(llm_bench_claimed_rate(f, *rate, claimed),
                                         f.fp8 ? gpu.fp8_TFLOPs : gpu.bf16_TFLOPs) +
                          "\n";
    }
    return answer;
}

}  // namespace

MethodForm llm_bench_form() {
    MethodForm form;
    const auto f = std::make_shared<LlmBenchFlags>();
    form.add_text("--model", f->model, "NAME", "Configuration (see --list); default: gpt2-1.5b");
    form.add_text("--gpu", f->gpu, "NAME", "GPU whose peak the MFU uses: H100, H200, MI300X; default: H100");
    form.add("--tflops", f->tflops, "TFLOPS", form_number, "TFLOP/s per GPU by its own count");
    form.add("--tokens-per-s", f->tokens_per_s, "RATE", form_number, "Tokens per second and GPU");
    form.add_switch("--use-fp8", f->fp8, "Use the FP8 peak");
    form.add_switch("--causal", f->causal, "Count half the attention, as its releases from 841b861a on do");
    add_compare_fields(form, f->compare);
    form.add_switch("--list", f->list, "Print its configurations and peaks");
    form.answer = [f](const Sources& sources) { return llm_bench_answer(*f, sources); };
    return form;
}

}  // namespace traincost
