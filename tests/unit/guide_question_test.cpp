// The guide's questions, without a terminal.

#include "traincost/ask/questions/guide_question.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/base/error.hpp"

using namespace traincost;

namespace {

const GuideStep& step_of(const std::string& flag) {
    const auto steps = guide_steps();
    return *std::find_if(steps.begin(), steps.end(), [&](const GuideStep& s) { return s.flag == flag; });
}

/// The flags of the steps that are asked after these answers and what is usual.
std::vector<std::string> asked(GuideAnswers answers) {
    std::vector<std::string> flags;
    for (const GuideStep& step : guide_steps()) {
        if (!is_asked(step, answers) || (answers.contains(step.flag) && !step.help.empty()))
            continue;
        flags.push_back(step.flag);
        answers[step.flag] = step.choices.empty() ? step.usual : *chosen(step, "");
    }
    return flags;
}

}  // namespace

TEST_CASE("the usual answers are a search, and degrees are asked of an own layout", "[guide]") {
    const std::vector<std::string> job = {"--model",        "--gpu",    "--gpus",  "--seq",
                                          "--global-batch", "--tokens", "--layout"};
    CHECK(asked({}) == job);
    CHECK(asked({{"--layout", "own"}}).size() == job.size() - 1 + 5);
    CHECK(guide_answers({{"--tp", "2"}}).at("--layout") == "own");
    CHECK_FALSE(guide_answers({{"--gpus", "2"}}).contains("--layout"));
    CHECK(guide_answers({{"--tp", "2"}, {"--layout", "recommended"}}).at("--layout") == "recommended");
}

TEST_CASE("another accelerator than those listed is asked for by its id", "[guide]") {
    const auto flags = asked({{"--gpu", "other"}});
    CHECK(std::count(flags.begin(), flags.end(), "--gpu") == 1);
    CHECK(std::count_if(guide_steps().begin(), guide_steps().end(),
                        [](const GuideStep& s) { return s.flag == "--gpu"; }) == 2);
}

TEST_CASE("what is usual is accepted by its own step, every choice is in the catalogue", "[guide]") {
    const Sources sources;
    for (const GuideStep& step : guide_steps()) {
        INFO(step.flag);
        for (const GuideChoice& choice : step.choices) {
            if (choice.value != "other")
                CHECK_NOTHROW(check_answer(step, choice.value, sources));
        }
        if (!step.usual.empty())
            CHECK_NOTHROW(check_answer(step, step.usual, sources));
    }
    CHECK_THROWS(check_answer(step_of("--gpus"), "0", sources));
    CHECK_THROWS(check_answer(step_of("--tokens"), "some", sources));
    CHECK_NOTHROW(check_said(step_of("--tokens"), "some", sources));
    CHECK_THROWS_WITH(check_said(step_of("--layout"), "mine", sources),
                      "--layout: unknown value 'mine'; allowed: recommended, own");
}

TEST_CASE("a choice is taken by number or value, another is said with the nearest", "[guide]") {
    const GuideStep& gpu = step_of("--gpu");
    CHECK(chosen(gpu, "") == "h100");
    CHECK(chosen(gpu, "2") == "a100");
    CHECK(chosen(gpu, "mi300x") == "mi300x");
    CHECK_FALSE(chosen(gpu, "8"));
    CHECK(not_among_text(gpu, "h10") == "unknown answer 'h10'; allowed: 1 to 7; did you mean 'h100'?");
    CHECK_THAT(question_text(gpu), Catch::StartsWith("Which accelerator?\n  1  h100: 80 GB, NVLink\n"));
    CHECK(question_text(step_of("--gpus")) == "How many accelerators? [8]\n");
}

TEST_CASE("the answers are the words of a command", "[guide]") {
    GuideAnswers answers = {{"--model", "my model.json"},
                            {"--gpu", "h100"},
                            {"--gpus", "8"},
                            {"--seq", "4096"},
                            {"--global-batch", "64"},
                            {"--tokens", "none"},
                            {"--layout", "recommended"}};
    CHECK(command_text(guide_command(answers)) ==
          "traincost recommend --model 'my model.json' --gpu h100 --gpus 8 --seq 4096 --global-batch 64");
    for (const auto& [flag, value] : GuideAnswers{{"--layout", "own"},
                                                  {"--tokens", "1T"},
                                                  {"--tp", "2"},
                                                  {"--pp", "1"},
                                                  {"--micro-batch", "1"},
                                                  {"--zero", "1"},
                                                  {"--recompute", "none"}})
        answers[flag] = value;
    CHECK(command_text(guide_command(answers)) ==
          "traincost estimate --model 'my model.json' --gpu h100 --gpus 8 --seq 4096 --global-batch 64 "
          "--tokens 1T --tp 2 --pp 1 --micro-batch 1 --zero 1 --recompute none");
}
