// The C function answers byte for byte as the program does with --json.

#include "support/transcript.hpp"

#include <traincost/capi/answer.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <string>

using namespace traincost;
using namespace traincost::test;

namespace {

struct AskedJob {
    std::string flags;
    std::string members;
};

const std::array<AskedJob, 2> asked_jobs = {
    {{"--model llama-3.1-8b --gpu h100 --gpus 8 --seq 8K --micro-batch 1 --global-batch 64 --zero 1",
      R"("model": "llama-3.1-8b", "gpu": "h100", "gpus": 8, "seq": "8K", "micro-batch": 1, "global-batch": 64, "zero": 1)"},
     {"--model llama-2-7b --gpu a100 --gpus 16 --tp 2 --seq 4096 --micro-batch 1 --global-batch 32",
      R"("model": "llama-2-7b", "gpu": "a100", "gpus": 16, "tp": 2, "seq": 4096, "micro-batch": 1, "global-batch": 32)"}}};

void check_same(const std::string& arguments, const std::string& question) {
    CAPTURE(arguments);
    std::string printed = run_in_process("traincost " + arguments + " --json");
    const std::string no = "[exit 1]\n";  // the program's answer is no, which the JSON says too
    if (printed.ends_with(no))
        printed.erase(printed.size() - no.size());
    CHECK(printed == answer_json("{" + question + "}"));
}

}  // namespace

TEST_CASE("the C function's answers of a job are those of the program", "[capi]") {
    for (const AskedJob& job : asked_jobs) {
        for (const std::string command : {"estimate", "timeline"})
            check_same(command + " " + job.flags, R"("command": ")" + command + R"(", )" + job.members);
        check_same("explain memory.weights " + job.flags,
                   R"("command": "explain", "item": "memory.weights", )" + job.members);
        check_same("achieved --step-time 2s " + job.flags,
                   R"("command": "achieved", "step-time": "2s", )" + job.members);
        check_same("sweep --vary micro-batch=1,2 " + job.flags,
                   R"("command": "sweep", "vary": ["micro-batch=1,2"], )" + job.members);
    }
}

TEST_CASE("the C function counts parameters as the program does", "[capi]") {
    check_same("params llama-3.1-8b", R"("command": "params", "model": "llama-3.1-8b")");
    check_same("params mixtral-8x7b --pp 4 --ep 8",
               R"("command": "params", "model": "mixtral-8x7b", "pp": 4, "ep": "8")");
}
