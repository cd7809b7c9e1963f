#include "traincost/export/bench.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "support/temporary.hpp"
#include "traincost/ask/resolve.hpp"
#include "traincost/base/error.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/fit/records/record_job.hpp"
#include "traincost/fit/records/record_model.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/record_catalogue.hpp"
#include "traincost/io/records.hpp"
#include "traincost/io/specs/job_json.hpp"

using namespace traincost;

namespace {

Job job_of_model(const char* model, const char* stack = "pytorch", const char* precision = "bf16-amp") {
    const Catalogue catalogue;
    Job job{.model = catalogue.model(model),
            .cluster = catalogue.cluster("h200-sxm-141gb", 8).spec,
            .stack = catalogue.stack(stack),
            .run = {}};
    job.run.sequence = 1024;
    job.run.micro_batch = 1;
    job.run.global_batch = 64;
    job.run.precision_name = precision;
    job.run.precision = *precision_from(precision);
    job.run.precision.gradients = usual_gradients(job.stack.states, job.run.precision);
    job.run.parallel.dp = 8;
    job.run.parallel.zero = 3;
    return job;
}

/// The block between the quotes of the script.
JsonDocument block_of(const std::string& script) {
    constexpr std::string_view opening = "json.loads(r'''";
    const std::size_t begin = script.find(opening) + opening.size();
    return parse_json(script.substr(begin, script.find("'''", begin) - begin), "block");
}

std::int64_t count_in(const JsonDocument& block, const char* key) {
    return JsonObject(JsonObject(JsonNode(block)).at("parameters")).at(key).integer();
}

/// The first flag that refuses the job; empty where the script can do it.
std::string refused_by(const Job& job, const BenchOptions& options = {}) {
    const std::vector<Problem> problems = bench_problems(job, options);
    return problems.empty() ? std::string() : problems.front().path;
}

}  // namespace

TEST_CASE("a bench script is valid Python, whatever its job is called", "[export][slow]") {
    if (std::system("python3 --version > /dev/null 2>&1") != 0) {
        WARN("no python3 to read the script");
        return;
    }
    Job job = job_of_model("gpt2-124m");
    job.model.name = "it's \"quoted\" \\ '''thrice'''";
    const std::string path = traincost::test::temporary("traincost-bench-script.py").string();
    std::ofstream(path, std::ios::binary) << bench_script(job, {});
    const std::string read =
        "python3 -c \"import ast, json, sys; tree = ast.parse(open(sys.argv[1]).read()); "
        "json.loads(next(n.value.args[0].value for n in tree.body if isinstance(n, ast.Assign) "
        "and n.targets[0].id == 'BENCH'))\" " +
        path;
    CHECK(std::system(read.c_str()) == 0);
    std::filesystem::remove(path);
}

TEST_CASE("ranks that share sequences draw the same tokens in a bench script, others their own",
          "[export][slow]") {
    if (std::system("python3 --version > /dev/null 2>&1") != 0) {
        WARN("no python3 to run a function of the script");
        return;
    }
    const std::string script = bench_script(job_of_model("llama-3.1-8b"), {});
    CHECK(script.find("torch.manual_seed(replica_of(self.rank, p))") != std::string::npos);
    const std::size_t begin = script.find("def replica_of");
    REQUIRE(begin != std::string::npos);
    const std::string path = traincost::test::temporary("traincost-replica.py").string();
    // Ranks are counted as its meshes count them: stages, replicas, context, tensor.
    std::ofstream(path, std::ios::binary) << script.substr(begin, script.find("\n\n\n", begin) - begin) << R"(
import itertools
for pp, dp, cp, tp in itertools.product((1, 2, 3), (1, 2, 5), (1, 2, 4), (1, 2, 8)):
    p = {"pp": pp, "dp": dp, "cp": cp, "tp": tp}
    at = itertools.product(range(pp), range(dp), range(cp), range(tp))
    for rank, (_, replica, _, _) in enumerate(at):
        assert replica_of(rank, p) == replica, (rank, p)
)";
    CHECK(std::system(("python3 " + path).c_str()) == 0);
    std::filesystem::remove(path);
}

TEST_CASE("a pipeline's schedule sees the module that shards or replicates its stage", "[export]") {
    const std::string script = bench_script(job_of_model("llama-3.1-8b"), {});
    CHECK(script.find("PipelineStage(model, index") != std::string::npos);
    const std::size_t narrowed = script.find("model = Autocast(job, model)");
    REQUIRE(narrowed != std::string::npos);
    CHECK(narrowed < script.find("return DistributedDataParallel("));
}

TEST_CASE("the block of a bench script reads back as the job that is measured", "[export]") {
    const Catalogue catalogue;
    const Sources sources(catalogue, "", nullptr);
    BenchOptions options;
    options.loss = LossKernel::chunked;
    options.optimizer = OptimizerKernel::foreach;
    options.gradient_clip = 1.0;
    for (const char* model :
         {"gpt2-124m", "llama-3.2-1b", "mixtral-8x7b", "deepseek-v2-lite", "gemma-3-1b"}) {
        INFO(model);
        const Job job = job_of_model(model);
        const JsonDocument block = block_of(bench_script(job, options));
        const Job read =
            resolve(job_draft_from_json(JsonObject(JsonNode(block)).at("job"), catalogue), sources).job;
        const Job measured = benched_job(job, options);
        CHECK(read.model == measured.model);
        CHECK(read.stack == measured.stack);
        CHECK(read.run == measured.run);
        CHECK(read.stack.head.loss == LossKernel::chunked);
        CHECK(read.stack.states.gradient_passes == job.stack.states.gradient_passes + 3.0);
    }
}

TEST_CASE("a bench script expects the parameters its own model has", "[export]") {
    const Job gpt = job_of_model("gpt2-124m", "pytorch-compiled");
    const JsonDocument block = block_of(bench_script(gpt, {}));
    CHECK(count_in(block, "model") == 124439808);
    CHECK(count_in(block, "built") == 124439808 + (50304 - 50257) * 768);  // rows of the stack's padding

    BenchOptions unpadded;
    unpadded.vocab_multiple = 1;
    CHECK(count_in(block_of(bench_script(gpt, unpadded)), "built") == 124439808);

    // Rank 16 on every matrix of 16 layers: q, o 2048 × 2048, k, v 2048 × 512, three MLP matrices 2048 ×
    // 8192.
    Job low_rank = job_of_model("llama-3.2-1b", "pytorch", "bf16-pure");
    low_rank.run.tuning = Tuning::lora;
    low_rank.run.adapter = {.rank = 16, .key = true, .attention_out = true, .mlp = true};
    CHECK(count_in(block_of(bench_script(low_rank, {})), "trained") ==
          16 * 16 * (2 * (2048 + 2048) + 2 * (2048 + 512) + 3 * (2048 + 8192)));
}

TEST_CASE("what a bench script cannot do is refused by the flag that asks for it", "[export]") {
    struct Case {
        const char* flag;
        const char* model;
        std::function<void(Job&, BenchOptions&)> change;
    };
    const std::vector<Case> cases = {
        {"--model", "bert-base", [](Job&, BenchOptions&) {}},
        {"--model", "bloom-560m", [](Job&, BenchOptions&) {}},
        {"--model", "gpt-oss-20b", [](Job&, BenchOptions&) {}},
        {"--optimizer", "llama-3.2-1b", [](Job& j, BenchOptions&) { j.run.optimizer = Optimizer::muon; }},
        {"--tuning", "llama-3.2-1b", [](Job& j, BenchOptions&) { j.run.tuning = Tuning::adapter; }},
        {"--tuning", "deepseek-v2-lite", [](Job& j, BenchOptions&) { j.run.tuning = Tuning::lora; }},
        {"--ep", "mixtral-8x7b", [](Job& j, BenchOptions&) { j.run.parallel.ep = 8; }},
        {"--tp", "mixtral-8x7b", [](Job& j, BenchOptions&) { j.run.parallel.tp = 2, j.run.parallel.dp = 4; }},
        {"--tp", "gpt2-124m", [](Job& j, BenchOptions&) { j.run.parallel.tp = 2, j.run.parallel.dp = 4; }},
        {"--pp", "mixtral-8x7b", [](Job& j, BenchOptions&) { j.run.parallel.pp = 2, j.run.parallel.dp = 4; }},
        {"--pp", "llama-3.2-1b", [](Job& j, BenchOptions&) { j.run.parallel.pp = 2, j.run.parallel.dp = 4; }},
        {"--schedule", "llama-3-8b",
         [](Job& j, BenchOptions&) {
             j.run.parallel.pp = 2, j.run.parallel.dp = 4;
             j.run.schedule = Schedule::dualpipe;
         }},
        {"--context", "llama-3-8b",
         [](Job& j, BenchOptions&) {
             j.run.parallel.cp = 2, j.run.parallel.dp = 4;
             j.run.context = ContextKind::all_to_all;
         }},
        {"--offload-optimizer", "llama-3-8b",
         [](Job& j, BenchOptions&) { j.run.offload_optimizer = Offload::cpu; }},
        {"--global-batch", "llama-3-8b", [](Job& j, BenchOptions&) { j.run.global_batch = 60; }},
        {"--precision", "llama-3-8b",
         [](Job& j, BenchOptions&) { j.run.precision = *precision_from("mxfp8-mixed"); }},
        {"--compile-mode", "llama-3-8b",
         [](Job&, BenchOptions& o) { o.compile_mode = CompileMode::max_autotune_no_cudagraphs; }},
        {"--fp8-scaling", "llama-3-8b",
         [](Job& j, BenchOptions&) {
             j.run.precision = stack_precision(j.stack.states, *precision_from("fp8-mixed"));
             j.run.parallel.zero = 3;
             j.run.fp8_scaling = Fp8Scaling::blockwise;
         }},
        {"--stack", "llama-3-8b",
         [](Job& j, BenchOptions&) { j.stack = Catalogue().stack("megatron-core"); }},
    };
    for (const Case& c : cases) {
        Job job = job_of_model(c.model);
        BenchOptions options;
        c.change(job, options);
        INFO(c.flag << " of " << c.model);
        CHECK(refused_by(job, options) == c.flag);
        CHECK_THROWS_AS(bench_script(job, options), Error);
    }
}

TEST_CASE("what a bench script can do is not refused", "[export]") {
    for (const char* model : {"gpt2-124m", "llama-3-8b", "mixtral-8x7b", "deepseek-v2-lite", "gemma-3-1b",
                              "pythia-410m", "qwen3-0.6b", "opt-350m", "olmo-2-7b", "falcon-7b"}) {
        for (const char* stack : {"pytorch", "pytorch-compiled", "torchtitan"}) {
            INFO(model << " under " << stack);
            CHECK(refused_by(job_of_model(model, stack)).empty());
        }
    }
    Job tensor = job_of_model("llama-3-8b");
    tensor.run.parallel.tp = 2, tensor.run.parallel.dp = 4;
    CHECK(refused_by(tensor).empty());
    Job pipeline = job_of_model("llama-3-8b");
    pipeline.run.parallel.pp = 2, pipeline.run.parallel.dp = 4;
    CHECK(refused_by(pipeline).empty());
    Job context = job_of_model("llama-3-8b");
    context.run.parallel.cp = 2, context.run.parallel.dp = 4;
    CHECK(refused_by(context).empty());
}

TEST_CASE("a model described in a record's words has its parameters again", "[records]") {
    const Catalogue catalogue;
    int models = 0;
    int whole = 0;
    for (const CatalogueEntry& entry : catalogue.entries(Room::models)) {
        const ModelSpec model = catalogue.model(entry.id);
        if (model.architecture != Architecture::decoder) {
            continue;
        }
        const std::int64_t sequence =
            model.position.kind == PositionKind::learned ? model.position.table_rows : 4096;
        const DescribedModel described = describe_model(model, sequence);
        std::vector<std::string> assumptions;
        const ModelSpec again = model_of(described.model, sequence, assumptions);
        INFO(entry.id << " as " << described.model.family);
        CHECK(described.whole == (parameter_count(again).total == parameter_count(model).total));
        CHECK(again.layers == model.layers);
        CHECK(again.vocab == model.vocab);
        CHECK(again.mla == model.mla);
        ++models;
        whole += described.whole;
    }
    CHECK(whole * 4 > models * 3);
}

TEST_CASE("a record says what its run chose otherwise than its stack", "[records]") {
    const Catalogue catalogue;
    const auto job = [&](const std::string& note, const std::string& extra,
                         const std::string& task = "pretrain") {
        const std::string text =
            R"({"schema":"run-record/1","id":"a","task":")" + task +
            R"(","model":{"name":"m","family":"llama3","layers":16,"hidden":2048,"heads":32,"kv_heads":8,"head_dim":64,)"
            R"("ffn":8192,"gated_mlp":true,"vocab":128256,"tied_embeddings":true,"positional":"rope","attention":"mha/gqa",)"
            R"("moe":null,"mla":null},"cluster":{"accelerator":"h200-sxm-141gb","accelerators":1,"per_node":8},"run":)"
            R"({"stack":"pytorch","precision":"bf16-pure","optimizer":"adamw","sequence":4096,"micro_batch":2,)"
            R"("global_batch":2,"recompute":)" +
            note + R"(},"measured":{"step_time_s":1},"extra":)" + extra + "}";
        const RecordFile file = records_from_text(text, "r");
        const RecordJob read = job_of(file.records.front(), record_catalogue(catalogue));
        INFO(read.reason);
        REQUIRE(read.job);
        return *read.job;
    };
    const Job plain = job(R"("full","recompute_note":"every block")", "{}");
    CHECK(plain.run.recompute_every == 1);
    CHECK(plain.stack == catalogue.stack("pytorch"));
    CHECK(job(R"("full","recompute_note":"every 2 blocks")", "{}").run.recompute_every == 2);
    CHECK(job(R"("selective","recompute_note":"per_op")", "{}").run.recompute_modules.per_op);
    CHECK(job(R"("none")", R"({"gemm":"fp8"})").run.precision.gemm == DataType::fp8);

    const StackSpec stack =
        job(R"("none")", R"({"choices":{"cuda_graphs":true,"gradient_passes":4,"loss":"chunked",)"
                         R"("optimizer":"foreach","vocab_multiple":64}})")
            .stack;
    CHECK(stack.head.loss == LossKernel::chunked);
    CHECK(stack.states.optimizer == OptimizerKernel::foreach);
    CHECK(stack.head.vocab_multiple == 64);
    CHECK(stack.states.gradient_passes == 4.0);
    CHECK(stack.host.cuda_graphs);

    const AdapterSpec adapter =
        job(R"("none")", R"({"lora_rank":16,"lora_targets":"q,o,mlp"})", "lora").run.adapter;
    CHECK(adapter.rank == 16);
    CHECK((adapter.query && adapter.attention_out && adapter.mlp));
    CHECK_FALSE((adapter.key || adapter.value || adapter.lm_head));
}
