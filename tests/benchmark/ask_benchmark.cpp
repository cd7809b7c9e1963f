// A question by names, as a scheduler asks it: warm, one call.

#include <string>

#include <benchmark/benchmark.h>

#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/ask/sources.hpp"
#include "traincost/capi/traincost.h"
#include "traincost/spec/draft/job_fields.hpp"

namespace {

using namespace traincost;

JobDraft draft_by_names() {
    JobDraft draft;
    const auto say_flag = [&](std::string_view flag, const std::string& text) {
        say(draft, *job_field(flag), text, std::string("--").append(flag));
    };
    say_flag("model", "llama-3.1-70b");
    say_flag("gpu", "h100");
    say_flag("gpus", "256");
    say_flag("seq", "8192");
    say_flag("global-batch", "512");
    say_flag("tp", "8");
    say_flag("pp", "4");
    return draft;
}

void ask_by_names(benchmark::State& state) {
    const Sources sources;
    const JobDraft draft = draft_by_names();
    for (auto _ : state)
        benchmark::DoNotOptimize(ask(EstimateQuestion{draft, {}}, sources));
}
BENCHMARK(ask_by_names)->Unit(benchmark::kMicrosecond);

void ask_by_json(benchmark::State& state) {
    for (auto _ : state) {
        char* answer =
            traincost_ask(R"({"command": "estimate", "model": "llama-3.1-70b", "gpu": "h100", "gpus": 256,
            "seq": 8192, "global-batch": 512, "tp": 8, "pp": 4})");
        benchmark::DoNotOptimize(answer);
        traincost_free(answer);
    }
}
BENCHMARK(ask_by_json)->Unit(benchmark::kMicrosecond);

}  // namespace
