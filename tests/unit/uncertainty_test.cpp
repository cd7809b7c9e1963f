#include "traincost/fit/uncertainty.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/io/bench/residuals_json.hpp"
#include "traincost/io/catalogue.hpp"

using namespace traincost;

namespace {

ResidualGroupKey group(const std::string& stack, const std::string& accelerator_class) {
    return {ResidualKind::step_time, stack, accelerator_class, true};
}

/// `n` residuals of one source and model spread evenly over [low, high].
void add(std::vector<Residual>& to, const ResidualGroupKey& key, const std::string& source, int n, double low,
         double high, const std::string& model = "made") {
    for (int i = 0; i < n; ++i) {
        const double at = n == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(n - 1);
        to.push_back({key, source, model, low + (high - low) * at});
    }
}

ResidualQuantiles of(const Residuals& table, const ResidualGroupKey& key, const LeftOut& out = {}) {
    const auto found = comparable(table, key, out);
    REQUIRE(found);
    return found->quantiles;
}

}  // namespace

TEST_CASE("four of five of the runs an interval is made from lie inside it", "[uncertainty]") {
    std::vector<Residual> residuals;
    for (int i = 0; i < 50; ++i)
        add(residuals, group("nanotron", "Hopper"), "source-" + std::to_string(i), 4, -0.5, 0.3);
    const Interval interval = interval_80(of(residuals_from(residuals), group("nanotron", "Hopper")), 2.0);
    CHECK(std::log(interval.low / 2.0) == Approx(-0.5).margin(0.01));  // a quarter of all at each end
    residuals.clear();
    for (int i = 0; i < 50; ++i)
        add(residuals, group("nanotron", "Hopper"), "source-" + std::to_string(i), 1, 0.01 * i, 0.01 * i);
    const ResidualQuantiles q = of(residuals_from(residuals), group("nanotron", "Hopper"));
    int inside = 0;
    for (const Residual& residual : residuals)
        inside += q.low <= residual.log_error && residual.log_error <= q.high ? 1 : 0;
    CHECK(inside == Approx(40).margin(1));
}

TEST_CASE("the fewer sources, the wider the interval", "[uncertainty]") {
    const auto width_of = [](int sources) {
        std::vector<Residual> residuals;
        for (int i = 0; i < sources; ++i)
            add(residuals, group("nanotron", "Hopper"), "source-" + std::to_string(i), 100, 0.0, 1.0);
        const ResidualQuantiles q = of(residuals_from(residuals), group("nanotron", "Hopper"));
        return q.high - q.low;
    };
    const auto unfamiliar = [](double sources) { return 1.0 + 0.4 / (1.0 + sources); };
    CHECK(width_of(100) == Approx(0.8 * unfamiliar(100)).margin(0.02));
    // 10 sources stand for 30 runs: tails of 0.1 - 0.4 / 30.
    CHECK(width_of(10) == Approx((0.8 + 2.0 * 0.4 / 30.0) * unfamiliar(10)).margin(0.02));
    // Of one, never beyond the outer points.
    CHECK(width_of(1) == Approx(20.0 / 22.0 * unfamiliar(1)).margin(0.02));
}

TEST_CASE("a step that no source shows like it has an interval two fifths wider", "[uncertainty]") {
    std::vector<Residual> residuals;
    for (int i = 0; i < 40; ++i)
        add(residuals, group("nemo", "Hopper"), "source-" + std::to_string(i), 10, -0.2, 0.2);
    const Residuals table = residuals_from(residuals);
    const auto width = [&](const ResidualGroupKey& key) {
        const ResidualQuantiles q = of(table, key);
        return q.high - q.low;
    };
    CHECK(width(group("axolotl", "Ada")) == Approx(1.4 * width(group("nemo", "Hopper"))).epsilon(0.02));
    ResidualGroupKey memory = group("axolotl", "Ada");
    memory.kind = ResidualKind::reserved;
    CHECK_FALSE(comparable(table, memory));
}

TEST_CASE("sources of a pool speak alike, however many runs they have", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nemo", "Hopper"), "sweep", 1000, 0.0, 0.0);
    for (int i = 0; i < 3; ++i)
        add(residuals, group("nanotron", "Hopper"), "paper-" + std::to_string(i), 2, 0.5, 0.5);
    CHECK(of(residuals_from(residuals), group("axolotl", "Ada")).at[10] > 0.4);
}

TEST_CASE("a cluster weighs the root of its runs, a source the root of its clusters", "[uncertainty]") {
    // Of one group: one source with 100 runs at 0, one with 1 run at 1, weights sqrt(sqrt(100)) and 1.
    std::vector<Residual> residuals;
    add(residuals, group("nanotron", "Hopper"), "sweep", 100, 0.0, 0.0);
    add(residuals, group("nanotron", "Hopper"), "paper", 1, 1.0, 1.0);
    const ResidualQuantiles q = of(residuals_from(residuals), group("nanotron", "Hopper"));
    // The mass of the point at 1 is 1 / (1 + sqrt 10) = 0.24: inside the upper tenth and below the median.
    CHECK(q.low == Approx(0.0));
    CHECK(q.at[10] < 0.5);
    CHECK(q.high >= 0.95);  // by runs alone it would be one of 101, and this 0
}

TEST_CASE("a group of few sources is drawn to the pool, one of many speaks for itself", "[uncertainty]") {
    std::vector<Residual> residuals;
    for (int i = 0; i < 12; ++i)
        add(residuals, group("nemo", "Hopper"), "others-" + std::to_string(i), 10, -0.1, 0.1);
    add(residuals, group("nanotron", "Hopper"), "sweep", 500, 0.4, 0.6);
    const Residuals one = residuals_from(residuals);
    const double median_of_one = of(one, group("nanotron", "Hopper")).at[10];
    CHECK(median_of_one < 0.1);  // a single source has 1 / 9 of the say, however many runs it has
    for (int i = 0; i < 40; ++i)
        add(residuals, group("nanotron", "Hopper"), "more-" + std::to_string(i), 10, 0.4, 0.6);
    CHECK(of(residuals_from(residuals), group("nanotron", "Hopper")).at[10] > 0.4);
}

TEST_CASE("what is left out has no say", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nemo", "Hopper"), "table", 30, -0.1, 0.1);
    add(residuals, group("nanotron", "Hopper"), "sweep", 30, 1.0, 2.0, "1B");
    add(residuals, group("nanotron", "Hopper"), "sweep", 30, -0.1, 0.1, "8B");
    const Residuals table = residuals_from(residuals);
    CHECK(of(table, group("nanotron", "Hopper")).high > 0.2);
    CHECK(of(table, group("nanotron", "Hopper"), {"sweep", "1B"}).high <= 0.15 + 1e-9);
    CHECK(of(table, group("nanotron", "Hopper"), {"sweep", {}}).high <= 0.15 + 1e-9);
    const auto without = comparable(table, group("nanotron", "Hopper"), {"sweep", {}});
    CHECK(without->own_runs == 0);
    CHECK(without->other_runs == 30);
    std::vector<Residual> only;
    add(only, group("nanotron", "Hopper"), "sweep", 30, 0.0, 1.0);
    CHECK_FALSE(comparable(residuals_from(only), group("nanotron", "Hopper"), {"sweep", {}}));
    CHECK_FALSE(comparable({}, group("nanotron", "Hopper")));
}

TEST_CASE("accelerators whose kernels nobody measured have a pool of their own", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nemo", "Hopper"), "table", 50, -0.1, 0.1);
    ResidualGroupKey unmeasured = group("maxtext", "TPU");
    unmeasured.measured_kernels = false;
    add(residuals, unmeasured, "recipes", 20, -0.4, 0.4);
    const Residuals table = residuals_from(residuals);
    ResidualGroupKey new_chip = group("megatron-core", "Ascend");
    new_chip.measured_kernels = false;
    CHECK(of(table, new_chip).high > 0.25);
    CHECK(of(table, group("megatron-core", "Blackwell")).high <= 0.15 + 1e-9);
}

TEST_CASE("memory of every view is one pool, and never mixes with time", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nemo", "Hopper"), "table", 50, 1.0, 2.0);
    add(residuals, {ResidualKind::reserved, "nanotron", "Hopper", true}, "sweep", 50, -0.1, 0.1);
    const Residuals table = residuals_from(residuals);
    CHECK(of(table, {ResidualKind::device, "pytorch", "Ampere", true}).high <= 0.1);
}

TEST_CASE("memory nobody measured under a stack is drawn from a source, not from a run", "[uncertainty]") {
    const ResidualGroupKey unfamiliar{ResidualKind::reserved, "pytorch", "Ampere", true};
    const ResidualGroupKey sweep{ResidualKind::reserved, "nanotron", "Hopper", true};
    std::vector<Residual> residuals;
    add(residuals, sweep, "sweep", 5000, -0.01, 0.01);
    for (int i = 0; i < 3; ++i)
        add(residuals, {ResidualKind::device, "nemo", "Hopper", true}, "table-" + std::to_string(i), 9, 0.2,
            0.3);
    const Residuals table = residuals_from(residuals);
    CHECK(of(table, unfamiliar).at[10] > 0.2);  // three sources of four, whatever their runs
}

TEST_CASE("words say how many runs of how many sources an interval comes from", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nanotron", "Hopper"), "sweep", 99, 0.0, 1.0);
    add(residuals, group("nemo", "Hopper"), "table", 5, 2.0, 3.0);
    add(residuals, group("nemo", "Ampere"), "paper", 1, 2.0, 3.0);
    const Residuals table = residuals_from(residuals);
    const auto words = [&](const ResidualGroupKey& key) { return words_of(*comparable(table, key), key); };
    CHECK(words(group("nanotron", "Hopper")) ==
          "99 runs of nanotron on Hopper from 1 source, 6 other runs from 2 sources");
    CHECK(words(group("maxtext", "Ada")) == "105 runs of other stacks and accelerators from 3 sources");
    ResidualGroupKey chip = group("maxtext", "TPU");
    chip.measured_kernels = false;
    CHECK(words(chip) == "105 runs of other stacks and accelerators from 3 sources, unmeasured kernels");
}

TEST_CASE("residuals widen with the exposed communication beyond a fifth of the step", "[uncertainty]") {
    CHECK(residual_scale(ResidualKind::step_time, 0.0) == 1.0);
    CHECK(residual_scale(ResidualKind::step_time, 0.2) == 1.0);
    CHECK(residual_scale(ResidualKind::step_time, 0.6) == Approx(3.0));
    CHECK(residual_scale(ResidualKind::reserved, 0.6) == 1.0);
    const Interval once = interval_80({.low = -0.1, .high = 0.2}, 1.0);
    const Interval thrice = interval_80({.low = -0.1, .high = 0.2}, 1.0, 3.0);
    CHECK(std::log(thrice.low) == Approx(3.0 * std::log(once.low)));
    CHECK(std::log(thrice.high) == Approx(3.0 * std::log(once.high)));
}

TEST_CASE("the probability of staying below a limit rises with the limit from 0 to 1", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nanotron", "Hopper"), "sweep", 200, -0.1, 0.1);
    const ResidualQuantiles q = of(residuals_from(residuals), group("nanotron", "Hopper"));
    double before = 0.0;
    for (double limit = 0.5; limit < 2.0; limit += 0.01) {
        const double p = probability_below(q, 1.0, limit);
        CHECK(p >= before);
        CHECK(p <= 1.0);
        before = p;
    }
    CHECK(probability_below(q, 1.0, 1.0) == Approx(0.5).margin(0.01));
    CHECK(probability_below(q, 1.0, 2.0) > 0.99);
    CHECK(probability_below(q, 1.0, 0.5) < 0.01);
}

TEST_CASE("verdicts: fits from nine in ten, out of memory below one in ten", "[uncertainty]") {
    CHECK(verdict_of(0.95) == Verdict::fits);
    CHECK(verdict_of(0.5) == Verdict::risky);
    CHECK(verdict_of(0.05) == Verdict::out_of_memory);
}

TEST_CASE("the residual table reads back what was written, to the written digits", "[uncertainty][json]") {
    std::vector<Residual> residuals;
    add(residuals, group("nanotron", "Hopper"), "sweep", 30, -0.2, 0.4);
    add(residuals, {ResidualKind::device, "nemo", "Ampere", false}, "table", 3, -0.2, 0.4);
    const Residuals table = residuals_from(residuals);
    REQUIRE(table.clusters.size() == 2);
    CHECK(table.clusters[0].at.size() == ResidualCluster::most_points);
    const JsonDocument document = parse_json(residuals_json(table), "residuals.json");
    const Residuals read = residuals_from_json(JsonNode(document));
    REQUIRE(read.clusters.size() == table.clusters.size());
    CHECK(read.source_of == table.source_of);
    for (std::size_t i = 0; i < read.clusters.size(); ++i) {
        CHECK(read.clusters[i].group == table.clusters[i].group);
        CHECK(read.clusters[i].source == table.clusters[i].source);
        CHECK(read.clusters[i].n == table.clusters[i].n);
        REQUIRE(read.clusters[i].at.size() == table.clusters[i].at.size());
        for (std::size_t k = 0; k < read.clusters[i].at.size(); ++k)
            CHECK(read.clusters[i].at[k] == Approx(table.clusters[i].at[k]).margin(1e-4));
    }
}

TEST_CASE("a residual table that falls or is empty is refused", "[uncertainty][json]") {
    const auto read = [](const std::string& at) {
        const JsonDocument document = parse_json(
            R"({"schema": "residuals/2", "what": "", "clusters": [{"kind": "step_time", "stack": "nemo",
                "accelerator_class": "Hopper", "measured_kernels": true, "source": "s", "model": "m", "n": 2,
                "at": )" +
                at + "}]}",
            "residuals.json");
        return residuals_from_json(JsonNode(document));
    };
    CHECK(read("[0.1, 0.2]").clusters.size() == 1);
    CHECK_THROWS(read("[0.2, 0.1]"));
    CHECK_THROWS(read("[]"));
}

TEST_CASE("a margin is where the probability of fitting is what was asked for", "[uncertainty]") {
    const Catalogue catalogue;
    const Residuals residuals = read_residuals("");
    RunSpec run{};
    run.sequence = 4096;
    run.micro_batch = 1;
    run.global_batch = 64;
    run.precision_name = "bf16-mixed";
    run.precision = *precision_from("bf16-mixed");
    run.parallel.tp = 8;
    for (const char* stack : {"megatron-core", "deepspeed", "nanotron", "torchtitan", "litgpt"}) {
        const Job job{catalogue.model("llama-3.1-8b"), catalogue.cluster("h100", 8).spec,
                      catalogue.stack(stack), run};
        const MemoryMargin margin = memory_margin(residuals, job);
        Estimate e = estimate(job);
        const StageMemory& fullest = e.stages[static_cast<std::size_t>(e.peak_stage)];
        e.capacity = margin.needed({fullest.allocated, fullest.reserved, fullest.device, fullest.returnable});
        INFO(stack);
        CHECK(*probability_of_fitting(residuals, job, e) == Approx(sure_to_fit).epsilon(1e-6));
    }
    const Job any{catalogue.model("llama-3.1-8b"), catalogue.cluster("h100", 8).spec,
                  catalogue.stack("megatron-core"), run};
    CHECK(memory_margin({}, any) == MemoryMargin{});
}

TEST_CASE("what a table answered before it answers again, and a copy of it for itself", "[uncertainty]") {
    const Residuals residuals = read_residuals("");
    const Residuals fresh = read_residuals("");
    std::vector<ResidualGroupKey> asked;
    for (const ResidualCluster& cluster : residuals.clusters)
        asked.push_back(cluster.group);
    for (const ResidualGroupKey& key : asked)
        (void)of(residuals, key);
    for (auto key = asked.rbegin(); key != asked.rend(); ++key) {
        INFO(key->stack << " on " << key->accelerator_class);
        CHECK(of(residuals, *key) == of(fresh, *key));
    }
    Residuals less = residuals;
    less = indexed({residuals.clusters.front()});
    const ResidualGroupKey& key = residuals.clusters.front().group;
    CHECK_FALSE(of(less, key) == of(residuals, key));
}
