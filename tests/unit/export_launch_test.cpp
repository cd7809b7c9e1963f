// Launch files that are written: what they say, what they leave out, and that the frameworks know the words.

#include "support/random_job.hpp"

#include <traincost/base/error.hpp>
#include <traincost/export/exporters.hpp>
#include <traincost/import/importers.hpp>
#include <traincost/import/launch_draft.hpp>
#include <traincost/io/json.hpp>

#include <catch2/catch.hpp>

#include <sstream>
#include <tuple>

using namespace traincost;
using random_job::catalogue;

namespace {

/// Llama 3 8B on two nodes: tp 2, pp 2, dp 4, stage 1.
Job llama_job(std::string_view stack) {
    Job job{catalogue().model("llama-3-8b"), catalogue().cluster("dgx-h100", 16).spec,
            catalogue().stack(stack), RunSpec{}};
    job.run.sequence = 4096;
    job.run.micro_batch = 1;
    job.run.global_batch = 64;
    job.run.precision_name = "bf16-mixed";
    job.run.precision = stack_precision(job.stack.states, *precision_from("bf16-mixed"));
    job.run.parallel.tp = 2;
    job.run.parallel.pp = 2;
    job.run.parallel.dp = 4;
    job.run.parallel.zero = 1;
    return job;
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

const UnsaidField* unsaid_of(const LaunchExport& launch, std::string_view field) {
    for (const UnsaidField& each : launch.unsaid) {
        if (each.field == field)
            return &each;
    }
    return nullptr;
}
const UnsaidField* unsaid_of(LaunchExport&&, std::string_view) = delete;  // what it points to would be gone

LaunchDraft drafted(const std::string& name, const std::string& text) {
    return launch_draft(read_launch_files(std::vector<LaunchFile>{{name, text}}), catalogue());
}

/// An argument and its value, as a file spells them.
using Argument = std::pair<std::string, std::string>;

std::string bare(std::string text) {
    while (!text.empty() && (text.back() == ',' || text.back() == '\\' || text.back() == ' '))
        text.pop_back();
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
        text = text.substr(1, text.size() - 2);
    return text;
}

/// "    --tp 4 \\": the arguments of a script's program.
void add_script_argument(const std::string& line, std::vector<Argument>& out) {
    if (!line.starts_with("    --"))
        return;
    const std::size_t blank = std::min(line.find(' ', 4), line.size());
    out.emplace_back(line.substr(4, blank - 4), bare(line.substr(std::min(blank + 1, line.size()))));
}

/// The settings of a file that exporters write: one a line, indented by `width` a level.
void add_settings(const std::string& text, std::size_t width, std::vector<Argument>& out) {
    std::vector<std::string> path;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find_first_not_of(" {},");
        if (begin == line.npos || line[begin] == '#')
            continue;
        if (line[begin] == '[') {
            path = {line.substr(1, line.size() - 2)};
            continue;
        }
        const bool toml = line.find(" = ") != line.npos;
        const std::size_t colon = toml ? line.find(" = ") : line.find(':', begin);
        REQUIRE(colon != line.npos);
        path.resize(toml ? 1 : (width == 4 ? begin / width - 1 : begin / width));
        path.push_back(bare(line.substr(begin, colon - begin)));
        const std::string value = bare(line.substr(std::min(colon + (toml ? 3 : 2), line.size())));
        if (value.empty() || value == "{")
            continue;
        std::string name;
        for (const std::string& part : path)
            name += (name.empty() ? "" : ".") + part;
        out.emplace_back(name, value);
    }
}

std::vector<Argument> arguments_of(const LaunchExport& launch) {
    std::vector<Argument> out;
    for (const LaunchText& file : launch.files) {
        if (!file.name.ends_with(".sh")) {
            add_settings(file.text, file.name.ends_with(".json") ? 4 : 2, out);
            continue;
        }
        std::istringstream lines(file.text);
        for (std::string line; std::getline(lines, line);)
            add_script_argument(line, out);
    }
    return out;
}

bool is_number(const std::string& value, bool whole) {
    return !value.empty() && value.find_first_not_of(whole ? "-0123456789" : "-+.e0123456789") == value.npos;
}

/// Whether the value is of one of the types, or one of the words.
bool fits(const std::string& value, const JsonValue& types) {
    for (const JsonValue& each : *types.array()) {
        const std::string& type = std::get<std::string>(each.data);
        if (type == value || (type == "int" && is_number(value, true)) ||
            (type == "float" && is_number(value, false)) ||
            (type == "bool" && (value == "true" || value == "false")) || (type == "flag" && value.empty()) ||
            (type == "list" && value.starts_with("[") && value.ends_with("]")) ||
            (type == "word" && !value.empty()))
            return true;
    }
    return false;
}

}  // namespace

TEST_CASE("every argument that is written is one of its framework's, and of its type", "[export][slow]") {
    for (const ExportFormat& format : export_formats()) {
        const JsonDocument list =
            read_json_file(SOURCE_FOLDER "/data/launch/" + std::string(format.name) + ".json");
        const JsonValue* known = list.root.find("arguments");
        REQUIRE(known != nullptr);
        REQUIRE(list.root.find("release") != nullptr);
        random_job::Jobs jobs(142);
        for (int i = 0; i < 100; ++i) {
            for (const auto& [name, value] : arguments_of(export_launch(format.name, jobs.next()))) {
                INFO(format.name << ": " << name << " '" << value << "'");
                const JsonValue* types = known->find(name);
                CHECK((types != nullptr && fits(value, *types)));
            }
        }
    }
}

TEST_CASE("a Megatron script starts one process a GPU on every node, with the job's arguments", "[export]") {
    const LaunchExport launch =
        export_launch("megatron", llama_job("megatron-core"), "meta-llama/Meta-Llama-3-8B");
    REQUIRE(launch.files.size() == 1);
    const std::string& text = launch.files.front().text;
    for (const char* part :
         {"#!/bin/bash\n", "#SBATCH --nodes=2\n", "#SBATCH --gpus-per-node=8\n",
          "srun torchrun --nnodes 2 --nproc-per-node 8 ",
          "--rdzv-endpoint \"$MASTER_ADDR:29500\" pretrain_gpt.py", "--tensor-model-parallel-size 2 ",
          "--pipeline-model-parallel-size 2 ", "--sequence-parallel ", "--use-distributed-optimizer ",
          "--global-batch-size 64 ", "--num-query-groups 8 ", "--attention-dropout 0 ",
          "--hidden-dropout 0\n"}) {
        INFO(part);
        CHECK(holds(text, part));
    }
    CHECK(launch.unsaid.size() == 2);  // the machine: gpu, cluster
}

TEST_CASE("a Megatron script states the dropout, whose default there is no job's", "[export]") {
    Job job = llama_job("megatron-core");
    job.run.dropout = 0.15;
    const LaunchExport launch = export_launch("megatron", job);
    CHECK(unsaid_of(launch, "dropout") == nullptr);
    CHECK(drafted("a.sh", launch.files.front().text).draft.dropout.value == 0.15);
    const LaunchExport other = export_launch("torchtitan", job);
    const UnsaidField* elsewhere = unsaid_of(other, "dropout");
    REQUIRE(elsewhere != nullptr);
    CHECK(elsewhere->value == "0.15");
}

TEST_CASE("torchtitan is given its registry's names, and models of one shape keep their own", "[export]") {
    const std::pair<const char*, const char*> models[] = {
        {"llama-3-8b", "name = \"llama3\"\nflavor = \"8B\"\n"},
        {"llama-3.1-8b", "name = \"llama3\"\nflavor = \"8B\"\n"},
        {"llama-3.3-70b", "name = \"llama3\"\nflavor = \"70B\"\n"},
        {"llama-4-scout", "name = \"llama4\"\nflavor = \"17bx16e\"\n"},
        {"deepseek-v3", "name = \"deepseek_v3\"\nflavor = \"671B\"\n"},
        {"qwen3-30b-a3b", "name = \"qwen3\"\nflavor = \"30B-A3B\"\n"},
        {"gpt-oss-20b", "name = \"gpt_oss\"\nflavor = \"20b\"\n"}};
    for (const auto& [id, lines] : models) {
        INFO(id);
        Job job = llama_job("torchtitan");
        job.model = catalogue().model(id);
        const LaunchExport launch = export_launch("torchtitan", job);
        CHECK(holds(launch.files.front().text, lines));
        CHECK(unsaid_of(launch, "model") == nullptr);
        CHECK(drafted("train.toml", launch.files.front().text).draft.model.value == id);
    }
    Job other = llama_job("torchtitan");
    other.model = catalogue().model("mixtral-8x7b");
    const LaunchExport unnamed = export_launch("torchtitan", other);
    const UnsaidField* model = unsaid_of(unnamed, "model");
    REQUIRE(model != nullptr);
}

TEST_CASE("axolotl's ranks of experts and its shards multiply to the ranks of the batch", "[export]") {
    Job job = llama_job("torchtitan");
    job.model = catalogue().model("qwen3-30b-a3b");
    job.run.parallel = {};
    job.run.parallel.dp = 16;
    job.run.parallel.ep = 4;
    job.run.parallel.zero = 3;
    const LaunchExport launch = export_launch("axolotl", job);
    const std::string all = one_script(launch);
    CHECK(holds(all, "expert_parallel_size: 4\n"));
    CHECK(holds(all, "dp_shard_size: 4\n"));
    job.run.parallel.tp = 2;
    job.run.parallel.dp = 1;
    job.run.parallel.ep = 2;
    const LaunchExport unable = export_launch("axolotl", job);
    CHECK(unsaid_of(unable, "ep") != nullptr);
}

TEST_CASE("what a format cannot say stands in its file and in the list", "[export]") {
    Job job = llama_job("megatron-core");
    job.run.packed_length = 512;
    for (const ExportFormat& format : export_formats()) {
        INFO(format.name);
        const LaunchExport launch = export_launch(format.name, job);
        const UnsaidField* packed = unsaid_of(launch, "packed-length");
        REQUIRE(packed != nullptr);
        CHECK(packed->value == "512");
        const std::string all = one_script(launch);
        for (const UnsaidField& each : launch.unsaid)
            CHECK(holds(all, "#   " + to_text(each) + "\n"));
    }
    const LaunchExport axolotl = export_launch("axolotl", job);
    REQUIRE(unsaid_of(axolotl, "pp") != nullptr);
    CHECK(unsaid_of(axolotl, "pp")->why == "axolotl has no such parallelism");
    CHECK(unsaid_of(axolotl, "dp")->why == "8 ranks replace what it lacks");
}

TEST_CASE("one script writes the other files beside it and reads as they do", "[export]") {
    for (const ExportFormat& format : export_formats()) {
        INFO(format.name);
        const LaunchExport launch = export_launch(format.name, llama_job("megatron-core"));
        std::vector<LaunchFile> files;
        for (const LaunchText& file : launch.files)
            files.push_back({file.name, file.text});
        const LaunchReading apart = read_launch_files(files);
        const LaunchReading together =
            read_launch_files(std::vector<LaunchFile>{{"job.sh", one_script(launch)}});
        CHECK(together.format == apart.format);
        REQUIRE(together.facts.size() == apart.facts.size());
        for (const auto& [fact, value] : apart.facts) {
            INFO(fact_name(fact));
            CHECK(together.facts.at(fact).value == value.value);
        }
    }
}

TEST_CASE("collectives beside products are asked for in each framework's words, and read again", "[export]") {
    for (const auto& [format, stack, words] :
         {std::tuple{"torchtitan", "torchtitan", "enable_async_tensor_parallel = true"},
          std::tuple{"megatron", "megatron-core", "--tp-comm-overlap"},
          std::tuple{"nemo", "nemo", "ub_tp_comm_overlap: true"}}) {
        INFO(format);
        Job job = llama_job(stack);
        CHECK_FALSE(holds(one_script(export_launch(format, job)), "overlap: "));
        job.run.parallel.tp_overlap = true;
        const LaunchExport launch = export_launch(format, job);
        CHECK(unsaid_of(launch, "tp-overlap") == nullptr);
        std::vector<LaunchFile> files;
        for (const LaunchText& file : launch.files)
            files.push_back({file.name, file.text});
        CHECK(holds(one_script(launch), words));
        CHECK(launch_draft(read_launch_files(files), catalogue()).draft.tp_overlap.value == true);
    }
}

TEST_CASE("a format that is not written is named with those that are", "[export]") {
    try {
        export_launch("megatorn", llama_job("megatron-core"));
        FAIL("was written");
    } catch (const Error& error) {
        CHECK(holds(error.what(), "--to: unknown value 'megatorn'; allowed: megatron, "));
    }
}

TEST_CASE("readers take what exporters write: kernels, places, optimizers, models by their tokenizer",
          "[export][import]") {
    const std::string megatron =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
        "--num-attention-heads 32 "
        "--group-query-attention --num-query-groups 8 --ffn-hidden-size 14336 --vocab-size 128256 "
        "--seq-length 4096 --micro-batch-size 1 --tensor-model-parallel-size 2 --attention-backend unfused ";
    CHECK(drafted("a.sh", megatron).draft.attention.value == AttentionKernel::math);
    CHECK_FALSE(drafted("a.sh", megatron).draft.model);
    CHECK(drafted("a.sh", megatron + "--tokenizer-model meta-llama/Llama-3.1-8B").draft.model.value ==
          "llama-3.1-8b");

    const LaunchDraft zero =
        drafted("ds.json", R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3,
        "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "nvme"}}})");
    CHECK(zero.draft.offload_optimizer.value == Offload::cpu);
    CHECK(zero.draft.offload_parameters.value == Offload::nvme);

    const LaunchDraft nemo = drafted("a.yaml",
                                     "trainer:\n  devices: 8\n  num_nodes: 1\nmodel:\n  micro_batch_size: 1\n"
                                     "  global_batch_size: 8\n  optim:\n    name: mcore_distributed_optim\n");
    CHECK(nemo.draft.optimizer.value == Optimizer::adamw);

    const LaunchDraft titan =
        drafted("a.toml",
                "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 8192\n"
                "local_batch_size = 1\n[parallelism]\ntensor_parallel_degree = 1\n"
                "[activation_checkpoint]\nmode = \"none\"\n");
    CHECK(titan.draft.recompute->kind == Recompute::none);
    CHECK(titan.draft.model.value == "llama-3-8b");

    const auto tuned = [](const std::string& name) {
        return drafted("a.yaml", "base_model: " + name +
                                     "\nsequence_len: 2048\nmicro_batch_size: 1\ndatasets:\n  - path: x\n")
            .draft.model.value;
    };
    CHECK(tuned("Qwen/Qwen3-30B-A3B-Instruct-2507") == "qwen3-30b-a3b");
    CHECK(tuned("Qwen3-235B-A22B-Instruct-2507-mcore") == "qwen3-235b-a22b");

    const LaunchDraft latent = drafted(
        "a.sh",
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 61 --hidden-size 7168 --kv-channels 128 "
        "--num-attention-heads 128 --ffn-hidden-size 18432 --multi-latent-attention --num-experts 256 "
        "--moe-router-topk 8 --micro-batch-size 1 --tokenizer-model deepseek-ai/DeepSeek-V3\n");
    CHECK(latent.draft.model.value == "deepseek-v3");

    const LaunchDraft maxtext =
        drafted("a.yml",
                "base_config: base.yml\nmax_target_length: 4096\nper_device_batch_size: 1\n"
                "remat_policy: none\nici_fsdp_parallelism: 2\nici_expert_parallelism: 4\n"
                "dcn_data_parallelism: 3\n");
    CHECK(maxtext.draft.recompute->kind == Recompute::none);
    CHECK(maxtext.draft.dp.value == 24);

    const LaunchDraft tune = drafted("a.yaml",
                                     "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n"
                                     "tokenizer:\n  _component_: x.y\nbatch_size: 2\n");
    CHECK(tune.draft.model.value == "llama-3.1-8b");
}
