// What scripts rely on in the JSON of the job commands: the keys, sums that are their parts' and an input
// that can be fed back.

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <cli/app.hpp>

#include "support/transcript.hpp"
#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"

using namespace traincost;
using namespace traincost::test;

namespace {

struct Answer {
    JsonDocument document;
    int exit_code;

    const JsonValue& at(std::initializer_list<std::string_view> path) const {
        const JsonValue* value = &document.root;
        for (const std::string_view key : path) {
            INFO("key " << key);
            value = value->find(key);
            REQUIRE(value != nullptr);
        }
        return *value;
    }
    double number(std::initializer_list<std::string_view> path) const {
        return JsonNode(document, at(path)).number();
    }
};

std::string printed(const std::string& command, const std::string& input, int& exit_code) {
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    exit_code = cli::run(split_words(command), in, out, err);
    INFO(err.str());
    CHECK(err.str().empty());
    return out.str();
}

Answer answer(const std::string& command, const std::string& input = "") {
    int exit_code = 0;
    const std::string text = printed(command, input, exit_code);
    return {parse_json(text, "answer"), exit_code};
}

std::string written(const JsonValue& value) {
    JsonWriter out;
    out.value(value);
    return out.text();
}

const std::string job_8b =
    "--model llama-3.1-8b --gpu h100 --gpus 16 --tp 2 --pp 2 --zero 1 --seq 8192 --micro-batch 1 "
    "--global-batch 64 "
    "--tokens 1T --json";

double sum_of(const Answer& answer, std::initializer_list<std::string_view> path, std::string_view key) {
    double sum = 0;
    for (const JsonValue& item : *answer.at(path).array()) {
        sum += JsonNode(answer.document, *item.find(key)).number();
    }
    return sum;
}

}  // namespace

TEST_CASE("estimate's JSON has every key that scripts rely on", "[answers]") {
    const Answer a = answer("estimate " + job_8b);
    for (const char* key : {"schema_version", "input", "params", "fits", "memory", "step", "throughput",
                            "training", "cost", "energy", "assumptions"}) {
        a.at({key});
    }
    CHECK(a.number({"params", "total"}) == 8030261248);
    CHECK(a.number({"params", "active"}) == 8030261248);
    for (const char* key : {"allocated_bytes", "reserved_bytes", "device_bytes", "capacity_bytes"}) {
        CHECK(a.number({"memory", key}) > 0);
    }
    CHECK(a.at({"memory", "by_stage"}).array()->size() == 2);
    CHECK(a.number({"step", "time_s"}) > 0);
    a.at({"step", "interval_80"});
    for (const char* key : {"tokens_per_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu", "mfu", "hfu"}) {
        CHECK(a.number({"throughput", key}) > 0);
    }
    CHECK(a.number({"training", "tokens"}) == 1e12);
    CHECK(a.number({"training", "days"}) == Approx(a.number({"training", "seconds"}) / 86400));
    CHECK(a.number({"training", "gpu_hours"}) == Approx(a.number({"training", "seconds"}) / 3600 * 16));
    CHECK(a.number({"cost", "usd"}) > 0);
    CHECK(a.number({"energy", "kwh"}) > 0);
    CHECK_FALSE(a.at({"assumptions"}).array()->empty());
}

TEST_CASE("estimate's totals are the sums of their parts", "[answers]") {
    const Answer a = answer("estimate " + job_8b);
    CHECK(sum_of(a, {"memory", "breakdown"}, "bytes") ==
          Approx(a.number({"memory", "device_bytes"})).epsilon(1e-12));
    CHECK(sum_of(a, {"step", "breakdown"}, "seconds") == Approx(a.number({"step", "time_s"})).epsilon(1e-12));
    CHECK(sum_of(a, {"params", "breakdown"}, "count") == a.number({"params", "total"}));
}

TEST_CASE("the same question has the same answer, byte for byte", "[answers]") {
    for (const char* command : {"estimate ", "plan "}) {
        int exit_code = 0;
        const std::string first = printed(command + job_8b, "", exit_code);
        CHECK(first == printed(command + job_8b, "", exit_code));
    }
}

TEST_CASE("an answer's input, fed back as the job, gives the same answer", "[answers]") {
    const Answer first = answer("estimate " + job_8b);
    const Answer again = answer("estimate --job - --json", written(first.at({"input"})));
    CHECK(again.exit_code == first.exit_code);
    CHECK(written(again.at({"input"})) == written(first.at({"input"})));
    CHECK(written(again.at({"memory"})) == written(first.at({"memory"})));
    CHECK(written(again.at({"step"})) == written(first.at({"step"})));
    CHECK(written(again.at({"training"})) == written(first.at({"training"})));
}

TEST_CASE("flags override the job file", "[answers]") {
    const Answer file = answer("estimate --job " SOURCE_FOLDER "/tests/golden/job.json --json");
    CHECK(file.number({"input", "run", "parallel", "tp"}) == 2);
    CHECK(file.number({"input", "run", "parallel", "dp"}) == 4);
    const Answer flags =
        answer("estimate --job " SOURCE_FOLDER "/tests/golden/job.json --tp 4 --zero 0 --json");
    CHECK(flags.number({"input", "run", "parallel", "tp"}) == 4);
    CHECK(flags.number({"input", "run", "parallel", "dp"}) == 2);
    CHECK(flags.number({"input", "run", "parallel", "zero"}) == 0);
}

TEST_CASE("a job that does not fit is an answer: exit 1, shortfall, breakdown, ways out", "[answers]") {
    const Answer a = answer(
        "estimate --model llama-3.1-70b --gpu h100 --gpus 8 --seq 8192 --micro-batch 1 --global-batch 64 "
        "--json");
    CHECK(a.exit_code == 1);
    CHECK_FALSE(std::get<bool>(a.at({"fits"}).data));
    CHECK(a.number({"memory", "shortfall_bytes"}) ==
          Approx(a.number({"memory", "device_bytes"}) - a.number({"memory", "capacity_bytes"})));
    CHECK_FALSE(a.at({"remedies"}).array()->empty());
    CHECK_FALSE(a.at({"memory", "breakdown"}).array()->empty());
}

TEST_CASE("a remedy that fits is an estimate that fits", "[answers]") {
    const std::string job =
        "estimate --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --micro-batch 1 "
        "--global-batch 64 --zero 1 --stack deepspeed --json";
    const Answer a = answer(job);
    REQUIRE(a.exit_code == 1);
    for (const JsonValue& remedy : *a.at({"remedies"}).array()) {
        if (!std::get<bool>(remedy.find("fits")->data)) {
            continue;
        }
        const std::string change = std::get<std::string>(remedy.find("change")->data);
        INFO(change);
        // The last of two equal flags wins for a shell user; here the job is written without the changed
        // ones.
        std::string changed = job;
        if (change.find("--zero") != change.npos) {
            changed.erase(changed.find(" --zero 1"), 9);
        }
        if (change.find("--micro-batch") != change.npos) {
            changed.erase(changed.find(" --micro-batch 1"), 16);
        }
        const Answer fixed = answer(changed + " " + change);
        CHECK(fixed.exit_code == 0);
        CHECK(fixed.number({"memory", "device_bytes"}) ==
              Approx(JsonNode(a.document, *remedy.find("device_bytes")).number()));
        CHECK((fixed.number({"memory", "probability_of_fitting"}) >= 0.8 ||
               std::get<bool>(remedy.find("risky")->data)));
    }
}

TEST_CASE("headroom is taken off the capacity", "[answers]") {
    const Answer all = answer("estimate " + job_8b);
    const Answer less = answer("estimate " + job_8b + " --headroom 10");
    CHECK(less.number({"memory", "capacity_bytes"}) ==
          Approx(0.9 * all.number({"memory", "capacity_bytes"})));
    // An allocator knows nothing of it: what is used stays, and just too much of it does not fit.
    const double used = all.number({"memory", "device_bytes"});
    const double share = 1.0 - 0.99 * used / all.number({"memory", "capacity_bytes"});
    const Answer short_of = answer("estimate " + job_8b + " --headroom " + std::to_string(share * 100.0));
    CHECK(short_of.number({"memory", "device_bytes"}) == Approx(used));
    CHECK(short_of.exit_code == 1);
}

TEST_CASE("every command that takes a job keeps its headroom free", "[answers]") {
    const std::string tight = " --headroom 95";  // of 80 GB: nothing fits in what is left
    int exit_code = 0;
    printed("estimate " + job_8b, "", exit_code);
    REQUIRE(exit_code == 0);
    CHECK(answer("estimate " + job_8b + tight).exit_code == 1);
    CHECK(answer("sweep " + job_8b + tight + " --vary micro-batch=1,2").exit_code == 1);
    std::string table = job_8b;
    table.erase(table.find(" --json"), 7);
    for (const std::string command : {"achieved --step-time 9s ", "explain memory.device ", "timeline "}) {
        INFO(command);
        std::string words = command + table + tight;
        if (command.starts_with("explain"))
            words = "explain memory.device " + table + tight;
        const std::string text = printed(words, "", exit_code);
        CHECK(text.find("does not fit") != std::string::npos);
        CHECK(text.find("95.0% of memory is kept free") != std::string::npos);
    }
    // A job file carries it, so that what is compared, and estimated again, keeps it too.
    const Answer first = answer("estimate " + job_8b + " --headroom 30");
    const Answer again = answer("estimate --json --job -", written(first.at({"input"})));
    CHECK(again.number({"memory", "capacity_bytes"}) == first.number({"memory", "capacity_bytes"}));
}

TEST_CASE("achieved inverts estimate: the predicted step has the predicted MFU", "[answers]") {
    const Answer predicted = answer("estimate " + job_8b);
    std::ostringstream step;
    step.precision(17);
    step << predicted.number({"step", "time_s"});
    const Answer a = answer("achieved " + job_8b + " --tokens-done 250B --step-time " + step.str() + "s");
    CHECK(a.number({"predicted", "measured_over_predicted"}) == Approx(1).epsilon(1e-12));
    CHECK(a.number({"measured", "mfu"}) == Approx(predicted.number({"throughput", "mfu"})).epsilon(1e-12));
    CHECK(a.number({"remaining", "tokens"}) == 750e9);
    CHECK(a.number({"remaining", "usd"}) == Approx(0.75 * predicted.number({"cost", "usd"})));
    CHECK(a.at({"conventions"}).array()->size() == 7);
}

TEST_CASE("achieved begins with how the step compares with runs like it, and what cannot be is said",
          "[answers]") {
    const std::string run =
        "achieved --model llama-3.1-8b --gpu h100 --gpus 8 --tp 2 --zero 1 --seq 8192 "
        "--micro-batch 1 --global-batch 64 --step-time ";
    int exit_code = 0;
    const auto says = [&](const std::string& more, const std::string& words) {
        std::string text = printed(run + more, "", exit_code);
        std::replace(text.begin(), text.end(), '\n', ' ');
        CAPTURE(text, words);
        const std::size_t at = text.find(words);
        CHECK(at < text.find("FLOP conventions"));
        CHECK(written(answer(run + more + " --json").at({"step_verdict"})).find(words) != std::string::npos);
    };
    says("7.1s", "As fast as predicted");
    says("8s", "slower than predicted, within the 80% interval");
    says("20s", "2.85 times as long as predicted, slower than nine in ten comparable runs.");
    says("9.1s", "likely cause: everything is recomputed (--recompute full)");
    says("3s", "Impossible as stated: 114% of the peak");
    const std::string stated = printed(run + "9.1s --recompute none", "", exit_code);
    CHECK(stated.find("likely cause") == std::string::npos);
}

TEST_CASE("every measurement of achieved says the same run", "[answers]") {
    const std::string job =
        "achieved --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64 --json";
    const double step = 4.0;
    const double tokens = 64 * 8192;
    for (const char* measured :
         {"--step-time 4s", "--samples-per-s 16", "--tokens-per-s 131072", "--tokens-per-s-per-gpu 16384"}) {
        const Answer a = answer(job + " " + std::string(measured));
        CHECK(a.number({"measured", "step_time_s"}) == Approx(step));
        CHECK(a.number({"measured", "tokens_per_s"}) == Approx(tokens / step));
    }
}

TEST_CASE("plan's best strategy is an estimate with the same numbers", "[answers]") {
    const Answer a =
        answer("plan --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64 --json");
    REQUIRE(a.exit_code == 0);
    REQUIRE_FALSE(a.at({"plans"}).array()->empty());
    CHECK(a.at({"memory_by_zero"}).array()->size() == 4);
    double before = INFINITY;
    for (const JsonValue& row : *a.at({"memory_by_zero"}).array()) {
        const double bytes = JsonNode(a.document, *row.find("training_bytes")).number();
        CHECK(bytes <= before * (1 + 1e-12));
        before = bytes;
    }
    const JsonValue& best = a.at({"plans"}).array()->front();
    const auto degree = [&](std::string_view key) {
        return std::to_string(JsonNode(a.document, *best.find(key)).integer());
    };
    const Answer e =
        answer("estimate --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64 --tp " +
               degree("tp") + " --pp " + degree("pp") + " --vp " + degree("vp") + " --cp " + degree("cp") +
               " --zero " + degree("zero") + " --micro-batch " + degree("micro_batch") +
               " --stack megatron-core --recompute " + std::get<std::string>(best.find("recompute")->data) +
               " --json");
    CHECK(e.number({"step", "time_s"}) == Approx(JsonNode(a.document, *best.find("step_time_s")).number()));
}
