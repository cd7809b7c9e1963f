// The closed form of a pipeline beside the pipeline played task by task.

#include <traincost/base/error.hpp>
#include <traincost/cost/memory/pipeline_memory.hpp>
#include <traincost/cost/pipeline.hpp>
#include <traincost/cost/pipeline_simulation.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>

using namespace traincost;

namespace {

/// Stages, their chunks and a schedule.
struct Case {
    Schedule schedule;
    std::vector<StageTime> stages;
    std::int64_t vp;
    std::int64_t micro_batches;
    StageTransfer transfer;

    PipelineTime closed() const {
        std::vector<std::int32_t> each(stages.size());
        std::iota(each.begin(), each.end(), 0);
        return pipeline_time(schedule, {stages, each}, vp, micro_batches, transfer);
    }
    std::vector<ChunkTime> chunks() const {
        std::vector<ChunkTime> all;
        const auto v = static_cast<std::size_t>(vp);
        for (std::size_t c = 0; c < stages.size() * v; ++c) {
            const StageTime& s = stages[c % stages.size()];
            const double end = c == 0 || c + 1 == stages.size() * v ? 1.0 : 0.0;
            const double parts = static_cast<double>(vp);
            all.push_back({(s.forward - s.end_forward) / parts + s.end_forward * end,
                           (s.backward - s.end_backward) / parts + s.end_backward * end, s.weight / parts});
        }
        return all;
    }
    PipelineRun run() const {
        const std::vector<ChunkTime> times = chunks();
        return play({schedule, times, static_cast<std::int64_t>(stages.size()), micro_batches, transfer});
    }
};

using Random = std::mt19937_64;

double between(Random& random, double a, double b) {
    return std::uniform_real_distribution(a, b)(random);
}

std::int64_t one_of(Random& random, std::initializer_list<std::int64_t> values) {
    return *(values.begin() + std::uniform_int_distribution<std::ptrdiff_t>(
                                  0, static_cast<std::ptrdiff_t>(values.size()) - 1)(random));
}

/// `spread`: how far a stage's time is from the mean; `ends`: the largest head, in blocks of a stage.
Case random_case(Random& random, Schedule schedule, double spread, double ends) {
    // A search has no time for longer DualPipes.
    const std::int64_t p =
        schedule == Schedule::dualpipe ? one_of(random, {2, 4, 6, 8}) : one_of(random, {2, 4, 6, 8, 16});
    const std::int64_t vp = schedule == Schedule::interleaved ? one_of(random, {2, 3, 4}) : 1;
    const std::int64_t m = schedule == Schedule::dualpipe ? 2 * p + 2 * one_of(random, {0, 1, 3, p, 3 * p})
                           : schedule == Schedule::interleaved
                               ? p * one_of(random, {1, 2, 3, 5, 8})
                               : one_of(random, {1, 2, p - 1, p, p + 1, 2 * p, 3 * p + 1, 5 * p + 2, 8 * p});
    const double ratio = between(random, 1.8, 3.0);
    Case x{schedule, {}, vp, m, {}};
    for (std::int64_t s = 0; s < p; ++s) {
        const double f = between(random, 1.0 - spread, 1.0 + spread);
        StageTime time{Seconds{f}, Seconds{f * ratio}, Seconds{f * between(random, 0.8, 1.0)}, {}, {}};
        const double end = s == 0 ? ends * 0.05 : s + 1 == p ? ends : 0.0;
        time.end_forward = Seconds{between(random, 0.0, end) / static_cast<double>(vp)};
        time.end_backward = time.end_forward * 2.0;
        time.forward += time.end_forward;
        time.backward += time.end_backward;
        x.stages.push_back(time);
    }
    if (one_of(random, {0, 1}) == 1)
        x.transfer = {Seconds{between(random, 0.0, 0.2) / static_cast<double>(vp)},
                      one_of(random, {0, 1}) == 1};
    return x;
}

std::string text_of(const Case& x) {
    std::string text = "schedule " + std::to_string(static_cast<int>(x.schedule)) + ", p " +
                       std::to_string(x.stages.size()) + ", vp " + std::to_string(x.vp) + ", m " +
                       std::to_string(x.micro_batches) + ", transfer " +
                       std::to_string(x.transfer.time.value()) +
                       (x.transfer.overlapped ? " overlapped:" : ":");
    for (const StageTime& s : x.stages)
        text += " " + std::to_string(s.forward.value()) + "+" + std::to_string(s.backward.value());
    return text;
}

Case equal_stages(Schedule schedule, std::int64_t p, std::int64_t vp, std::int64_t m) {
    return {schedule,
            std::vector<StageTime>(static_cast<std::size_t>(p),
                                   {Seconds{1.0 * vp}, Seconds{2.0 * vp}, Seconds{1.0 * vp}, {}, {}}),
            vp,
            m,
            {}};
}

constexpr std::array every_schedule = {Schedule::gpipe, Schedule::one_f_one_b, Schedule::interleaved,
                                       Schedule::zero_bubble, Schedule::dualpipe};

}  // namespace

TEST_CASE("the closed form of a pipeline is within 0.5 % of the pipeline played", "[pipeline]") {
    Random random(20251120);
    for (const Schedule schedule : every_schedule) {
        for (const double spread : {0.0, 0.05, 0.2, 0.35}) {
            double worst = 0.0;
            for (int i = 0; i < 150; ++i) {
                const Case x = random_case(random, schedule, spread, i % 3 == 0 ? 0.0 : 0.5);
                const double played = x.run().total.value();
                const double error = x.closed().total.value() / played - 1.0;
                INFO(text_of(x) << ": " << error);
                CHECK(std::abs(error) <= 0.005);
                worst = std::max(worst, std::abs(error));
            }
            INFO("schedule " << static_cast<int>(schedule) << ", spread " << spread << ", worst " << worst);
            CHECK(worst <= 0.005);
        }
    }
}

TEST_CASE("equal stages wait as the papers say", "[pipeline]") {
    const auto bubble = [](Schedule schedule, std::int64_t p, std::int64_t vp, std::int64_t m) {
        const Case x = equal_stages(schedule, p, vp, m);
        CHECK(x.run().total.value() == Approx(x.closed().total.value()));
        return x.closed().bubble.value();
    };
    // f = w = 1, b = 2: (p - 1) (f + b) [Huang19], [Narayanan21]; a chunk's for v chunks.
    CHECK(bubble(Schedule::gpipe, 8, 1, 32) == Approx(7 * 3.0));
    CHECK(bubble(Schedule::one_f_one_b, 8, 1, 32) == Approx(7 * 3.0));
    CHECK(bubble(Schedule::interleaved, 8, 4, 32) == Approx(7 * 3.0));
    // (p - 1) (f + b - 2 w) [Qi23, Table 2]; (p/2 - 1) (f + b + b - 3 w) [DeepSeekV3, Table 2].
    CHECK(bubble(Schedule::zero_bubble, 8, 1, 32) == Approx(7 * 1.0));
    CHECK(bubble(Schedule::dualpipe, 8, 1, 32) == Approx(3 * 2.0));
}

TEST_CASE("every task of a pipeline runs once, one after the other on a stage", "[pipeline]") {
    Random random(7);
    for (const Schedule schedule : every_schedule) {
        for (int i = 0; i < 20; ++i) {
            const Case x = random_case(random, schedule, 0.3, 0.5);
            const PipelineRun run = x.run();
            std::map<std::array<std::int64_t, 3>, int> seen;
            std::vector<Seconds> last(x.stages.size());
            Seconds end;
            for (const PipelineEvent& e : run.events) {
                const auto stage = static_cast<std::size_t>(e.stage);
                const std::int64_t kind =
                    static_cast<std::int64_t>(e.task) == 2 ? 1 : static_cast<std::int64_t>(e.task);
                CHECK(++seen[{kind, e.chunk, e.micro_batch}] == 1);
                // The two passes of a pair run together.
                if (schedule != Schedule::dualpipe)
                    CHECK(e.begin >= last[stage]);
                last[stage] = e.end;
                end = std::max(end, e.end);
            }
            CHECK(run.total == end);
            const auto passes = static_cast<std::size_t>(x.vp * x.micro_batches) * x.stages.size();
            std::size_t found = 0;
            for (const auto& [task, times] : seen)
                found += task[0] < 2 ? 1 : 0;
            CHECK(found == 2 * passes);
            for (const Seconds busy : run.busy)
                CHECK(busy.value() <= run.total.value() * (1.0 + 1e-12));
        }
    }
}

TEST_CASE("a pipeline is no faster than its slowest stage, and transfers do not speed it", "[pipeline]") {
    Random random(11);
    for (const Schedule schedule : every_schedule) {
        for (int i = 0; i < 200; ++i) {
            Case x = random_case(random, schedule, 0.5, 0.5);
            const PipelineTime with = x.closed();
            INFO(text_of(x));
            CHECK(with.bubble.value() >= 0.0);
            CHECK(with.transfer.value() >= 0.0);
            CHECK(with.total.value() == Approx((with.busy + with.bubble + with.transfer).value()));
            x.transfer = {};
            CHECK(x.closed().transfer.value() == 0.0);
            CHECK(x.closed().total.value() <= with.total.value() * (1.0 + 1e-12));
        }
    }
}

TEST_CASE("a pipeline asked for again takes what it took, to the bit", "[pipeline]") {
    Random random(13);
    std::vector<Case> cases;
    for (int i = 0; i < 700; ++i) {  // more than are remembered
        const Schedule schedule = i % 2 == 0 ? Schedule::interleaved : Schedule::zero_bubble;
        cases.push_back(random_case(random, schedule, 0.4, 0.5));
    }
    for (int round = 0; round < 2; ++round) {
        for (const Case& x : cases) {
            const std::vector<ChunkTime> times = x.chunks();
            const Pipeline pipeline{x.schedule, times, static_cast<std::int64_t>(x.stages.size()),
                                    x.micro_batches, x.transfer};
            CHECK(remembered_time(pipeline) == played_time(pipeline));
        }
    }
}

TEST_CASE("one stage is the plain sum under every schedule", "[pipeline]") {
    for (const Schedule schedule : every_schedule) {
        const PipelineTime t = equal_stages(schedule, 1, 1, 5).closed();
        CHECK(t.total.value() == 15.0);
        CHECK(t.bubble.value() == 0.0);
    }
}

TEST_CASE("a schedule that does not exist is not played", "[pipeline]") {
    CHECK_FALSE(can_play(Schedule::dualpipe, 4, 1, 7));
    CHECK_FALSE(can_play(Schedule::dualpipe, 3, 1, 12));
    CHECK_FALSE(can_play(Schedule::one_f_one_b, 4, 2, 8));
    CHECK(can_play(Schedule::interleaved, 4, 2, 8));
    CHECK_THROWS_AS(equal_stages(Schedule::dualpipe, 4, 1, 6).run(), Error);
}

TEST_CASE("interleaved micro-batches that are no multiple of the stages are played to the end",
          "[pipeline]") {
    for (const std::int64_t m : {1, 3, 5, 6, 7, 11}) {
        const Case x = equal_stages(Schedule::interleaved, 4, 2, m);
        const PipelineRun run = x.run();
        CHECK(run.events.size() == static_cast<std::size_t>(2 * 2 * 4 * m));
        CHECK(x.closed().total.value() == Approx(run.total.value()));
    }
}
