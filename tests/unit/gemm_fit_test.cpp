#include "traincost/fit/kernels/gemm_fit.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/io/bench/accelerator_kernels.hpp"
#include "traincost/io/bench/kernel_writer.hpp"
#include "traincost/io/catalogue.hpp"

using namespace traincost;

namespace {

GemmModel model_of(const std::string& id) {
    const Catalogue catalogue;
    const AcceleratorSpec chip = catalogue.accelerator(id);
    GemmModel model = *gemm_model(chip, kernel_models_of(chip), DataType::bf16);
    model.sustained = 1.0;
    model.power_knee = 0.0;
    model.fit.correction.log_ratio.fill(0.0F);
    return model;
}

/// Products "measured" on an accelerator with the model's numbers, off by `noise` up or down.
std::vector<GemmPoint> made_points(const GemmModel& model, double noise = 0.0) {
    std::vector<GemmPoint> points;
    for (const double m : {64.0, 256.0, 1024.0, 4096.0, 16384.0}) {
        for (const double n : {512.0, 1536.0, 4096.0, 8192.0, 16384.0}) {
            for (const double k : {512.0, 2048.0, 5120.0, 16384.0}) {
                const double off =
                    fold_of(std::to_string(points.size()), 64) % 2 == 0 ? 1.0 + noise : 1.0 - noise;
                points.push_back(
                    {0, GemmPass::forward, m, n, k, gemm_time({m, n, k}, GemmPass::forward, model) * off});
            }
        }
    }
    return points;
}

}  // namespace

TEST_CASE("products made with known numbers give them back", "[calibrate][gemm]") {
    const GemmModel start = model_of("h200-sxm-141gb");
    GemmModel truth = start;
    truth.fit.efficiency = 0.6;
    truth.fit.memory_efficiency = 0.65;
    truth.fit.launch = Seconds(5e-6);
    const std::vector<GemmPoint> points = made_points(truth);
    const GemmCalibration c = calibrate_gemm(points, std::span(&start, 1), TileMenus::present);
    CHECK(c.points == 100);
    CHECK(c.fitted_points > 30);
    CHECK(c.fitted_points < 70);
    CHECK(c.fit.efficiency == Approx(0.6).epsilon(0.02));
    CHECK(c.fit.memory_efficiency == Approx(0.65).epsilon(0.02));
    CHECK(c.fit.launch.value() == Approx(5e-6).epsilon(0.03));
    CHECK(c.before.median_ape > 0.2);
    CHECK(c.after.median_ape < 0.01);
    CHECK(c.after.p90_ape < 0.03);
}

TEST_CASE("noise is not fitted: held-out errors stay at its size", "[calibrate][gemm]") {
    const GemmModel start = model_of("a100-sxm4-80gb");
    const std::vector<GemmPoint> points = made_points(start, 0.05);
    const GemmCalibration c = calibrate_gemm(points, std::span(&start, 1), TileMenus::present);
    CHECK(c.after.median_ape < 0.08);
    CHECK(c.after.median_ape > 0.03);
}

TEST_CASE("factors of the backward products are found where they were measured", "[calibrate][gemm]") {
    const GemmModel start = model_of("h200-sxm-141gb");
    GemmModel truth = start;
    truth.fit.dgrad = 1.15;
    std::vector<GemmPoint> points = made_points(truth);
    for (std::size_t i = 0; i < points.size(); i += 2) {
        GemmPoint& p = points[i];
        p.pass = GemmPass::dgrad;
        p.time = gemm_time({p.m, p.n, p.k}, GemmPass::dgrad, truth);
    }
    const GemmFit fit = fit_gemm(points, std::span(&start, 1), TileMenus::present);
    CHECK(fit.dgrad == Approx(1.15).epsilon(0.02));
    CHECK(fit.wgrad == start.fit.wgrad);
}

TEST_CASE("one set of numbers is fitted to two accelerators", "[calibrate][gemm]") {
    std::vector<GemmModel> models = {model_of("h100-sxm5-80gb"), model_of("h200-sxm-141gb")};
    std::vector<GemmModel> truth = models;
    std::vector<GemmPoint> points;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        truth[i].fit = models[0].fit;
        truth[i].fit.efficiency = 0.7;
        for (GemmPoint p : made_points(truth[i])) {
            p.model = i;
            points.push_back(p);
        }
    }
    const GemmFit fit = fit_gemm(points, models, TileMenus::present);
    CHECK(fit.efficiency == Approx(0.7).epsilon(0.02));
    for (const double e : gemm_errors(points, models, &fit))
        CHECK(std::abs(e) < 0.05);
}

TEST_CASE("half of the shapes are held out, always the same", "[calibrate][gemm]") {
    int out = 0;
    const std::vector<GemmPoint> points = made_points(model_of("h200-sxm-141gb"));
    for (GemmPoint p : points) {
        out += held_out(p) ? 1 : 0;
        const bool as_forward = held_out(p);
        p.pass = GemmPass::wgrad;  // the three products of a layer are on one side
        CHECK(held_out(p) == as_forward);
    }
    CHECK(out > 35);
    CHECK(out < 65);
    CHECK_FALSE(fittable({0, GemmPass::forward, 8, 4096, 4096, Seconds(1e-5)}));
    CHECK_FALSE(fittable({0, GemmPass::forward, 4096, 4096, 4097, Seconds(1e-5)}));
    CHECK(fittable({0, GemmPass::forward, 64, 4096, 4096, Seconds(1e-5)}));
}

TEST_CASE("every built-in GEMM file reads back what the writer writes", "[calibrate][json][gemm]") {
    const Catalogue catalogue;
    for (const char* id : {"h200-sxm-141gb", "gb300-288gb", "mi300x-192gb", "l40s"}) {
        const GemmData data = *find_gemm_data(catalogue.accelerator(id));
        const JsonDocument document = parse_json(gemm_data_json(data), "gemm.json");
        const GemmData read = gemm_data_from_json(JsonNode(document));
        CHECK(read.origin == data.origin);
        REQUIRE(read.formats.size() == data.formats.size());
        for (std::size_t i = 0; i < read.formats.size(); ++i) {
            CHECK(read.formats[i].fit.tiles == data.formats[i].fit.tiles);
            CHECK(read.formats[i].fit.efficiency == Approx(data.formats[i].fit.efficiency).epsilon(1e-3));
            CHECK(read.formats[i].fit.correction.log_ratio == data.formats[i].fit.correction.log_ratio);
            CHECK(read.formats[i].fit.correction.log2_n == data.formats[i].fit.correction.log2_n);
        }
    }
}
