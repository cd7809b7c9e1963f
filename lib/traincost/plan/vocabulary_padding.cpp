#include "traincost/plan/vocabulary_padding.hpp"

#include <cmath>

#include "traincost/cost/estimate.hpp"
#include "traincost/cost/ops.hpp"

namespace traincost {

std::optional<VocabularyPadding> paying_padding(const Job& job, Seconds step) {
    constexpr std::int64_t multiple = 64;
    constexpr double worth_saying = 0.02;
    const auto rows = static_cast<std::int64_t>(shape_of(job).rank_vocab);
    if (!makes_logits(job.model) || rows % multiple == 0)
        return std::nullopt;
    Job padded = job;
    padded.stack.head.vocab_multiple = multiple;
    const Seconds time = estimate(padded).step.total;
    const double faster = step / time - 1.0;
    if (!(faster >= worth_saying))
        return std::nullopt;
    return VocabularyPadding{static_cast<std::int64_t>(shape_of(padded).vocab), time, faster};
}

}  // namespace traincost
