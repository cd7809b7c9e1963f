#include "traincost/io/bench/failure_data.hpp"

#include "traincost/io/bench/bench_file.hpp"

namespace traincost {

namespace {

FailureRate rate_from(const JsonNode& node) {
    constexpr double hour = 3600.0;
    JsonObject in(node);
    FailureRate rate{};
    rate.id = in.at("id").string();
    rate.what = in.at("what").string();
    const JsonNode hours = in.at("accelerator_hours_per_failure");
    rate.per_failure = Seconds{hours.number() * hour};
    if (!(rate.per_failure.value() > 0.0))
        hours.fail("must be positive");
    if (const auto failures = in.find("failures"))
        rate.failures = failures->integer(1);
    rate.date = in.at("date").string();
    rate.source = in.at("source").string();
    in.finish();
    return rate;
}

}  // namespace

FailureData failure_data_from_json(const JsonNode& node) {
    JsonObject in(node);
    in.skip("schema");
    in.at("id").string();
    FailureData data{};
    for (const JsonNode& item : in.at("rates").items())
        data.rates.push_back(rate_from(item));
    JsonObject restart(in.at("restart"));
    const JsonNode seconds = restart.at("seconds");
    data.restart = Seconds{seconds.number()};
    if (!(data.restart.value() >= 0.0))
        seconds.fail("must not be negative");
    data.restart_what = restart.at("what").string();
    restart.at("date").string();
    data.restart_source = restart.at("source").string();
    restart.finish();
    in.finish();
    return data;
}

FailureData read_failure_data(const Catalogue& catalogue) {
    const JsonDocument document = bench_file(catalogue, "failure-rates");
    return failure_data_from_json(JsonNode(document));
}

}  // namespace traincost
