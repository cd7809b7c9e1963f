// What launch files of each framework say, in small files that show the traps of each.

#include <traincost/base/error.hpp>
#include <traincost/import/importers.hpp>

#include <catch2/catch.hpp>

#include <optional>

using namespace traincost;

namespace {

LaunchReading read(const std::string& text) {
    return read_launch_files(std::vector<LaunchFile>{{"job", text}});
}

LaunchReading read(const std::string& first, const std::string& second) {
    return read_launch_files(std::vector<LaunchFile>{{"first", first}, {"second", second}});
}

/// "4096"; "-" where the fact is absent.
std::string value(const LaunchReading& reading, Fact fact) {
    const auto found = reading.facts.find(fact);
    return found == reading.facts.end() ? "-" : to_text(found->second.value);
}

std::string where(const LaunchReading& reading, Fact fact) {
    const auto found = reading.facts.find(fact);
    return found == reading.facts.end() ? "-" : found->second.where;
}

std::string complaint(const std::string& text) {
    try {
        read(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("axolotl: the last of equal keys wins, and adapters count only where one is chosen", "[launch]") {
    const LaunchReading full = read(
        "base_model: acme/m-7b\nadapter:\nlora_r: 32\nsequence_len: 2048\nsequence_len: 500_000\n"
        "micro_batch_size: 2\ngradient_accumulation_steps: 4\ndatasets:\n  - path: x\n"
        "gradient_checkpointing: yes\nbf16: true\nfsdp_version: 2\nfsdp_config:\n  reshard_after_forward: "
        "true\n");
    CHECK(full.format == "axolotl");
    CHECK(value(full, Fact::model) == "acme/m-7b");
    CHECK(value(full, Fact::sequence) == "500000");
    CHECK(where(full, Fact::sequence) == "job:5 sequence_len");
    CHECK(value(full, Fact::lora_rank) == "-");
    CHECK(value(full, Fact::recompute) == "full");
    CHECK(value(full, Fact::zero) == "3");
    CHECK(value(full, Fact::dp) == "-");
    CHECK(value(full, Fact::global_batch) == "-");
    REQUIRE_FALSE(full.unread.empty());
    CHECK(full.unread.front().why == "is given again in line 5, which counts");

    const LaunchReading adapted = read(
        "base_model: m\nadapter: qlora\nload_in_4bit: true\nlora_r: 16\nsequence_len: 4096\ndp_shard_size: "
        "4\n"
        "tensor_parallel_size: 2\nmicro_batch_size: 1\ngradient_accumulation_steps: 8\n");
    CHECK(value(adapted, Fact::lora_rank) == "16");
    CHECK(value(adapted, Fact::quantization) == "4-bit");
    CHECK(value(adapted, Fact::gpus) == "8");
    CHECK(value(adapted, Fact::global_batch) == "32");
    CHECK(adapted.facts.at(Fact::global_batch).how == How::derived);
}

TEST_CASE("DeepSpeed: auto is unknown, and the triangle of batch sizes closes", "[launch]") {
    const LaunchReading open = read(
        R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": 4, "bf16": {"enabled": "auto"},
            "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "none"},
            "offload_param": {"device": "nvme"}}})");
    CHECK(value(open, Fact::global_batch) == "-");
    CHECK(value(open, Fact::precision) == "-");
    CHECK(value(open, Fact::zero) == "3");
    CHECK(value(open, Fact::offload) == "nvme (parameters)");

    const LaunchReading wrong = read(
        R"({"train_batch_size": 100, "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 3,
            "zero_optimization": {"stage": 1}})");
    CHECK(wrong.contradictions.size() == 1);
}

TEST_CASE("a script's file and its DeepSpeed file are one job, and what they disagree in is named",
          "[launch]") {
    const LaunchReading both = read(
        R"({"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}})",
        "model_name_or_path: m\nper_device_train_batch_size: 2\nmax_seq_length: 1024\ndeepspeed: second\n");
    CHECK(both.format == "hf-arguments");
    CHECK(value(both, Fact::zero) == "2");
    CHECK(value(both, Fact::micro_batch) == "2");
    REQUIRE(both.contradictions.size() == 1);
    CHECK(both.contradictions.front() ==
          "micro_batch: 2 (second:2 per_device_train_batch_size) and 4 (first:1 "
          "train_micro_batch_size_per_gpu)");
}

TEST_CASE("LLaMA-Factory checkpoints unless it is told not to", "[launch]") {
    const std::string base = "model_name_or_path: m\nfinetuning_type: lora\ncutoff_len: 4096\nstage: sft\n";
    CHECK(value(read(base), Fact::recompute) == "full");
    CHECK(value(read(base), Fact::lora_rank) == "8");
    CHECK(value(read(base + "disable_gradient_checkpointing: true\n"), Fact::recompute) == "none");
}

TEST_CASE("Accelerate counts processes over all machines", "[launch]") {
    const LaunchReading fsdp = read(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_machines: 2\nnum_processes: 16\n"
        "mixed_precision: 'no'\nfsdp_config:\n  fsdp_sharding_strategy: SHARD_GRAD_OP\n");
    CHECK(value(fsdp, Fact::gpus) == "16");
    CHECK(value(fsdp, Fact::gpus_per_node) == "8");
    CHECK(value(fsdp, Fact::zero) == "2");
    CHECK(value(fsdp, Fact::precision) == "fp32");
    CHECK(value(fsdp, Fact::dp) == "16");
}

TEST_CASE("a broken launch file is one line with file and line", "[launch]") {
    CHECK(complaint("{\"zero_optimization\": {\n  \"stage\": ,\n}}") ==
          "job:2: not valid JSON: unexpected ','");
    CHECK(complaint("a: b\n\tc: d\n").starts_with("job:2: not valid YAML"));
    CHECK(complaint("[model\nname = 1\n[a]\n[b]\n").starts_with("job:1: not valid TOML"));
    CHECK(
        complaint("hello: world\n").starts_with("job: is no launch file of a format that is read: axolotl,"));
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
        const std::string below = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below;
        for (int j = 1; j < 10; ++j) {
            bomb += ", " + below;
        }
        bomb += "]\n";
    }
    CHECK(complaint(bomb).find("more than 200000 values, aliases expanded") != std::string::npos);
    CHECK(complaint(std::string(std::size_t{17} << 20, 'x')) ==
          "job: has 17 MiB; a launch file may have at most 16 MiB");
}
