#include <traincost/base/quantity.hpp>

#include <catch2/catch.hpp>

#include <cstdint>

using namespace traincost;
using namespace traincost::literals;

template <class X, class Y>
concept can_add = requires(X x, Y y) {
    x + y;
};

TEST_CASE("the literals are in base units", "[quantity]") {
    STATIC_REQUIRE((80_GiB).value() == 80.0 * (1LL << 30));
    STATIC_REQUIRE((80_GB).value() == 80e9);
    STATIC_REQUIRE((989_TFLOPs).value() == 989e12);
    STATIC_REQUIRE((400_Gbitps).value() == 50e9);
    CHECK((2.5_us).value() == Approx(2.5e-6));
    STATIC_REQUIRE((2_days).value() == 172800);
}

TEST_CASE("the dimension follows from the arithmetic", "[quantity]") {
    STATIC_REQUIRE(std::is_same_v<decltype(Flops() / FlopRate()), Seconds>);
    STATIC_REQUIRE(std::is_same_v<decltype(ByteRate() * Seconds()), Bytes>);
    STATIC_REQUIRE(std::is_same_v<decltype(Bytes() / Bytes()), double>);
    STATIC_REQUIRE(std::is_same_v<decltype(1.0 / Seconds() * Bytes()), ByteRate>);
    STATIC_REQUIRE(std::is_same_v<decltype(Dollars() / Seconds()), DollarRate>);
    STATIC_REQUIRE(12_TFLOP / 4_TFLOPs == 3_s);
    STATIC_REQUIRE(6_GB / 2_GB == 3.0);
}

TEST_CASE("bytes and flops cannot be added, nor a plain number to bytes", "[quantity]") {
    STATIC_REQUIRE(can_add<Bytes, Bytes>);
    STATIC_REQUIRE_FALSE(can_add<Bytes, Flops>);
    STATIC_REQUIRE_FALSE(can_add<Bytes, double>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<double, Bytes>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<Bytes, double>);
}

TEST_CASE("quantities scale by numbers of any type, add up and compare", "[quantity]") {
    const std::int64_t layers = 80;
    Bytes total = layers * 2_MiB;
    CHECK(total == 160_MiB);
    total += 40_MiB;
    total -= 100_MiB;
    CHECK(total == 100_MiB);
    total *= 3;
    total /= 2;
    CHECK(total == 150_MiB);
    CHECK(total / 3 == 50_MiB);
    CHECK(-total < 0_B);
    CHECK(total > 149_MiB);
    CHECK(total - 50_MiB <= 100_MiB);
}

TEST_CASE("a quantity costs what a double costs", "[quantity]") {
    STATIC_REQUIRE(sizeof(Bytes) == sizeof(double));
    STATIC_REQUIRE(std::is_trivially_copyable_v<Bytes>);
    CHECK(Bytes().value() == 0);
}
