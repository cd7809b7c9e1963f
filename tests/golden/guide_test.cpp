// `guide` asks for what no flag says, and gives the command that gives the answer again.

#include "support/transcript.hpp"

#include <cli/app.hpp>

#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace {

struct Talk {
    int code;
    std::string out;
    std::string err;
};

Talk talk(const std::string& flags, const std::string& answers) {
    std::vector<std::string> words = traincost::test::split_words(flags);
    words.insert(words.begin(), "guide");
    std::istringstream in(answers);
    std::ostringstream out;
    std::ostringstream err;
    const int code = traincost::cli::run(words, in, out, err);
    return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("guide: Enter takes what is usual, numbers take a choice", "[guide]") {
    const Talk t = talk("--dry-run", "\n2\n16\n\n\n1T\n1\n");
    CHECK(t.code == 0);
    CHECK(t.out ==
          "traincost recommend --model llama-3.1-8b --gpu a100 --gpus 16 --seq 4096 --global-batch 256 "
          "--tokens 1T\n");
}

TEST_CASE("guide: what a flag says is not asked", "[guide]") {
    const Talk t = talk(
        "--dry-run --model llama-2-7b --gpu h100 --gpus 8 --seq 4096 --global-batch 64 --tokens none --tp 2 "
        "--pp 1 "
        "--micro-batch 1 --zero 1 --recompute none",
        "");
    CHECK(t.code == 0);
    CHECK(t.err.empty());
    CHECK(t.out ==
          "traincost estimate --model llama-2-7b --gpu h100 --gpus 8 --seq 4096 --global-batch 64 --tp 2 "
          "--pp 1 --micro-batch 1 --zero 1 --recompute none\n");
}

TEST_CASE("guide: a wrong answer is said, and the question comes again", "[guide]") {
    const Talk t =
        talk("--dry-run --gpu h100 --gpus 8 --seq 4096 --global-batch 64 --tokens none --layout recommended",
             "llama-3.1-8c\nllama-3.1-8b\n");
    CHECK(t.code == 0);
    CHECK_THAT(t.err, Catch::Contains("did you mean 'llama-3.1-8b'?"));
    CHECK_THAT(t.out, Catch::Contains("--model llama-3.1-8b"));
}

TEST_CASE("guide: arrow keys where a word is asked for are nothing typed", "[guide]") {
    const Talk t =
        talk("--dry-run --gpu h100 --gpus 8 --seq 4096 --global-batch 64 --tokens none --layout recommended",
             "\033[B\033[1;5A\n");
    CHECK(t.code == 0);
    CHECK_THAT(t.out, Catch::Contains("--model llama-3.1-8b"));
}

TEST_CASE("guide: an input that ends is bad usage", "[guide]") {
    const Talk t = talk("--model llama-2-7b", "1\n");
    CHECK(t.code == 2);
    CHECK_THAT(t.err, Catch::Contains("input ended before the last question"));
}

TEST_CASE("guide: the command it prints is the answer that follows", "[guide]") {
    const std::string flags =
        "--model llama-2-7b --gpu h100 --gpus 8 --seq 4096 --global-batch 64 --tokens none --tp 2 --pp 1 "
        "--micro-batch 1 "
        "--zero 1 --recompute none";
    const Talk t = talk(flags, "");
    const auto end = t.out.find('\n');
    REQUIRE(end != std::string::npos);
    CHECK(t.out.substr(end + 2) == traincost::test::run_in_process(t.out.substr(0, end)));
}
