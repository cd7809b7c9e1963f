// What a log says about its job, and what its figures count.

#include <traincost/ask/questions/achieved_question.hpp>

#include <catch2/catch.hpp>

#include "support/log_reading.hpp"

#include <algorithm>
#include <string>

using namespace traincost;
using namespace traincost::test;

namespace {

/// Three steps of torchtitan at so many tokens a second and TFLOP/s.
std::string titan_log(const std::string& rates) {
    std::string text;
    for (const char* const step : {"10", "20", "30"}) {
        text += std::string("[titan] 2026-01-02 03:04:05,678 - root - INFO - step: ") + step +
                "  loss:  7.5625  memory: 60.25GiB(76.10%)  " + rates + "\n";
    }
    return text;
}

AchievedQuestion question_of(const std::string& log) {
    AchievedQuestion question;
    question.log = read_lines(log);
    question.log_name = "train.log";
    question.job.model = {"llama-3-8b", "--model"};
    question.job.gpu = {"h100", "--gpu"};
    question.job.gpus = {8, "--gpus"};
    question.job.sequence = {8192, "--seq"};
    question.job.global_batch = {8, "--global-batch"};
    return question;
}

bool says(const AchievedAnswer& answer, const std::string& text) {
    const auto verdict = log_verdict(*answer.log, answer.resolved.job, answer.achieved);
    return std::any_of(verdict.begin(), verdict.end(),
                       [&](const std::string& s) { return s.find(text) != s.npos; });
}

}  // namespace

TEST_CASE("a job whose stack nobody named has that of its log", "[logs]") {
    const Sources sources;
    AchievedQuestion question = question_of(titan_log("tps: 7,031  tflops: 411.25  mfu: 41.59%"));
    CHECK(ask(question, sources).resolved.job.stack.id == "torchtitan");
    question.job.stack = {"nanotron", "--stack"};
    CHECK(ask(question, sources).resolved.job.stack.id == "nanotron");
    question = question_of(
        "{'loss': 0.5, 'learning_rate': 0.0001, 'epoch': 0.1, 'step_tokens_per_second': 9000.5}\n");
    CHECK(ask(question, sources).resolved.job.stack.id == "hf-transformers");
    const AchievedQuestion shared = question_of(
        " iteration 2/ 10 | elapsed time per iteration (ms): 1250.5 | lm loss: 2.5E+00 | number of nan "
        "iterations: 0 |\n");
    CHECK(ask(shared, sources).resolved.job.stack.id == "megatron-core");
    CHECK(says(ask(shared, sources), "it has few step times"));
}

TEST_CASE("a printed FLOP rate is told by the convention it follows, or doubted", "[logs]") {
    const Sources sources;
    CHECK(says(ask(question_of(titan_log("tps: 7,031  tflops: 407.00  mfu: 41.15%")), sources),
               "The log's 407 TFLOP/s are counted as in the row exact_full above."));
    CHECK(says(ask(question_of(titan_log("tps: 7,031  tflops: 475.00  mfu: 48.03%")), sources),
               "times the exact count above: the log counts FLOPs differently."));
    CHECK(says(ask(question_of(titan_log("tps: 7,031  tflops: 203.50  mfu: 20.58%")), sources),
               "or the job is not that run: check sequence, batch, accelerators and model."));
}
