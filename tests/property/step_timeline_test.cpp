// A drawn step is the step that is estimated.

#include <traincost/base/error.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/step_timeline.hpp>
#include <traincost/io/timeline_json.hpp>
#include <traincost/report/timeline_chart.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

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
            job.stack.overlap_p2p = overlap;
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

TEST_CASE("a drawing has a line for each stage, as wide as it was asked to be", "[timeline]") {
    Job job = piped(Schedule::one_f_one_b, 4, 1);
    job.run.global_batch = 8;
    const StepTimeline line = step_timeline(job);
    const Table table = timeline_table(line, 60);
    REQUIRE(table.rows.size() == 4);
    for (const std::vector<Cell>& row : table.rows)
        CHECK(row[2].text.size() == 60);
    CHECK(table.rows[0][2].text.front() == '0');
    CHECK(table.rows[3][2].text.front() == '.');
    CHECK(timeline_events(line).rows.size() == line.pipeline.events.size() + line.after.size());
    CHECK(timeline_svg(line, "a <step>").find("a &lt;step&gt;") != std::string::npos);
}

TEST_CASE("a trace has an event for each task on its stage's thread", "[timeline]") {
    const StepTimeline line = step_timeline(piped(Schedule::interleaved, 2, 2));
    const std::string trace = chrome_trace(line);
    std::size_t events = 0;
    for (auto at = trace.find("\"ph\": \"X\""); at != std::string::npos;
         at = trace.find("\"ph\": \"X\"", at + 1))
        ++events;
    CHECK(events == line.pipeline.events.size() + 2 * line.after.size());
}

TEST_CASE("a schedule that cannot be played is said", "[timeline]") {
    Job job = piped(Schedule::dualpipe, 8, 1);
    job.run.global_batch = 9;
    CHECK_THROWS_AS(step_timeline(job), Error);
}
