#include <traincost/cost/estimate.hpp>
#include <traincost/cost/kernels/attention_time.hpp>
#include <traincost/io/catalogue.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;
using namespace traincost::literals;

namespace {

AttentionCurve flat(double efficiency) {
    return {.head_dim = {64, 96, 128, 256},
            .efficiency = {efficiency, efficiency, efficiency, efficiency},
            .extra_keys = {},
            .causal_keys = {},
            .masked = {}};
}

AttentionModel toy() {
    return {.peak = 100_TFLOPs,
            .bandwidth = ByteRate(1e18),
            .units = 10,
            .fit = AttentionFit{.forward = flat(0.5),
                                .backward = flat(0.4),
                                .query_block = 128,
                                .shared_keys = 1.5,
                                .launch = 0_s},
            .masked_fit = std::nullopt,
            .math = {.forward_bytes = 100, .backward_bytes = 120, .misaligned = 0.1}};
}

AttentionShape square(bool causal) {
    return {.batch = 2,
            .heads = 16,
            .kv_heads = 16,
            .queries = 4096,
            .keys = 4096,
            .span = 4096,
            .qk_dim = 128,
            .v_dim = 128,
            .causal = causal};
}

}  // namespace

TEST_CASE("attention at endless length runs at its efficiency, causal counting half the square",
          "[attention]") {
    const double full = 4.0 * 2 * 16 * 4096 * 4096 * 128;
    CHECK(attention_forward_time(square(false), toy()).value() == Approx(full / 50e12));
    CHECK(attention_forward_time(square(true), toy()).value() == Approx(full / 2 / 50e12));
    CHECK(attention_backward_time(square(true), toy()).value() == Approx(2.5 * full / 2 / 40e12));
}

TEST_CASE("short sequences pay for the ends of every block of queries", "[attention]") {
    AttentionModel model = toy();
    model.fit->forward.extra_keys.fill(100);
    model.fit->forward.causal_keys.fill(412);
    const double base = attention_forward_time(square(true), toy()).value();
    CHECK(attention_forward_time(square(true), model).value() == Approx(base * (1 + 512 / 2048.0)));
    CHECK(attention_forward_time(square(false), model).value() == Approx(2 * base * (1 + 100 / 4096.0)));
}

TEST_CASE("fewer blocks of queries than units leave units idle", "[attention]") {
    AttentionShape one = square(false);
    one.batch = 1;
    one.heads = one.kv_heads = 1;
    one.queries = 128;
    AttentionModel model = toy();
    const double time = attention_forward_time(one, model).value();
    model.units = 1;
    CHECK(time == Approx(10 * attention_forward_time(one, model).value()));
}

TEST_CASE("a window costs the keys it sees", "[attention]") {
    AttentionShape windowed = square(false);
    windowed.span = 1024;
    CHECK(attention_forward_time(windowed, toy()).value() ==
          Approx(attention_forward_time(square(false), toy()).value() / 4));
}

TEST_CASE("shared keys slow only the backward pass", "[attention]") {
    AttentionShape shared = square(true);
    shared.kv_heads = 4;
    CHECK(attention_forward_time(shared, toy()) == attention_forward_time(square(true), toy()));
    CHECK(attention_backward_time(shared, toy()).value() ==
          Approx(1.5 * attention_backward_time(square(true), toy()).value()));
}

TEST_CASE("attention that writes its scores takes the time of their bytes, causal or not", "[attention]") {
    AttentionModel model = toy();
    model.fit.reset();
    model.bandwidth = 1_TBps;
    const double scores = 2.0 * 16 * 4096 * 4096;
    CHECK(attention_forward_time(square(true), model).value() == Approx(scores * 100 / 1e12));
    CHECK(attention_backward_time(square(false), model).value() == Approx(scores * 120 / 1e12));
}

TEST_CASE("time grows with length, heads and batch", "[attention]") {
    Seconds last{};
    for (const double s : {256.0, 512.0, 1024.0, 8192.0, 65536.0}) {
        AttentionShape a = square(true);
        a.queries = a.keys = a.span = s;
        const Seconds time = attention_forward_time(a, toy()) + attention_backward_time(a, toy());
        CHECK(time > last);
        last = time;
    }
}

TEST_CASE("a run that names an older flash kernel attends longer, and one that names math is refused",
          "[attention]") {
    Job job{search_jobs::gpt(4, 2048, 16), search_jobs::cluster(1), search_jobs::stack(),
            search_jobs::run(2048, 1)};
    job.cluster = Catalogue().cluster("dgx-h100", 1).spec;
    job.stack.attention.generation = AttentionGeneration::flash3;
    const auto attends = [&] {
        return estimate(job).step.terms[static_cast<std::size_t>(StepTerm::attention)];
    };
    const Seconds newest = attends();
    job.run.attention_generation = AttentionGeneration::flash2;
    CHECK(attends() > newest * 1.5);
    job.run.attention_generation = AttentionGeneration::math;
    std::vector<Problem> problems;
    validate(job.run, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].path == "run.attention_generation");
}
