// What must hold of every job of the catalogue: each stack, over random models, clusters and precisions.

#include <catch2/catch.hpp>

#include <cmath>

#include <traincost/cost/estimate.hpp>
#include <traincost/cost/regime.hpp>
#include <traincost/io/answers/estimate_json.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/specs/job_json.hpp>

#include "support/random_job.hpp"

using namespace traincost;

namespace {

constexpr int jobs_per_stack = 25;

/// Random jobs of every stack, drawn once.
const std::vector<Job>& jobs() {
    static const std::vector<Job> all = [] {
        std::vector<Job> drawn;
        for (const std::string& stack : random_job::ids(Room::stacks)) {
            random_job::Jobs of_stack(1, {.stacks = {stack}});
            for (int i = 0; i < jobs_per_stack; ++i)
                drawn.push_back(of_stack.next());
        }
        return drawn;
    }();
    return all;
}

/// Calls `check` with each of them.
template <class Check>
void for_each_job(Check check) {
    for (const Job& job : jobs()) {
        INFO(random_job::text(job));
        check(job);
    }
}

bool counts(double x) {
    return std::isfinite(x) && x >= 0.0;
}

}  // namespace

TEST_CASE("every term of a random job's memory is finite and not negative, and the totals are their sums",
          "[random]") {
    for_each_job([](const Job& job) {
        for (const StageMemory& m : estimate(job).stages) {
            Bytes allocated;
            for (int t = 0; t < memory_term_count; ++t) {
                const Bytes term = m.terms[static_cast<std::size_t>(t)];
                INFO(to_string(static_cast<MemoryTerm>(t)) << " = " << term.value());
                REQUIRE(counts(term.value()));
                if (t <= static_cast<int>(MemoryTerm::workspace))
                    allocated += term;
            }
            REQUIRE(m.allocated.value() == Approx(allocated.value()));
            REQUIRE(m.reserved.value() == Approx((allocated + m[MemoryTerm::fragmentation]).value()));
            REQUIRE(m.device.value() ==
                    Approx((m.reserved + m[MemoryTerm::context] + m[MemoryTerm::communicators]).value()));
            REQUIRE(counts(m.host.value()));
            REQUIRE(counts(m.storage.value()));
        }
    });
}

TEST_CASE("every term of a random job's step is finite and not negative, and their sum is the step",
          "[random]") {
    for_each_job([](const Job& job) {
        const Estimate e = estimate(job);
        Seconds sum;
        for (int t = 0; t < step_term_count; ++t) {
            const Seconds term = e.step.terms[static_cast<std::size_t>(t)];
            INFO(to_string(static_cast<StepTerm>(t)) << " = " << term.value());
            REQUIRE(counts(term.value()));
            sum += term;
        }
        REQUIRE(e.step.total.value() > 0.0);
        REQUIRE(e.step.total.value() == Approx(sum.value()));
        REQUIRE(counts(e.throughput.mfu));
        REQUIRE(e.throughput.hfu >= e.throughput.mfu * (1.0 - 1e-12));
    });
}

TEST_CASE("a random job written as JSON reads back as the same job", "[random]") {
    for_each_job([](const Job& job) {
        JsonWriter out;
        write_json(out, job);
        const JsonDocument document = parse_json(out.text(), "job.json");
        const JobDraft read = job_draft_from_json(JsonNode(document), random_job::catalogue());
        RunSpec run{};
        apply(read, run);
        REQUIRE(read.model_spec.value == job.model);
        REQUIRE(read.stack_spec.value == job.stack);
        REQUIRE(run == job.run);
        REQUIRE(read.gpus.value == job.cluster.accelerators);
        REQUIRE(read.per_node.value == job.cluster.per_node);
        REQUIRE(read.cluster.value == job.cluster.id);
    });
}

// Interleaved schedules run micro-batches in groups of pp: a group that is not full wastes a whole one's
// time.
TEST_CASE("a random job's step never shortens as its global batch grows by whole groups of micro-batches",
          "[random]") {
    for_each_job([](Job job) {
        const Parallelism& p = job.run.parallel;
        const std::int64_t group = job.run.micro_batch * p.dp * p.pp;
        job.run.global_batch = group * ((job.run.global_batch + group - 1) / group);
        const Seconds before = estimate(job).step.total;
        job.run.global_batch += group;
        const Seconds after = estimate(job).step.total;
        INFO(before.value() << " s, then " << after.value() << " s");
        REQUIRE(after.value() >= before.value() * (1.0 - 1e-9));
    });
}

namespace {

const StageMemory& fullest(const Estimate& estimate) {
    return *std::max_element(
        estimate.stages.begin(), estimate.stages.end(),
        [](const StageMemory& a, const StageMemory& b) { return a.allocated < b.allocated; });
}

Bytes peak(const Job& job) {
    return fullest(estimate(job)).allocated;
}

bool at_most(Bytes a, Bytes b) {
    return a.value() <= b.value() * (1.0 + 1e-9);
}

}  // namespace

// FSDP at stage 2 holds all weights gathered beside their shards, which replicas do not have, and where it
// wraps frozen weights with trained ones gradients of both: `explain memory.gathered_weights` and
// `memory.gradients`. A shard group of one rank spares no gradients, and flattens them for their reduction
// all the same: `memory.gradient_staging`. A gradient of sharded weights is whole when it is made, and gone
// to its shards after: beside the activations then, not among the gradients, `memory.working_set`.
TEST_CASE("ZeRO 2 takes no more than ZeRO 1 but for what FSDP gathers and flattens", "[random]") {
    for_each_job([](const Job& job) {
        if (job.run.parallel.dp * job.run.parallel.cp == 1)
            return;
        Job first = job;
        Job second = job;
        first.run.parallel.zero = 1;
        second.run.parallel.zero = 2;
        if (!validate(first).empty() || !validate(second).empty())
            return;
        const Estimate two = estimate(second);
        const StageMemory& m = fullest(two);
        const Estimate one = estimate(first);
        Bytes real;
        if (fully_sharded(second)) {
            const Bytes made_whole = m[MemoryTerm::working_set] - fullest(one)[MemoryTerm::working_set];
            real = m[MemoryTerm::gathered_weights] + std::max(Bytes{}, made_whole);
        }
        if (fully_sharded(second) && second.run.parallel.hybrid_shard == 1)
            real += m[MemoryTerm::gradient_staging];
        if (regime_of(second).frozen_in_flat)
            real += m[MemoryTerm::gradients];
        else if (!regime_of(second).gradients_sharded)  // FSDP2 adds them up in the format it reduces
            real += std::max(Bytes{}, m[MemoryTerm::gradients] - fullest(one)[MemoryTerm::gradients]);
        CHECK(at_most(m.allocated - real, fullest(one).allocated));
    });
}

// PaddleNLP's hooks miss gradients of a nested backward pass, which stay whole at stage 2.
TEST_CASE("recomputing every block takes no more than recomputing none", "[random]") {
    for_each_job([](const Job& job) {
        Job none = job;
        Job full = job;
        none.run.recompute = Recompute::none;
        full.run.recompute = Recompute::full;
        for (Job* each : {&none, &full}) {
            each->run.recompute_modules = {};
            each->run.recompute_every = 1;
            each->run.recompute_layers.reset();
        }
        if (regime_of(none).gradients_sharded != regime_of(full).gradients_sharded) {
            CHECK(job.stack.states.recompute_keeps_gradients);
            return;
        }
        // In the last block of the way back what is made again lies beside the input that it is made from.
        const Estimate again = estimate(full);
        const StageMemory& m = fullest(again);
        const Bytes input =
            m.moment == Moment::backward && m.block == 0 ? m[MemoryTerm::block_inputs] : Bytes{};
        CHECK(at_most(m.allocated - input, peak(none)));
    });
}

// With one micro-batch left gradients appear block by block; over several they are there from the first on.
TEST_CASE("twice the micro-batch takes no less, unless gradients then wait for no other", "[random]") {
    for_each_job([](const Job& job) {
        const std::int64_t doubled = 2 * job.run.micro_batch * job.run.parallel.dp;
        if (job.run.global_batch % doubled != 0)
            return;
        Job large = job;
        large.run.micro_batch *= 2;
        if (!validate(large).empty())
            return;
        Bytes real;
        if (micro_batches(large.run) == 1)
            real = fullest(estimate(job))[MemoryTerm::gradients];
        const Parallelism& p = job.run.parallel;
        const std::int64_t passes = micro_batches(job.run);
        if (p.pp > 1 && passes > 1 && passes <= p.pp) {
            // Gradients appear in the first backward pass; at its end one micro-batch is gone, twice as large
            // a share of half as many.
            const Estimate taken = estimate(job);
            const StageMemory& m = fullest(taken);
            const Bytes gone = (m[MemoryTerm::saved_activations] + m[MemoryTerm::block_inputs]) /
                               static_cast<double>(passes - 1);
            CHECK(at_most(m.allocated - real - gone, peak(large)));
            return;
        }
        CHECK(at_most(peak(job) - real, peak(large)));
    });
}
