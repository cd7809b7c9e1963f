#include "traincost/report/chosen.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/base/text.hpp"

namespace traincost {

std::string chosen_text(const Residuals& residuals, const Uncertainty& sure) {
    if (!sure.step_time_s) {
        return {};
    }
    const Interval interval = chosen_interval(residuals, *sure.step_time_s);
    const std::string bias = selection_text(residuals);
    return "80% interval of plan 1: " + to_text(Seconds{interval.low}) + " to " +
           to_text(Seconds{interval.high}) + (bias.empty() ? "" : "; " + bias) + ".";
}

void write_chosen(JsonWriter& out, const Residuals& residuals, const Uncertainty& sure) {
    out.key("chosen").begin_object();
    out.key("interval_80_s");
    if (sure.step_time_s) {
        const Interval interval = chosen_interval(residuals, *sure.step_time_s);
        out.begin_array().value(interval.low).value(interval.high).end_array();
    } else {
        out.null();
    }
    out.key("selection_bias");
    if (residuals.selection) {
        out.begin_object().member("groups", residuals.selection->groups);
        out.member("mean_log", residuals.selection->mean);
        out.member("one_in_five_log", residuals.selection->upper).end_object();
    } else {
        out.null();
    }
    out.end_object();
}

}  // namespace traincost
