#include "traincost/spec/step_tokens.hpp"

namespace traincost {

std::int64_t mean_length(const RunSpec& run) {
    return run.padded_length.value_or(run.sequence);
}

double tokens_per_step(const RunSpec& run) {
    return static_cast<double>(run.global_batch) * static_cast<double>(mean_length(run));
}

}  // namespace traincost
