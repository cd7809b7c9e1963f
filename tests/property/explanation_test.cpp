// What `explain` prints is what the engine computes.

#include <traincost/cost/memory/memory_symbols.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/specs/stack_claim.hpp>
#include <traincost/report/explain/explanation.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>

#include "support/random_job.hpp"
#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

Job small(bool moe) {
    Job job{moe ? search_jobs::mixture(8, 1024, 8, 8) : search_jobs::gpt(8, 1024, 8), search_jobs::cluster(8),
            search_jobs::stack(), search_jobs::run(1024, 64)};
    job.run.parallel.dp = 8;
    job.run.micro_batch = 2;
    job.run.tokens = 1e9;
    return job;
}

/// Jobs that make every term appear in one or another.
std::vector<Job> jobs() {
    std::vector<Job> all;
    for (const bool moe : {false, true}) {
        for (const ShardEngine engine :
             {ShardEngine::megatron, ShardEngine::deepspeed, ShardEngine::fsdp1, ShardEngine::fsdp2}) {
            for (const std::int64_t zero : {0, 1, 2, 3}) {
                for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
                    Job job = small(moe);
                    job.stack.states.shard = engine;
                    job.stack.states.prefetched_blocks = 1;
                    job.stack.states.optimizer_temporary_copies = zero == 1 ? 4.0 : 1.0;
                    job.run.parallel.zero = zero;
                    job.run.recompute = recompute;
                    job.run.recompute_modules.core_attention = recompute == Recompute::selective;
                    all.push_back(job);
                    job.run.precision_name = "bf16-amp";
                    job.run.precision = *precision_from("bf16-amp");
                    job.stack.states.amp = CastMode::autocast;
                    job.run.offload_activations = 0.5;
                    job.run.offload_optimizer = Offload::cpu;
                    all.push_back(job);
                }
            }
        }
    }
    for (const Schedule schedule : {Schedule::gpipe, Schedule::one_f_one_b, Schedule::interleaved,
                                    Schedule::zero_bubble, Schedule::dualpipe}) {
        Job job = small(false);
        job.run.parallel.dp = 1;
        job.run.parallel.tp = 2;
        job.run.parallel.pp = 4;
        job.run.parallel.vp = schedule == Schedule::interleaved ? 2 : 1;
        job.run.schedule = schedule;
        for (const bool overlap : {false, true}) {
            job.stack.pipeline.overlap_p2p = overlap;
            all.push_back(job);
        }
    }
    Job adapter = small(false);
    adapter.run.tuning = Tuning::lora;
    all.push_back(adapter);
    adapter.run.tuning = Tuning::qlora;
    adapter.run.precision.base = DataType::nf4;
    all.push_back(adapter);
    return all;
}

std::set<std::string> items() {
    std::set<std::string> names;
    for (const Explanation& e : explanations())
        names.emplace(e.item);
    return names;
}

}  // namespace

TEST_CASE("every term of an estimate has an explanation, and every explanation a term", "[explanation]") {
    std::set<std::string> printed = {"memory.allocated",
                                     "memory.reserved",
                                     "memory.device",
                                     "memory.host",
                                     "step.total",
                                     "throughput.mfu",
                                     "throughput.hfu",
                                     "throughput.tokens_per_s",
                                     "throughput.tokens_per_s_per_gpu",
                                     "training.steps",
                                     "training.time",
                                     "training.gpu_hours",
                                     "training.cost",
                                     "training.energy"};
    for (int t = 0; t < memory_term_count; ++t)
        printed.insert("memory." + std::string(to_string(static_cast<MemoryTerm>(t))));
    for (int t = 0; t < step_term_count; ++t)
        printed.insert("step." + std::string(to_string(static_cast<StepTerm>(t))));
    CHECK(items() == printed);
    CHECK(explanations().size() == printed.size());
}

TEST_CASE("an equation has a meaning for each of its symbols and no other", "[explanation]") {
    for (const Explanation& e : explanations()) {
        INFO(e.item << " = " << e.equation);
        std::set<std::string_view> meant;
        for (const SymbolMeaning& s : e.symbols) {
            CHECK(meant.insert(s.symbol).second);
            CHECK_FALSE(s.meaning.empty());
        }
        const auto used = symbols_of(e.equation);
        CHECK(std::set<std::string_view>(used.begin(), used.end()) == meant);
        CHECK_FALSE(e.sources.empty());
    }
}

TEST_CASE("choices that explanations name are fields of stacks with a reason", "[explanation]") {
    const Catalogue catalogue;
    const JsonDocument record = catalogue.stack_document("megatron-core");
    for (const Explanation& e : explanations()) {
        for (const std::string_view choice : e.choices) {
            INFO(e.item << ": " << choice);
            CHECK(claim_of(record, choice));
        }
    }
}

TEST_CASE("an explanation's equation with a job's numbers is the term that estimate prints",
          "[explanation]") {
    for (const Job& job : jobs()) {
        const Estimate e = estimate(job);
        for (const Explanation& explanation : explanations()) {
            const WorkedExplanation work = worked(explanation, job, e);
            INFO(explanation.item << " = " << work.numbers << ", zero " << job.run.parallel.zero << ", pp "
                                  << job.run.parallel.pp << ", " << work.result.text);
            CHECK(evaluate(explanation.equation, work.values) ==
                  Approx(std::stod(work.result.exact)).epsilon(1e-9).margin(1e-6));
            for (const SymbolValue& v : work.values) {
                INFO(v.symbol << " = " << v.value);
                CHECK(v.value >= -1e-6 * std::max(1.0, std::stod(work.result.exact)));
            }
        }
    }
}

TEST_CASE("each memory term is its equation of its own symbols, for random jobs over every stack",
          "[explanation]") {
    constexpr int each = 25;
    std::set<std::string> apart_from_none;
    for (const std::string& stack : random_job::ids(Room::stacks)) {
        random_job::Jobs jobs(17, {.stacks = {stack}, .most_accelerators = 64});
        for (int i = 0; i < each; ++i) {
            const Job job = jobs.next();
            const Estimate e = estimate(job);
            const StageMemory& peak = e.stages[static_cast<std::size_t>(e.peak_stage)];
            for (const Explanation& explanation : explanations()) {
                if (!explanation.item.starts_with("memory."))
                    continue;
                const WorkedExplanation work = worked(explanation, job, e);
                INFO(random_job::text(job)
                     << ": " << explanation.item << " = " << work.numbers << ", " << work.result.text);
                const double bytes = std::stod(work.result.exact);
                CHECK(evaluate(explanation.equation, work.values) ==
                      Approx(bytes).epsilon(1e-12).margin(peak.device.value() * 1e-12));
                if (bytes > 0.0)
                    apart_from_none.emplace(explanation.item);
            }
        }
    }
    // No term is right only because it is always nothing.
    for (const Explanation& explanation : explanations()) {
        if (explanation.item.starts_with("memory.")) {
            INFO(explanation.item);
            CHECK(apart_from_none.count(std::string(explanation.item)) == 1);
        }
    }
}

TEST_CASE(
    "throughput and training are their equations of their own symbols, for random jobs over every stack",
    "[explanation]") {
    int padded = 0;
    for (const std::string& stack : random_job::ids(Room::stacks)) {
        random_job::Jobs jobs(18, {.stacks = {stack}, .most_accelerators = 64});
        for (int i = 0; i < 10; ++i) {
            Job job = jobs.next();
            job.run.tokens = 1e9;
            if (i % 2 == 0 && !job.run.packed_length && job.run.sequence > 1)
                job.run.padded_length = job.run.sequence / 2;
            padded += job.run.padded_length.has_value() ? 1 : 0;
            const Estimate e = estimate(job);
            const std::vector<std::optional<WorkedExplanation>> works = all_worked(job, e);
            REQUIRE(works.size() == explanations().size());
            for (std::size_t n = 0; n < works.size(); ++n) {
                const Explanation& explanation = explanations()[n];
                if (!works[n] || explanation.item.starts_with("memory.") ||
                    explanation.item.starts_with("step."))
                    continue;
                INFO(random_job::text(job) << ": " << explanation.item << " = " << works[n]->numbers << ", "
                                           << works[n]->result.text);
                CHECK(evaluate(explanation.equation, works[n]->values) ==
                      Approx(std::stod(works[n]->result.exact)).epsilon(1e-9));
            }
        }
    }
    CHECK(padded > 50);
}

TEST_CASE("the symbols that the walk gives are those of the explanation, in its order", "[explanation]") {
    for (const Job& job : jobs()) {
        const Shape shape = shape_of(job);
        BlockOps ops;
        fill_ops(job, shape, ops);
        const BlockTable table = block_table(job, shape, ops);
        const StageClasses stages = stage_classes(job, table);
        for (std::int64_t stage = 0; stage < job.run.parallel.pp; ++stage) {
            const ExplainedMemory x = explained_memory(job, shape, table, stages, stage);
            CHECK(x.memory.terms == stage_memory(job, shape, table, stages, stage).terms);
            for (int t = 0; t < memory_term_count; ++t) {
                const Explanation& e =
                    explanation_of("memory." + std::string(to_string(static_cast<MemoryTerm>(t))));
                const TermSymbols& symbols = x.symbols[static_cast<std::size_t>(t)];
                REQUIRE(symbols.size() == e.symbols.size());
                for (std::size_t i = 0; i < symbols.size(); ++i)
                    CHECK(symbols[i].symbol == e.symbols[i].symbol);
            }
        }
    }
}
