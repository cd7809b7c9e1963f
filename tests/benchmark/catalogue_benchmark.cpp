// What a question costs before it is estimated: parsing records, finding names, building a cluster.
#include <traincost/io/catalogue.hpp>
#include <traincost/io/embedded.hpp>
#include <traincost/io/specs/model_json.hpp>

#include <benchmark/benchmark.h>

using namespace traincost;

static std::string_view record_text(std::string_view room, std::string_view id) {
    for (const EmbeddedFile& file : embedded_files()) {
        if (file.room == room && file.id == id) {
            return file.text;
        }
    }
    return {};
}

static void parse_model_record(benchmark::State& state) {
    const std::string_view text = record_text("models", "deepseek-v3");
    for (auto _ : state) {
        const JsonDocument document = parse_json(text, "deepseek-v3");
        benchmark::DoNotOptimize(model_from_json(JsonNode(document)));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(parse_model_record)->Unit(benchmark::kMicrosecond);

// Each with a catalogue nobody has asked yet, as in a new process.
static void find_model_by_alias(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(Catalogue().id(Room::models, "meta-llama/Llama-3.1-70B"));
    }
}
BENCHMARK(find_model_by_alias)->Unit(benchmark::kMicrosecond);

static void suggest_for_unknown_model(benchmark::State& state) {
    for (auto _ : state) {
        try {
            Catalogue().model("lama-3.1-70b");
        } catch (const Error& error) {
            benchmark::DoNotOptimize(error.what());
        }
    }
}
BENCHMARK(suggest_for_unknown_model)->Unit(benchmark::kMicrosecond);

static void build_a_cluster(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(Catalogue().cluster("h100", 1024));
    }
}
BENCHMARK(build_a_cluster)->Unit(benchmark::kMicrosecond);

static void read_a_stack(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(Catalogue().stack("mlperf"));
    }
}
BENCHMARK(read_a_stack)->Unit(benchmark::kMicrosecond);
