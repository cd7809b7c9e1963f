// Published trainings asked in plain words: a model, an accelerator, how many, and tokens; no sequence,
// batch, precision, layout or framework. What is assumed must lead to the accelerator-hours that were
// published.

#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "traincost/ask/questions/plan_question.hpp"
#include "traincost/ask/sources.hpp"
#include "traincost/io/json.hpp"
#include "traincost/spec/draft/job_fields.hpp"

using namespace traincost;

namespace {

/// Accelerator-hours of the first plan.
double planned_hours(const std::string& model, const std::string& gpu, std::int64_t gpus,
                     const std::string& tokens, const Sources& sources) {
    PlanQuestion question;
    const auto said = [&](std::string_view flag, const std::string& text) {
        say(question.job, *job_field(flag), text, std::string("--").append(flag));
    };
    said("model", model);
    said("gpu", gpu);
    said("gpus", std::to_string(gpus));
    said("tokens", tokens);
    question.top = 1;
    const PlanAnswer answer = ask(question, sources);
    REQUIRE_FALSE(answer.sheet.plans.empty());
    const Estimate& best = answer.sheet.plans.front().estimate;
    REQUIRE(best.training);
    return best.training->gpu_hours;
}

}  // namespace

// Trainings lose time to failures, loss spikes and software of their day: 0.6 of what was published is as far
// as a plan may be ahead, 1.15 as far as it may be behind. Three of 29 lie outside, all ahead: Pythia's 12B
// and 1.4B, and StarCoder, which ran at a third of the peak or less on clusters where others of their size
// reached half.
TEST_CASE("published trainings asked in plain words take the accelerator-hours published",
          "[published][long]") {
    const Sources sources;
    const auto file = std::filesystem::path(SOURCE_FOLDER) / "tests" / "published" / "model_cards.json";
    const JsonDocument document = sources.json_file(file.string());
    JsonObject cards{JsonNode(document)};
    int inside = 0;
    int all = 0;
    for (const JsonNode& card : cards.at("cards").items()) {
        JsonObject object(card);
        const std::string model = object.at("model").string();
        const double ratio = planned_hours(model, object.at("gpu").string(), object.at("gpus").integer(1),
                                           object.at("tokens").string(), sources) /
                             object.at("hours").number();
        CAPTURE(model, ratio);
        CHECK(ratio > 0.4);
        CHECK(ratio < 1.15);
        ++all;
        inside += ratio >= 0.6 && ratio <= 1.15 ? 1 : 0;
    }
    CHECK(all == 29);
    CHECK(inside >= 26);
}
