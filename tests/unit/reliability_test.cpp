#include <traincost/cost/params.hpp>
#include <traincost/plan/price.hpp>
#include <traincost/plan/reliability.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;
using namespace traincost::literals;

TEST_CASE("Young's interval is sqrt(2 delta M)", "[reliability]") {
    CHECK(young_interval(50_s, 10000_s).value() == Approx(1000.0));
}

TEST_CASE("Daly's interval adds its higher orders, and is M where a checkpoint takes longer than 2 M",
          "[reliability]") {
    // x = 50/20000 = 0.0025: 1000 (1 + 0.05/3 + 0.0025/9) - 50
    CHECK(daly_interval(50_s, 10000_s).value() == Approx(1000.0 * (1.0 + 0.05 / 3.0 + 0.0025 / 9.0) - 50.0));
    CHECK(daly_interval(100_s, 40_s).value() == 40.0);
    CHECK(daly_interval(0_s, 40_s).value() == 0.0);
}

TEST_CASE("goodput tends to one without failures and is highest near Daly's interval", "[reliability]") {
    CHECK(goodput(1_h, 0_s, 0_s, Seconds{1e12}) == Approx(1.0));
    const Seconds write = 60_s;
    const Seconds mean = 3_h;
    const double best = goodput(daly_interval(write, mean), write, 10_min, mean);
    CHECK(best < 1.0);
    for (const double factor : {0.3, 0.6, 1.7, 3.0})
        CHECK(goodput(daly_interval(write, mean) * factor, write, 10_min, mean) < best);
}

TEST_CASE("Llama 3 405B on 16,384 GPUs fails every three hours and still trains nine tenths of the time",
          "[reliability]") {
    // 419 interruptions in 54 days; 405B of bf16 and fp32 weights and two moments at 2 TB/s; > 90 % effective
    // time.
    SearchRequest request = search_jobs::request(search_jobs::gpt(126, 16384, 128),
                                                 search_jobs::cluster(16384), search_jobs::run(8192, 2048));
    const Job job = base_job(request, 0);
    const Reliability r = reliability(job, {Seconds{16384.0 * 54.0 * 86400.0 / 419.0}, 2_TBps, 10_min});
    CHECK(r.mean_time.value() / 3600.0 == Approx(54.0 * 24.0 / 419.0));
    CHECK(r.goodput > 0.9);
    CHECK(r.goodput < 0.97);
}

TEST_CASE("a checkpoint holds fourteen bytes a parameter in mixed precision with Adam, as BLOOM's did",
          "[reliability]") {
    // bf16 and fp32 weights and two moments; BLOOM-176B: "the full checkpoint with optimizer states is 2.3TB"
    // beside 329GB of bf16 weights, which counts in 2^30: 2,298 GiB.
    CHECK(14.0 * 176.247e9 / (1024.0 * 1024.0 * 1024.0) == Approx(2300.0).epsilon(0.01));
    SearchRequest request = search_jobs::request(search_jobs::gpt(2, 1024, 8), search_jobs::cluster(8),
                                                 search_jobs::run(1024, 8));
    const Job job = base_job(request, 0);
    CHECK(checkpoint_bytes(job).value() == 14.0 * static_cast<double>(parameter_count(job.model).total));
}

TEST_CASE("goodput is Meta's effective training time ratio to first order", "[reliability]") {
    // E[ETTR] = (1 - N r (u0 + dt/2)) / (1 + w/dt) [Kokolis24], N r = 1/M; it drops second orders.
    const double M = 10.0 * 3600.0;
    const double u0 = 300.0;
    const double w = 10.0;
    const double dt = daly_interval(Seconds{w}, Seconds{M}).value();
    const double ettr = (1.0 - (u0 + dt / 2.0) / M) / (1.0 + w / dt);
    CHECK(goodput(Seconds{dt}, Seconds{w}, Seconds{u0}, Seconds{M}) == Approx(ettr).epsilon(2e-3));
}

TEST_CASE("an owned node costs its share of the purchase and its power", "[price]") {
    // $350,400 over 4 years of 8,760 h is $10 an hour; 10 kW at PUE 1.2 and $0.10 is $1.20.
    const Ownership o{
        .life = Seconds{4.0 * 8760.0 * 3600.0}, .utilization = 1.0, .pue = 1.2, .per_kwh = Dollars{0.1}};
    CHECK(owned_rate(Dollars{350400.0}, 10000.0, o).value() * 3600.0 == Approx(11.2));
    CHECK(co2_kg(1000.0, 1.1, 400.0) == Approx(440.0));
}

TEST_CASE("a price kind keeps that kind only, the cheapest first", "[price]") {
    ClusterSpec c = search_jobs::cluster(8);
    NodePrice spot = c.prices.front();
    spot.kind = "spot";
    spot.amount = 7_USD;
    c.prices.push_back(spot);
    spot.amount = 5_USD;
    c.prices.push_back(spot);
    CHECK(hourly_price(*with_price_kind(c, "spot")) == 5_USD);
    CHECK(hourly_price(*with_price_kind(c, "on-demand")) == 16_USD);
    CHECK(!with_price_kind(c, "reserved"));
}
