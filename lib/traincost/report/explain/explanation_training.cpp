#include "traincost/report/explain/explanation_rows.hpp"
#include "traincost/spec/cluster.hpp"

namespace traincost {

namespace {

constexpr double seconds_per_hour = 3600.0;

double gpus(const ExplainedJob& x) {
    return static_cast<double>(x.job.cluster.accelerators);
}

double step_seconds(const ExplainedJob& x) {
    return x.estimate.step.total.value();
}

bool has_tokens(const ExplainedJob& x) {
    return x.estimate.training.has_value();
}

bool has_cost(const ExplainedJob& x) {
    return has_tokens(x) && x.estimate.training->cost;
}

bool has_energy(const ExplainedJob& x) {
    return has_tokens(x) && x.estimate.training->energy_kwh;
}

std::vector<double> throughput_values(const ExplainedJob& x) {
    return {x.estimate.throughput.tokens_per_step, step_seconds(x)};
}

std::vector<double> throughput_of_one_values(const ExplainedJob& x) {
    return {x.estimate.throughput.tokens_per_s, gpus(x)};
}

std::vector<double> steps_values(const ExplainedJob& x) {
    return {x.estimate.training->tokens, x.estimate.throughput.tokens_per_step};
}

std::vector<double> time_values(const ExplainedJob& x) {
    return {x.estimate.training->steps, step_seconds(x)};
}

std::vector<double> gpu_hours_values(const ExplainedJob& x) {
    return {gpus(x), x.estimate.training->time.value(), seconds_per_hour};
}

std::vector<double> cost_values(const ExplainedJob& x) {
    return {x.estimate.training->time.value() / seconds_per_hour, hourly_cost(x.job.cluster)->value()};
}

std::vector<double> energy_values(const ExplainedJob& x) {
    return {x.estimate.training->time.value() / seconds_per_hour, *power_watts(x.job.cluster), 1000.0};
}

Cell throughput_cell(const ExplainedJob& x) {
    return short_count_cell(x.estimate.throughput.tokens_per_s);
}

Cell throughput_of_one_cell(const ExplainedJob& x) {
    return short_count_cell(x.estimate.throughput.tokens_per_s_per_gpu);
}

Cell steps_cell(const ExplainedJob& x) {
    return short_count_cell(x.estimate.training->steps);
}

Cell time_cell(const ExplainedJob& x) {
    return cell(x.estimate.training->time);
}

Cell gpu_hours_cell(const ExplainedJob& x) {
    return short_count_cell(x.estimate.training->gpu_hours);
}

Cell cost_cell(const ExplainedJob& x) {
    return cell(*x.estimate.training->cost);
}

Cell energy_cell(const ExplainedJob& x) {
    Cell kwh = short_count_cell(*x.estimate.training->energy_kwh);
    kwh.text += " kWh";
    return kwh;
}

constexpr Availability tokens{has_tokens, "the training tokens (--tokens)"};
constexpr Availability price{has_cost, "the training tokens (--tokens) and a price (--gpu-hour-price)"};
constexpr Availability power{has_energy, "the training tokens (--tokens) and the nodes' power"};

}  // namespace

std::vector<ExplanationRow> training_explanations() {
    return {
        {{"throughput.tokens_per_s",
          "training tokens per second, all GPUs",
          "n / t",
          {{"n", "", "tokens of the global batch, padding included"}, {"t", "s", "step"}},
          {"docs/model.md, section Step time"},
          {}},
         throughput_values,
         throughput_cell},
        {{"throughput.tokens_per_s_per_gpu",
          "training tokens per second and GPU",
          "T / g",
          {{"T", "", "training tokens per second, all GPUs"}, {"g", "", "GPUs"}},
          {"docs/model.md, section Step time"},
          {}},
         throughput_of_one_values,
         throughput_of_one_cell},
        {{"training.steps",
          "optimizer steps of the training run",
          "D / n",
          {{"D", "", "training tokens"}, {"n", "", "tokens of the global batch, padding included"}},
          {"the job's settings"},
          {}},
         steps_values,
         steps_cell,
         tokens},
        {{"training.time",
          "training time without failures and checkpoints",
          "k * t",
          {{"k", "", "steps"}, {"t", "s", "step"}},
          {"docs/model.md, section Step time"},
          {}},
         time_values,
         time_cell,
         tokens},
        {{"training.gpu_hours",
          "GPU-hours of training without failures and checkpoints",
          "g * T / h",
          {{"g", "", "GPUs"}, {"T", "s", "training"}, {"h", "s", "one hour"}},
          {"the job's settings"},
          {}},
         gpu_hours_values,
         gpu_hours_cell,
         tokens},
        {{"training.cost",
          "training cost without failures and checkpoints",
          "H * p",
          {{"H", "h", "training"}, {"p", "$/h", "price of the accelerators used, or of whole nodes"}},
          {"the price under Assumed"},
          {}},
         cost_values,
         cost_cell,
         price},
        {{"training.energy",
          "training energy without failures, checkpoints and facility overhead",
          "H * W / k",
          {{"H", "h", "training"},
           {"W", "W", "power of the nodes at full load, or of the accelerators alone"},
           {"k", "W/kW", "watts per kilowatt"}},
          {"the cluster's record"},
          {}},
         energy_values,
         energy_cell,
         power},
    };
}

}  // namespace traincost
