#include <traincost/io/catalogue.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/specs/job_json.hpp>
#include <traincost/io/specs/run_json.hpp>

#include <catch2/catch.hpp>

#include <functional>

using namespace traincost;

namespace {

/// A run with every field away from its default.
RunSpec unusual_run() {
    RunSpec run{};
    run.sequence = 4096;
    run.micro_batch = 2;
    run.global_batch = 96;
    run.precision_name = "fp8-mixed";
    run.precision = *precision_from("fp8-mixed");
    run.precision.gradients = DataType::bf16;
    run.precision.master.reset();
    run.parallel = {.tp = 2,
                    .pp = 4,
                    .vp = 2,
                    .dp = 3,
                    .cp = 2,
                    .ep = 6,
                    .etp = 1,
                    .zero = 2,
                    .hybrid_shard = 3,
                    .sequence_parallel = false};
    run.optimizer = Optimizer::muon;
    run.recompute = Recompute::selective;
    run.recompute_modules = {
        .core_attention = true, .norm = true, .activation = true, .mlp = true, .moe = true, .mla_up = true};
    run.recompute_every = 2;
    run.recompute_layers = 5;
    run.attention = AttentionKernel::math;
    run.schedule = Schedule::zero_bubble;
    run.context = ContextKind::all_to_all;
    run.tuning = Tuning::lora;
    run.adapter = {.rank = 16,
                   .query = false,
                   .key = true,
                   .value = false,
                   .attention_out = true,
                   .mlp = true,
                   .lm_head = true,
                   .dropout = 0.05};
    run.frozen_layers = 3;
    run.offload_optimizer = Offload::cpu;
    run.offload_parameters = Offload::nvme;
    run.offload_activations = 0.25;
    run.compile = true;
    run.dropout = 0.1;
    run.expert_imbalance = 1.2;
    run.neighbouring_experts = true;
    run.expert_one_hot = true;
    run.tokens = 15e12;
    return run;
}

RunSpec plain_run() {
    RunSpec run{};
    run.sequence = 8192;
    run.micro_batch = 1;
    run.global_batch = 16;
    run.precision_name = "bf16-mixed";
    run.precision = *precision_from("bf16-mixed");
    run.parallel.dp = 16;
    return run;
}

/// The run that the JSON says, over one of which nobody said anything.
RunSpec read(const JsonNode& node) {
    JobDraft draft;
    read_run(node, draft);
    RunSpec run{};
    apply(draft, run);
    return run;
}

RunSpec read_back(const RunSpec& run) {
    JsonWriter out;
    write_json(out, run);
    return read(JsonNode(parse_json(out.text(), "run")));
}

std::string refusal(const std::string& text) {
    const JsonDocument document = parse_json(text, "run.json");
    try {
        read(JsonNode(document));
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a run written as JSON reads back the same", "[io]") {
    CHECK(read_back(plain_run()) == plain_run());
    CHECK(read_back(unusual_run()) == unusual_run());
    for (const std::string_view name : precision_names()) {
        INFO(name);
        RunSpec run = plain_run();
        run.precision_name = std::string(name);
        run.precision = *precision_from(name);
        CHECK(read_back(run) == run);
    }
}

TEST_CASE("precision is a recipe's name, or the recipe with parts that differ", "[io]") {
    const auto precision = [](const std::string& text) {
        const JsonDocument d = parse_json(
            R"({"sequence": 8, "micro_batch": 1, "global_batch": 1, "precision": )" + text + "}", "run");
        return read(JsonNode(d)).precision;
    };
    CHECK(precision(R"("bf16-mixed")") == *precision_from("bf16-mixed"));
    CHECK(precision(R"({"name": "bf16-mixed", "gradients": "bf16"})").gradients == DataType::bf16);
    CHECK_FALSE(precision(R"({"name": "bf16-mixed", "master": null})").master.has_value());
}

TEST_CASE("a run that is wrong says where and what is allowed", "[io]") {
    const std::string good = R"("micro_batch": 1, "global_batch": 8, "precision": "bf16-mixed")";
    CHECK(refusal(R"({"sequence": 8, )" + good + "}") == "no error");
    CHECK(refusal("{" + good + "}") == "no error");  // others may say the rest
    CHECK(refusal(R"({"sequence": "8k", )" + good + "}") ==
          "run.json:/sequence: the string '8k'; must be a whole number");
    CHECK(refusal(R"({"sequence": 8, "recompte": "full", )" + good + "}") ==
          "run.json:/recompte: unknown key 'recompte'; did you mean 'recompute'?");
    CHECK(refusal(R"({"sequence": 8, "recompute": "ful", )" + good + "}") ==
          "run.json:/recompute: unknown value 'ful'; allowed: none, selective, full; did you mean 'full'?");
    CHECK(refusal(R"({"sequence": 8, "parallel": {"tp": 0}, )" + good + "}")
              .find("parallel.tp: 0; must be at least 1") != std::string::npos);
    CHECK(refusal(R"({"sequence": 8, "micro_batch": 1, "global_batch": 8, "precision": "bf16-mix"})")
              .find("did you mean 'bf16-mixed'?") != std::string::npos);
}

TEST_CASE("a job written as JSON reads back the same", "[io]") {
    const Catalogue catalogue;
    for (const char* model : {"llama-3.1-8b", "deepseek-v3", "t5-11b", "gpt-oss-20b"}) {
        INFO(model);
        const Job job{.model = catalogue.model(model),
                      .cluster = catalogue.cluster("h100", 16).spec,
                      .stack = catalogue.stack("nemo"),
                      .run = unusual_run()};
        JsonWriter out;
        write_json(out, job);
        const JobDraft file = job_draft_from_json(JsonNode(parse_json(out.text(), "job")), catalogue);
        RunSpec run{};
        apply(file, run);
        CHECK(file.model_spec.value == job.model);
        CHECK(file.stack_spec.value == job.stack);
        CHECK(run == job.run);
        CHECK(file.cluster.value == "dgx-h100");
        CHECK(file.accelerator_spec.value == job.cluster.accelerator);
        CHECK(file.gpus.value == 16);
        CHECK(file.per_node.value == 8);
        CHECK(file.tp.where == "job:/run/parallel/tp");
    }
}

TEST_CASE("a job's own stack may stand on one of the catalogue", "[io]") {
    const Catalogue catalogue;
    const JsonDocument d = parse_json(
        R"({"stack": {"id": "ours", "title": "Ours", "base": "megatron-core", "layer": {"dropout": 0.25}}})",
        "job.json");
    const JobDraft file = job_draft_from_json(JsonNode(d), catalogue);
    REQUIRE(file.stack_spec.has_value());
    CHECK(file.stack_spec->layer.dropout == 0.25);
    CHECK(file.stack_spec->head.vocab_multiple == 128);
}
