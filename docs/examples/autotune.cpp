// An autotuner: every layout of a job, the fastest that fits. Catalogue and job are made once; an estimate
// takes microseconds, so a million of them take seconds.

#include <traincost/base/text.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/io/catalogue.hpp>

#include <iostream>
#include <optional>

int main() {
    const traincost::Catalogue catalogue;
    traincost::Job job{
        .model = catalogue.model("llama-3.1-8b"),
        .cluster = catalogue.cluster("h100-sxm5-80gb", 32).spec,
        .stack = catalogue.stack("megatron-core"),
        .run = {.sequence = 8192,
                .micro_batch = 1,
                .global_batch = 256,
                .precision_name = "bf16-mixed",
                .precision = *traincost::precision_from("bf16-mixed"),
                .parallel = {}},
    };
    job.run.parallel.zero = 1;
    std::optional<traincost::Job> best;
    traincost::Seconds least{};
    int tried = 0;
    int fitting = 0;
    for (const int tp : {1, 2, 4, 8}) {
        for (const int pp : {1, 2, 4}) {
            for (const int micro_batch : {1, 2, 4}) {
                job.run.parallel.tp = tp;
                job.run.parallel.pp = pp;
                job.run.parallel.dp = 32 / (tp * pp);
                job.run.micro_batch = micro_batch;
                if (!traincost::validate(job).empty())
                    continue;
                const traincost::Estimate answer = traincost::estimate(job);
                ++tried;
                fitting += answer.fits ? 1 : 0;
                if (answer.fits && (!best || answer.step.total < least)) {
                    best = job;
                    least = answer.step.total;
                }
            }
        }
    }
    if (!best) {
        std::cout << "none of " << tried << " layouts fits\n";
        return 1;
    }
    const auto& parallel = best->run.parallel;
    std::cout << fitting << " of " << tried << " layouts fit; the fastest: tp " << parallel.tp << ", pp "
              << parallel.pp << ", dp " << parallel.dp << ", micro-batch " << best->run.micro_batch << ": "
              << traincost::to_text(least) << " a step\n";
}
