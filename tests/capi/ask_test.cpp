// Links the library alone and includes its C header alone: no CLI11, no C++ of traincost.

#include <traincost/capi/traincost.h>

#include <catch2/catch.hpp>

#include <string>
#include <thread>

namespace {

std::string answer(const std::string& question) {
    char* text = traincost_ask(question.c_str());
    std::string copy(text);
    traincost_free(text);
    return copy;
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

const std::string job =
    R"("model": "llama-3.1-8b", "gpu": "h100", "gpus": 8, "seq": "8K", "micro-batch": 1, "global-batch": 64, "zero": 1)";

}  // namespace

TEST_CASE("a file in a question may be long", "[capi]") {
    std::string log;
    for (int i = 1; i <= 2000; ++i) {
        log += " iteration " + std::to_string(i) +
               "/ 5000 | consumed samples: 64 | elapsed time per iteration (ms): 812.5 | global batch size: "
               "64 |\\n";
    }
    REQUIRE(log.size() > 100000);
    const std::string read =
        answer(R"({"command": "read", "files": [{"name": "train.log", "text": ")" + log + "\"}]}");
    INFO(read.substr(0, 500));
    CHECK(holds(read, "\"iterations\": 2000"));
    CHECK(holds(answer(R"({"command": "estimate", "model": ")" + std::string(100000, 'a') + "\"}"),
                "at most 65536"));
}

TEST_CASE("each command answers as it does with --json", "[capi]") {
    const std::string estimate = answer(R"({"command": "estimate", )" + job + "}");
    INFO(estimate.substr(0, 500));
    CHECK(holds(estimate, "\"sequence\": 8192"));
    CHECK(holds(estimate, "\"step\""));
    CHECK(holds(answer(R"({"command": "timeline", )" + job + "}"), "\"assumptions\""));
    const std::string sweep = answer(R"({"command": "sweep", "vary": ["tp=1,2"], )" + job + "}");
    CHECK(holds(sweep, "\"points\""));
    const std::string compare = answer(R"({"command": "compare", "jobs": [{"name": "a", )" + job +
                                       R"(}, {"name": "b", )" + job + "}]}");
    CHECK(holds(compare, "\"step_ratio\": 1"));
    CHECK(holds(answer(R"({"command": "plan", "top": 1, )" + job + "}"), "\"memory_by_zero\""));
}

TEST_CASE("records in a question are names of its catalogue, and of no other's", "[capi]") {
    const std::string gpu =
        R"({"name": "x1.json", "text": "{\"schema\": \"accelerator/1\", \"id\": \"x1\", \"vendor\": \"NVIDIA\", \"architecture\": \"Hopper\", \"memory\": {\"capacity_GB\": 96, \"bandwidth_GBps\": 3800}, \"peak_TFLOPs\": {\"bf16\": 900}}"})";
    const std::string asked =
        R"({"command": "estimate", "model": "gpt2", "gpu": "x1", "gpus": 8, "seq": "1K")";
    CHECK(holds(answer(asked + R"(, "records": [)" + gpu + "]}"), "\"capacity_GB\": 96"));
    CHECK(holds(answer(asked + "}"), "unknown accelerator 'x1'"));
    CHECK(holds(answer(asked + R"(, "records": [)" + gpu + ", " + gpu + "]}"), "already the id of x1.json"));
    CHECK(holds(answer(asked + R"(, "records": [{"name": "y", "text": "{\"schema\": \"job/1\"}"}]})"),
                "allowed: accelerator/1, cluster/1"));
    CHECK(holds(answer(R"({"command": "read", "files": [)" + gpu + "]}"), "\"kind\": \"accelerator\""));
}

TEST_CASE("a timeline by lanes has the traffic of each stage", "[capi]") {
    const std::string lanes =
        answer(R"({"command": "timeline", "lanes": true, "tp": 2, "pp": 2, )" + job + "}");
    INFO(lanes.substr(0, 500));
    CHECK(holds(lanes, "\"lane\": \"tensor_parallel\""));
    CHECK(holds(lanes, "\"stage\": 1"));
    CHECK_FALSE(holds(lanes, "\"memory\""));
}

TEST_CASE("an answer's input is a question again", "[capi]") {
    const std::string first = answer(R"({"command": "estimate", )" + job + "}");
    const auto begin = first.find("\"input\": ") + 9;
    const auto end = first.find("\n  },\n", begin) + 4;
    const std::string again =
        answer(R"({"command": "estimate", "job": )" + first.substr(begin, end - begin) + "}");
    const auto step = [](const std::string& text) {
        const auto at = text.find("\"step\"");
        return text.substr(at, text.find(',', at) - at);
    };
    CHECK(step(first) == step(again));
}

TEST_CASE("what is wrong with a question is its answer", "[capi]") {
    CHECK(holds(answer("{"), "\"error\""));
    CHECK(holds(answer(R"({"command": "estimat"})"), "did you mean 'estimate'?"));
    CHECK(holds(answer(R"({"command": "estimate", "model": "llama-3.1-8b"})"), "\"path\": \"--gpu\""));
    CHECK(holds(answer(R"({"command": "estimate", "tq": 2, )" + job + "}"), "did you mean 'tp'?"));
    CHECK(holds(answer(R"({"command": "estimate", "tp": "two", )" + job + "}"), "\"kind\": \"usage\""));
    // Each flag, wrong in each way: the path is the flag, and the sentence does not repeat it.
    for (const std::string flag : {"tp", "ep", "vp", "cp", "precision", "tokens"}) {
        for (const std::string value : {R"("no such thing")", "-1", "true", "[1, 2]", "{}"}) {
            CAPTURE(flag, value);
            const std::string said =
                answer(R"({"command": "estimate", ")" + flag + "\": " + value + ", " + job + "}");
            CHECK(holds(said, "\"path\": \"--" + flag + "\""));
            CHECK_FALSE(holds(said, "\"message\": \"--"));
            CHECK_FALSE(holds(said, "'on'"));
        }
    }
    CHECK(answer(R"({"command": "estimate", "compile": true, )" + job + "}") ==
          answer(R"({"command": "estimate", "compile": "on", )" + job + "}"));
    CHECK(holds(answer(R"({"command": "recommend", "tp": "two", )" + job + "}"), "\"path\": \"--tp\""));
    CHECK(answer(R"({"command": "estimate", "tp": null, )" + job + "}") ==
          answer(R"({"command": "estimate", )" + job + "}"));
    CHECK(holds(std::string(traincost_version()), "."));
    traincost_free(nullptr);
}

TEST_CASE("a wrong value is said under the member's flag, in the caller's words", "[capi]") {
    const std::string asked = R"("model": "llama-3.1-8b", "gpu": "h100", "gpus": 8, )";
    const auto wrong = [&](const std::string& command, const std::string& member) {
        return answer(R"({"command": ")" + command + R"(", )" + asked + member + "}");
    };
    const std::string text = wrong("estimate", R"("tp": "two")");
    INFO(text);
    CHECK(holds(text, R"("path": "--tp")"));
    CHECK_FALSE(holds(text, "--tp: "));
    const std::string unsaid = answer(R"({"command": "estimate", )" + job + "}");
    for (const std::string member : {"tp", "pp", "recompute", "precision"}) {
        const std::string null = answer(R"({"command": "estimate", )" + job + ", \"" + member + "\": null}");
        CHECK(null == unsaid);
    }
    const std::string yes = wrong("estimate", R"("zero": true)");
    INFO(yes);
    CHECK(holds(yes, R"("path": "--zero")"));
    CHECK(holds(yes, "'true'"));
    CHECK(holds(yes, "allowed"));
    CHECK_FALSE(holds(yes, "'on'"));
    CHECK(holds(wrong("recommend", R"("tp": "two")"), R"("path": "--tp")"));
    CHECK(holds(wrong("achieved", R"("step-time": "soon")"), R"("path": "--step-time")"));
}

TEST_CASE("params counts by module and tensor, and by rank of a layout", "[capi]") {
    const std::string whole = answer(R"({"command": "params", "model": "llama-3.1-8b"})");
    INFO(whole.substr(0, 500));
    CHECK(holds(whole, "\"total\": 8030261248"));
    CHECK(holds(whole, "\"tensors\""));
    CHECK_FALSE(holds(whole, "\"stages\""));
    CHECK(holds(answer(R"({"command": "params", "model": "llama-3.1-8b", "pp": 2})"), "\"per_rank\""));
    CHECK(holds(answer(R"({"command": "params", "model": "llama-3.1-8b", "ep": 2})"), "has no experts"));
    CHECK(
        holds(answer(R"({"command": "params", "model": "llama-3.1-8b", "tp": "two"})"), R"("path": "--tp")"));
}

TEST_CASE("a published calculator is a form: its fields, its answer, its own text", "[capi]") {
    const std::string forms = answer(R"({"command": "method"})");
    INFO(forms.substr(0, 500));
    for (const std::string name : {"fast-llm", "iiis", "iiis-sheet", "chinchilla-grid", "lightning",
                                   "llm-bench", "flagperf", "six-nd"}) {
        CAPTURE(name);
        CHECK(holds(forms, "\"name\": \"" + name + "\""));
        const std::string wrong = answer(R"({"command": "method", "tq": 1, "method": ")" + name + "\"}");
        CHECK(holds(wrong, "\"error\""));
        CHECK(holds(wrong, "tq"));
    }
    const std::string sheet = R"({"command": "method", "method": "fast-llm", "preset": "Llama2-7B")";
    CHECK(holds(answer(sheet + "}"), "\"model_size_B\""));
    const std::string text = answer(sheet + R"(, "format": "table"})");
    CHECK(holds(text, "Strategy_Recommand"));
    CHECK(holds(text, "NHIDDEN=4096"));
    CHECK(holds(answer(sheet + R"(, "nodes": "two"})"), R"("path": "--nodes")"));
    const std::string run = R"({"command": "method", "method": "six-nd", "params": "7B", "tokens": 2e12)";
    CHECK(holds(answer(run + R"(, "tflops": 140, "gpus": 256})"), "T_days"));
    CHECK(holds(answer(run + R"(, "tflops": 140, "mfu": 0.5})"), "--mfu"));
    CHECK(holds(answer(R"({"command": "method", "method": "six-md"})"), "did you mean 'six-nd'?"));
}

TEST_CASE("the catalogue and the days of a run are asked", "[capi]") {
    const std::string all = answer(R"({"command": "list"})");
    for (const std::string kind : {"models", "accelerators", "clusters", "stacks", "prices"})
        CHECK(holds(all, "\"" + kind + "\": ["));
    const std::string some = answer(R"({"command": "list", "kind": "models", "filter": "mixtral"})");
    CHECK(holds(some, "mixtral-8x7b"));
    CHECK_FALSE(holds(some, "llama"));
    CHECK(holds(answer(R"({"command": "list", "kind": "modles"})"), "did you mean 'models'?"));
    CHECK(holds(answer(R"({"command": "show", "name": "h100"})"), "\"kind\": \"accelerator\""));
    CHECK(holds(answer(R"({"command": "show", "name": "h1000"})"), "\"error\""));
    const std::string run =
        R"({"command": "days", "params": "7B", "tokens": "2T", "gpus": 256, "gpu": "a100")";
    CHECK(holds(answer(run + R"(, "tflops": 140})"), "\"flops_per_gpu\": 1.4e+14"));
    CHECK(holds(answer(run + R"(, "tflops": 140, "mfu": 0.4})"), "\"path\": \"--mfu\""));
    CHECK(holds(answer(run + "}"), "\"rate_from\": \"modelled: "));
    const std::string none =
        R"({"command": "days", "params": "700B", "tokens": "2T", "gpus": 1, "gpu": "a100"})";
    CHECK(holds(answer(none), "no layout fits"));
}

TEST_CASE("threads ask at once", "[capi]") {
    const std::string question = R"({"command": "estimate", )" + job + "}";
    const std::string expected = answer(question);
    std::string other;
    std::thread thread([&] { other = answer(question); });
    const std::string own = answer(question);
    thread.join();
    CHECK(own == expected);
    CHECK(other == expected);
}

TEST_CASE("a page's questions are answered: fields, files, explanations, logs, laws", "[capi]") {
    CHECK(holds(answer(R"({"command": "fields"})"), "\"flag\": \"--tp\""));
    const std::string config =
        R"({\"model_type\": \"llama\", \"hidden_size\": 2048, \"intermediate_size\": 5632, \"num_hidden_layers\": 22, )"
        R"(\"num_attention_heads\": 32, \"num_key_value_heads\": 4, \"vocab_size\": 32000})";
    const std::string files = R"("files": [{"name": "config.json", "text": ")" + config + R"("}])";
    CHECK(holds(answer(R"({"command": "read", )" + files + "}"), "\"kind\": \"model\""));
    CHECK(holds(answer(R"({"command": "estimate", "gpu": "h100", "gpus": 8, )" + files + "}"), "1100048384"));
    CHECK(holds(answer(R"({"command": "read", "files": [{"name": "a.json", "text": "{"}]})"), "a.json"));
    CHECK(holds(answer(R"({"command": "read", "files": []})"), "is empty"));
    CHECK(holds(answer(R"({"command": "explain", "item": "memory.weights", )" + job + "}"), "\"equation\""));
    CHECK(holds(answer(R"({"command": "explain", )" + job + "}"), "\"memory.gradients\""));
    CHECK(holds(answer(R"({"command": "explain", "item": "step.gemm", "operators": true, )" + job + "}"),
                "\"forward_flops\""));
    CHECK(holds(answer(R"({"command": "explain", "item": "step.gemm", "operators": true})"), "needs a job"));
    CHECK(
        holds(answer(R"({"command": "achieved", "log": {"name": "a.log", "text": "nothing"}, )" + job + "}"),
              "a.log: not a log of a known framework"));
    CHECK(holds(answer(R"({"command": "achieved", "step-time": "2s", )" + job + "}"),
                "\"measured_over_predicted\""));
    CHECK(holds(answer(R"({"command": "export", "to": "megatron", )" + job + "}"), "pretrain_gpt.py"));
    CHECK(holds(answer(R"({"command": "export", "to": "megatrom", )" + job + "}"), "\"usage\""));
    CHECK(holds(answer(R"({"command": "report", )" + job + "}"), "<html"));
    CHECK(holds(answer(R"({"command": "scale", "flops": "6e23"})"), "chinchilla-grid"));
    CHECK(holds(answer(R"({"command": "scale", "flops": "many"})"), "\"error\""));
    CHECK(holds(answer(R"({"command": "methods", "tokens": "1T", )" + job + "}"), "\"six-nd\""));
    CHECK(holds(answer(R"({"command": "methods", "tokens": "1T", )" + job + "}"), "Strategy_Recommand"));
}

TEST_CASE("a spreadsheet is asked as cells with formulas and their results", "[capi]") {
    const std::string sheet = answer(R"({"command": "sheet", )" + job + "}");
    INFO(sheet.substr(0, 500));
    CHECK(holds(sheet, "\"name\": \"Output\""));
    CHECK(holds(sheet, "\"formula\": \"=Input!$B$6/(Input!$B$5*Input!$B$10)\",\n          \"number\": 8"));
    CHECK(holds(answer(R"({"command": "sheet", "gpus": 0})"), "\"usage\""));
}

TEST_CASE("a recorded step is asked as text, or as the numbers of a workbook's sheet", "[capi]") {
    const auto from = [](const std::string& file) {
        return answer(R"({"command": "timeline", "from": )" + file + "}");
    };
    const std::string rows = R"("text": "stage,task,begin,end\n0,forward,0,2\n1,forward,2,3\n"})";
    CHECK(holds(from(R"({"name": "own.csv", )" + rows), "\"total_s\": 3"));
    CHECK(holds(answer(R"({"command": "read", "files": [{"name": "own.csv", )" + rows + "]}"),
                "\"kind\": \"recording\""));
    const std::string cells = R"("E1": 2, "G1": 1, "I1": 2, "K1": 3, "M1": 10, "O1": 1, "Q1": 4)";
    CHECK(holds(from(R"({"name": "a.xlsx", "cells": {)" + cells + "}}"), "\"total_s\": 16"));
    CHECK(holds(from(R"({"name": "a.xlsx", "cells": {"E1": 2}})"), "Output!G1 has no number"));
    CHECK(holds(from(R"({"name": "a.csv", "text": "nothing"})"), "a.csv:1: expected a label"));
}

TEST_CASE("a search is asked in words, lists and numbers", "[capi]") {
    const std::string found =
        answer(R"({"command": "recommend", "model": "llama-2-7b", "gpu": "a100", "gpus": 16,
        "tp": [1, 2], "zero": "1", "recompute": "none,full", "top": 2, "tokens": "1T"})");
    CHECK(holds(found, R"("plans")"));
    CHECK_FALSE(holds(found, R"("error")"));
    const std::string wrong = answer(R"({"command": "recommend", "model": "llama-2-7b", "gpu": "a100",
        "gpus": 16, "tp": "two"})");
    CHECK(holds(wrong, "--tp"));
    CHECK(holds(wrong, R"("usage")"));
    const std::string unknown = answer(R"({"command": "recomend"})");
    CHECK(holds(unknown, "recommend"));
}
