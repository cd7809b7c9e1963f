#include "traincost/fit/kernels/kernel_errors.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "support/temporary.hpp"
#include "traincost/ask/measured/kernel_tables.hpp"
#include "traincost/io/bench/accelerator_kernels.hpp"

using namespace traincost;

namespace {

/// Products that took `factor` times what the model says.
GemmSample sample_of(const std::string& id, const std::string& family, double factor) {
    const AcceleratorSpec chip = Catalogue().accelerator(id);
    const GemmModel model = *gemm_model(chip, kernel_models_of(chip), DataType::bf16);
    GemmSample sample{id, family, GemmFormat::bf16, model, {}};
    for (const double m : {128.0, 512.0, 2048.0, 8192.0}) {
        for (const double n : {1024.0, 4096.0}) {
            for (const double k : {1024.0, 4096.0}) {
                sample.points.push_back(
                    {0, GemmPass::forward, m, n, k, gemm_time({m, n, k}, GemmPass::forward, model) * factor});
            }
        }
    }
    return sample;
}

std::int64_t held(const GemmSample& sample) {
    return std::count_if(sample.points.begin(), sample.points.end(), held_out);
}

}  // namespace

TEST_CASE("kernels that take twice their model's time are predicted 50 % short", "[kernel-errors]") {
    const std::vector<GemmSample> samples = {sample_of("h200-sxm-141gb", "hopper", 2.0),
                                             sample_of("a100-sxm4-80gb", "ampere", 1.0)};
    const KernelErrors errors = kernel_errors(samples, {});
    REQUIRE(errors.gemms.size() == 2);
    CHECK(errors.gemms[0].accelerator == "h200-sxm-141gb");
    CHECK(errors.gemms[0].errors.n == held(samples[0]));
    CHECK(errors.gemms[0].errors.bias == Approx(-0.5));
    CHECK(errors.gemms[1].errors.worst_ape == Approx(0.0).margin(1e-12));
    CHECK(errors.all_gemms.n == 2 * held(samples[0]));
    CHECK(errors.all_gemms.mape == Approx(0.25));
    CHECK(errors.links.empty());
    CHECK(errors.all_links.n == 0);
}

TEST_CASE("collectives are held against the curves they came with, 1 MiB and more", "[kernel-errors]") {
    const Network network = Catalogue().cluster("h100-sxm5-80gb", 8).spec.network;
    LinkSample sample{"h100-sxm5-80gb", "network-nvlink4", network, {}};
    for (double bytes = 65536.0; bytes <= 1 << 28; bytes *= 2.0) {
        sample.points.push_back(
            {Collective::all_gather, 8, Bytes(bytes),
             collective_time(Collective::all_gather, Bytes(bytes), {8, 8, 1}, network) / 1.25});
    }
    const KernelErrors errors = kernel_errors({}, std::span(&sample, 1));
    REQUIRE(errors.links.size() == 1);
    CHECK(errors.links[0].curves == "network-nvlink4");
    CHECK(errors.links[0].errors.n == 9);
    CHECK(errors.links[0].errors.bias == Approx(0.25));
    CHECK(errors.links[0].held_out.n == 9);
    CHECK(errors.links[0].held_out.mape < 0.1);
    CHECK(errors.all_links.bias == Approx(0.25));
}

TEST_CASE("an accelerator is predicted from its family, or from all where it is alone", "[kernel-errors]") {
    std::vector<GemmSample> samples = {
        sample_of("h200-sxm-141gb", "hopper", 1.0), sample_of("h100-sxm5-80gb", "hopper", 1.0),
        sample_of("a100-sxm4-80gb", "ampere", 1.0), sample_of("mi300x", "cdna3", 1.0)};
    samples.back().format = GemmFormat::fp8;  // alone in its format: there is nothing to learn from
    const std::vector<GemmTransfer> transfers = gemm_transfers(samples);
    REQUIRE(transfers.size() == 3);
    CHECK(transfers[0].fitted_to == std::vector<std::string>{"h100-sxm5-80gb"});
    CHECK(transfers[1].fitted_to == std::vector<std::string>{"h200-sxm-141gb"});
    CHECK(transfers[2].fitted_to == std::vector<std::string>{"h200-sxm-141gb", "h100-sxm5-80gb"});
    CHECK(transfers[0].errors.n == 16);
    CHECK(transfers[0].scaled.median_ape <= transfers[0].errors.median_ape + 1e-12);
}

TEST_CASE("what a file of kernels holds besides is told before the error it ends in", "[kernel-errors]") {
    const std::string path = traincost::test::temporary("traincost-kernels-and-more.jsonl").string();
    std::ofstream(path) << "{\"kind\": \"device\", \"name\": \"NVIDIA H200\"}\n"
                           "{\"kind\": \"gemm\", \"dtype\": \"bf16\", \"tokens\": 4096, \"n\": 4096, "
                           "\"k\": 4096, \"fwd_us\": 210.0}\n"
                           "{\"kind\": \"copy\", \"bytes\": 1}\n";
    const Catalogue catalogue;
    std::vector<std::string> told;
    const TakeRemark tell = [&](const std::string& line) { told.push_back(line); };
    CHECK(are_kernel_files({path}));
    const KernelTables tables = read_kernel_tables({path}, "", LinkChoice::of_node, catalogue, tell);
    REQUIRE(tables.gemms.size() == 1);
    CHECK(tables.gemms[0].sample.accelerator == "h200-sxm-141gb");
    CHECK(tables.gemms[0].sample.family == "hopper");
    CHECK(tables.gemms[0].sample.model.sustained == 1.0);
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], Catch::Contains("not used: 1 copy"));
    told.clear();
    CHECK_THROWS_WITH(read_kernel_tables({path}, "a100-sxm4-80gb", LinkChoice::of_node, catalogue, tell),
                      Catch::Contains("has no point of a100-sxm4-80gb"));
    CHECK(told.size() == 1);
    std::filesystem::remove(path);
}

TEST_CASE("products of boards that boost, and of 16-bit formats a chip has, are possible",
          "[kernel-errors]") {
    const auto read = [](const std::string& id, const std::string& format, double tflops) {
        const std::string path = traincost::test::temporary("traincost-kernels-possible.jsonl").string();
        std::ofstream(path) << "{\"accelerator\": \"" << id << "\", \"format\": \"" << format
                            << "\", \"m\": 8192, \"n\": 8192, \"k\": 8192, \"us\": "
                            << 2.0 * 8192 * 8192 * 8192 / tflops / 1e6 << "}\n";
        const Catalogue catalogue;
        const std::size_t n =
            read_kernel_tables({path}, "", LinkChoice::of_node, catalogue, [](const std::string&) {
            }).gemms.size();
        std::filesystem::remove(path);
        return n;
    };
    CHECK(read("v100s-pcie-32gb", "fp16", 88.9) == 1);  // no bf16: its fp32 units have 16
    CHECK(read("t4", "fp16", 42.7) == 1);
    CHECK(read("rtx-5090", "bf16", 236.0) == 1);  // of 209.5 at the clock of its data sheet
    CHECK_THROWS_WITH(read("rtx-5090", "bf16", 300.0), Catch::Contains("above the bf16 peak of rtx-5090"));
}
