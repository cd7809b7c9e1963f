#include "traincost/io/specs/operation_json.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/base/scale.hpp"
#include "traincost/io/specs/draft_fields.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

namespace {

constexpr double hour = 3600.0;
constexpr double year = 365.25 * 86400.0;

}  // namespace

void read_operation(const JsonNode& node, JobDraft& draft) {
    JsonObject object(node);
    io::read_fields_below(object, "operation.", draft);
    object.finish();
    std::vector<Problem> problems;
    validate(operation_of(draft), problems);
    for (Problem& problem : problems) {
        if (const JobField* field = job_field(problem.path))
            problem.path = *field->where(draft);
    }
    throw_if_any(problems);
}

Operation operation_from_json(const JsonNode& node) {
    JobDraft draft{};
    read_operation(node, draft);
    return operation_of(draft);
}

void write_json(JsonWriter& out, const Operation& o) {
    out.begin_object();
    const auto member = [&](const char* key, const auto& value) {
        if (value)
            out.member(key, *value);
    };
    const auto scaled = [&](const char* key, const auto& value, double unit) {
        if (value)
            out.member(key, value->value() / unit);
    };
    member("failure_rate", o.failure_rate);
    scaled("accelerator_hours_per_failure", o.between_failures, hour);
    scaled("storage_GBps", o.storage, giga);
    member("restart_s", o.restart);
    member("price", o.price);
    member("usd_per_gpu_hour", o.gpu_hour);
    member("whole_nodes", o.whole_nodes);
    member("usd_per_gpu_purchase", o.gpu_purchase);
    member("usd_per_kWh", o.kwh);
    scaled("life_years", o.life, year);
    member("utilization", o.utilization);
    member("power_share", o.power_share);
    member("pue", o.pue);
    member("grid", o.grid);
    member("g_CO2e_per_kWh", o.grid_grams_per_kwh);
    member("price_of_other_nodes", o.price_of_other_nodes);
    member("bus_GBps", o.bus_GBps);
    member("network_Gbps", o.network_Gbps);
    member("bus_latency_us", o.bus_latency_us);
    member("network_latency_us", o.network_latency_us);
    member("power_limit_W", o.power_limit_w);
    out.end_object();
}

}  // namespace traincost
