#include "traincost/report/answers/days_answer.hpp"

#include "traincost/base/text.hpp"
#include "traincost/methods/printed.hpp"

namespace traincost {

Table days_table(const DaysAnswer& a) {
    const DaysQuestion& f = a.question;
    constexpr double day = 86400.0;
    const auto row = [](const char* name, Cell value, const std::string& more) {
        return std::vector<Cell>{text_cell(name), std::move(value), text_cell(more)};
    };
    Cell days = cell(a.time);
    days.text = decimals_text(a.time.value() / day, 1) + " days";
    return {.title = {},
            .columns = {},
            .rows = {row("compute", cell(a.compute),
                         "6ND of " + count_text(*f.parameters) + " parameters, " + count_text(*f.tokens) +
                             " tokens"),
                     row("rate", cell(a.rate->each), "per GPU, " + a.rate->from),
                     row("MFU", percent_cell(a.rate->each / a.peak), "of " + to_text(a.peak) + ", by 6ND"),
                     row("tokens/s", short_count_cell(a.tokens_per_s),
                         "on " + std::to_string(*f.gpus) + " GPUs" +
                             (a.rate->step.empty() ? "" : ", " + a.rate->step)),
                     row("time", days, to_text(a.time) + ", without restarts"),
                     row("cost", a.cost ? cell(*a.cost) : empty_cell(),
                         count_text(a.gpu_hours) + " GPU-hours" +
                             (a.cost ? " at " + a.price : ", no price known"))},
            .remarks = {}};
}

void write_json(JsonWriter& out, const DaysAnswer& a) {
    out.begin_object().member("schema_version", 1);
    if (!a.rate) {
        out.member("problem", no_layout_text(a)).end_object();
        return;
    }
    out.member("compute_flop", a.compute);
    out.member("flops_per_gpu", a.rate->each).member("rate_from", a.rate->from);
    out.member("mfu", a.rate->each / a.peak).member("tokens_per_s", a.tokens_per_s);
    out.member("time_s", a.time).member("gpu_hours", a.gpu_hours).member("cost_USD", a.cost);
    out.end_object();
}

}  // namespace traincost
