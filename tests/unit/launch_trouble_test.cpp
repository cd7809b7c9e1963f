// Launch files that are cut off, too long, or no text at all: one clear line, or what can be said of them.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/base/error.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

std::string complaint_of(const std::string& name, const std::string& text) {
    try {
        read_launch_files(std::vector<LaunchFile>{{name, text}});
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

const std::string megatron_command =
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
    "--micro-batch-size 1 --tensor-model-parallel-size 2 ";

constexpr const char* python_configs[] = {
    R"(from torchtitan.trainer import Trainer

def llama3_8b() -> Trainer.Config:
    """A docstring with 'quotes' (and brackets)."""
    return Trainer.Config(
        model_spec=model_registry("8B", attn_backend='flex'),
        optimizer=OptimizersContainer.Config(lr=3e-4, betas=[0.9, -0.95]),
        training=TrainingConfig(
            local_batch_size=1, max_context_length=8 * 1024, steps=1_000,
        ),
        parallelism=ParallelismConfig(tensor_parallel_degree=2 // 1),
        activation_checkpoint=SelectiveAC.Config(),
    ).copy()

def llama3_70b():
    config = llama3_8b()
    config.training.local_batch_size = 2 + 6 / 2
    config.model_spec = model_registry("70B", **kwargs)
    return config
)",
    R"(batch = {"a": 1, 'b': (2, 3), "c": None}
lr = 1e-5
train = Config(seq_len=[1, 2][0], *rest, name="x\"y",)
def
def f
def f(
)",
};

}  // namespace

TEST_CASE("TOML whose keys have letters beyond ASCII is refused with its line", "[launch][trouble]") {
    // \u019d, \u304b, \ufb01 and \u1e9e: each of another row of the tables of toml++.
    for (const char* letter : {"\u019d", "\u304b", "\ufb01", "\u1e9e"}) {
        const std::string text = std::string("[training]\n") + letter + "atch_size = 8\nseq_len = 2048\n";
        CHECK_THAT(complaint_of("job.toml", text), Catch::StartsWith("job.toml:2: not valid TOML"));
    }
}

TEST_CASE("a Python configuration cut off anywhere is read or refused in one line", "[launch][python]") {
    for (const std::string text : python_configs) {
        for (std::size_t n = 0; n <= text.size(); ++n) {
            INFO(text.substr(0, n));
            const std::string line = complaint_of("job.py", text.substr(0, n));
            CHECK((line == "none" || line.starts_with("job.py")));
            CHECK(line.find('\n') == std::string::npos);
        }
    }
}

TEST_CASE("a bare def, a return of nothing and an unfinished call are no configuration", "[launch][python]") {
    for (const char* text : {"def", "def ", "def f(", "def f():\n    return ",
                             "def f():\n    return X(a=", "import x\ndef f():\n    return \"",
                             "import x\nx = -", "import x\nx = f(a, *"}) {
        INFO(text);
        CHECK(complaint_of("job.py", text).find('\n') == std::string::npos);
    }
}

TEST_CASE("Python functions that call each other without end are refused", "[launch][python]") {
    std::string text = "import x\ndef f0():\n    return Config(a=1)\n";
    for (int i = 1; i < 20; ++i) {
        const std::string last = "f" + std::to_string(i - 1);
        text += "def f" + std::to_string(i) + "():\n    return Config(a=" + last + "(), b=" + last + "())\n";
    }
    try {
        read_launch_files(std::vector<LaunchFile>{{"job.py", text}}, "f19");
        FAIL("was read");
    } catch (const Error& error) {
        CHECK(std::string(error.what()) == "job.py: its functions call each other more than 10000 times");
    }
}

TEST_CASE("an argument given twice to a Python call is named with its line", "[launch][python]") {
    CHECK(complaint_of("job.py", "import x\ndef f():\n    return Config(a=1,\n        a=2)\n") ==
          "job.py:4: the argument a is given twice");
}

TEST_CASE("a NUL byte is named with its line, whatever the syntax", "[launch]") {
    using namespace std::string_literals;
    CHECK(complaint_of("a.yaml", "base_model: m\nsequence_len: 1\0\n"s) ==
          "a.yaml:2: has a NUL byte and is not UTF-8 text");
    CHECK(complaint_of("a.json", "{\"a\":\n\n1\0}"s) == "a.json:3: has a NUL byte and is not UTF-8 text");
    CHECK(complaint_of("a.sh", "#!/bin/bash\ntorchrun x.py --a\0b"s) ==
          "a.sh:2: has a NUL byte and is not UTF-8 text");
    CHECK(complaint_of("a.yaml.gz", "\x1f\x8b\x08\0a: 1"s) ==
          "a.yaml.gz:1: is compressed with gzip; unpack it first: gunzip a.yaml.gz");
    CHECK(complaint_of("a.py", "\0import x"s) == "a.py:1: has a NUL byte and is not UTF-8 text");
}

TEST_CASE("what a configuration is laid over is asked for, until it is given", "[launch]") {
    const std::string text =
        "defaults:\n  - base\n  - override hydra/launcher: slurm\n  - _self_\ntrainer:\n  devices: 8\n"
        "  num_nodes: 1\nmodel:\n  micro_batch_size: 1\n  global_batch_size: 8\n"
        "  tensor_model_parallel_size: 1\n";
    const LaunchReading reading = said_in(text);
    REQUIRE(reading.unread.size() == 1);
    CHECK(reading.unread.front().where == "job:2");
    CHECK(reading.unread.front().why == "give base.yaml too; its content is unknown");
    const LaunchReading both = read_launch_files(std::vector<LaunchFile>{{"job.yaml", text},
                                                                         {"conf/base.yaml",
                                                                          "trainer:\n  num_nodes: 1\n"
                                                                          "model:\n  encoder_seq_length: 10\n"
                                                                          "  micro_batch_size: 1\n"}});
    CHECK(both.unread.empty());
}

TEST_CASE("nine thousand assignments, branches and settings are followed", "[launch]") {
    std::string script = "#!/bin/bash\nARGS=\"--seq-length 4096\"\n";
    for (int i = 0; i < 9'000; ++i) {
        const std::string n = std::to_string(i);
        script += "V" + n + "=" + n + "\n";
        script += "if [ -f /x" + n + " ]; then W" + n + "=1; fi\n";
        script += "ARGS=\"$ARGS --unknown-" + n + " " + n + "\"\n";
    }
    script += megatron_command + "$ARGS --global-batch-size $V640\n";
    const LaunchReading reading = said_in(script);
    CHECK(said(reading, Fact::sequence) == "4096");
    CHECK(said(reading, Fact::global_batch) == "640");
}

TEST_CASE("a variable that one of several branches sets is known only where they agree", "[launch]") {
    const std::string before = "#!/bin/bash\nMBS=1\nGBS=8\nSEQ=1024\nunset TP\n";
    const std::string branches =
        "if [ -f a ]; then\n  GBS=16; SEQ=2048; LATE=4\n  if [ -f b ]; then MBS=2; unset PP; else MBS=2; fi\n"
        "else\n  SEQ=2048; MBS=2; LATE=4\nfi\n";
    const LaunchReading reading =
        said_in(before + branches +
                "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
                "--tensor-model-parallel-size $LATE --micro-batch-size $MBS --seq-length $SEQ "
                "--global-batch-size $GBS\n");
    CHECK(said(reading, Fact::micro_batch) == "2");
    CHECK(said(reading, Fact::sequence) == "2048");
    CHECK(said(reading, Fact::tp) == "4");
    CHECK(said(reading, Fact::global_batch) == "-");
}

TEST_CASE("a branch that ends the script leaves the variables as they were", "[launch]") {
    const LaunchReading reading = said_in(
        "#!/bin/bash\nSEQ=1024\nif [ -f a ]; then SEQ=2048; exit 1; fi\nARGS=\"--bf16\"\n"
        "ARGS=\"${ARGS} --seq-length $SEQ\"\n" +
        megatron_command + "$ARGS\n");
    CHECK(said(reading, Fact::sequence) == "1024");
    CHECK(said(reading, Fact::precision) == "bf16");
}

TEST_CASE("a dotted key of TOML is as deep as any other nesting may be", "[launch]") {
    std::string key = "a";
    for (int i = 0; i < 100'000; ++i) {
        key += ".a";
    }
    for (const std::string& text :
         {"[" + key + "]\nx = 1\n", "[model]\n" + key + " = 1\n", "[model]\nx = {" + key + " = 1}\n"}) {
        const std::string line = complaint_of("job.toml", "[training]\nseq_len = 1\n" + text);
        CHECK(line.starts_with("job.toml:"));
        CHECK(line.find("nested more than 64 deep") != std::string::npos);
    }
    const std::string dots(200, '.');
    CHECK(complaint_of("job.toml", "# " + dots + "\n[model]\nname = \"llama3\" # " + dots +
                                       "\nflavor = \"8B\"\nx = \"" + dots +
                                       "\"\n[training]\nseq_len = 1\nlocal_batch_size = 1\n") == "none");
}

TEST_CASE("a variable that holds itself several times is unknown before it fills the memory", "[launch]") {
    std::string script = "#!/bin/bash\nA=xxxxxxxx\n";
    for (int i = 0; i < 60; ++i) {
        script += "A=\"$A$A$A$A$A$A$A$A$A$A\"\n";
    }
    const LaunchReading reading = said_in(script + megatron_command + "--tokenizer-model \"$A\"\n");
    CHECK(said(reading, Fact::tp) == "2");
}

TEST_CASE("a script of conditions in conditions is a script, and too deep at a line", "[launch]") {
    std::string script;
    for (int i = 0; i < 30'000; ++i) {
        script += "if true; then\n";
    }
    script += "echo x\n";
    for (int i = 0; i < 30'000; ++i) {
        script += "fi\n";
    }
    const std::string line = complaint_of("deep.sh", script);
    CHECK(line.starts_with("deep.sh:60:"));
    CHECK(line.find("nested more than 60 deep") != std::string::npos);
}

TEST_CASE("calls in calls are Python, and too deep at a line", "[launch]") {
    std::string config = "# written by hand\nmodel = ";
    for (int i = 0; i < 3000; ++i) {
        config += "dict(a=";
    }
    const std::string line = complaint_of("deep.py", config + "1" + std::string(3000, ')') + "\n");
    CHECK(line.starts_with("deep.py:2:"));
    CHECK(line.find("nested more than") != std::string::npos);
}

TEST_CASE("counts whose product no number holds are read, and lead to no division by nought",
          "[launch][trouble]") {
    const std::string huge = "9007199254740992";
    const std::string half = "4294967296";
    const std::pair<const char*, std::string> files[] = {
        {"ds.json", R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": )" + half +
                        R"(, "gradient_accumulation_steps": )" + half + "}"},
        {"mesh.sh", "python -m EasyLM.models.llama.llama_train --mesh_dim='" + huge + "," + huge +
                        ",4' --load_llama_config=7b --train_dataset.json_dataset.batch_size=" + huge +
                        " --optimizer.accumulate_gradient_steps=" + huge + "\n"},
        {"megatron.sh", "torchrun --nproc_per_node " + huge + " --nnodes " + huge +
                            " pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32"
                            " --micro-batch-size " +
                            huge + " --global-batch-size 8 --tensor-model-parallel-size " + half +
                            " --pipeline-model-parallel-size " + half + " --context-parallel-size 4\n"},
        {"nanotron.yaml", "parallelism:\n  dp: " + half + "\n  tp: " + half + "\n  pp: " + half +
                              "\n  expert_parallel_size: 4\ntokens:\n  micro_batch_size: " + huge +
                              "\n  batch_accumulation_per_replica: " + huge + "\n"},
    };
    for (const auto& [name, text] : files) {
        INFO(name);
        CHECK(complaint_of(name, text) == "none");
    }
}

TEST_CASE("EasyLM's numbers that are none are said", "[launch][trouble]") {
    const LaunchReading job = said_in(
        "python -m EasyLM.models.llama.llama_train --mesh_dim='1,-1,4' --load_llama_config=7b "
        "--train_dataset.json_dataset.batch_size=x --train_dataset.json_dataset.seq_length=-5\n");
    CHECK(job.format == "easylm");
    CHECK(said(job, Fact::sequence) == "-");
    CHECK(said(job, Fact::global_batch) == "-");
    CHECK(std::count_if(job.unread.begin(), job.unread.end(),
                        [](const UnreadSetting& u) { return u.matters; }) == 2);
}
