// The table of llm-train-bench's README (ccaddd86, 2024-10-14): TFLOP/s by its own FLOPs of a token on H100,
// single, DDP and FSDP over 8 GPUs (not stated, presumed), read from a progress bar by eye. A figure is of
// one micro-step of eight; the optimizer's is one of them.

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/cost/estimate.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/methods/llm_bench.hpp"
#include "traincost/spec/data_type.hpp"

using namespace traincost;

namespace {

struct Row {
    const char* model;
    const char* mode;     ///< single, ddp or fsdp
    const char* feature;  ///< plain, compile or fp8
    double printed;       ///< TFLOP/s
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all = {{"gpt2-1.5b", "single", "plain", 350},
                                         {"gpt2-1.5b", "single", "compile", 400},
                                         {"gpt2-1.5b", "single", "fp8", 400},
                                         {"gpt2-1.5b", "ddp", "plain", 325},
                                         {"gpt2-1.5b", "ddp", "compile", 360},
                                         {"gpt2-1.5b", "ddp", "fp8", 350},
                                         {"gpt2-1.5b", "fsdp", "plain", 320},
                                         {"gpt2-1.5b", "fsdp", "compile", 330},
                                         {"gpt2-1.5b", "fsdp", "fp8", 250},
                                         {"llama-3.1-70b-proxy", "single", "plain", 700},
                                         {"llama-3.1-70b-proxy", "single", "compile", 790},
                                         {"llama-3.1-70b-proxy", "single", "fp8", 1200},
                                         {"llama-3.1-70b-proxy", "ddp", "plain", 600},
                                         {"llama-3.1-70b-proxy", "ddp", "compile", 650},
                                         {"llama-3.1-70b-proxy", "ddp", "fp8", 950},
                                         {"llama-3.1-70b-proxy", "fsdp", "plain", 650},
                                         {"llama-3.1-70b-proxy", "fsdp", "compile", 680},
                                         {"llama-3.1-70b-proxy", "fsdp", "fp8", 1000}};
    return all;
}

constexpr std::int64_t accumulated = 8;

double printed(const char* model, const char* mode, const char* feature) {
    for (const Row& row : rows()) {
        if (std::string(row.model) == model && std::string(row.mode) == mode &&
            std::string(row.feature) == feature)
            return row.printed;
    }
    return 0;
}

/// TFLOP/s of a GPU by the tool's FLOPs of a token, over a whole step.
double predicted(const Row& row) {
    static const Catalogue catalogue;
    const std::string mode = row.mode, feature = row.feature;
    const bool llama = std::string(row.model) != "gpt2-1.5b";
    const std::int64_t ranks = mode == "single" ? 1 : 8;
    RunSpec run{};
    run.precision = *precision_from(feature == "fp8" ? "fp8-mixed" : "bf16-amp");
    run.compile = feature == "compile";
    run.sequence = llama ? 4096 : 1024;
    run.micro_batch = llama ? 2 : 8;
    run.parallel.dp = ranks;
    run.parallel.zero = mode == "fsdp" ? 3 : 0;
    run.global_batch = run.micro_batch * ranks * accumulated;
    Job job{catalogue.model(llama ? "llama-3.1-70b" : "gpt2-1.5b"), catalogue.cluster("h100", ranks).spec,
            catalogue.stack("llm-train-bench"), run};
    if (llama)
        job.model.layers = 1;
    const double tokens = static_cast<double>(run.micro_batch * run.sequence * accumulated);
    const LlmBenchWork work = llm_bench_work(llm_bench_model(row.model));
    return work.claimed.value() * tokens / estimate(job).step.total.value() / 1e12;
}

double predicted(const char* model, const char* mode, const char* feature) {
    return predicted(Row{model, mode, feature, 0});
}

}  // namespace

TEST_CASE("llm-train-bench's table: bf16 within 8 % on average, FP8 within 15 %", "[llm_bench]") {
    double bf16 = 0, narrow = 0;
    int plain = 0, fp8 = 0;
    for (const Row& row : rows()) {
        const double error = std::abs(predicted(row) / row.printed - 1);
        const bool is_fp8 = std::string(row.feature) == "fp8";
        CAPTURE(row.model, row.mode, row.feature, row.printed, predicted(row));
        if (!is_fp8) {
            bf16 += error;
            ++plain;
            // FSDP gives most of what compiling GPT-2 gains back there; why is not known.
            if (std::string(row.mode) != "fsdp" || std::string(row.feature) != "compile")
                CHECK(error < 0.09);
        } else {
            // GPT-2's 48 narrow blocks of Transformer Engine wait for the host: without its time they are a
            // quarter to a half too fast.
            narrow += error;
            ++fp8;
        }
    }
    CHECK(plain == 12);
    CHECK(bf16 / plain < 0.08);
    CHECK(fp8 == 6);
    CHECK(narrow / fp8 < 0.15);
}

TEST_CASE("llm-train-bench's table: the order of single GPU, DDP and FSDP", "[llm_bench]") {
    // Its DDP reduces in every micro-step: of the one-layer Llama, whose weights are many for its work, it is
    // slower than FSDP there and here.
    for (const char* feature : {"plain", "compile", "fp8"}) {
        const char* llama = "llama-3.1-70b-proxy";
        CAPTURE(feature);
        CHECK(printed(llama, "single", feature) > printed(llama, "fsdp", feature));
        CHECK(printed(llama, "fsdp", feature) > printed(llama, "ddp", feature));
        CHECK(predicted(llama, "single", feature) > predicted(llama, "fsdp", feature));
        CHECK(predicted(llama, "fsdp", feature) > predicted(llama, "ddp", feature));
        CHECK(predicted("gpt2-1.5b", "single", feature) > predicted("gpt2-1.5b", "ddp", feature));
    }
    // GPT-2: single, DDP, FSDP in this order; compiled, its FSDP loses there what compiling gains, and ours
    // does not.
    for (const char* feature : {"plain", "fp8"}) {
        CAPTURE(feature);
        CHECK(printed("gpt2-1.5b", "ddp", feature) > printed("gpt2-1.5b", "fsdp", feature));
        CHECK(predicted("gpt2-1.5b", "ddp", feature) > predicted("gpt2-1.5b", "fsdp", feature));
    }
}
