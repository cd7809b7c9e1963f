// `method lightning`: Lightning-LLM-Training-Test's report and training days.
#include <array>
#include <memory>

#include "traincost/cost/flops.hpp"
#include "traincost/io/json.hpp"
#include "traincost/methods/lightning.hpp"
#include "traincost/methods/six_nd.hpp"
#include "traincost/report/methods/form_values.hpp"
#include "traincost/report/methods/forms.hpp"
#include "traincost/report/methods/own_estimate.hpp"
#include "traincost/spec/draft/everyday_names.hpp"
#include "traincost/spec/draft/job_values.hpp"

namespace traincost {

namespace {

constexpr double lightning_tera = 1e12;
constexpr double lightning_utilization = 0.25;  // the middle of the 0.2 to 0.3 that its README calls usual

struct LightningFlags {
    CompareFlags compare;
    std::string model = "gpt2";
    std::string strategy = "deepspeed_stage_2_offload";
    std::optional<double> parameters, tokens, tflops, peak, tokens_per_s, cpu_ram;
    std::vector<double> gpu_ram;
    std::optional<Seconds> forward;
    std::optional<double> utilization, host_speed;
    std::int64_t gpus = 1, sequence = 512, batch = 1;
    bool list = false;
};

constexpr std::array<std::string_view, 6> lightning_strategies = {
    "deepspeed_stage_1",         "deepspeed_stage_2",         "deepspeed_stage_3",
    "deepspeed_stage_1_offload", "deepspeed_stage_2_offload", "deepspeed_stage_3_offload"};

std::string lightning_strategy_from(const std::string& name) {
    for (const std::string_view known : lightning_strategies) {
        if (known == name) {
            return name;
        }
    }
    std::string allowed;
    for (const std::string_view known : lightning_strategies) {
        allowed += (allowed.empty() ? "" : ", ") + std::string(known);
    }
    throw Error(ErrorKind::usage, "unknown value '" + name + "'; allowed: " + allowed +
                                      did_you_mean(name, lightning_strategies));
}

Cell lightning_plain_cell(double x) {
    return {.text = python_text(x), .exact = to_exact(x), .number = true};
}

/// TFLOP/s of its report: the forward pass's alone.
std::optional<double> reported_tflops(const LightningFlags& f, const LightningModel& model) {
    if (f.forward) {
        return lightning_forward(model, f.sequence, f.batch).value() / f.forward->value() / lightning_tera;
    }
    return f.tokens ? std::nullopt : f.tflops;
}

/// The rate that its user puts into T_days: known, reported, or a share of the peak.
double rate_of_days(const LightningFlags& f, const LightningModel& model) {
    if (f.tflops) {
        return *f.tflops;
    }
    return f.peak ? *f.peak * f.utilization.value_or(lightning_utilization) : *reported_tflops(f, model);
}

Table lightning_days_table(const LightningFlags& f, const LightningModel& model) {
    const double parameters = f.parameters.value_or(lightning_parameters(model));
    const double each = rate_of_days(f, model);
    const double system = each * static_cast<double>(f.gpus);
    Table table{
        .title = "Training time",
        .columns = {"", "value"},
        .rows = {{text_cell("D"), lightning_plain_cell(*f.tokens)},
                 {text_cell("N"), lightning_plain_cell(parameters)},
                 {text_cell("C = 6DN"), lightning_plain_cell(six_nd(parameters, *f.tokens).value())},
                 {text_cell("FLOPS (TFLOP/s, all GPUs)"), printed_cell(system, 3)},
                 {text_cell("T_days"), printed_cell(lightning_days(parameters, *f.tokens, system), 2)}},
        .remarks = {}};
    if (!f.tflops && f.peak) {
        table.remarks.push_back("No --tflops: the peak at a utilization of " +
                                to_significant(f.utilization.value_or(lightning_utilization)) +
                                " (--utilization).");
    }
    return table;
}

/// What the report does not say of a measured step.
Table lightning_step_table(const LightningFlags& f, const LightningModel& model) {
    constexpr double giga = 1e9;
    const Flops forward = lightning_forward(model, f.sequence, f.batch);
    const std::optional<double> reported = reported_tflops(f, model);
    Table table{.title = "Step",
                .columns = {"", "GPU", "total"},
                .rows = {{text_cell("GFLOP forward"), printed_cell(forward.value() / giga, 2), empty_cell()}},
                .remarks = {}};
    const auto both = [&](const char* name, double each) {
        table.rows.push_back(
            {text_cell(name), printed_cell(each, 3), printed_cell(each * static_cast<double>(f.gpus), 3)});
    };
    if (reported) {
        both("TFLOP/s, forward only", *reported);
        table.remarks.emplace_back(
            "Its TFLOP/s cover the forward pass only; use those of the step for T_days.");
    }
    if (f.tokens_per_s) {
        both("tokens/s", *f.tokens_per_s);
        both("TFLOP/s of the step, 6N per token",
             6.0 * lightning_parameters(model) * *f.tokens_per_s / lightning_tera);
    }
    return table;
}

Table lightning_models_table() {
    Table table{.title = "Models",
                .columns = {"--model", "layers", "hidden", "ffn", "vocab", "parameters", "size"},
                .rows = {},
                .remarks = {}};
    for (const LightningModel& model : lightning_models()) {
        table.rows.push_back({text_cell(model.name), count_cell(model.layers), count_cell(model.hidden),
                              count_cell(model.ffn), count_cell(model.vocab),
                              count_cell(static_cast<std::int64_t>(lightning_parameters(model))),
                              text_cell(lightning_size(model))});
    }
    table.remarks = {"Vocabularies include its [PAD] and [SEP] tokens."};
    return table;
}

/// The step as we predict it: its strategy is DeepSpeed's, its precision fp16 whatever --precision says, its
/// GPT-2 that of transformers in 2023, with dropout and without a fused attention kernel.
OwnEstimate lightning_own(const LightningFlags& f, const Sources& sources) {
    JobDraft job;
    job.model = compared_model(f.compare, f.model);
    job.gpu = f.compare.gpu.value_or("t4");
    job.gpus = f.gpus;
    job.stack = "hf-deepspeed";
    job.precision = "fp16-mixed";
    job.sequence = f.sequence;
    job.micro_batch = f.batch;
    job.global_batch = f.batch * f.gpus;
    job.attention = AttentionKernel::math;
    if (f.model.starts_with("gpt2")) {
        constexpr double dropout = 0.1;
        job.dropout = dropout;
    }
    if (f.host_speed) {
        job.host_speed = *f.host_speed;
    }
    job.zero = f.strategy[std::string_view("deepspeed_stage_").size()] - '0';
    if (f.strategy.ends_with("_offload")) {
        job.offload_optimizer = Offload::cpu;
    }
    return own_estimate(job, sources);
}

Table lightning_comparison(const LightningFlags& f, const LightningModel& model, const Sources& sources) {
    const OwnEstimate o = lightning_own(f, sources);
    const Throughput& rate = o.estimate.throughput;
    const Cell none = empty_cell();
    const std::optional<double> reported = reported_tflops(f, model);
    std::vector<ComparedFigure> rows = {
        {"parameters", lightning_plain_cell(lightning_parameters(model)),
         lightning_plain_cell(static_cast<double>(o.estimate.parameters.total)),
         "[PAD] and [SEP] enlarge its vocabulary"},
        {"tokens/s/GPU", f.tokens_per_s ? printed_cell(*f.tokens_per_s, 3) : none,
         printed_cell(rate.tokens_per_s_per_gpu, 3),
         "theirs: the last step only, with a synchronising profiler; ours: without it"},
        {"TFLOP/s/GPU", reported ? printed_cell(*reported, 3) : none,
         printed_cell(rate.model_flops_per_gpu.value() / lightning_tera, 3),
         "theirs: forward pass only; ours: forward and backward over the whole step"},
        {"peak GPU memory, GB", f.gpu_ram.empty() ? none : printed_cell(f.gpu_ram.front(), 1),
         gigabyte_cell(o.peak().device), "theirs: a sample before the backward pass; ours: the peak"}};
    if (f.tokens) {
        const double gpus = static_cast<double>(f.gpus);
        const Seconds ours{*f.tokens / rate.tokens_per_s};
        constexpr double day = 86400.0;
        rows.push_back({"T_days",
                        printed_cell(lightning_days(f.parameters.value_or(lightning_parameters(model)),
                                                    *f.tokens, rate_of_days(f, model) * gpus),
                                     2),
                        printed_cell(ours.value() / day, 2),
                        "theirs: the given rate; ours: of the predicted step, with optimizer"});
    }
    return compared_table(rows, "lightning", o);
}

MethodAnswer lightning_answer(const LightningFlags& f, const Sources& sources) {
    require_comparison(f.compare);
    if (f.list) {
        return {.tables = {lightning_models_table()}};
    }
    if (!f.compare.compare) {
        refuse_all("without --compare", {{"--host-speed", f.host_speed.has_value()}});
    }
    if (f.tflops) {
        refuse_all("with --tflops",
                   {{"--peak", f.peak.has_value()}, {"--utilization", f.utilization.has_value()}});
    } else if (f.utilization) {
        require_all({{"--peak", f.peak.has_value()}});
    }
    if (f.forward && !f.tokens) {
        refuse_all("with --forward", {{"--tflops", f.tflops.has_value()}});
    }
    const LightningModel& model = lightning_model(f.model);
    MethodAnswer answer;
    if (f.tokens || f.peak) {
        require_all({{"--tokens", f.tokens.has_value()}, {"--tflops", f.tflops || f.peak || f.forward}});
        answer.tables.push_back(lightning_days_table(f, model));
    }
    const bool report = answer.tables.empty() || f.tokens_per_s || f.forward;
    if (report) {
        answer.tables.push_back(lightning_step_table(f, model));
        answer.original = lightning_text({.model = model.name,
                                          .model_size = lightning_size(model),
                                          .strategy = f.strategy,
                                          .batch = f.batch,
                                          .sequence = f.sequence,
                                          .gpus = f.gpus,
                                          .cpu_ram_GB = f.cpu_ram,
                                          .gpu_ram_GB = f.gpu_ram,
                                          .tokens_per_s = f.tokens_per_s,
                                          .tflops = reported_tflops(f, model)});
    }
    if (f.compare.compare) {
        answer.tables.push_back(lightning_comparison(f, model, sources));
    }
    return answer;
}

std::vector<double> lightning_numbers(const std::string& text) {
    std::vector<double> all;
    for (const std::string& part : names_of(text)) {
        all.push_back(form_number(part));
    }
    return all;
}

void lightning_add_measured(MethodForm& form, LightningFlags& f) {
    form.add("--tokens-per-s", f.tokens_per_s, "RATE", form_number, "Measured tokens per second and GPU");
    form.add("--forward", f.forward, "DURATION", form_duration, "Time of the forward pass, as in 35.9ms");
    form.add("--cpu-ram", f.cpu_ram, "GB", form_number, "Peak CPU RAM in the report, in GB (10^9)");
    form.add("--gpu-ram", f.gpu_ram, "GB,...", lightning_numbers, "Peak RAM of each GPU, in GB (10^9)");
}

}  // namespace

MethodForm lightning_form() {
    MethodForm form;
    const auto f = std::make_shared<LightningFlags>();
    form.add_text("--model", f->model, "NAME", "Model from its list (see --list); default: gpt2");
    form.add("--strategy", f->strategy, "NAME", lightning_strategy_from,
             "DeepSpeed strategy; default: deepspeed_stage_2_offload");
    form.add("--params", f->parameters, "COUNT", positive_parameters, "N, parameters; default: the model's");
    form.add("--tokens", f->tokens, "COUNT", positive_parameters, "D, tokens to train on");
    form.add("--gpus", f->gpus, "N", positive_count, "GPUs; default: 1");
    form.add("--tflops", f->tflops, "TFLOPS", form_number, "Known TFLOP/s per GPU");
    form.add("--peak", f->peak, "TFLOPS", form_number, "Peak TFLOP/s per GPU, if no rate is known");
    form.add("--utilization", f->utilization, "FRACTION", form_fraction,
             "Share of --peak in use; default: 0.25");
    form.add("--seq", f->sequence, "TOKENS", sequence_length, "Sequence length; default: 512");
    form.add("--batch", f->batch, "N", positive_count, "Sequences per GPU and step; default: 1");
    lightning_add_measured(form, *f);
    add_compare_fields(form, f->compare);
    form.add("--host-speed", f->host_speed, "RATIO", form_number,
             "Host speed relative to the measured host, for the comparison; default: 1");
    form.add_switch("--list", f->list, "Print its models");
    form.answer = [f](const Sources& sources) { return lightning_answer(*f, sources); };
    return form;
}

}  // namespace traincost
