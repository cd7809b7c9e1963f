#include <string>

#include <catch2/catch.hpp>

#include "traincost/ask/questions/plan_question.hpp"
#include "traincost/ask/resolve.hpp"
#include "traincost/ask/sources.hpp"
#include "traincost/spec/draft/job_fields.hpp"

using namespace traincost;

namespace {

PlanAnswer plan_of(const std::string& model, std::int64_t gpus, const Sources& sources) {
    PlanQuestion question;
    const auto said = [&](std::string_view flag, const std::string& text) {
        say(question.job, *job_field(flag), text, std::string("--").append(flag));
    };
    said("model", model);
    said("gpu", "a100");
    said("gpus", std::to_string(gpus));
    question.top = 1;
    return ask(question, sources);
}

}  // namespace

TEST_CASE("a batch that nobody says is one that the accelerators can share", "[ask]") {
    const Sources sources;
    for (const std::int64_t gpus : {8, 24, 40, 96, 112, 440, 1000}) {
        CAPTURE(gpus);
        const PlanAnswer answer = plan_of("mistral-7b", gpus, sources);
        REQUIRE_FALSE(answer.sheet.plans.empty());
        const std::int64_t batch = answer.job.run.global_batch;
        CHECK(batch % (gpus / (gpus & -gpus)) == 0);
        // 4M tokens of 8,192, or near
        CHECK(batch >= 512 * 2 / 3);
        CHECK(batch <= 512 * 4 / 3 + (gpus > 512 ? gpus : 0));
    }
}

TEST_CASE("a batch that nobody says grows with the accelerators", "[ask]") {
    const Sources sources;
    // 4M tokens of 8,192 up to 8,192 accelerators, 512 tokens for each beyond.
    CHECK(plan_of("mistral-7b", 4096, sources).job.run.global_batch == 512);
    CHECK(plan_of("mistral-7b", 16384, sources).job.run.global_batch == 1024);
}

TEST_CASE("a published batch that the accelerators cannot share is changed, and it is said", "[ask]") {
    const Sources sources;
    const PlanAnswer published = plan_of("bloom-176b", 384, sources);
    CHECK(published.job.run.global_batch == 2048);
    const PlanAnswer changed = plan_of("llama-2-7b", 440, sources);
    CHECK(changed.job.run.global_batch == 880);
    bool said = false;
    for (const Assumption& each : changed.assumptions)
        said = said || each.why.find("changed from 1024 so that it divides over 440 accelerators") !=
                           std::string::npos;
    CHECK(said);
}

TEST_CASE("inputs of blocks that a launcher keeps on the host are there unless somebody says otherwise",
          "[ask]") {
    const Sources sources;
    const auto share = [&](const std::string& more, const std::string& text, const std::string& where = "") {
        JobDraft draft;
        const auto said = [&](std::string_view flag, const std::string& value) {
            say(draft, *job_field(flag), value, std::string("--").append(flag));
        };
        said("model", "llama-3.1-8b");
        said("gpu", "a100");
        said("gpus", "1");
        said("stack", "unsloth");
        said("tuning", "qlora");
        if (!more.empty())
            said(more, text);
        if (!where.empty())
            draft.recompute.where = where;
        return resolve(draft, sources, {}).job.run.offload_activations;
    };
    CHECK(share("", "") == 1.0);
    CHECK(share("recompute", "full") == 1.0);
    CHECK(share("recompute", "full", "train.py:3 use_gradient_checkpointing") == 0.0);
    CHECK(share("recompute", "none") == 0.0);
    CHECK(share("offload-activations", "0") == 0.0);
}
