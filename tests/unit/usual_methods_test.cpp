// Figures that Lightning-LLM-Training-Test, llm-train-bench, FlagPerf and the IIIS spreadsheet print.

#include "traincost/methods/flagperf.hpp"
#include "traincost/methods/iiis_sheet.hpp"
#include "traincost/methods/lightning.hpp"
#include "traincost/methods/llm_bench.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/methods/six_nd.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace traincost;

namespace {

std::string percent(double x, int digits = 1) {
    return decimals_text(100.0 * x, digits);
}

}  // namespace

TEST_CASE("Lightning: a GPT-2 has 124,441,344 parameters with its two tokens, and 136.16 GFLOP forward",
          "[lightning]") {
    const LightningModel& gpt2 = lightning_model("gpt2");
    CHECK(lightning_parameters(gpt2) == 124441344);
    CHECK(decimals_text(lightning_forward(gpt2, 512, 1).value() / 1e9, 2) == "136.16");
    // 3.795 TFLOP/s are a forward pass of 35.9 ms; the step's own rate is 1.185.
    CHECK(decimals_text(lightning_forward(gpt2, 512, 1).value() / 3.795e12 * 1e3, 1) == "35.9");
    CHECK(decimals_text(6.0 * lightning_parameters(gpt2) * 1587.348 / 1e12, 3) == "1.185");
}

TEST_CASE("Lightning: T_days is 6DN over the rate of the whole system", "[lightning]") {
    CHECK(lightning_days(7e9, 2e12, 256 * 140.0) ==
          Approx(6 * 7e9 * 2e12 / (256 * 140e12) / 86400).epsilon(1e-14));
    // The README's four GPUs: 15.18 TFLOP/s by its report, 4.74 by 6ND, so 3.2 times too short.
    CHECK(decimals_text(lightning_days(124e6, 1e9, 4.74) / lightning_days(124e6, 1e9, 15.18), 1) == "3.2");
}

TEST_CASE("llm-train-bench: parameters and FLOPs of a token of every configuration", "[llm_bench]") {
    const struct {
        const char* name;
        double parameters;
        const char* gflop;
    } rows[] = {{"gpt2-125m", 124475904, "0.8601"},
                {"gpt2-1.5b", 1557686400, "10.2898"},
                {"llama-3.1-8b", 8030261248, "54.6240"},
                {"llama-3.1-70b-proxy", 2957008896, "18.1447"},
                {"llama-3.1-70b-proxy2", 3812663296, "23.6813"},
                {"llama-3.1-70b-proxy4", 5523972096, "34.7544"},
                {"llama-3.1-8b-proxy", 1268789248, "7.8141"},
                {"llama-3.1-70b", 70553706496, "455.5345"},
                {"llama-2-7b", 6502486016, "45.4574"}};
    for (const auto& row : rows) {
        CAPTURE(row.name);
        const LlmBenchWork work = llm_bench_work(llm_bench_model(row.name));
        CHECK(work.parameters == row.parameters);
        CHECK(decimals_text(work.claimed.value() / 1e9, 4) == row.gflop);
    }
}

TEST_CASE("llm-train-bench: tokens a second and MFU of its README", "[llm_bench]") {
    const auto tokens = [](const char* model, double tflops) {
        return decimals_text(llm_bench_tokens(llm_bench_work(llm_bench_model(model)), tflops), 0);
    };
    const std::vector<std::pair<double, const char*>> gpt2 = {{350, "34014"}, {400, "38873"}, {325, "31585"},
                                                              {360, "34986"}, {320, "31099"}, {330, "32071"},
                                                              {250, "24296"}};
    for (const auto& [tflops, printed] : gpt2) {
        CHECK(tokens("gpt2-1.5b", tflops) == printed);
    }
    const std::vector<std::pair<double, const char*>> proxy = {
        {700, "38579"}, {790, "43539"}, {1200, "66135"}, {600, "33068"},
        {650, "35823"}, {950, "52357"}, {680, "37477"},  {1000, "55113"}};
    for (const auto& [tflops, printed] : proxy) {
        CHECK(tokens("llama-3.1-70b-proxy", tflops) == printed);
    }
    CHECK(tokens("llama-3.1-8b", 330) == "6041");
    const LlmBenchPeak& h100 = llm_bench_peak("H100");
    CHECK(percent(350 / h100.bf16_TFLOPs) == "35.4");
    CHECK(percent(790 / h100.bf16_TFLOPs) == "79.8");
    CHECK(percent(1200 / h100.fp8_TFLOPs) == "60.6");
}

TEST_CASE("llm-train-bench: what is looked up is a third of the work it claims for one layer",
          "[llm_bench]") {
    const LlmBenchWork proxy = llm_bench_work(llm_bench_model("llama-3.1-70b-proxy"));
    CHECK(decimals_text(proxy.corrected / proxy.claimed, 4) == "0.6526");
    CHECK(decimals_text(proxy.corrected_causal / proxy.claimed, 4) == "0.6415");
    const LlmBenchWork llama = llm_bench_work(llm_bench_model("llama-3.1-8b"));
    CHECK(decimals_text(llama.corrected / llama.claimed, 3) == "0.942");
    CHECK(decimals_text(llama.corrected_causal / llama.claimed, 3) == "0.883");
    const LlmBenchWork gpt2 = llm_bench_work(llm_bench_model("gpt2-1.5b"));
    CHECK(decimals_text(gpt2.corrected / gpt2.claimed, 3) == "0.999");
    CHECK(decimals_text(gpt2.corrected_causal / gpt2.claimed, 3) == "0.953");
}

TEST_CASE("llm-train-bench: the later version counts half of attention, and of a window what it leaves",
          "[llm_bench]") {
    CHECK(llm_bench_density(llm_bench_model("llama-3.1-8b")) == 0.5);
    // T 8192, W 1024: (1024·1023/2 + 7169·1024)/8192².
    const LlmBenchModel& mistral = llm_bench_model("mistral-7b-v0.1");
    CHECK(llm_bench_density(mistral) == Approx((523776.0 + 7341056.0) / 67108864.0).epsilon(1e-15));
    CHECK(llm_bench_work(mistral).parameters == 7241732096);
    // "790 TFLOP/s, 80 %" of the proxy is 516 (507), 52 % (51 %); 80 % is the rounded 79.8.
    const LlmBenchWork proxy = llm_bench_work(llm_bench_model("llama-3.1-70b-proxy"));
    CHECK(decimals_text(790 * (proxy.corrected / proxy.claimed), 0) == "516");
    CHECK(decimals_text(790 * (proxy.corrected_causal / proxy.claimed), 0) == "507");
    CHECK(llm_bench_line(350, 989.5) == "[rank0] 350.00 TFLOP/s MFU=35.37%");
}

TEST_CASE("llm-train-bench: the exact MFU of every rate that its README states", "[llm_bench]") {
    const LlmBenchPeak& h100 = llm_bench_peak("H100");
    const std::vector<std::pair<double, const char*>> bf16 = {{350, "35.4"}, {400, "40.4"}, {700, "70.7"},
                                                              {790, "79.8"}, {325, "32.8"}, {360, "36.4"},
                                                              {600, "60.6"}, {650, "65.7"}, {680, "68.7"}};
    for (const auto& [tflops, printed] : bf16) {
        CHECK(percent(tflops / h100.bf16_TFLOPs) == printed);
    }
    const std::vector<std::pair<double, const char*>> fp8 = {{400, "20.2"}, {1200, "60.6"}, {350, "17.7"},
                                                             {950, "48.0"}, {250, "12.6"},  {1000, "50.5"}};
    for (const auto& [tflops, printed] : fp8) {
        CHECK(percent(tflops / h100.fp8_TFLOPs) == printed);
    }
    CHECK(llm_bench_peak("MI300X").bf16_TFLOPs == 1300);
    CHECK(llm_bench_peak("MI300X").fp8_TFLOPs == 2610);
}

TEST_CASE("Lightning: the report of the README's four T4s, line by line", "[lightning]") {
    const LightningModel& gpt2 = lightning_model("gpt2");
    const std::string text =
        lightning_text({.model = gpt2.name,
                        .model_size = lightning_size(gpt2),
                        .strategy = "deepspeed_stage_2_offload",
                        .batch = 1,
                        .sequence = 512,
                        .gpus = 4,
                        .cpu_ram_GB = 12.7,
                        .gpu_ram_GB = {3.8, 3.8, 3.6, 3.6},
                        .tokens_per_s = 1587.348,
                        .tflops = lightning_forward(gpt2, 512, 1).value() / 35.88e-3 / 1e12});
    for (const char* line : {"Model size:         124M\n", "Peak GPU RAM:       3.8GB, 3.8GB, 3.6GB, 3.6GB\n",
                             "Tokens/sec/GPU:     1587.348\n", "Tokens/sec/total:   6349.392\n",
                             "TFLOP/sec/GPU:      3.795\n", "TFLOP/sec/total:    15.18\n"}) {
        CHECK_THAT(text, Catch::Contains(line));
    }
    CHECK(lightning_size(lightning_model("bigscience/bloom-560m")) == "559M");
}

TEST_CASE("FlagPerf: tokens/s of a GPU and 6N MFU of GPT-3 on Paddle", "[flagperf]") {
    CHECK(decimals_text(flagperf_tokens(17.23, 2048, 8), 2) == "4410.88");
    CHECK(decimals_text(flagperf_tokens(6.42, 2048, 8), 2) == "1643.52");
    const FlagPerfPeak& a100 = flagperf_peak("A100");
    CHECK(percent(flagperf_mfu(4410.88, flagperf_model("gpt3-6.7b").parameters, a100)) == "56.5");
    CHECK(percent(flagperf_mfu(1643.52, flagperf_model("gpt3-13b").parameters, a100)) == "40.6");
    CHECK(flagperf_configuration({1, 1, 2, 8, "A10080G", 1, 8}) == "config_TP1PP1SH2SP8A10080Gx1x8");
}

TEST_CASE("IIIS spreadsheet: the cells that the published file has", "[iiis]") {
    const IiisSheet s = iiis_sheet(iiis_sheet_defaults());
    CHECK(s.parameters.total == 6574178304);
    CHECK(decimals_text(s.computation.forward, 12) == "5.983963185152");
    CHECK(decimals_text(s.timeline.forward, 12) == "14.573897777152");
    CHECK(decimals_text(s.timeline.backward, 9) == "17.179869184");
    CHECK(decimals_text(s.timeline.iteration, 12) == "34.795488804864");
    CHECK(s.iterations == 7630);
    CHECK(decimals_text(s.seconds, 9) == "265489.579581112");
}

TEST_CASE("6ND: 7B parameters and 2T tokens are 84 ZFLOP", "[six_nd]") {
    CHECK(six_nd(7e9, 2e12).value() == Approx(8.4e22).epsilon(1e-14));
    CHECK(six_nd_time(7e9, 2e12, FlopRate{140e12 * 256}).value() / 86400 == Approx(27.127).epsilon(1e-4));
    CHECK(six_nd_mfu(7e9, 1000, FlopRate{42e12}) == Approx(1.0).epsilon(1e-14));
}
