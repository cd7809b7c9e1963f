#include "traincost/plan/reliability.hpp"

#include <cmath>

#include "traincost/cost/adapters.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/spec/adapter_format.hpp"

namespace traincost {

Bytes checkpoint_bytes(const Job& job) {
    if (job.run.tuning != Tuning::full) {  // the base is not written again
        const Precision p = pair_precision(job.run, job.stack);
        return (bytes_per_element(p.weights) + optimizer_state_bytes(job.run.optimizer, p)) *
               static_cast<double>(adapter_parameters(job));
    }
    const Precision& p = job.run.precision;
    const double N = static_cast<double>(parameter_count(job.model).total);
    const Bytes master = p.master ? bytes_per_element(*p.master) : Bytes{};
    return (bytes_per_element(p.weights) + master + optimizer_state_bytes(job.run.optimizer, p)) * N;
}

Seconds young_interval(Seconds write, Seconds mean_time) {
    return Seconds{std::sqrt(2.0 * write.value() * mean_time.value())};
}

Seconds daly_interval(Seconds write, Seconds mean_time) {
    const double delta = write.value();
    const double M = mean_time.value();
    if (delta >= 2.0 * M)
        return mean_time;
    const double x = delta / (2.0 * M);
    return Seconds{std::sqrt(2.0 * delta * M) * (1.0 + std::sqrt(x) / 3.0 + x / 9.0) - delta};
}

double goodput(Seconds interval, Seconds write, Seconds restart, Seconds mean_time) {
    const double M = mean_time.value();
    const double tau = interval.value();
    if (tau <= 0.0)
        return 0.0;
    return tau / (M * std::exp(restart.value() / M) * std::expm1((tau + write.value()) / M));
}

Reliability reliability(const Job& job, const ReliabilityInputs& inputs) {
    Reliability r{};
    r.checkpoint = checkpoint_bytes(job);
    r.write = r.checkpoint / inputs.storage;
    r.restart = inputs.restart;
    r.mean_time = inputs.between_failures / static_cast<double>(job.cluster.accelerators);
    r.interval = daly_interval(r.write, r.mean_time);
    if (r.write < r.mean_time * 2.0)
        r.goodput = goodput(r.interval, r.write, inputs.restart, r.mean_time);
    return r;
}

}  // namespace traincost
