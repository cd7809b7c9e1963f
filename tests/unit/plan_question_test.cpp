// plan and recommend search one space: the same plans, and neither evaluates what cannot be among them.

#include <string>

#include <catch2/catch.hpp>

#include "traincost/ask/questions/plan_question.hpp"
#include "traincost/ask/questions/recommend_question.hpp"
#include "traincost/ask/sources.hpp"
#include "traincost/spec/draft/job_fields.hpp"

using namespace traincost;

namespace {

struct Asked {
    const char* model;
    const char* gpu;
    const char* gpus;
};

JobDraft draft_of(const Asked& asked) {
    JobDraft job;
    const auto said = [&](std::string_view flag, const std::string& text) {
        say(job, *job_field(flag), text, std::string("--").append(flag));
    };
    said("model", asked.model);
    said("gpu", asked.gpu);
    said("gpus", asked.gpus);
    return job;
}

}  // namespace

TEST_CASE("plan has the best plan that recommend has, and prunes as much", "[ask][slow]") {
    const Sources sources;
    // Models whose layers can and cannot be halved, dense and of experts.
    for (const Asked& asked : {Asked{"llama-2-70b", "h100", "96"}, Asked{"mixtral-8x7b", "h100", "128"},
                               Asked{"deepseek-v3", "h800", "512"}}) {
        CAPTURE(asked.model);
        PlanQuestion plan;
        plan.job = draft_of(asked);
        RecommendQuestion recommend;
        recommend.search.job = plan.job;
        const PlanAnswer planned = ask(plan, sources);
        const RecommendAnswer recommended = ask(recommend, sources);
        REQUIRE_FALSE(planned.sheet.plans.empty());
        REQUIRE_FALSE(recommended.plans.empty());
        CHECK(planned.sheet.plans.front().estimate.step.total.value() ==
              recommended.plans.front().estimate.step.total.value());
        const SearchCounts& n = planned.sheet.counts;
        CHECK(n.enumerated == recommended.result.counts.enumerated);
        // plan keeps more, to show layouts that differ: it prunes somewhat less.
        CHECK(n.pruned() > recommended.result.counts.pruned() / 2);
    }
}
