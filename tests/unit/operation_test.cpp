#include <traincost/io/bench/failure_data.hpp>
#include <traincost/io/bench/grid_data.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/specs/job_json.hpp>
#include <traincost/io/specs/operation_json.hpp>
#include <traincost/plan/operation.hpp>
#include <traincost/plan/price.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;
using namespace traincost::literals;

namespace {

Job small_job() {
    const SearchRequest request = search_jobs::request(search_jobs::gpt(2, 1024, 8), search_jobs::cluster(8),
                                                       search_jobs::run(1024, 8));
    Job job = base_job(request, 0);
    job.run.parallel.dp = 8;
    job.run.micro_batch = 1;
    job.run.tokens = 1e9;
    return job;
}

/// Every field said.
Operation everything() {
    Operation o;
    o.failure_rate = "llama-3-405b";
    o.between_failures = 50677_h;
    o.storage = 200_GBps;
    o.restart = 10_min;
    o.price = "own";
    o.gpu_hour = 2_USD;
    o.whole_nodes = true;
    o.gpu_purchase = 30000_USD;
    o.kwh = Dollars{0.08};
    o.life = 1461_days;
    o.utilization = 0.9;
    o.power_share = 0.8;
    o.pue = 1.1;
    o.grid = "france";
    o.grid_grams_per_kwh = 56.0;
    return o;
}

Operation read_back(const std::string& text) {
    const JsonDocument document = parse_json(text, "test");
    return operation_from_json(JsonNode(document));
}

}  // namespace

TEST_CASE("without an operation a bill is the estimate's own totals", "[operation]") {
    const Job job = small_job();
    const Estimate e = estimate(job);
    const Bill b = bill(job, e, {});
    CHECK(b.goodput == 1.0);
    CHECK(!b.reliability);
    CHECK(b.totals->time == e.training->time);
    CHECK(b.totals->cost == e.training->cost);
    CHECK(!b.site_kwh);
    CHECK(!b.co2_kg);
    // $16 per node-hour, one node.
    const double usd = 16.0 * e.step.total.value() / 3600.0 / e.throughput.tokens_per_step * 1e6;
    CHECK(b.per_million_tokens->value() == Approx(usd));
    CHECK(b.totals->cost->value() == Approx(usd * 1e3));
}

TEST_CASE("failures stretch time, cost and energy alike", "[operation]") {
    const Job job = small_job();
    const Estimate e = estimate(job);
    Operation o;
    o.between_failures = 8_h;  // an hour for eight accelerators
    o.storage = 10_MBps;
    o.restart = 10_min;
    const Bill b = bill(job, e, o);
    REQUIRE(b.reliability);
    CHECK(b.goodput == b.reliability->goodput);
    CHECK(b.goodput < 1.0);
    CHECK(b.totals->time.value() == Approx(e.training->time.value() / b.goodput));
    CHECK(b.totals->cost->value() == Approx(e.training->cost->value() / b.goodput));
    CHECK(*b.totals->energy_kwh == Approx(*e.training->energy_kwh / b.goodput));
    CHECK(goodput_of(job, o) == b.goodput);
}

TEST_CASE("a checkpoint that takes twice the time between failures leaves no goodput", "[operation]") {
    const Job job = small_job();
    Operation o;
    o.restart = 0_s;
    o.between_failures = 8_h;
    o.storage = checkpoint_bytes(job) / 2.01_h;
    CHECK(goodput_of(job, o) == 0.0);
    CHECK(!bill(job, estimate(job), o).totals);
    o.storage = checkpoint_bytes(job) / 1.99_h;
    CHECK(goodput_of(job, o) > 0.0);
}

TEST_CASE("energy times PUE times grid intensity is carbon", "[operation]") {
    const Job job = small_job();
    const Estimate e = estimate(job);
    Operation o;
    o.pue = 1.25;
    o.grid_grams_per_kwh = 400.0;
    const Bill b = bill(job, e, o);
    CHECK(*b.site_kwh == Approx(1.25 * *e.training->energy_kwh));
    CHECK(*b.co2_kg == Approx(0.5 * *e.training->energy_kwh));
}

TEST_CASE("an owned cluster costs its write-off and its power", "[operation]") {
    Operation o;
    o.price = "own";
    o.gpu_purchase = Dollars{43800.0};
    o.life = 36525_h;
    o.utilization = 1.0;
    o.kwh = Dollars{0.1};
    o.pue = 1.2;
    o.power_share = 0.5;
    // 8 * 43,800 / 36,525 h = $9.593; 2.5 kW * 1.2 * $0.1 = $0.30
    const std::optional<ClusterSpec> c = operated(search_jobs::cluster(16), o);
    REQUIRE(c);
    CHECK(hourly_price(*c)->value() == Approx(8 * 43800.0 / 36525.0 + 0.3));
    CHECK(*power_watts(*c) == Approx(5000.0));
}

TEST_CASE("an operation's JSON reads back as it was", "[operation]") {
    JsonWriter out;
    write_json(out, everything());
    const Operation back = read_back(out.text());
    CHECK(back.failure_rate == everything().failure_rate);
    CHECK(back.between_failures->value() == Approx(everything().between_failures->value()));
    CHECK(back.storage->value() == Approx(everything().storage->value()));
    CHECK(back.restart == everything().restart);
    CHECK(back.price == everything().price);
    CHECK(back.gpu_hour == everything().gpu_hour);
    CHECK(back.gpu_purchase == everything().gpu_purchase);
    CHECK(back.kwh == everything().kwh);
    CHECK(back.life->value() == Approx(everything().life->value()));
    CHECK(back.utilization == everything().utilization);
    CHECK(back.power_share == everything().power_share);
    CHECK(back.pue == everything().pue);
    CHECK(back.grid == everything().grid);
    CHECK(back.grid_grams_per_kwh == everything().grid_grams_per_kwh);
}

TEST_CASE("an operation's JSON refuses what cannot be", "[operation]") {
    CHECK_THROWS_WITH(read_back(R"({"pue": 0.9})"), Catch::Contains("/pue: 0.9; must be between 1 and 100"));
    CHECK_THROWS_WITH(read_back(R"({"power_share": 1.5})"), Catch::Contains("must be between 1e-06 and 1"));
    CHECK_THROWS_WITH(read_back(R"({"storage_GBps": 0})"),
                      Catch::Contains("/storage_GBps: 0; must be between"));
    CHECK_THROWS_WITH(read_back(R"({"pues": 1.1})"), Catch::Contains("'pue'"));
}

TEST_CASE("the measured failure rates are what their sources' counts give", "[operation]") {
    const Catalogue catalogue;
    const FailureData data = read_failure_data(catalogue);
    const auto hours = [&](const std::string& id) {
        for (const FailureRate& rate : data.rates) {
            if (rate.id == id)
                return rate.per_failure.value() / 3600.0;
        }
        return -1.0;
    };
    CHECK(hours("llama-3-405b") == Approx(16384.0 * 54.0 * 24.0 / 419.0).epsilon(1e-4));
    CHECK(hours("bloom-176b") == Approx(400.0 * 168.0 / 1.5).epsilon(1e-4));
    CHECK(hours("opt-175b") == Approx(992.0 * 60.0 * 24.0 / 105.0).epsilon(1e-4));
    CHECK(hours("meta-rsc-1") == Approx(8.0 * 24.0 * 1000.0 / 6.5).epsilon(1e-4));
    // "projected MTTF 1.8 h at 16,384 GPUs and 0.23 h at 131,072" [Kokolis24]
    CHECK(hours("meta-rsc-1") / 16384.0 == Approx(1.8).epsilon(0.005));
    CHECK(hours("meta-rsc-1") / 131072.0 == Approx(0.23).epsilon(0.03));
    for (const GridIntensity& grid : read_grid_intensities(catalogue)) {
        CHECK(grid.grams_per_kwh > 0.0);
        CHECK(grid.grams_per_kwh < 1200.0);
    }
}

TEST_CASE("cost and energy are those of the accelerators used, or of whole nodes", "[operation]") {
    Job job = small_job();
    job.cluster = search_jobs::cluster(1);  // $16 a node-hour and 5 kW for eight
    job.run.parallel.dp = 1;
    const Estimate one = estimate(job);
    const double hours = one.training->gpu_hours;
    CHECK(one.training->cost->value() == Approx(2.0 * hours));
    CHECK(*one.training->energy_kwh == Approx(5.0 / 8.0 * hours));
    CHECK(bill(job, one, {}).per_million_tokens->value() == Approx(2.0 * hours / 1e3));

    Operation o;
    o.gpu_hour = 3_USD;
    job.cluster = *operated(job.cluster, o);
    CHECK(estimate(job).training->cost->value() == Approx(3.0 * hours));
    CHECK(gpu_hour_price(job.cluster)->amount.value() == Approx(3.0));

    o.whole_nodes = true;
    job.cluster = *operated(job.cluster, o);
    CHECK(estimate(job).training->cost->value() == Approx(8.0 * 3.0 * hours));
    CHECK(*estimate(job).training->energy_kwh == Approx(5.0 / 8.0 * hours));

    // Owning a node costs an eighth of it for an eighth of its accelerators.
    Operation own;
    own.price = "own";
    own.gpu_purchase = 30000_USD;
    own.kwh = Dollars{0.1};
    own.life = 1000_days;
    own.utilization = 1.0;
    own.pue = 1.0;
    const ClusterSpec eight = *operated(search_jobs::cluster(8), own);
    const ClusterSpec single = *operated(search_jobs::cluster(1), own);
    CHECK(hourly_cost(single)->value() == Approx(hourly_cost(eight)->value() / 8.0));
}

TEST_CASE("the price of a GPU-hour comes with the span of all known ones", "[operation]") {
    ClusterSpec cluster = search_jobs::cluster(8);
    const NodePrice first = cluster.prices.front();
    NodePrice dear = first;
    dear.amount = first.amount * 3.0;
    NodePrice bought = first;
    bought.per_hour = false;
    cluster.prices = {bought, first, dear};
    const GpuHourPrice price = *gpu_hour_price(cluster);
    CHECK(price.amount.value() == Approx(2.0));
    CHECK(price.lowest.value() == Approx(2.0));
    CHECK(price.highest.value() == Approx(6.0));
    CHECK(price.known == 2);
    cluster.prices = {bought};
    CHECK_FALSE(gpu_hour_price(cluster));
}
