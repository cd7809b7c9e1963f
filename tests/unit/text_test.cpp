#include <traincost/base/error.hpp>
#include <traincost/base/flag_values.hpp>
#include <traincost/base/text.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <limits>
#include <vector>

using namespace traincost;
using namespace traincost::literals;
using Catch::Matchers::Contains;

TEST_CASE("sizes are parsed with their unit, powers of 1000 and of 1024 apart", "[text]") {
    CHECK(parse_bytes("80GiB") == 80_GiB);
    CHECK(parse_bytes("80 GB") == 80_GB);
    CHECK(parse_bytes(" 1.5TiB ") == 1.5_TiB);
    CHECK(parse_bytes("512B") == 512_B);
    CHECK(parse_bytes("0B") == 0_B);
}

TEST_CASE("a size in a wrong unit is rejected with the units that are allowed", "[text]") {
    for (const char* text : {"80 gigs", "80", "80gb", "GiB", "", " ", "80GiBx", "80 GiB 3", "0x10B", "nan",
                             "inf", "nanGB", "infGB", "1e999GB"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_bytes(text), Error);
    }
    CHECK_THROWS_WITH(parse_bytes("80 gigs"),
                      "'80 gigs' is not a size; allowed: a number followed by B, kB, MB, GB, TB, PB, KiB, "
                      "MiB, GiB, TiB, PiB");
}

TEST_CASE("negative numbers and zero are rejected where asked", "[text]") {
    CHECK_THROWS_WITH(parse_bytes("-1GB"), "'-1GB' must not be negative");
    CHECK_THROWS_WITH(parse_bytes("0GB", Range::positive), "'0GB' must be greater than 0");
    CHECK(parse_bytes("-1GB", Range::any) == -1 * 1_GB);
    CHECK(parse_number("-2.5") == -2.5);
    CHECK_THROWS_AS(parse_number("-2.5", Range::not_negative), Error);
    CHECK_THROWS_AS(parse_number("nan"), Error);
    CHECK_THROWS_AS(parse_number("-inf"), Error);
    CHECK_THROWS_AS(parse_number("1,5"), Error);
    CHECK_THROWS_AS(parse_bytes("1e308PB"), Error);
}

TEST_CASE("counts are whole numbers with an optional suffix", "[text]") {
    CHECK(parse_count("15T") == 15'000'000'000'000);
    CHECK(parse_count("7B") == 7'000'000'000);
    CHECK(parse_count("1.5M") == 1'500'000);
    CHECK(parse_count("1.1M") == 1'100'000);
    CHECK(parse_count("15.6T") == 15'600'000'000'000);
    CHECK(parse_count("8192") == 8192);
    CHECK(parse_count("128K") == 128'000);
    CHECK(parse_count("128Ki") == 131'072);
    CHECK(parse_count("3e11") == 300'000'000'000);
    CHECK_THROWS_WITH(parse_count("1.5"), "'1.5' is not a whole number");
    CHECK_THROWS_WITH(parse_count("-3"), Contains("must not be negative"));
    CHECK_THROWS_WITH(parse_count("15 trillion"),
                      Contains("allowed: a number alone or followed by K, M, B, T, Q, Ki, Mi"));
    CHECK_THROWS_AS(parse_count("1e30"), Error);
    CHECK_THROWS_AS(parse_count("0", Range::positive), Error);
}

TEST_CASE("rates are per second, and bits are not bytes", "[text]") {
    CHECK(parse_byte_rate("900GB/s") == 900_GBps);
    CHECK(parse_byte_rate("3.35 TB/s").value() == Approx(3.35e12));
    CHECK(parse_byte_rate("400Gbit/s") == 50_GBps);
    CHECK_THROWS_AS(parse_byte_rate("400Gb/s"), Error);
    CHECK_THROWS_AS(parse_byte_rate("400Gbps"), Error);
    CHECK(parse_flop_rate("989TFLOP/s") == 989_TFLOPs);
    CHECK(parse_flop_rate("1.98PFLOPS").value() == Approx(1.98e15));
    CHECK_THROWS_AS(parse_flop_rate("989"), Error);
}

TEST_CASE("durations are sums of numbers with units, larger units first", "[text]") {
    CHECK(parse_duration("3d4h") == 76_h);
    CHECK(parse_duration("1h30m") == 90_min);
    CHECK(parse_duration("1h 30 min") == 90_min);
    CHECK(parse_duration("90s") == 90_s);
    CHECK(parse_duration("2.5ms").value() == Approx(2.5e-3));
    CHECK(parse_duration("2w") == 14_days);
    for (const char* text : {"", "3", "4h3d", "3d3d", "3 days", "3d-4h", "3d4", "h"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_duration(text), Error);
    }
    CHECK_THROWS_WITH(parse_duration("-3d"), Contains("must not be negative"));
}

TEST_CASE("dollars and fractions", "[text]") {
    CHECK(parse_dollars("$20M") == Dollars(20e6));
    CHECK(parse_dollars("2.49") == Dollars(2.49));
    CHECK_THROWS_AS(parse_dollars("20 bucks"), Error);
    CHECK(parse_fraction("45%") == Approx(0.45));
    CHECK(parse_fraction("0.45") == 0.45);
    CHECK(parse_fraction("1") == 1);
    CHECK(parse_fraction("150%") == 1.5);
    CHECK_THROWS_WITH(parse_fraction("45"), "'45' is not a fraction; allowed: 0 to 1, or a percentage: 45%");
}

TEST_CASE("people read three significant digits and the unit that fits", "[text]") {
    CHECK(to_text(74.51_GiB) == "74.5 GiB");
    CHECK(to_text(512_B) == "512 B");
    CHECK(to_text(0_B) == "0 B");
    CHECK(to_text(1023.9_MiB) == "1.00 GiB");
    CHECK(to_text(1000_MiB) == "1000 MiB");
    CHECK(to_text(-1 * 2_GiB) == "-2.00 GiB");
    CHECK(to_text(1.984_PFLOP) == "1.98 PFLOP");
    CHECK(to_text(989_TFLOPs) == "989 TFLOP/s");
    CHECK(to_text(999.9_TFLOPs) == "1.00 PFLOP/s");
    CHECK(to_text(3.35_TBps) == "3.35 TB/s");
    CHECK(to_text(Dollars(1'234'567)) == "$1.23M");
    CHECK(to_text(Dollars(2.49)) == "$2.49");
    CHECK(to_text(Dollars(-2.49)) == "-$2.49");
    CHECK(count_text(8'030'261'248) == "8.03B");
    CHECK(count_text(15e12) == "15.0T");
    CHECK(count_text(512) == "512");
    CHECK(percent_text(0.453) == "45.3%");
    CHECK(percent_text(1.0) == "100%");
}

TEST_CASE("durations are read in two units from minutes to days", "[text]") {
    CHECK(to_text(12.34_ms) == "12.3 ms");
    CHECK(to_text(0_s) == "0 s");
    CHECK(to_text(45_s) == "45.0 s");
    CHECK(to_text(99.97_s) == "1m40s");
    CHECK(to_text(90_min) == "1h30m");
    CHECK(to_text(3599.7_s) == "1h");
    CHECK(to_text(76_h) == "3d4h");
    CHECK(to_text(48_h) == "2d");
    CHECK(to_text(123.4_days) == "123d");
    CHECK(parse_duration(to_text(76_h)) == 76_h);
}

TEST_CASE("significant digits are digits, without exponent", "[text]") {
    CHECK(to_significant(0.001234) == "0.00123");
    CHECK(to_significant(9.996) == "10.0");
    CHECK(to_significant(123456) == "123000");
    CHECK(to_significant(-12.34) == "-12.3");
    CHECK(to_significant(0) == "0");
}

TEST_CASE("machines read back the same double", "[text]") {
    for (const double x : {0.1, 1.0 / 3, 1e300, 5e-324, 8'030'261'248.0}) {
        CHECK(std::strtod(to_exact(x).c_str(), nullptr) == x);
    }
}

TEST_CASE("the edit distance counts insertions, deletions, replacements and swaps", "[text]") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("estimate", "esitmate") == 1);
    CHECK(edit_distance("plan", "plain") == 1);
}

TEST_CASE("the nearest name is suggested, and none when nothing is near", "[text]") {
    const std::vector<std::string> gpus = {"a100-80gb-sxm", "h100-sxm", "h200-sxm"};
    CHECK(nearest("h100sxm", gpus) == "h100-sxm");
    CHECK(nearest("H100-SXM", gpus) == "h100-sxm");
    CHECK(nearest("banana", gpus) == std::nullopt);
    CHECK(nearest("", gpus) == std::nullopt);
    CHECK(did_you_mean("h20-sxm", gpus) == "; did you mean 'h200-sxm'?");
    CHECK(did_you_mean("banana", gpus).empty());
    const std::array<std::string_view, 3> commands = {"plan", "params", "chinchilla-grid"};
    CHECK(nearest("pln", commands) == "plan");
    CHECK(nearest("chinchilla", commands) == "chinchilla-grid");
    CHECK(nearest("chin", commands) == std::nullopt);
}

TEST_CASE("names are found by their beginning or a part, words and numbers taken whole", "[text]") {
    using Names = std::vector<std::string>;
    const Names models = {"falcon-mamba-7b", "gpt2-124m", "gpt3-175b", "mamba-codestral-7b",
                          "qwen3-235b-a22b", "qwen3-32b", "t5-3b"};
    CHECK(names_with("GPT", models) == Names{"gpt2-124m", "gpt3-175b"});
    CHECK(names_with("qwen3-235b", models) == Names{"qwen3-235b-a22b"});
    CHECK(names_with("qwen3-23", models).empty());
    CHECK(names_with("mamba", models) == Names{"mamba-codestral-7b"});
    CHECK(names_with("7b", models) == Names{"falcon-mamba-7b", "mamba-codestral-7b"});
    CHECK(names_with("amba", models).empty());
    CHECK(names_with("", models).empty());
}

TEST_CASE("no NaN and no infinity is ever written, whatever the quantity", "[text]") {
    for (const double x : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
        CHECK_THROWS_AS(traincost::finite(x), Error);
        CHECK_THROWS_AS(to_significant(x), Error);
        CHECK_THROWS_AS(to_exact(x), Error);
        CHECK_THROWS_AS(count_text(x), Error);
        CHECK_THROWS_AS(percent_text(x), Error);
        CHECK_THROWS_AS(to_text(Bytes{x}), Error);
        CHECK_THROWS_AS(to_text(Flops{x}), Error);
        CHECK_THROWS_AS(to_text(Seconds{x}), Error);
        CHECK_THROWS_AS(to_text(Dollars{x}), Error);
        CHECK_THROWS_AS(to_text(ByteRate{x}), Error);
        CHECK_THROWS_AS(to_text(FlopRate{x}), Error);
    }
    CHECK(traincost::finite(1.5) == 1.5);
}

TEST_CASE("of names that are as near, the one that begins alike is suggested, and a digit weighs more",
          "[text]") {
    const std::vector<std::string> gpus = {"a10", "h20", "h100", "h200", "l40"};
    CHECK(nearest("h10", gpus) == "h100");
    CHECK(nearest("H10", gpus) == "h100");
    CHECK(nearest("h210", gpus) == "h20");
    CHECK(nearest("a1o", gpus) == "a10");
}

TEST_CASE("a name with words more is suggested without them", "[text]") {
    const std::vector<std::string> models = {"gemma-3-4b", "llama-2-7b", "llama-3-70b", "llama-3-8b",
                                             "qwen2.5-7b"};
    CHECK(nearest("Llama-3-8B-Instruct", models) == "llama-3-8b");
    CHECK(nearest("meta-llama/Meta-Llama-3-8B", models) == "llama-3-8b");
    CHECK(nearest("Qwen/Qwen2.5-7B-Instruct", models) == "qwen2.5-7b");
    CHECK(nearest("llama-3-8", models) == "llama-3-8b");
}

TEST_CASE("units of counts and dollars may be written small", "[text]") {
    CHECK(parse_count("4k") == 4000);
    CHECK(parse_count("100b") == 100'000'000'000);
    CHECK(parse_count("1.5t") == 1'500'000'000'000);
    CHECK(parse_count("128ki") == 131072);
    CHECK(parse_dollars("$20m") == Dollars(20e6));
    CHECK_THROWS_WITH(parse_count("4kk"), Catch::Contains("'4kk' is not a count"));
}

TEST_CASE("a bandwidth beyond all numbers once its unit is taken is too large", "[text]") {
    CHECK(gigabytes_per_second("400Gb/s") == 50.0);
    CHECK_THROWS_WITH(gigabytes_per_second("1e300GB/s"), "'1e300GB/s' is too large");
    CHECK_THROWS_WITH(gigabits_per_second("1e308TB/s"), "'1e308TB/s' is too large");
}
