// The tables that Fast_LLM prints: its README's, and rows of its HEAD and its mixture-of-experts script.

#include "traincost/methods/fast_llm.hpp"

#include <catch2/catch.hpp>

#include "traincost/base/error.hpp"
#include "traincost/methods/printed.hpp"

using namespace traincost;

namespace {

/// Llama-2-70B on 6 nodes of 4 GPUs of 80 GB, 0.7 B tokens at 140 TFLOP/s: the README's inputs.
FastLlmInput readme() {
    return {.variant = FastLlmVariant::readme,
            .hidden = 8192,
            .layers = 80,
            .sequence = 4096,
            .vocab = 32000,
            .heads = 8,
            .experts = 0,
            .nodes = 6,
            .gpus_per_node = 4,
            .gpu_memory_GB = 80,
            .batch = 8,
            .billion_tokens = 0.7,
            .tflops = 140};
}

FastLlmInput head(std::int64_t hidden, std::int64_t layers, std::int64_t nodes, std::int64_t batch) {
    FastLlmInput in = readme();
    in.variant = FastLlmVariant::head;
    in.hidden = hidden;
    in.layers = layers;
    in.nodes = nodes;
    in.gpus_per_node = 8;
    in.batch = batch;
    return in;
}

using Cells = std::vector<std::string>;

Cells cells(const FastLlmMemory& row) {
    return {python_round_text(row.size, 2), python_round_text(row.eval, 2), python_round_text(row.train, 2)};
}

Cells cells(const FastLlmZero& row) {
    return {python_round_text(row.eval, 2), python_round_text(row.train, 2)};
}

Cells cells(const FastLlmPlan& row) {
    return {row.strategy,
            row.dp,
            std::to_string(row.tp),
            std::to_string(row.pp),
            python_round_text(row.train_GB, 2),
            python_round_text(row.days, 2)};
}

}  // namespace

TEST_CASE("Fast_LLM: every cell of the README's tables", "[fast_llm]") {
    const FastLlmSheet sheet = fast_llm(readme());
    CHECK(python_round_text(sheet.model_size, 2) == "64.72");
    CHECK(sheet.ratio == 102);
    CHECK(sheet.usable_GB == 79);
    REQUIRE(sheet.memory.size() == 5);
    CHECK(cells(sheet.memory[0]) == Cells{"0.3", "0.59", "4.73"});
    CHECK(cells(sheet.memory[1]) == Cells{"0.81", "1.61", "12.89"});
    CHECK(cells(sheet.memory[2]) == Cells{"0.27", "0.54", "0.54"});
    CHECK(cells(sheet.memory[3]) == Cells{"9.55", "19.11", "19.11"});
    CHECK(cells(sheet.memory[4]) == Cells{"92.01", "184.03", "1090.17"});
    REQUIRE(sheet.zero.size() == 3);
    CHECK(cells(sheet.zero[0]) == Cells{"129.45", "345.84"});
    CHECK(cells(sheet.zero[1]) == Cells{"129.45", "221.78"});
    CHECK(cells(sheet.zero[2]) == Cells{"5.39", "97.73"});
    REQUIRE(sheet.plans.size() == 2);
    CHECK(cells(sheet.plans[0]) == Cells{"Zero1+TP+PP", "1", "4", "6", "56.79", "1.25"});
    CHECK(cells(sheet.plans[1]) == Cells{"Zero3+(offload)", "24", "1", "1", "97.73", "1.25"});
    CHECK(sheet.messages == Cells{"You can't use pure Zero1 or Zero2 strategy."});
}

TEST_CASE("Fast_LLM: the README's inputs at its HEAD", "[fast_llm]") {
    FastLlmInput in = readme();
    in.variant = FastLlmVariant::head;
    const FastLlmSheet sheet = fast_llm(in);
    CHECK(cells(sheet.memory[3]) == Cells{"12.04", "24.08", "24.08"});
    CHECK(cells(sheet.memory[4]) == Cells{"99.05", "198.09", "1104.23"});
    CHECK(python_round_text(sheet.zero[0].train, 2) == "359.9");
    CHECK(python_round_text(sheet.zero[1].train, 2) == "235.85");
    CHECK(python_round_text(sheet.zero[2].train, 2) == "111.79");
    REQUIRE(sheet.plans.size() == 2);
    CHECK(python_round_text(sheet.plans[0].train_GB, 2) == "60.31");
    CHECK(python_round_text(sheet.plans[0].days, 2) == "1.25");
}

TEST_CASE("Fast_LLM: further rows of its HEAD", "[fast_llm]") {
    CHECK(cells(fast_llm(head(4096, 32, 1, 1)).plans[0]) == Cells{"Zero1", "8", "1", "1", "48.89", "0.38"});
    CHECK(cells(fast_llm(head(4096, 32, 1, 8)).plans[0]) == Cells{"Zero1", "8", "1", "1", "72.17", "0.38"});
    // 16 GPUs: the 13B shape
    CHECK(cells(fast_llm(head(5120, 40, 2, 1)).plans[0]) == Cells{"Zero1", "16", "1", "1", "75.58", "0.37"});
    const FastLlmSheet large = fast_llm(head(8192, 80, 16, 1));
    REQUIRE(large.plans.size() == 2);
    CHECK(cells(large.plans[0]) == Cells{"Zero1+TP+PP", "8", "8", "2", "25.27", "0.23"});
    CHECK(cells(large.plans[1]) == Cells{"Zero3+(offload)", "128", "1", "1", "32.24", "0.23"});
}

TEST_CASE("Fast_LLM: the mixture-of-experts script's defaults", "[fast_llm]") {
    FastLlmInput in = head(4096, 32, 1, 1);
    in.variant = FastLlmVariant::moe;
    in.experts = 8;
    const FastLlmSheet sheet = fast_llm(in);
    CHECK(python_round_text(sheet.model_size, 2) == "36.66");
    CHECK(cells(sheet.memory[0]) == Cells{"0.15", "0.3", "2.37"});
    CHECK(cells(sheet.memory[1]) == Cells{"1.14", "2.28", "18.25"});
    CHECK(cells(sheet.memory[2]) == Cells{"0.02", "0.03", "0.03"});
    CHECK(cells(sheet.memory[3]) == Cells{"10.54", "21.08", "21.08"});
    CHECK(cells(sheet.memory[4]) == Cells{"47.22", "94.43", "607.63"});
    CHECK(cells(sheet.zero[0]) == Cells{"73.31", "158.58"});
    CHECK(cells(sheet.zero[1]) == Cells{"73.31", "158.58"});
    CHECK(cells(sheet.zero[2]) == Cells{"9.16", "94.43"});
    REQUIRE(sheet.plans.size() == 2);
    CHECK(cells(sheet.plans[0]) == Cells{"Zero1+TP", "1.0", "8", "1", "19.82", "2.12"});
    CHECK(cells(sheet.plans[1]) == Cells{"Zero3+(offload)", "8", "1", "1", "94.43", "2.12"});
    in.experts = 3;
    CHECK_THROWS_WITH(fast_llm(in), Catch::Contains("knows 1, 2, 4 and 8 only"));
}

TEST_CASE("Fast_LLM: the router scores every expert, not only the live ones", "[fast_llm]") {
    FastLlmInput in = head(4096, 32, 1, 1);
    in.variant = FastLlmVariant::moe;
    for (const auto& [experts, live] : {std::pair(1, 2), std::pair(2, 4), std::pair(4, 6), std::pair(8, 8)}) {
        in.experts = experts;
        const FastLlmSheet sheet = fast_llm(in);
        // ALL less ALL in evaluation is 14 of the parameters that live.
        const double alive = (sheet.memory[4].train - sheet.memory[4].eval) / 14.0;
        const double h = 4096;
        const double layer = 8 * h * h * live + 4 * h * h + 6 * h + experts * h;
        CHECK(alive == Approx((32 * layer + (32000 + 4096 + 1) * h) / 1e9).epsilon(1e-12));
    }
}

TEST_CASE("Fast_LLM: the sheet is laid out as its README shows it", "[fast_llm]") {
    const std::string text = fast_llm_text(fast_llm(fast_llm_defaults(FastLlmVariant::readme)));
    CHECK_THAT(text, Catch::Contains("|    64.72     |          102           |          79          |\n"));
    CHECK_THAT(text, Catch::Contains(
                         "| input                   |     0.27 |             0.54 |              0.54 |\n"));
    CHECK_THAT(text, Catch::Contains(
                         "| ALL                     |    92.01 |           184.03 |           1090.17 |\n"));
    CHECK_THAT(text,
               Catch::Contains("| Zero1      |                   129.45 |                    345.84 |\n"));
    CHECK_THAT(
        text,
        Catch::Contains(
            "| Zero1+TP+PP     |    1 |    4 |    6 |                     56.79 |            1.25 |\n"));
    CHECK_THAT(
        text,
        Catch::Contains(
            "| Zero3+(offload) |   24 |    1 |    1 |                     97.73 |            1.25 |\n"));
}

TEST_CASE("Fast_LLM: numbers in a column with fractions have six digits and no trailing zeros",
          "[fast_llm]") {
    CHECK(grid_number(0.0) == "0");
    CHECK(grid_number(12.0) == "12");
    CHECK(grid_number(1090.17) == "1090.17");
    CHECK(grid_number(165211.83) == "165212");
    CHECK(grid_number(1234567.89) == "1.23457e+06");
    FastLlmInput in = head(768, 12, 1, 1);
    in.sequence = 128;
    const std::string text = fast_llm_text(fast_llm(in));
    CHECK_THAT(text, Catch::Contains("| input                   |     0    |             0    |"));
    // A bare exponent stands where the others have their points.
    CHECK(grid_text({{"a", "b"}, {"x", "1e+06"}, {"y", "2.5"}, {"z", "12"}}) ==
          "+-----+--------+\n"
          "| a   |      b |\n"
          "+=====+========+\n"
          "| x   |  1e+06 |\n"
          "+-----+--------+\n"
          "| y   |  2.5   |\n"
          "+-----+--------+\n"
          "| z   | 12     |\n"
          "+-----+--------+\n");
}

TEST_CASE("Fast_LLM: what all GPUs together cannot hold ends the sheet", "[fast_llm]") {
    FastLlmInput in = readme();
    in.nodes = 1;
    const FastLlmSheet sheet = fast_llm(in);
    CHECK(sheet.plans.empty());
    REQUIRE_FALSE(sheet.messages.empty());
    CHECK(sheet.messages[0] == "Minimal_Memory_needed:1090.17GB, Give_usable_memory:79*4=316GB");
}

TEST_CASE("Fast_LLM: achieved TFLOP/s counts 8ND", "[fast_llm]") {
    // N_B·4·2·s·GBS/(t·GPUs·1000) = 7·8·4096·128/(6.8·32·1000)
    const FlopRate rate = fast_llm_achieved(fast_llm_run_defaults());
    CHECK(python_round_text(rate.value() / 1e12, 2) == "134.93");
    CHECK(python_round_text(rate.value() / 1e12 * 6.0 / 8.0, 2) == "101.2");
}

TEST_CASE("Python's rounding is printed as Python prints it", "[fast_llm]") {
    CHECK(python_round_text(0.3, 2) == "0.3");
    CHECK(python_round_text(5, 2) == "5.0");
    CHECK(python_round_text(12.886, 2) == "12.89");
    CHECK(python_round_text(100, 2) == "100.0");
    CHECK(python_round_text(0.125, 2) == "0.12");  // to even
}
