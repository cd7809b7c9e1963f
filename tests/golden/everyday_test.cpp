// Values as everyone writes them mean what everyone means, and the answer says what that is.

#include "support/override_folder.hpp"
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

TEST_CASE("a number of accelerators is understood before and behind their name", "[everyday]") {
    const std::string job = "--model llama-3-8b --seq 4096 --tp 2 ";
    const std::string plain = estimate(job + "--gpu h100 --gpus 8");
    for (const char* said :
         {"'8 x H100'", "'8x H100'", "'8*H100'", "H100:8", "'H100 x8'", "'H100 x 8'", "'8 H100'"}) {
        INFO(said);
        CHECK(estimate(job + "--gpus " + said) == plain);
    }
    // An x of the name's own counts nothing.
    CHECK_THAT(estimate(job + "--gpu rtx4090 --gpus 8"), Catch::Contains("on 8 rtx-4090"));
    CHECK_THAT(estimate(job + "--gpus h100x8"), Catch::Contains("[exit 2]"));
    const std::string days = "traincost days --params 8B --tokens 1T --mfu 0.4 ";
    CHECK(run_in_process(days + "--gpus 8xh100") == run_in_process(days + "--gpus 8 --gpu h100"));
    CHECK(run_in_process(days + "--gpu 8xh100") == run_in_process(days + "--gpus 8 --gpu h100"));
    CHECK_THAT(run_in_process(days + "--gpu 8xh100 --gpus 16"),
               Catch::Contains("contradicts") && Catch::Contains("[exit 2]"));
}

TEST_CASE("K of a sequence is 1024 in every command", "[everyday]") {
    const std::string days = "traincost days --params 8B --tokens 1T --gpus 8xh100 --seq ";
    CHECK(run_in_process(days + "4K") == run_in_process(days + "4096"));
    for (const std::string method :
         {"six-nd --params 7B --tokens 2T --gpus 256 --peak 312 --mfu 0.45", "lightning",
          "flagperf --model gpt3-6.7b --gpu A100 --samples-per-s 3", "fast-llm"}) {
        const std::string run = "traincost method " + method + " --json --seq ";
        INFO(method);
        CHECK(run_in_process(run + "2K") == run_in_process(run + "2048"));
        CHECK_THAT(run_in_process(run + "2K"), !Catch::Contains("[exit"));
    }
}

TEST_CASE("a name parted by a blank is put together in the answer", "[everyday]") {
    CHECK_THAT(estimate("--model llama3 8b --gpus 8xh100"),
               Catch::Contains("8b: no such file; did you mean --model llama-3-8b?"));
    CHECK_THAT(estimate("--model llama-3-8b --gpu rtx 4090 --gpus 8"),
               Catch::Contains("did you mean --gpu rtx-4090?"));
    CHECK_THAT(estimate("--model llama-3-8b 9b --gpus 8xh100"),
               Catch::Contains("9b: no such file") && !Catch::Contains("did you mean"));
}

TEST_CASE("a batch that counts tokens is recognised by its size", "[everyday]") {
    const std::string run = "traincost estimate --model llama-3-8b --gpus 64xh100 --seq 8192 --global-batch ";
    CHECK_THAT(run_in_process(run + "4M"),
               Catch::Contains("A step takes 32.8B tokens: --global-batch counts sequences, not tokens."));
    CHECK_THAT(run_in_process(run + "4096"), !Catch::Contains("counts sequences"));
}

TEST_CASE("PEFT's names of adapter targets are understood", "[everyday]") {
    const std::string run = "--model llama-3-8b --gpus 1xh100 --seq 2048 --tuning lora --lora-targets ";
    CHECK(estimate(run + "all-linear") == estimate(run + "q,k,v,o,mlp"));
    CHECK(estimate(run + "all") == estimate(run + "q,k,v,o,mlp"));
    CHECK(estimate(run + "q_proj,v_proj") == estimate(run + "q,v"));
    CHECK_THAT(estimate(run + "gate_proj"), Catch::Contains("unknown value 'gate_proj'"));
}

TEST_CASE("a format without matrix units is said at once, with the one that has them", "[everyday]") {
    const std::string run = "traincost estimate --model gpt2-124m --gpus 1 --seq 1024 --gpu ";
    CHECK_THAT(run_in_process(run + "t4 --precision bf16"),
               Catch::Contains("bf16 is emulated on t4, which multiplies fp16 8.0 times as fast"));
    CHECK_THAT(run_in_process(run + "t4 --precision fp16"), !Catch::Contains("emulated"));
    CHECK_THAT(run_in_process(run + "a100 --precision bf16"), !Catch::Contains("emulated"));
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

TEST_CASE("a node of one's own says how fast its host launches, and the answer that it was taken",
          "[everyday]") {
    const auto node = [](const std::string& speed) {
        return R"({"schema": "cluster/1", "id": "old-node", "kind": "on-prem", "accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8,
                   "scale_up": {"domain": 8, "layout": "switched", "topology": "NVSwitch", "link": "NVLink 4", "per_accelerator_GBps": 450},
                   "host": {"launch_speed": )" +
               speed + "}}";
    };
    const std::string job =
        " --model gpt2-124m --seq 256 --cluster old-node --gpus 8 --stack hf-transformers";
    const OverrideFolder folder;
    folder.write("clusters/old-node.json", node("0.5"));
    const std::string answer = estimate(job + " --data " + folder.path());
    CHECK_THAT(answer, Catch::Contains("launches kernels at 0.5"));
    CHECK_THAT(estimate(job + " --host-speed 2 --data " + folder.path()),
               !Catch::Contains("launches kernels at"));
    folder.write("clusters/old-node.json", node("0"));
    CHECK_THAT(estimate(job + " --data " + folder.path()),
               Catch::Contains("launch_speed") && Catch::Contains("[exit"));
}
