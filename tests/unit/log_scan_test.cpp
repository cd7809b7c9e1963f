// Numbers in lines of logs, beside the library's own reading of them.

#include <traincost/base/decimal.hpp>
#include <traincost/import/logs/lines/log_scan.hpp>

#include <catch2/catch.hpp>

#include <random>
#include <string>
#include <vector>

using namespace traincost;

namespace {

std::string random_digits(std::mt19937& random, int most) {
    std::string digits;
    for (int i = std::uniform_int_distribution<int>(0, most)(random); i > 0; --i) {
        digits += static_cast<char>('0' + std::uniform_int_distribution<int>(0, 9)(random));
    }
    return digits;
}

/// Digits, most often with a fraction, an exponent, or what only looks like one.
std::string random_number(std::mt19937& random) {
    const auto one_in = [&](int n) { return std::uniform_int_distribution<int>(1, n)(random) == 1; };
    std::string text = random_digits(random, one_in(4) ? 25 : 6);
    text += one_in(4) ? "" : "." + random_digits(random, one_in(4) ? 25 : 6);
    if (one_in(3)) {
        text += one_in(2) ? "e" : "E";
        text += one_in(3) ? "" : one_in(2) ? "-" : "+";
        text += random_digits(random, one_in(8) ? 6 : 2);
    }
    return text;
}

}  // namespace

TEST_CASE("a number is the double nearest to what is written, whatever its length", "[logs]") {
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        const std::string text = random_number(random);
        double wanted = 0;
        const auto [end, error] = read_decimal(text.data(), text.data() + text.size(), wanted);
        const std::optional<LogNumber> number = number_at(text);
        INFO(text);
        REQUIRE(number.has_value() == (error != std::errc::invalid_argument));
        if (!number) {
            continue;
        }
        CHECK(number->end == static_cast<std::size_t>(end - text.data()));
        CHECK((error == std::errc::result_out_of_range || number->value == wanted));
        CHECK(number->exponent == (text.substr(0, number->end).find_first_of("eE") != std::string::npos));
    }
}

TEST_CASE("what a number says of how it was written", "[logs]") {
    CHECK(number_at("2.5123e+00")->decimals == 4);
    CHECK(number_at("7.")->decimals == 0);
    CHECK(number_at("1,234,567.25")->decimals == 2);
    CHECK_FALSE(number_at("2.5e")->exponent);
    CHECK(number_at("2.5e")->suffix == "e");
    CHECK(number_at("1234,5E+01")->exponent);
    CHECK(number_at("1,234.5E+01")->exponent);
    CHECK(number_at("9007199254740993")->value == 9007199254740992.0);  // 2^53 + 1: halves go to even
    CHECK_FALSE(number_at("."));
    CHECK_FALSE(number_at("-e5"));
}
