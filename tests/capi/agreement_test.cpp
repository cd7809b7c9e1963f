// What one command says of a job the others say too, and what it prints can be asked again.

#include <traincost/capi/answer.hpp>
#include <traincost/io/json.hpp>
#include <traincost/io/json_writer.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace traincost;

namespace {

/// An answer, whose values are found by their path: "step.time_s", "plans.0.flags".
class Asked {
public:
    explicit Asked(const std::string& question)
        : text_(answer_json("{" + question + "}")), document_(parse_json(text_, "answer")) {
    }

    const JsonValue* find(const std::string& path) const {
        const JsonValue* value = &document_.root;
        for (std::size_t at = 0; value != nullptr && at <= path.size();) {
            const std::size_t dot = std::min(path.find('.', at), path.size());
            const std::string key = path.substr(at, dot - at);
            const JsonValue::Array* items = value->array();
            if (items == nullptr)
                value = value->find(key);
            else
                value = std::stoul(key) < items->size() ? &(*items)[std::stoul(key)] : nullptr;
            at = dot + 1;
        }
        return value;
    }
    double number(const std::string& path) const {
        const JsonValue* value = find(path);
        INFO(path << " of " << text_.substr(0, 2000));
        REQUIRE(value != nullptr);
        return JsonNode(document_, *value).number();
    }
    bool truth(const std::string& path) const {
        const JsonValue* value = find(path);
        REQUIRE(value != nullptr);
        return JsonNode(document_, *value).boolean();
    }
    std::string word(const std::string& path) const {
        const JsonValue* value = find(path);
        INFO(path << " of " << text_.substr(0, 2000));
        REQUIRE(value != nullptr);
        return JsonNode(document_, *value).string();
    }
    /// The job as the answer repeats it, for another question.
    std::string input() const {
        JsonWriter out(0);
        out.value(*find("input"));
        return R"("job": )" + out.text();
    }

private:
    std::string text_;
    JsonDocument document_;
};

std::string of(const std::string& command, const std::string& job) {
    return R"("command": ")" + command + R"(", )" + job;
}

/// "--zero 3 --uneven-stages" as members of a question.
std::string members_of(const std::string& flags) {
    std::string members;
    std::size_t at = 0;
    const auto word = [&] {
        const std::size_t end = std::min(flags.find(' ', at), flags.size());
        const std::string text = flags.substr(at, end - at);
        at = end + 1;
        return text;
    };
    while (at < flags.size()) {
        const std::string flag = word().substr(2);
        const bool has_value = at < flags.size() && flags.compare(at, 2, "--") != 0;
        members += R"(, ")" + flag + R"(": )" + (has_value ? "\"" + word() + "\"" : "true");
    }
    return members;
}

/// A job of adapters, of which nobody says whether blocks are recomputed, on a card without measured runs.
const std::string unfamiliar =
    R"("model": "llama-3.2-3b", "gpu": "radeon-pro-w7900", "gpus": 1, "seq": 8192, "tuning": "lora", )"
    R"("lora-rank": 64, "lora-targets": "q,k,v,o,mlp,head", "optimizer": "sgd_momentum", "global-batch": 2)";

const std::string padded =
    R"("model": "llama-3.1-8b", "gpu": "h100", "gpus": 8, "seq": 131072, "padded-length": 16384, )"
    R"("tuning": "lora", "stack": "torchtune", "zero": 3, "global-batch": 8, "recompute": "full", )"
    R"("tokens": "1B")";

}  // namespace

TEST_CASE("all commands count the tokens of padded sequences alike", "[agreement]") {
    const Asked estimate(of("estimate", padded));
    const double tokens = 8.0 * 16384.0;
    CHECK(estimate.number("throughput.tokens_per_step") == tokens);
    const Asked achieved(of("achieved", padded + R"(, "tokens-per-s": 20000)"));
    CHECK(achieved.number("measured.tokens_per_s") == Approx(20000.0));
    CHECK(achieved.number("measured.step_time_s") == Approx(tokens / 20000.0));
    CHECK(achieved.number("measured.mfu") / achieved.number("predicted.mfu") ==
          Approx(1.0 / achieved.number("predicted.measured_over_predicted")));
    const Asked best(of("recommend", padded));
    const double days = best.number("plans.0.training.days");
    CHECK(days == Approx(1e9 / tokens * best.number("plans.0.step.time_s") / 86400.0));
    const auto by = [&](double deadline) {
        return Asked(
            of("recommend", padded + R"(, "deadline": ")" + std::to_string(deadline * 86400.0) + "s\""));
    };
    CHECK(by(days * 1.01).number("plans.0.training.days") == days);
    CHECK(by(days * 0.99).find("plans.0") == nullptr);
}

TEST_CASE("padded sequences have the FLOPs of their mean length", "[agreement]") {
    const Asked shorter(of("estimate", R"("model": "llama-3.1-8b", "gpu": "h100", "gpus": 8, "seq": 16384, )"
                                       R"("tuning": "lora", "stack": "torchtune", "zero": 3, )"
                                       R"("global-batch": 8, "recompute": "full")"));
    const Asked longest(of("estimate", padded));
    const auto flops = [](const Asked& of) {
        return of.number("throughput.model_tflops_per_gpu") * of.number("step.time_s");
    };
    CHECK(flops(longest) == Approx(flops(shorter)));
    CHECK(longest.number("throughput.hfu") < 1.0);
}

TEST_CASE("a checkpoint of adapters holds the adapters", "[agreement]") {
    const std::string job = R"("model": "llama-3.1-70b", "gpu": "h100", "gpus": 8, "seq": 4096, "zero": 3, )"
                            R"("stack": "torchtune", "global-batch": 64, "tokens": "1B", "recompute": )"
                            R"("full", "mtbf": "50000h", "storage-bandwidth": "1GB/s", "tuning": )";
    const double all = Asked(of("estimate", job + R"("full")")).number("reliability.checkpoint_bytes");
    const double pairs =
        Asked(of("estimate", job + R"("lora", "lora-rank": 16)")).number("reliability.checkpoint_bytes");
    CHECK(pairs > 0.0);
    CHECK(pairs < all / 100.0);
    const double wider =
        Asked(of("estimate", job + R"("lora", "lora-rank": 32)")).number("reliability.checkpoint_bytes");
    CHECK(wider == Approx(2.0 * pairs));
}

TEST_CASE("a point of a sweep, a compared job and a finished run are as sure as their estimate",
          "[agreement]") {
    const Asked estimate(of("estimate", unfamiliar));
    const Asked sweep(of("sweep", unfamiliar + R"(, "vary": ["micro-batch=1"])"));
    const Asked compare(of("compare", R"("jobs": [{)" + unfamiliar + "}, {" + unfamiliar + "}]"));
    const Asked achieved(of("achieved", unfamiliar + R"(, "step-time": "10s")"));
    for (const char* path : {"step.interval_80.0", "step.interval_80.1", "memory.probability_of_fitting"}) {
        CHECK(sweep.number("points.0." + std::string(path)) == estimate.number(path));
        CHECK(compare.number("jobs.1." + std::string(path)) == estimate.number(path));
    }
    CHECK(achieved.number("predicted.interval_80.1") == estimate.number("step.interval_80.1"));
}

TEST_CASE("remedies keep their promise beside everything else that was said", "[agreement]") {
    const std::string gemma = R"("model": "gemma-7b", "gpu": "h100-pcie-80gb", "gpus": 8, "seq": 32768, )"
                              R"("tuning": "qlora", "micro-batch": 1, "recompute": "full", )";
    const std::string glm = R"("model": "glm-4.5-air", "gpu": "tpu-v6e", "gpus": 8, "seq": 4096, "tp": 4, )"
                            R"("ep": 2, "micro-batch": 1, "global-batch": 64, "stack": "deepseek")";
    const std::string llama = R"("model": "llama-3.1-8b", "gpu": "h100", "gpus": 8, "seq": 8192, )"
                              R"("micro-batch": 1, "dp": 8, "global-batch": 64)";
    // Fits only without the degree that is said; what is not said must not come back beside it.
    const std::string kimi = R"("model": "kimi-k2", "gpu": "h100", "gpus": 512, "tp": 8)";
    for (const std::string& job :
         {gemma + R"("accumulation": 1)", gemma + R"("accumulation": 4)", glm, llama, kimi}) {
        const Asked before(of("estimate", job));
        INFO(job);
        REQUIRE(before.find("remedies.0") != nullptr);
        for (int i = 0; before.find("remedies." + std::to_string(i)) != nullptr; ++i) {
            const std::string remedy = "remedies." + std::to_string(i);
            // What a remedy says takes the place of what the job says: last members win.
            std::string changed = job;
            const std::string members = members_of(before.word(remedy + ".change"));
            for (const char* name : {"accumulation", "dp", "zero", "tp", "ep", "micro-batch", "recompute"}) {
                const std::string key = "\"" + std::string(name) + "\": ";
                const std::size_t at = changed.find(key);
                if (members.find(key) == members.npos || at == changed.npos)
                    continue;
                const std::size_t end = std::min(changed.find(", ", at), changed.size());
                changed.erase(at, std::min(end + 2, changed.size()) - at);
            }
            if (changed.ends_with(", "))
                changed.resize(changed.size() - 2);
            INFO(before.word(remedy + ".change"));
            const Asked after(of("estimate", changed + members));
            CHECK(after.number("memory.device_bytes") == Approx(before.number(remedy + ".device_bytes")));
            CHECK(after.number("step.time_s") == Approx(before.number(remedy + ".step_time_s")));
            CHECK(after.number("throughput.tokens_per_step") == before.number("throughput.tokens_per_step"));
        }
    }
}

TEST_CASE("a job asked again has the network and the price it had", "[agreement]") {
    const Asked slow(of("estimate", R"("model": "llama-3.1-8b", "gpu": "h100", "gpus": 16, "tp": 2, )"
                                    R"("seq": 8192, "global-batch": 64, "bus-bandwidth": "20GB/s", )"
                                    R"("network-bandwidth": 50, "network-latency": "100us")"));
    CHECK(Asked(of("estimate", slow.input())).number("step.time_s") == slow.number("step.time_s"));
    CHECK(Asked(of("estimate", slow.input() + R"(, "gpu": "h200")")).number("step.time_s") <
          slow.number("step.time_s") / 2.0);
    const Asked sweep(of("sweep", R"("model": "llama-3.1-8b", "gpu": "h100", "gpus": 16, "tp": 2, )"
                                  R"("seq": 8192, "global-batch": 64, "network-bandwidth": 50, )"
                                  R"("network-latency": "100us", "vary": ["bus-bandwidth=20GB/s,450"])"));
    CHECK(sweep.number("points.0.step.time_s") == slow.number("step.time_s"));
    CHECK(sweep.number("points.1.step.time_s") < slow.number("step.time_s"));
    const Asked rented(of("estimate", R"("model": "llama-3.2-1b", "gpu": "rtx-a6000", "gpus": 1, )"
                                      R"("seq": 2048, "global-batch": 16, "tokens": "50M")"));
    CHECK(Asked(of("estimate", rented.input())).number("cost.usd") == rented.number("cost.usd"));
}

TEST_CASE("a search refuses a batch that only a layout gives, and takes a file's", "[agreement]") {
    const std::string job = R"("model": "llama-3.1-8b", "gpu": "h100", "gpus": 8, "seq": 8192)";
    for (const std::string command : {"plan", "recommend"}) {
        const Asked asked(of(command, job + R"(, "accumulation": 4)"));
        CHECK(asked.word("error.problems.0.message").find("--global-batch") != std::string::npos);
    }
    const Asked filed(of("plan", R"("job": {"schema": "job/1", "model": "llama-3.1-8b", "cluster": )"
                                 R"({"accelerator": "h100", "accelerators": 8}, "run": {"sequence": )"
                                 R"(8192, "micro_batch": 2, "accumulation": 4}})"));
    CHECK(filed.number("input.run.global_batch") == 2 * 4 * 8);
}

TEST_CASE("plan and recommend find the same plan that is sure to fit", "[agreement]") {
    const Asked plan(of("plan", unfamiliar));
    const Asked recommend(of("recommend", unfamiliar));
    CHECK(plan.word("plans.0.flags") == recommend.word("plans.0.flags"));
    CHECK(plan.number("plans.0.probability_of_fitting") >= 0.8);
    CHECK(plan.number("plans.0.step_time_s") == recommend.number("plans.0.step.time_s"));
}

TEST_CASE("the tables of a 4-bit base are as wide in the sheet as in the estimate", "[agreement]") {
    const std::string job = R"("model": "llama-3.1-8b", "gpu": "rtx-4090", "gpus": 1, "tuning": "qlora", )"
                            R"("seq": 2048, "global-batch": 16)";
    const Asked plan(of("plan", job));
    double weights = 0.0;
    for (int row = 0; plan.word("memory_by_module." + std::to_string(row) + ".name") !=
                      "layer input, per "
                      "sequence";
         ++row)
        weights += plan.number("memory_by_module." + std::to_string(row) + ".training_bytes");
    const Asked estimate(of("estimate", job));
    REQUIRE(estimate.word("memory.breakdown.0.name") == "weights");
    CHECK(weights == Approx(estimate.number("memory.breakdown.0.bytes")).epsilon(0.01));
}

TEST_CASE("QLoRA computes in fp16 where an accelerator has no bf16", "[agreement]") {
    const std::string job = R"("model": "llama-2-7b", "gpus": 1, "tuning": "qlora", "seq": 512, )"
                            R"("global-batch": 16, "gpu": )";
    const Asked turing(of("estimate", job + R"("t4")"));
    CHECK(turing.word("input.run.precision.name") == "nf4-base-fp16");
    const Asked bf16(of("estimate", job + R"("t4", "precision": "bf16")"));
    CHECK(bf16.word("input.run.precision.name") == "nf4-base");
    CHECK(bf16.number("step.time_s") > 2.0 * turing.number("step.time_s"));
    const Asked ada(of("estimate", job + R"("l4", "precision": "fp16")"));
    CHECK(ada.word("input.run.precision.name") == "nf4-base-fp16");
    CHECK(Asked(of("estimate", job + R"("l4")")).word("input.run.precision.name") == "nf4-base");
}

TEST_CASE("adapters that are described are trained, or refused", "[agreement]") {
    const std::string job = R"("model": "llama-2-7b", "gpu": "l4", "gpus": 1, "seq": 512, )"
                            R"("global-batch": 16)";
    const Asked targets(of("estimate", job + R"(, "lora-targets": "q,v")"));
    CHECK(targets.word("input.run.tuning") == "lora");
    for (const std::string idle : {R"("lora-rank": 8)", R"("lora-targets": "q,v")"}) {
        const Asked refused(of("estimate", job + R"(, "tuning": "full", )" + idle));
        CHECK(refused.word("error.problems.0.message").find("--tuning") != std::string::npos);
    }
}

TEST_CASE("a sheet fits where its estimate does", "[agreement]") {
    const std::string job = R"("gpu": "h200", "gpus": 16, "stack": "hf-deepspeed", "zero": 3, "seq": 128, )"
                            R"("micro-batch": 1, "global-batch": 16, "recompute": "full", )"
                            R"("offload-optimizer": "cpu", "offload-parameters": "cpu", "model": )";
    for (const std::string model :
         {R"("llama-3.1-405b")", R"("llama-3.1-70b")"}) {  // beyond the host's memory, and not
        const Asked estimate(of("estimate", job + model));
        const Asked sheet(of("sheet", job + model));
        CHECK(estimate.number("memory.shortfall_bytes") == 0.0);
        CHECK(sheet.word("sheets.3.cells.3.text") == "fits");
        const bool fits = estimate.truth("fits");
        CHECK(sheet.number("sheets.3.cells.4.number") == (fits ? 1.0 : 0.0));
        CHECK(fits == (model == R"("llama-3.1-70b")"));
    }
}

TEST_CASE("a plan's flags make its job where nobody said the batch", "[agreement]") {
    for (const char* gpus : {"3", "6", "8"}) {
        const std::string job =
            R"("model": "mistral-7b-v0.1", "gpu": "a100", "seq": 4096, "gpus": )" + std::string(gpus);
        const Asked best(of("recommend", job));
        REQUIRE(best.find("plans.0") != nullptr);
        INFO(best.word("plans.0.flags"));
        const Asked taken(of("estimate", job + members_of(best.word("plans.0.flags"))));
        CHECK(taken.number("step.time_s") == best.number("plans.0.step.time_s"));
        CHECK(taken.number("memory.device_bytes") == best.number("plans.0.memory.device_bytes"));
        const Asked sheet(of("plan", job));
        const Asked planned(of("estimate", job + members_of(sheet.word("plans.0.flags"))));
        CHECK(planned.number("step.time_s") == sheet.number("plans.0.step_time_s"));
    }
}
