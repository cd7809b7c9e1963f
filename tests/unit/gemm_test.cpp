#include <traincost/cost/kernels/gemm.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace traincost;
using namespace traincost::literals;

namespace {

// A toy of round numbers: 50 units of 2 TFLOP/s, one tile of 100x200, everything that bends switched off.
GemmFit toy_fit() {
    GemmFit fit{.efficiency = 1,
                .tile_penalty = 0,
                .k_prologue = 0,
                .wave_quantisation = 1,
                .memory_efficiency = 1,
                .blend = 1000,
                .launch = 0_s,
                .wave = 0_s,
                .split_k = false,
                .split = 0_s,
                .reread_rows = 1e9,
                .cache_share = 1,
                .droop = 0,
                .quantise_launch = 0_s,
                .quantise_efficiency = 1,
                .dgrad = 1,
                .wgrad = 1,
                .grouped = 1,
                .grouped_prologue = 0,
                .misaligned = {.even = 0.25, .odd_forward = 0.1, .odd_dgrad = 0.125, .odd_wgrad = 0.2},
                .tiles = {GemmTile{100, 200}},
                .correction = {}};
    fit.correction.log2_m = fit.correction.log2_n = fit.correction.log2_k = {6, 8, 10, 12, 14, 16};
    return fit;
}

GemmModel toy() {
    return {.peak = 100_TFLOPs,
            .bandwidth = ByteRate(1e15),
            .l2 = 50_MiB,
            .units = 50,
            .input_bytes = 2,
            .output_bytes = 2,
            .quantises = false,
            .fit = toy_fit()};
}

double us(const GemmShape& shape, const GemmModel& model, GemmPass pass = GemmPass::forward) {
    return gemm_time(shape, pass, model).value() * 1e6;
}

}  // namespace

TEST_CASE("a full wave of tiles runs at the peak", "[gemm]") {
    // 10 x 5 tiles on 50 units: 2 · 1000 · 1000 · 5000 / 100 TFLOP/s
    CHECK(us({1000, 1000, 5000}, toy()) == Approx(100));
}

TEST_CASE("one row more starts a second wave", "[gemm]") {
    GemmModel model = toy();
    CHECK(us({1001, 1000, 5000}, model) == Approx(200));
    model.fit.wave_quantisation = 0;  // 11 x 5 tiles share the units
    CHECK(us({1001, 1000, 5000}, model) == Approx(110));
}

TEST_CASE("one tile takes as long as a wave, unless k is divided", "[gemm]") {
    GemmModel model = toy();
    CHECK(us({100, 200, 51200}, model) == Approx(2.0 * 2e4 * 51200 / 2e12 * 1e6));
    model.fit.split_k = true;
    CHECK(us({100, 200, 51200}, model) == Approx(2.0 * 2e4 * 1024 / 2e12 * 1e6).epsilon(0.01));
    model.fit.split = 5_us;
    CHECK(us({100, 200, 51200}, model) == Approx(20.48 + 5).epsilon(0.01));
}

TEST_CASE("the menu's fastest tile is taken", "[gemm]") {
    GemmModel model = toy();
    model.fit.tiles = {GemmTile{100, 200}, GemmTile{50, 200}};
    // 150 rows: a tile each for at most 15 units, so the half tile is done in half the time
    CHECK(us({150, 1000, 5000}, model) == Approx(50));
}

TEST_CASE("a thin product takes the time of its bytes", "[gemm]") {
    GemmModel model = toy();
    model.bandwidth = 100_GBps;
    const double bytes = 2 * (100.0 * 1000 + 1000 * 1000 + 100 * 1000);
    CHECK(us({100, 1000, 1000}, model) == Approx(bytes / 1e11 * 1e6));
    model.fit.memory_efficiency = 0.5;
    CHECK(us({100, 1000, 1000}, model) == Approx(2 * bytes / 1e11 * 1e6));
}

TEST_CASE("operands the cache keeps are read once, others once for every R rows", "[gemm]") {
    GemmModel model = toy();
    model.fit.reread_rows = 1000;
    const double m = 4000, n = 8000, k = 10000;
    model.l2 = Bytes(1e15);
    CHECK(gemm_traffic(m, n, k, 1, model).value() == Approx(2 * (m * k + n * k + m * n)));
    model.l2 = Bytes(1);  // nothing is kept: w read for each 1000 rows of x, or x for each 1000 columns
    CHECK(gemm_traffic(m, n, k, 1, model).value() == Approx(2 * (m * k + n * k * 4 + m * n)));
}

TEST_CASE("forward, dgrad and wgrad are the three products of a layer", "[gemm]") {
    GemmModel model = toy();
    const GemmShape y{1000, 2000, 5000};
    CHECK(us(y, model) == us({1000, 5000, 2000}, model, GemmPass::dgrad));
    CHECK(us(y, model) == us({5000, 1000, 2000}, model, GemmPass::wgrad));
    model.fit.dgrad = 1.25;
    CHECK(us({1000, 5000, 2000}, model, GemmPass::dgrad) == Approx(1.25 * us(y, model)));
}

TEST_CASE("an fp32 gradient is read and written after the product", "[gemm]") {
    GemmModel model = toy();
    model.bandwidth = 10_TBps;
    const GemmShape y{8000, 4000, 2000};
    const double more = us(y, model, GemmPass::wgrad_accumulate) - us(y, model, GemmPass::wgrad);
    CHECK(more == Approx(8.0 * 4000 * 2000 / 10e12 * 1e6));
}

TEST_CASE("rows off the 16-byte grid fall to slower kernels", "[gemm]") {
    const GemmModel model = toy();
    const double even_n = 2.0 * 1000 * 1002 * 5000 / 1e14 * 1e6;
    CHECK(us({1000, 1002, 5000}, model) == Approx(even_n / 0.25));
    const double odd_n = 2.0 * 1000 * 1001 * 5000 / 1e14 * 1e6;
    CHECK(us({1000, 1001, 5000}, model) == Approx(odd_n / 0.1));
    CHECK(us({1000, 1001, 5000}, model, GemmPass::dgrad) == Approx(odd_n / 0.125));
    CHECK(us({1001, 1000, 5000}, model) == Approx(200));  // rows of x may be any number
}

TEST_CASE("products of a group fill each other's waves", "[gemm]") {
    const GemmModel model = toy();
    CHECK(us({100, 200, 5000, 50}, model) == Approx(us({100, 200, 5000}, model)));
    CHECK(us({100, 200, 5000, 100}, model) == Approx(2 * us({100, 200, 5000}, model)));
    GemmModel slow = toy();
    slow.fit.grouped_prologue = 500;
    CHECK(us({100, 200, 5000, 50}, slow) == Approx(1.1 * us({100, 200, 5000, 50}, model)));
}

TEST_CASE("quantising activations adds its launch and bytes to forward and dgrad", "[gemm]") {
    GemmModel model = toy();
    model.input_bytes = 1;
    const double plain = us({1000, 1000, 5000}, model);
    model.quantises = true;
    model.bandwidth = 1_TBps;
    model.fit.quantise_launch = 7_us;
    model.fit.quantise_efficiency = 0.5;
    CHECK(us({1000, 1000, 5000}, model) == Approx(plain + 7 + 1000 * 5000 * 3.0 / 0.5e12 * 1e6));
    CHECK(us({1000, 1000, 5000}, model, GemmPass::wgrad) ==
          Approx(us({5000, 1000, 1000}, model) - 7 - 15).epsilon(0.5));
}

TEST_CASE("the sustained clock slows the matrix units, not the memory", "[gemm]") {
    GemmModel model = toy();
    const GemmShape y{1000, 1000, 5000};
    const double brief = us(y, model);
    model.sustained = 1.2;
    CHECK(us(y, model) == Approx(1.2 * brief).epsilon(1e-3));
    model.sustained_horizon = 100_us;  // half of the slowing was already in the measurement
    CHECK(us(y, model) == Approx(1.1 * brief).epsilon(1e-3));
    model.bandwidth = 1_GBps;
    const double slow = us(y, model);
    model.sustained = 1;
    CHECK(us(y, model) == Approx(slow));
}

TEST_CASE("products above the share of the peak that power feeds slow with its root", "[gemm]") {
    GemmModel model = toy();
    const GemmShape y{1000, 1000, 5000};
    const double brief = us(y, model);
    const double busy = 2.0 * 1000 * 1000 * 5000 /
                        (gemm_compute_time(1000, 1000, 5000, 1, model).value() * model.peak.value());
    model.power_knee = busy / 4;
    CHECK(us(y, model) == Approx(2 * brief).epsilon(1e-3));
    model.power_knee = busy * 1.01;  // not limited
    CHECK(us(y, model) == Approx(brief));
    model.power_knee = busy / 4;
    model.sustained_horizon = 1_us;  // measured long enough to have been limited
    CHECK(us(y, model) == Approx(brief).epsilon(1e-2));
}

TEST_CASE("the correction is exact at its knots, linear between and constant outside", "[gemm]") {
    GemmModel model = toy();
    const GemmShape knot{1024, 1024, 4096};
    const double plain = us(knot, model);
    const std::size_t g = GemmCorrection::knots;
    model.fit.correction.log_ratio[(2 * g + 2) * g + 3] = 0.1F;
    CHECK(us(knot, model) == Approx(plain * std::exp(0.1)));
    const GemmShape between{1024, 1024, 8192};
    CHECK(us(between, model) == Approx(us(between, toy()) * std::exp(0.05)));
    for (float& x : model.fit.correction.log_ratio) {
        x = 0.2F;
    }
    CHECK(us({1e6, 8, 8}, model) == Approx(us({1e6, 8, 8}, toy()) * std::exp(0.2)));
}

TEST_CASE("nothing to multiply takes no time", "[gemm]") {
    CHECK(gemm_time({0, 1000, 1000}, GemmPass::forward, toy()) == 0_s);
    CHECK(gemm_time({1000, 1000, 1000, 0}, GemmPass::wgrad, toy()) == 0_s);
}

TEST_CASE("a compiler that pads the forward product alone leaves both of the backward pass off the grid",
          "[gemm]") {
    GemmModel model = toy();
    const GemmShape odd{10000, 20001, 4096};
    const GemmShape even{10000, 20008, 4096};
    for (const GemmPass pass : {GemmPass::forward, GemmPass::dgrad, GemmPass::wgrad}) {
        const double eager = us(odd, model, pass);
        GemmModel all = model;
        all.pads = true;
        GemmModel some = all;
        some.pads_gradients = false;
        CHECK(us(odd, all, pass) == Approx(us(even, model, pass)));
        CHECK(us(odd, some, pass) == Approx(pass == GemmPass::forward ? us(even, model, pass) : eager));
        CHECK(eager > 2.0 * us(odd, all, pass));
    }
}
