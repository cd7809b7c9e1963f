// `export bench` and `loop` without a command line.

#include "traincost/ask/questions/bench_question.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/report/answers/bench_answer.hpp"
#include "traincost/spec/draft/job_fields.hpp"

using namespace traincost;

namespace {

/// GPT-2 on H200s, as flags would say it.
JobDraft draft_of(const std::vector<std::pair<std::string, std::string>>& more) {
    JobDraft draft;
    std::vector<std::pair<std::string, std::string>> said = {
        {"--model", "gpt2-124m"}, {"--gpu", "h200"}, {"--seq", "1024"}, {"--micro-batch", "4"}};
    said.insert(said.end(), more.begin(), more.end());
    for (const auto& [flag, value] : said) {
        for (const JobField& field : job_fields()) {
            if (field.flag == flag)
                say(draft, field, value, flag);
        }
    }
    return draft;
}

BenchAnswer asked(const std::vector<std::pair<std::string, std::string>>& more) {
    return ask(BenchQuestion{draft_of(more), "pytorch"}, Sources());
}

}  // namespace

TEST_CASE("the script's own stack is taken where nobody names one, and said", "[bench]") {
    const BenchAnswer own = asked({{"--gpus", "1"}, {"--global-batch", "8"}});
    CHECK(own.assumed_stack == "pytorch");
    CHECK(own.job.stack.id == "pytorch");
    CHECK(own.predicted.fits);
    REQUIRE_FALSE(bench_remarks(own).empty());
    CHECK(bench_remarks(own).front() == "assumed stack: pytorch, which the script implements (--stack)");
    CHECK_THAT(own.script, Catch::Contains("gpt2-124m"));
    CHECK_THROWS(asked({{"--gpus", "1"}, {"--global-batch", "8"}, {"--stack", "megatron-core"}}));
}

TEST_CASE("a batch that is predicted not to fit is said", "[bench]") {
    const BenchAnswer answer =
        asked({{"--gpus", "1"}, {"--micro-batch", "2048"}, {"--global-batch", "2048"}});
    REQUIRE_FALSE(answer.predicted.fits);
    CHECK_THAT(bench_remarks(answer).back(), Catch::StartsWith("predicted not to fit: "));
}

TEST_CASE("the loop's commands repeat the words, quoted, and start a process a GPU", "[bench]") {
    const BenchAnswer answer = asked({{"--gpus", "16"}, {"--zero", "3"}, {"--global-batch", "64"}});
    const BenchWords words{{"--gpus=16", "--model=my model"}, {"--gpus=16", "--steps=4"}, "a b.py"};
    const std::string text = loop_text(answer, words, 400);
    CHECK_THAT(text, Catch::StartsWith(
                         "predict    traincost estimate --gpus=16 '--model=my model' --stack=pytorch\n"));
    CHECK_THAT(text,
               Catch::Contains("measure    traincost export bench --gpus=16 --steps=4 --out='a b.py' && "
                               "torchrun --nproc-per-node 8 --nnodes 2 "));
    CHECK_THAT(text, Catch::Contains("\ncompare    traincost validate runs.jsonl --rows\n"));
    CHECK_THAT(loop_text(answer, words, 60), Catch::Contains(" \\\n           "));
}

TEST_CASE("modes of the compiler are told apart", "[bench]") {
    CHECK(compile_mode_from("max-autotune") == CompileMode::max_autotune);
}
