// `method six-nd`: C = 6ND, and how long that takes.
#include <memory>

#include "traincost/cost/flops.hpp"
#include "traincost/methods/six_nd.hpp"
#include "traincost/report/methods/form_values.hpp"
#include "traincost/report/methods/forms.hpp"
#include "traincost/report/methods/own_estimate.hpp"
#include "traincost/spec/draft/everyday_names.hpp"

namespace traincost {

namespace {

struct SixNdFlags {
    std::optional<double> parameters, tokens, tflops, peak, mfu;
    std::int64_t gpus = 1;
    std::int64_t sequence = 4096;
    CompareFlags compare;
    bool list = false;
};

Table six_nd_table_of(const SixNdFlags& f) {
    constexpr double tera = 1e12;
    const Flops C = six_nd(*f.parameters, *f.tokens);
    Table table{
        .title = {},
        .columns = {"", "value"},
        .rows = {{text_cell("C = 6ND"), Cell{.text = python_text(C.value()), .number = true}}},
        .remarks = {"6N counts the input embedding but no attention scores; 2N of it is the forward pass."}};
    if (!f.tflops && !f.peak) {
        return table;
    }
    const double each = f.tflops ? *f.tflops : *f.peak * *f.mfu;
    const FlopRate together{each * tera * static_cast<double>(f.gpus)};
    const double seconds = six_nd_time(*f.parameters, *f.tokens, together).value();
    table.rows.push_back({text_cell("TFLOP/s per GPU"), printed_cell(each, 2)});
    table.rows.push_back({text_cell("tokens/s"), printed_cell(together.value() / (6.0 * *f.parameters), 2)});
    constexpr double day = 86400.0;
    table.rows.push_back({text_cell("T_days"), printed_cell(seconds / day, 2)});
    return table;
}

/// What a weight costs a token, pass by pass.
std::vector<Table> six_nd_lists() {
    const auto row = [](const char* what, std::int64_t flop, const char* why) {
        return std::vector<Cell>{text_cell(what), count_cell(flop), text_cell(why)};
    };
    Table terms{.title = "Terms",
                .columns = {"", "FLOP per weight and token", "why"},
                .rows = {row("forward", 2, "a product and a sum"),
                         row("backward", 4, "gradients of the input and of the weight"),
                         row("C = 6ND", 6, "forward and backward; nothing is recomputed")},
                .remarks = {}};
    Table defaults{.title = "Defaults",
                   .columns = {"flag", "value"},
                   .rows = {{text_cell("--gpus"), count_cell(SixNdFlags{}.gpus)},
                            {text_cell("--seq"), count_cell(SixNdFlags{}.sequence)}},
                   .remarks = {}};
    return {terms, defaults};
}

/// A model of the catalogue by its inventory.
Table six_nd_comparison(const SixNdFlags& f, const Sources& sources) {
    JobDraft job;
    job.model = compared_model(f.compare, "number of parameters without an architecture");
    job.gpu = f.compare.gpu.value_or("a100");
    job.gpus = 1;
    job.sequence = f.sequence;
    job.micro_batch = 1;
    job.global_batch = 1;
    const OwnEstimate o = own_estimate(job, sources);
    const double N = static_cast<double>(o.estimate.parameters.total);
    const double steps = *f.tokens / static_cast<double>(f.sequence);
    const Flops exact = model_flops(o.job, FlopConvention::exact) * steps;
    const Flops full = model_flops(o.job, FlopConvention::exact_full) * steps;
    const auto flop = [](Flops x) { return Cell{.text = python_text(x.value()), .number = true}; };
    const double C = six_nd(*f.parameters, *f.tokens).value();
    const Cell theirs{.text = python_text(C), .number = true};
    return compared_table(
        {{"N", Cell{.text = python_text(*f.parameters), .number = true},
          Cell{.text = python_text(N), .number = true}, "theirs: nominal; ours: counted"},
         {"FLOP, visible keys", theirs, flop(exact),
          "6ND has no attention scores and counts the input embedding"},
         {"FLOP, all keys", theirs, flop(full), "the same, attention over the whole sequence"}},
        "six-nd", o);
}

MethodAnswer six_nd_answer(const SixNdFlags& f, const Sources& sources) {
    require_comparison(f.compare);
    if (f.list) {
        return {.tables = six_nd_lists()};
    }
    require_all({{"--params", f.parameters.has_value()}, {"--tokens", f.tokens.has_value()}});
    if (f.tflops) {
        refuse_all("with --tflops", {{"--peak", f.peak.has_value()}, {"--mfu", f.mfu.has_value()}});
    } else if (f.peak || f.mfu) {
        require_all({{"--peak", f.peak.has_value()}, {"--mfu", f.mfu.has_value()}});
    }
    MethodAnswer answer{.tables = {six_nd_table_of(f)}};
    if (f.compare.compare) {
        answer.tables.push_back(six_nd_comparison(f, sources));
    }
    return answer;
}

}  // namespace

MethodForm six_nd_form() {
    MethodForm form;
    const auto f = std::make_shared<SixNdFlags>();
    form.add("--params", f->parameters, "COUNT", positive_parameters, "N, parameters, as in 7B");
    form.add("--tokens", f->tokens, "COUNT", positive_parameters, "D, tokens: 2T");
    form.add("--gpus", f->gpus, "N", positive_count, "GPUs; default: 1");
    form.add("--tflops", f->tflops, "TFLOPS", form_number, "TFLOP/s reached per GPU");
    form.add("--peak", f->peak, "TFLOPS", form_number, "Peak TFLOP/s per GPU, with --mfu");
    form.add("--mfu", f->mfu, "FRACTION", form_fraction, "Share of --peak reached, as in 0.45 or 45%");
    form.add("--seq", f->sequence, "TOKENS", sequence_length,
             "Sequence length for the comparison; default: 4096");
    add_compare_fields(form, f->compare);
    form.add_switch("--list", f->list, "Print its terms and defaults");
    form.answer = [f](const Sources& sources) { return six_nd_answer(*f, sources); };
    return form;
}

}  // namespace traincost
