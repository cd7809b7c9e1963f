#include "traincost/cost/ops/op_builder.hpp"
#include "traincost/cost/ops/unit_bound.hpp"

namespace traincost {

namespace {

/// A LayerNorm of `n` elements written by hand, in the format it is given: mean and variance read it; the
/// mean is taken off, the root divided by, scale multiplied and shift added, each with a broadcast. Kept:
/// input, centred and normalised values. Measured forward and backward at 4096 wide: 49 and 123 bytes an
/// element in bf16, 59 and 183 in fp32 (torch 2.11, H200, 2026-11-27); 49 and 123, 62 and 188 by this.
void layernorm_by_hand(Operator& op, double n, double in, double out, const AcceleratorSpec& accelerator) {
    const double broadcast = broadcast_bytes(in, accelerator);
    op.saved = Bytes{n * 3.0 * in};
    op.forward_bytes = Bytes{n * (2.0 * in + 4.0 * broadcast)};
    op.backward_bytes = Bytes{n * (25.0 * in + 6.5 * broadcast)};
    op.forward_kernels = 8;
    op.backward_kernels = 25;
    op.forward_transient = Bytes{n * 2.0 * out};
    op.backward_transient = Bytes{n * 4.0 * out};
}

}  // namespace

bool OpBuilder::compiles_walks() const {
    return shape_.compiled && has_pointwise_kernels(job_.cluster.accelerator);
}

void OpBuilder::compile_norm(Operator& op, double n, double in, bool input_is_residual) const {
    const double e = shape_.e;
    const double joined = input_is_residual ? 2.0 * shape_.r : in;
    const AcceleratorSpec& card = job_.cluster.accelerator;
    const double sums = trains_norms() ? bytes_meanwhile(UnitRate::norm_weight, card) : 0.0;
    const double beside = bytes_meanwhile(UnitRate::norm_gradients, card) + sums;
    op.forward_bytes = Bytes{n * (in + e)};
    op.backward_bytes = Bytes{n * (e + in + joined + beside)};
    op.forward_access = op.backward_access = MemoryAccess::stream;
}

bool OpBuilder::written_out(bool input_is_residual, bool of_heads) const {
    const bool compiled = input_is_residual ? shape_.fused.norms : shape_.fused.attention;
    // A LayerNorm is where its scale multiplies fp32 values (Cohere).
    const bool own_code = model().norm.kind == NormKind::rmsnorm || model().norm.fp32_scale ||
                          stack().layer.norm == NormKernel::written_out;
    const bool fused = stack().layer.norm == NormKernel::fused;
    return (!fused || (of_heads && stack().layer.composite_head_norms)) && !compiled && own_code;
}

void OpBuilder::norm(std::string_view name, double rows, double width, bool input_is_residual,
                     bool of_heads) {
    const Shape& s = shape_;
    const double n = rows * width;
    // Autocast runs a LayerNorm in fp32; one that is written out or compiled reads a branch's output as it
    // is.
    const bool branch = !input_is_residual && written_out(input_is_residual, of_heads);
    const bool keeps_format = stack().layer.narrow_stream;
    const bool as_it_is = branch || keeps_format || (compiles_walks() && !input_is_residual);
    const double in = s.autocast && !as_it_is ? fp32_bytes : (input_is_residual ? s.r : s.e);
    const double out = s.autocast && !keeps_format ? fp32_bytes : s.e;
    const bool layernorm = model().norm.kind != NormKind::rmsnorm;
    const bool compiled = input_is_residual ? s.fused.norms : s.fused.attention;
    // Of a written-out LayerNorm (Cohere) centred values are made once for the square and once more for the
    // scale, and both are kept.
    const bool composite = written_out(input_is_residual, of_heads);
    const double centred = composite && layernorm ? fp32_bytes : 0.0;
    const bool widened = s.widens_norms && !compiled && !composite;
    Operator op{.name = name, .module = Module::norm, .kind = OpKind::memory};
    const double statistics = fp32_bytes * rows * (layernorm ? 2.0 : 1.0);
    if (composite && layernorm && !model().norm.fp32_scale) {
        layernorm_by_hand(op, n, in, out, job_.cluster.accelerator);
        op.saved += Bytes{statistics};
    } else if (composite) {
        const AcceleratorSpec& accelerator = job_.cluster.accelerator;
        const double wide = broadcast_bytes(fp32_bytes, accelerator);
        const double narrow = broadcast_bytes(in, accelerator);
        // Written out: upcast, square, mean, scale, downcast, multiply by the weight. Kept: the fp32 values
        // (a copy, or the fp32 stream itself) and the normalised ones in the input's format.
        const double normalised = model().norm.fp32_scale ? fp32_bytes : in;
        op.saved = Bytes{n * (fp32_bytes + centred + (trains_norms() ? normalised : 0.0)) + statistics};
        // Forward: upcast, square, mean, product with the inverse root, downcast, product with the weight.
        // Backward: both products of the weight's and their sum over rows, both products of the scale's and
        // their sum over columns, its spread, the square's two products, their sum, and the casts.
        // Widening takes as long as a broadcast in fp32: 83 us for 25e6 elements, narrowing 37.
        const double casts = in < fp32_bytes ? widening_bytes(in, accelerator) + in + fp32_bytes : 0.0;
        op.forward_bytes = Bytes{n * (casts + 3.0 * fp32_bytes + 5.0 * centred + wide + narrow)};
        // A frozen weight's gradient, a product and its sum, is not taken.
        const double of_weight = trains_norms() ? 4.0 * in : 0.0;
        op.backward_bytes =
            Bytes{n * (casts + of_weight + 12.0 * fp32_bytes + 6.0 * centred + narrow + 1.5 * wide)};
        op.forward_kernels = in < fp32_bytes ? 8 : 6;
        op.backward_kernels = trains_norms() ? 14 : 12;
        op.forward_transient = Bytes{n * (fp32_bytes + out)};
        op.backward_transient = Bytes{n * (out + 3.0 * fp32_bytes)};
    } else {
        // The residual stream's own tensor is what a norm of it keeps, unless an upcast copy takes its place.
        op.saved = Bytes{n * in + statistics};
        op.forward_bytes = Bytes{n * (in + out)};
        op.backward_bytes = Bytes{n * (out + 2.0 * in)};
        op.forward_kernels = 1;
        op.backward_kernels = 2;
        op.forward_access = MemoryAccess::norm;
        op.backward_access = MemoryAccess::norm_backward;
        op.forward_transient = Bytes{n * out};
        op.backward_transient = Bytes{n * (out + in)};
        if (compiles_walks())
            compile_norm(op, n, in, input_is_residual);
    }
    if (widened) {
        // The input is widened, the output narrowed for what reads it, and both gradients the other way; the
        // widened input is what is kept.
        const double wider = fp32_bytes - s.e;
        const double casts = 2.0 * n * (fp32_bytes + s.e);
        op.saved += Bytes{n * wider};
        op.forward_bytes += Bytes{casts + 2.0 * n * wider};
        op.backward_bytes += Bytes{casts + 3.0 * n * wider};
        op.forward_kernels += 2;
        op.backward_kernels += 2;
        op.forward_transient += Bytes{n * wider};
        op.backward_transient += Bytes{2.0 * n * wider};
    }
    op.selective = s.again.norm;
    if (trains_norms() && !s.train_weights)
        op.adapter_weights = layernorm ? 2.0 * width : width;
    list_.push(op);
}

}  // namespace traincost
