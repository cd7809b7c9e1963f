#include <traincost/base/parallel.hpp>
#include <traincost/base/time_limit.hpp>

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>

using namespace traincost;

TEST_CASE("every index is called once, and results come in order, on any number of threads", "[parallel]") {
    for (const int threads : {0, 1, 2, 7}) {
        const auto squares = parallel_map(
            1000, [](std::size_t i) { return i * i; }, threads);
        REQUIRE(squares.size() == 1000);
        for (std::size_t i = 0; i < squares.size(); ++i) {
            REQUIRE(squares[i] == i * i);
        }
    }
    CHECK(parallel_map(0, [](std::size_t i) { return i; }).empty());
}

TEST_CASE("of several exceptions the one of the lowest index is thrown", "[parallel]") {
    for (const int threads : {0, 1, 4}) {
        const auto body = [](std::size_t i) {
            if (i % 100 == 37) {
                throw std::runtime_error(std::to_string(i));
            }
        };
        CHECK_THROWS_WITH(parallel_for(10000, body, threads), "37");
    }
}

TEST_CASE("a loop past its time limit throws, and the next one has none", "[parallel]") {
    using Clock = TimeLimit::Clock;
    const auto nothing = [](std::size_t) {};
    for (const int threads : {0, 1, 4}) {
        {
            const TimeLimit over(Clock::now() - std::chrono::seconds(1));
            CHECK_THROWS_WITH(parallel_for(100, nothing, threads), Catch::Contains("took too long"));
            const TimeLimit longer(Clock::now() + std::chrono::hours(1));
            CHECK_NOTHROW(parallel_for(100, nothing, threads));
        }
        CHECK_NOTHROW(parallel_for(100, nothing, threads));
    }
}

TEST_CASE("loops nest", "[parallel]") {
    const auto sums = parallel_map(20, [](std::size_t i) {
        std::size_t sum = 0;
        for (const std::size_t x : parallel_map(100, [&](std::size_t j) { return i * j; })) {
            sum += x;
        }
        return sum;
    });
    CHECK(sums[3] == 3 * 4950);
}
