// What a user of the library writes: a job from the catalogue, one estimate, an answer.

#include <traincost/base/text.hpp>
#include <traincost/base/version.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/io/catalogue.hpp>

#include <iostream>

int main() {
    const traincost::Catalogue catalogue;
    const traincost::Job job{
        .model = catalogue.model("llama-3-8b"),
        .cluster = catalogue.cluster("h100-sxm5-80gb", 8).spec,
        .stack = catalogue.stack("megatron-core"),
        .run = {.sequence = 8192,
                .micro_batch = 1,
                .global_batch = 128,
                .precision_name = "bf16-mixed",
                .precision = *traincost::precision_from("bf16-mixed"),
                .parallel = {.tp = 4, .dp = 2, .zero = 1}},
    };
    traincost::throw_if_any(traincost::validate(job));
    const traincost::Estimate answer = traincost::estimate(job);
    std::cout << "traincost " << traincost::version() << ": "
              << traincost::count_text(static_cast<double>(answer.parameters.total)) << " parameters "
              << (answer.fits ? "fit" : "do not fit") << ", a step takes "
              << traincost::to_text(answer.step.total) << '\n';
}
