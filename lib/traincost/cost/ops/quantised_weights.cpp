#include "traincost/cost/ops/quantised_weights.hpp"

namespace traincost {

bool has_quantised_weights(const Job& job, Module module) {
    return job.run.precision.base && (module != Module::head || job.stack.narrow.quantised_head);
}

void restore_weights(OpBuilder& build, Operator& product, int matrices) {
    const Shape& s = build.shape();
    const double elements = product.weights;
    // The base is read, the copy written; one matrix is there at a time.
    const Bytes made{elements * (bytes_per_element(*build.job().run.precision.base).value() + s.e)};
    const Bytes copy{elements / matrices * s.e};
    product.forward_bytes += made;
    product.backward_bytes += made;
    product.forward_transient += copy;
    product.backward_transient += copy;
    product.forward_kernels += matrices;
    product.backward_kernels += matrices;
    product.uncast = true;
    // Scales, one for 64 weights, are quantised too: widened, and moved by their offset.
    constexpr double weights_of_a_scale = 64.0;
    constexpr double widened = 4.0;
    const Bytes scales{elements / weights_of_a_scale * (1.0 + 3.0 * widened)};
    build.memory("quantised_scales", product.module, scales, scales, 2 * matrices, 2 * matrices);
}

}  // namespace traincost
