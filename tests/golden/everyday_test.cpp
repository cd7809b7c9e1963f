// Values as everyone writes them mean what everyone means, and the answer says what that is.

#include "support/transcript.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace traincost::test;

namespace {

std::string estimate(const std::string& rest) {
    return run_in_process("traincost estimate -v --micro-batch 1 --global-batch 64 " + rest);
}

}  // namespace

TEST_CASE("8xH100 is a number and an accelerator, by either flag", "[everyday]") {
    const std::string plain = estimate("--model llama-3-8b --seq 4096 --tp 2 --gpu h100 --gpus 8");
    CHECK(estimate("--model llama-3-8b --seq 4096 --tp 2 --gpu 8xh100") == plain);
    CHECK(estimate("--model llama-3-8b --seq 4096 --tp 2 --gpus 8Xh100") == plain);
    CHECK(estimate("--model llama-3-8b --seq 4096 --tp 2 --gpu 8xh100 --gpus 8") == plain);
    CHECK_THAT(estimate("--model llama-3-8b --seq 4096 --gpu 8xh100 --gpus 16"),
               Catch::Contains("contradicts") && Catch::Contains("[exit 2]"));
    CHECK_THAT(estimate("--model llama-3-8b --seq 4096 --gpu a100 --gpus 8xh100"),
               Catch::Contains("contradicts") && Catch::Contains("[exit 2]"));
}

TEST_CASE("K of a sequence is 1024, and said", "[everyday]") {
    const std::string run = "--model llama-3.1-8b --gpu h100 --gpus 8 --tp 8 --recompute full";
    CHECK_THAT(estimate(run + " --seq 128K"),
               Catch::Contains("sequence 131072") &&
                   Catch::Contains("sequence: 128K is 131072 tokens, K = 1024 (--seq)"));
    CHECK_THAT(estimate(run + " --seq 4k"), Catch::Contains("sequence: 4k is 4096 tokens"));
    CHECK_THAT(estimate(run + " --seq 4096"), !Catch::Contains("tokens, K being"));
}

TEST_CASE("a sequence beyond the trained positions is said", "[everyday]") {
    const std::string run = "--model llama-3-8b --gpu h100 --gpus 8 --tp 8 --recompute full";
    CHECK_THAT(estimate(run + " --seq 16384"),
               Catch::Contains("sequence: 16384 is longer than the 8192 positions"));
    CHECK_THAT(estimate(run + " --seq 8192"), !Catch::Contains("is longer than"));
}

TEST_CASE("bf16, fp16 and fp8 are the recipes the stack trains in", "[everyday]") {
    const std::string run = "--model llama-3-8b --gpu h100 --gpus 8 --seq 4096 --tp 2 --precision ";
    CHECK_THAT(estimate(run + "bf16"), Catch::Contains("precision: bf16 is bf16-mixed in megatron-core"));
    CHECK_THAT(estimate(run + "FP8"), Catch::Contains("precision: FP8 is fp8-mixed in megatron-core"));
    CHECK_THAT(estimate(run + "fp16"), Catch::Contains("precision: fp16 is fp16-mixed in megatron-core"));
    CHECK_THAT(estimate(run + "bf16 --stack pytorch"),
               Catch::Contains("precision: bf16 is bf16-amp in pytorch"));
    CHECK_THAT(estimate(run + "bf61"), Catch::Contains("unknown value") && Catch::Contains("[exit 2]"));
}

TEST_CASE("adam, AdamW, fsdp, ddp and 100b are understood", "[everyday]") {
    const std::string run = "--model llama-3-8b --gpu h100 --gpus 8 --seq 4096 ";
    CHECK(estimate(run + "--optimizer adam") == estimate(run + "--optimizer adamw"));
    CHECK(estimate(run + "--optimizer AdamW") == estimate(run + "--optimizer adamw"));
    CHECK(estimate(run + "--tokens 100b") == estimate(run + "--tokens 100B"));
    CHECK(estimate(run + "--zero fsdp") == estimate(run + "--zero 3"));
    CHECK(estimate(run + "--zero ddp") == estimate(run + "--zero 0"));
    const std::string fsdp = estimate(run + "--stack fsdp");
    CHECK_THAT(fsdp,
               Catch::Contains("dp 8, zero 3;") && Catch::Contains("zero: 3, implied by fsdp (--zero)"));
    CHECK_THAT(estimate(run + "--stack ddp"),
               !Catch::Contains("zero 3;") && Catch::Contains("implied by ddp"));
    CHECK_THAT(estimate(run + "--stack fsdp --zero 1"), Catch::Contains("dp 8, zero 1;"));
}

TEST_CASE("names that are nearly right are suggested by their digits", "[everyday]") {
    CHECK_THAT(estimate("--model llama-3-8b --gpu h10 --gpus 8 --seq 4096"),
               Catch::Contains("did you mean 'H100'?"));
    CHECK_THAT(estimate("--model Llama-3-8B-Instruct --gpu h100 --gpus 8 --seq 4096"),
               Catch::Contains("did you mean 'llama-3-8b'?"));
}
