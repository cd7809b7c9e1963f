#include "traincost/base/elided.hpp"
#include "traincost/base/flag_values.hpp"
#include "traincost/report/commands/question_fields.hpp"
#include "traincost/spec/draft/everyday_names.hpp"

namespace traincost {

namespace {

/// What is within reason: products and powers of such numbers stay finite.
struct Reach {
    double low, high;
};
constexpr Reach amount_reach{1e-3, 1e40};
constexpr Reach ratio_reach{1e-9, 1e12};
constexpr Reach share_reach{1e-9, 1.0};

double within(const Reach& reach, double x, const std::string& text) {
    if (x < reach.low || x > reach.high) {
        throw Error(ErrorKind::usage, "'" + elided(text, 60) + "' is out of range; allowed: " +
                                          to_exact(reach.low) + " to " + to_exact(reach.high));
    }
    return x;
}

Dollars positive_dollars(const std::string& text) {
    return Dollars{within(amount_reach, parse_dollars(text, Range::positive).value(), text)};
}

double compute_or_count(const std::string& text) {
    // "5.76e23" is past what a count holds.
    return within(amount_reach,
                  text.find_first_of("eE") != text.npos ? positive_number(text) : positive_parameters(text),
                  text);
}

double positive_ratio(const std::string& text) {
    return within(ratio_reach, positive_number(text), text);
}

double share_from(const std::string& text) {
    const double x = parse_fraction(text, Range::positive);
    if (x > 1.0) {
        throw Error(ErrorKind::usage, "'" + text + "' is over 100%; allowed: up to 100%");
    }
    return within(share_reach, x, text);
}

/// What two flags say of one thing must be the same.
void say_accelerators(DaysQuestion& question, const CountedName& said, const std::string& text) {
    if (said.count && question.gpus && *said.count != *question.gpus)
        throw Error(ErrorKind::usage,
                    "'" + text + "' contradicts " + std::to_string(*question.gpus) + " accelerators");
    if (!said.name.empty() && question.gpu && said.name != *question.gpu)
        throw Error(ErrorKind::usage, "'" + text + "' contradicts the accelerator '" + *question.gpu + "'");
    if (said.count)
        question.gpus = said.count;
    if (!said.name.empty())
        question.gpu = said.name;
}

DataType matrix_format_from(const std::string& text) {
    if (const auto type = data_type_from(text)) {
        return *type;
    }
    throw Error(ErrorKind::usage, "'" + text + "' is not a number format; allowed: bf16, fp16, fp8 ...");
}

}  // namespace

CommandFields fields_of(DaysQuestion& question) {
    CommandFields fields;
    fields.value("--params", question.parameters, "COUNT", positive_parameters, "Parameters, as in 7B");
    fields.value("--tokens", question.tokens, "COUNT", positive_parameters, "Training tokens, as in 2T");
    fields.add(
        {"--gpus", "COUNT", "Number of accelerators, optionally with their name, as in 8xH100",
         [&question](const std::string& text) {
             const CountedName said = counted_name(text);
             say_accelerators(question, said.count ? said : CountedName{positive_count(text), ""}, text);
         }});
    fields.add(
        {"--gpu", "ID", "Accelerator: a catalogue id, optionally with a count, as in 8xH100",
         [&question](const std::string& text) { say_accelerators(question, counted_name(text), text); }});
    fields.value("--tflops", question.tflops, "TFLOPS", positive_ratio,
                 "TFLOP/s reached per accelerator; default: the modelled rate");
    fields.value("--mfu", question.mfu, "FRACTION", share_from,
                 "Share of the 16-bit peak reached, as in 0.45 or 45%");
    fields.value(
        "--seq", question.sequence, "TOKENS", sequence_length,
        "Sequence length in tokens, as in 8192 or 8K (K = 1024), for the modelled rate; default: 4096");
    fields.value("--global-batch", question.global_batch, "COUNT", positive_count,
                 "Sequences per optimizer step, for the modelled rate; default: 1024");
    return fields;
}

CommandFields fields_of(ScaleQuestion& question) {
    CommandFields fields;
    fields.value("--flops", question.flops, "NUMBER", compute_or_count,
                 "Compute budget in FLOPs, as in 5.76e23");
    fields.value("--gpu-hours", question.gpu_hours, "COUNT", compute_or_count, "Budget in accelerator-hours");
    fields.value("--budget", question.budget, "DOLLARS", positive_dollars, "Budget in dollars");
    fields.value("--gpu-hour-price", question.gpu_hour_price, "DOLLARS", positive_dollars,
                 "Price per accelerator-hour in dollars");
    fields.text("--gpu", question.gpu, "ID", "Accelerator: a catalogue id");
    fields.text("--cluster", question.cluster, "ID", "Node type that sets accelerator and price");
    fields.text("--price", question.price, "KIND",
                "Kind of price: on-demand, reserved, spot or market; default: the catalogue's first");
    fields.value("--precision", question.precision, "TYPE", matrix_format_from,
                 "Matrix format whose peak rate is used; default: bf16");
    fields.value("--mfu", question.mfu, "FRACTION", share_from,
                 "Model FLOPs utilisation (MFU) of the training, as in 40%");
    fields.value("--params", question.parameters, "COUNT", compute_or_count,
                 "Model size to compare with the optimum, as in 70B");
    fields.value("--inference-tokens", question.inference_tokens, "COUNT", compute_or_count,
                 "Inference tokens over the model's life, as in 10T");
    fields.value("--tokens-per-param", question.ratio, "NUMBER", positive_ratio,
                 "Tokens per parameter of the fixed-ratio law; default: 20");
    return fields;
}

CommandFields fields_of(ParamsQuestion& question) {
    CommandFields fields;
    fields
        .text("MODEL", question.model, "TEXT",
              "Catalogue id, model file, Hugging Face config.json or its folder, or - for standard input")
        .required = true;
    fields.value("--tp", question.tp, "N", positive_count, "Tensor-parallel degree");
    fields.value("--pp", question.pp, "N", positive_count, "Pipeline-parallel degree");
    fields.value("--vp", question.vp, "N", positive_count, "Virtual stages per pipeline stage");
    fields.value("--ep", question.ep, "N", positive_count, "Expert-parallel degree");
    fields.value("--etp", question.etp, "N", positive_count, "Tensor-parallel degree of experts");
    return fields;
}

}  // namespace traincost
