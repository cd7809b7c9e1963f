#include "traincost/io/operation_json.hpp"

#include "traincost/plan/operation_check.hpp"

namespace traincost {

namespace {

constexpr double hour = 3600.0;
constexpr double giga = 1e9;
constexpr double year = 365.25 * 86400.0;

}  // namespace

Operation operation_from_json(const JsonNode& node) {
    JsonObject in(node);
    Operation o;
    if (const auto x = in.find("failure_rate"))
        o.failure_rate = x->string();
    if (const auto x = in.find("accelerator_hours_per_failure"))
        o.between_failures = Seconds{x->number() * hour};
    if (const auto x = in.find("storage_GBps"))
        o.storage = ByteRate{x->number() * giga};
    if (const auto x = in.find("restart_s"))
        o.restart = Seconds{x->number()};
    if (const auto x = in.find("price"))
        o.price = std::string(price_kinds()[x->one_of(price_kinds())]);
    if (const auto x = in.find("usd_per_gpu_hour"))
        o.gpu_hour = Dollars{x->number()};
    if (const auto x = in.find("whole_nodes"))
        o.whole_nodes = x->boolean();
    if (const auto x = in.find("usd_per_gpu_purchase"))
        o.gpu_purchase = Dollars{x->number()};
    if (const auto x = in.find("usd_per_kWh"))
        o.kwh = Dollars{x->number()};
    if (const auto x = in.find("life_years"))
        o.life = Seconds{x->number() * year};
    if (const auto x = in.find("utilization"))
        o.utilization = x->number();
    if (const auto x = in.find("power_share"))
        o.power_share = x->number();
    if (const auto x = in.find("pue"))
        o.pue = x->number();
    if (const auto x = in.find("grid"))
        o.grid = x->string();
    if (const auto x = in.find("g_CO2e_per_kWh"))
        o.grid_grams_per_kwh = x->number();
    in.finish();
    std::vector<Problem> problems;
    validate(o, problems);
    for (Problem& problem : problems) {
        const std::string key = problem.path.substr(problem.path.find('.') + 1);
        if (const JsonValue* value = node.value().find(key))
            problem.path = JsonNode(node.document(), *value).where();
    }
    throw_if_any(problems);
    return o;
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
    out.end_object();
}

}  // namespace traincost
