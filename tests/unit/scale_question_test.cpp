#include <traincost/ask/questions/scale_question.hpp>
#include <traincost/base/error.hpp>

#include <catch2/catch.hpp>

using namespace traincost;

TEST_CASE("a budget in hours or dollars is the FLOPs of its hardware", "[scale]") {
    const Sources sources;
    ScaleQuestion hours;
    hours.gpu_hours = 1000.0;
    hours.gpu = "h100";
    hours.mfu = 0.4;
    const ScalingBudget by_hours = ask(hours, sources);
    CHECK(by_hours.compute.value() == Approx(989.5e12 * 0.4 * 3.6e6).epsilon(0.01));
    CHECK(by_hours.assumptions.size() == 1);

    ScaleQuestion dollars = hours;
    dollars.gpu_hours = std::nullopt;
    dollars.budget = Dollars{2500.0};
    dollars.gpu_hour_price = Dollars{2.5};
    CHECK(ask(dollars, sources).compute.value() == Approx(by_hours.compute.value()));
    CHECK(ask(dollars, sources).assumptions.size() == 2);
}

TEST_CASE("what a budget lacks or has too much of is named, all at once", "[scale]") {
    const Sources sources;
    const auto paths = [&](const ScaleQuestion& q) {
        std::vector<std::string> found;
        try {
            ask(q, sources);
        } catch (const Error& error) {
            for (const Problem& problem : error.problems()) {
                found.push_back(problem.path);
            }
        }
        return found;
    };
    ScaleQuestion bare;
    bare.budget = Dollars{1e6};
    CHECK(paths(bare) == std::vector<std::string>{"--gpu", "--mfu", "--gpu-hour-price"});
    ScaleQuestion more;
    more.flops = 1e23;
    more.gpu = "h100";
    more.mfu = 0.4;
    CHECK(paths(more) == std::vector<std::string>{"--gpu", "--mfu"});
    CHECK_FALSE(paths(ScaleQuestion{}).empty());
}
