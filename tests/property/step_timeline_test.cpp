// A drawn step is the step that is estimated.

#include <traincost/base/error.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/memory/memory_timeline.hpp>
#include <traincost/cost/step_lanes.hpp>
#include <traincost/cost/step_timeline.hpp>
#include <traincost/io/answers/timeline_json.hpp>
#include <traincost/report/charts/timeline_chart.hpp>
#include <traincost/report/charts/timeline_svg.hpp>

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "support/search_jobs.hpp"
#include "support/xml.hpp"

#include <algorithm>
#include <map>

using namespace traincost;
using traincost::test::xml_problem;

namespace {

Job piped(Schedule schedule, std::int64_t pp, std::int64_t vp) {
    Job job{search_jobs::gpt(16, 2048, 16), search_jobs::cluster(8), search_jobs::stack(),
            search_jobs::run(1024, 64)};
    job.run.parallel.pp = pp;
    job.run.parallel.vp = vp;
    job.run.parallel.dp = 8 / pp;
    job.run.micro_batch = 1;
    job.run.schedule = schedule;
    return job;
}

std::vector<Job> jobs() {
    std::vector<Job> all;
    for (const std::int64_t pp : {1, 2, 4, 8}) {
        for (const Schedule schedule :
             {Schedule::gpipe, Schedule::one_f_one_b, Schedule::zero_bubble, Schedule::dualpipe}) {
            if (schedule != Schedule::dualpipe || pp < 8)
                all.push_back(piped(schedule, pp, 1));
        }
        if (pp > 1)
            all.push_back(piped(Schedule::interleaved, pp, 2));
    }
    return all;
}

}  // namespace

TEST_CASE("a played step lasts as long as the estimated one, to 0.5 %", "[timeline]") {
    for (Job job : jobs()) {
        for (const bool overlap : {false, true}) {
            job.stack.pipeline.overlap_p2p = overlap;
            const StepTimeline line = step_timeline(job);
            INFO("schedule " << static_cast<int>(*job.run.schedule) << ", pp " << job.run.parallel.pp);
            CHECK(line.total.value() == Approx(estimate(job).step.total.value()).epsilon(0.005));
            CHECK(line.pipeline.busy.size() == static_cast<std::size_t>(job.run.parallel.pp));
            Seconds last = line.pipeline.total;
            for (const Stretch& s : line.after) {
                CHECK(s.begin == last);
                last = s.end;
            }
            CHECK(last == line.total);
        }
    }
}

TEST_CASE("a drawing has a line for each lane, as wide as it was asked to be, and an axis", "[timeline]") {
    Job job = piped(Schedule::one_f_one_b, 4, 1);
    job.run.global_batch = 8;
    const StepTimeline line = step_timeline(job);
    const StepLanes lanes = step_lanes(line);
    const Table table = timeline_table(line, lanes, 60);
    const auto used = static_cast<std::size_t>(std::count(lanes.used.begin(), lanes.used.end(), true));
    REQUIRE(table.rows.size() == 4 * used + 2);
    for (const std::vector<Cell>& row : table.rows)
        CHECK(row[3].text.size() == 60);
    CHECK(table.rows[0][3].text.front() == '0');
    CHECK(table.rows[3 * used][3].text.front() == '.');
    CHECK(table.rows.back()[3].text.find("ms") != std::string::npos);
    for (const std::vector<Cell>& row : memory_drawing(line, 60).rows)
        CHECK(row[1].text.size() == 60);
    CHECK(timeline_events(line).rows.size() == line.pipeline.events.size() + line.after.size());
    const std::string svg = timeline_svg(line, lanes, "a <step>", "tp 1");
    CHECK(xml_problem(svg) == "");
    CHECK(svg.find("a &lt;step&gt;") != std::string::npos);
    CHECK(svg.find("memory of stage") != std::string::npos);
}

TEST_CASE("lanes hold all of a task's time, and are at work no longer than the step", "[timeline]") {
    for (Job job : jobs()) {
        for (const bool overlap : {false, true}) {
            job.stack.pipeline.overlap_p2p = overlap;
            const StepTimeline line = step_timeline(job);
            const StepLanes lanes = step_lanes(line);
            Seconds own;
            Seconds sent;
            for (const LaneSpan& span : lanes.spans) {
                CHECK(span.begin < span.end);
                CHECK(span.end <= line.total * (1.0 + 1e-12));
                if (span.micro_batch >= 0 && span.lane != Lane::data_parallel)
                    (span.lane == Lane::pipeline ? sent : own) += span.end - span.begin;
            }
            Seconds busy;
            for (const Seconds b : line.pipeline.busy)
                busy += b;
            // What waits for its transfer is part of a task; what is sent beside compute is not.
            CHECK((overlap ? own : own + sent).value() == Approx(busy.value()).epsilon(1e-9));
            for (const auto& stage : lanes.usage) {
                for (const double share : stage)
                    CHECK(share <= 1.0 + 1e-9);
            }
        }
    }
}

// Where gradients appear in the first backward pass, the second finds all of them and one micro-batch less:
// it can be higher than the walk of the first, by no more than the difference.
TEST_CASE("memory over the step is as high as the stage's peak", "[timeline]") {
    for (Job job : jobs()) {
        for (const GradientStore store : {GradientStore::parameter, GradientStore::main_buffer}) {
            job.stack.states.gradients = store;
            for (const std::int64_t batch : {16, 64}) {
                job.run.global_batch = batch * 8 / job.run.parallel.pp;
                const StepTimeline line = step_timeline(job);
                const Estimate e = estimate(job);
                CAPTURE(static_cast<int>(*job.run.schedule), job.run.parallel.pp, batch,
                        static_cast<int>(store));
                for (std::int64_t s = 0; s < line.stages; ++s) {
                    CAPTURE(s);
                    Bytes most;
                    Seconds last;
                    for (const MemoryPoint& p : memory_over_step(line, s)) {
                        most = std::max(most, p.device);
                        CHECK(p.at >= last);
                        last = p.at;
                    }
                    CHECK(last.value() == Approx(line.total.value()));
                    const MemoryWalk& walk = line.memory[static_cast<std::size_t>(s)];
                    const Bytes peak = e.stages[static_cast<std::size_t>(s)].device;
                    const Bytes more =
                        walk.gradients_appear ? std::max(Bytes{}, walk.gradients - walk.kept) : Bytes{};
                    CHECK(most.value() >= peak.value() * 0.995);
                    CHECK(most.value() <= (peak + more).value() * 1.005);
                }
            }
        }
    }
}

TEST_CASE("a trace has slices that do not overlap on a thread, and memory that is counted", "[timeline]") {
    const StepTimeline line = step_timeline(piped(Schedule::interleaved, 2, 2));
    const std::string trace = chrome_trace(line, step_lanes(line), "a \"step\"");
    const nlohmann::json root = nlohmann::json::parse(trace);
    CHECK(root["otherData"]["title"] == "a \"step\"");
    std::map<std::pair<int, int>, double> until;
    std::size_t tasks = 0;
    std::size_t counters = 0;
    for (const auto& event : root["traceEvents"]) {
        const std::string phase = event["ph"];
        const int pid = event["pid"];
        if (phase == "X") {
            double& end = until[{pid, event["tid"].get<int>()}];
            CHECK(event["ts"].get<double>() >= end - 0.002);
            CHECK(event["dur"].get<double>() >= 0.0);
            end = event["ts"].get<double>() + event["dur"].get<double>();
            tasks += event["tid"] == 0 && event.contains("args") ? 1 : 0;
        } else if (phase == "C") {
            CHECK(event["args"]["GiB"].get<double>() > 0.0);
            ++counters;
        } else {
            CHECK(phase == "M");
        }
    }
    CHECK(tasks == line.pipeline.events.size());
    CHECK(counters >= line.pipeline.events.size());
}

TEST_CASE("64 stages and 512 micro-batches are drawn and traced", "[timeline]") {
    Job job{search_jobs::gpt(64, 2048, 16), search_jobs::cluster(64), search_jobs::stack(),
            search_jobs::run(1024, 512)};
    job.run.parallel.pp = 64;
    job.run.parallel.dp = 1;
    job.run.micro_batch = 1;
    const StepTimeline line = step_timeline(job);
    const StepLanes lanes = step_lanes(line);
    const std::string trace = chrome_trace(line, lanes, "large");
    CHECK(line.pipeline.events.size() == 64U * 2U * 512U);
    CHECK(trace.size() > line.pipeline.events.size());
    const std::string svg = timeline_svg(line, lanes, "large", "");
    CHECK(svg.size() < 8U << 20U);
    CHECK(xml_problem(svg) == "");
}

TEST_CASE("a schedule that cannot be played is said", "[timeline]") {
    Job job = piped(Schedule::dualpipe, 8, 1);
    job.run.global_batch = 9;
    CHECK_THROWS_AS(step_timeline(job), Error);
}
