#include "traincost/cost/kernels/gemm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace traincost {

namespace {

// Size of the smallest k slice a divided product is given: below, the second pass costs more than it saves.
constexpr double split_k_slice = 512;
// A tile's rate is quoted for 256x128.
constexpr double reference_perimeter = 1.0 / 256 + 1.0 / 128;
// Time at peak at which half of the droop has set in.
constexpr double droop_seconds = 1e-4;

// More tiles and waves than any product has; kernel data may ask for any number.
constexpr double most_tiles = 1e18;

double whole_part(double x) {
    return static_cast<double>(static_cast<std::int64_t>(std::min(x, most_tiles)));
}

// ceil for positive numbers a product can have.
double ceiling(double x) {
    const double whole = whole_part(x);
    return whole + (x > whole ? 1.0 : 0.0);
}

// Position of x on the knots: the interval's index and the fraction inside it, held inside the grid.
struct Position {
    std::size_t index;
    double fraction;
};

Position position(double x, const std::array<double, GemmCorrection::knots>& knots) {
    std::size_t i = 0;
    while (i + 2 < knots.size() && x >= knots[i + 1]) {
        ++i;
    }
    const double fraction = (x - knots[i]) / (knots[i + 1] - knots[i]);
    return {i, std::clamp(fraction, 0.0, 1.0)};
}

// ln(measured / formula), trilinear in log2 of the shape.
double correction(double m, double n, double k, const GemmCorrection& grid) {
    const Position a = position(std::log2(m), grid.log2_m);
    const Position b = position(std::log2(n), grid.log2_n);
    const Position c = position(std::log2(k), grid.log2_k);
    constexpr std::size_t g = GemmCorrection::knots;
    const auto along_k = [&](std::size_t i, std::size_t j) {
        const float* row = &grid.log_ratio[(i * g + j) * g + c.index];
        return static_cast<double>(row[0]) * (1 - c.fraction) + static_cast<double>(row[1]) * c.fraction;
    };
    const auto along_n = [&](std::size_t i) {
        return along_k(i, b.index) * (1 - b.fraction) + along_k(i, b.index + 1) * b.fraction;
    };
    return along_n(a.index) * (1 - a.fraction) + along_n(a.index + 1) * a.fraction;
}

// Elements between two places where a row may start.
std::int64_t grid_elements(const GemmModel& model) {
    constexpr double grid_bytes = 16;
    return static_cast<std::int64_t>(grid_bytes / std::max(2.0, model.input_bytes));
}

// The product with its operands padded to the grid, where a compiler does that. Padding is fused with what
// makes the operands, and slicing with what reads the product.
GemmShape padded(GemmShape forward, GemmPass pass, const GemmModel& model) {
    const bool pads = model.pads && (pass == GemmPass::forward || model.pads_gradients);
    if (pads && !model.quantises && !model.vector_units) {
        const auto grid = static_cast<double>(grid_elements(model));
        forward.n = std::ceil(forward.n / grid) * grid;
        forward.k = std::ceil(forward.k / grid) * grid;
    }
    return forward;
}

// Fraction of the peak a product with rows off the 16-byte grid reaches; 1 where they are on it.
double alignment_limit(const GemmShape& forward, GemmPass pass, const GemmModel& model) {
    constexpr double exact = 0x1p62;  // beyond it every double is on the grid
    const auto bits = static_cast<std::int64_t>(std::min(forward.n, exact)) |
                      static_cast<std::int64_t>(std::min(forward.k, exact));
    if ((bits & (grid_elements(model) - 1)) == 0 || model.quantises || model.vector_units) {
        return 1.0;
    }
    const GemmMisalignment& limit = model.fit.misaligned;
    if ((bits & 1) == 0 || model.input_bytes > 2) {
        return limit.even;
    }
    return pass == GemmPass::forward ? limit.odd_forward
           : pass == GemmPass::dgrad ? limit.odd_dgrad
                                     : limit.odd_wgrad;
}

// Share of an operand that L2 has lost by the time it is needed again: half at the capacity, falling with its
// 4th power.
double lost_share(double bytes, double capacity) {
    const double z = bytes / capacity;
    const double z4 = z * z * z * z;
    return z4 / (1 + z4);
}

// (a^p + b^p)^(1/p)
double blend(double a, double b, double p) {
    const double larger = std::max(a, b);
    const double ratio = std::min(a, b) / larger;
    return larger * std::pow(1 + std::pow(ratio, p), 1 / p);
}

// How much longer products take in a step than in a short benchmark. Dynamic power is rate · V^2 and the
// voltage goes as the square root of the clock where power limits it: a product that keeps a share u of the
// peak busy at the highest clock, above the share that the limit feeds, runs at a clock of sqrt(knee / u).
// Products that lasted as long as power control takes were measured at that clock.
double clock_factor(double seconds_at_peak, double seconds, const GemmModel& model) {
    const double busy = seconds_at_peak / seconds;
    const double limited = model.power_knee > 0 ? std::sqrt(std::max(1.0, busy / model.power_knee)) : 1.0;
    const double x = seconds_at_peak / model.sustained_horizon.value();
    return 1 + (model.sustained * limited - 1) / (1 + x * x);
}

struct Product {
    double m, n, k;
};

Product product(const GemmShape& forward, GemmPass pass) {
    switch (pass) {
        case GemmPass::forward:
            return {forward.m, forward.n, forward.k};
        case GemmPass::dgrad:
            return {forward.m, forward.k, forward.n};
        case GemmPass::wgrad:
        case GemmPass::wgrad_accumulate:
            break;
    }
    return {forward.n, forward.k, forward.m};
}

}  // namespace

// t_c = min over tiles and splits of  waves (2 bm bn (k/s + k0) / r + t_w) + [s > 1] (t_s + 4 m n / (e_m bw))
//   r = e (peak / units) (1 + h/256 + h/128) / (1 + h/bm + h/bn),   x = s tiles / units
//   waves = 1 for x <= 1, else x + w (ceil x - x)
Seconds gemm_compute_time(double m, double n, double k, double count, const GemmModel& model) {
    const GemmFit& fit = model.fit;
    const double h = fit.tile_penalty;
    const double rate = fit.efficiency * model.peak.value() / model.units * (1 + h * reference_perimeter);
    const double k0 = fit.k_prologue + (count > 1 ? fit.grouped_prologue : 0.0);
    const double reduce = fit.split.value() + 4 * m * n / (fit.memory_efficiency * model.bandwidth.value());
    const double most_slices = std::max(1.0, whole_part(k / split_k_slice));
    const double per_unit = 1 / model.units;

    double best = std::numeric_limits<double>::infinity();
    for (const GemmTile& tile : fit.tiles) {
        if (tile.m <= 0) {
            break;
        }
        const double inverse_m = 1 / tile.m;
        const double inverse_n = 1 / tile.n;
        const double tiles = count * ceiling(m * inverse_m) * ceiling(n * inverse_n);
        const double seconds_per_k = 2 * tile.m * tile.n * (1 + h * (inverse_m + inverse_n)) / rate;
        const auto time_in_slices = [&](double slices) {
            const double x = tiles * slices * per_unit;
            const double waves = x <= 1 ? 1 : x + fit.wave_quantisation * (ceiling(x) - x);
            return waves * (seconds_per_k * (k / slices + k0) + fit.wave.value());
        };
        best = std::min(best, time_in_slices(1));
        if (fit.split_k && 2 * tiles <= model.units && most_slices > 1 && count == 1) {
            const double slices = std::min(whole_part(model.units / tiles), most_slices);
            best = std::min(best, time_in_slices(slices) + reduce);
        }
    }
    return Seconds(best);
}

// A + B + C, and one operand again for every R rows of the other that L2 doesn't bridge; the cheaper order is
// taken.
Bytes gemm_traffic(double m, double n, double k, double count, const GemmModel& model) {
    const double a = m * k * model.input_bytes;
    const double b = n * k * model.input_bytes;
    const double capacity = model.fit.cache_share * model.l2.value();
    const double rows = model.fit.reread_rows;
    const double b_again = b * lost_share(b, capacity) * std::max(0.0, m / rows - 1);
    const double a_again = a * lost_share(a, capacity) * std::max(0.0, n / rows - 1);
    return Bytes(count * (a + b + std::min(a_again, b_again) + m * n * model.output_bytes));
}

Seconds gemm_time(const GemmShape& shape, GemmPass pass, const GemmModel& model) {
    const GemmShape forward = padded(shape, pass, model);
    const auto [m, n, k] = product(forward, pass);
    const double count = forward.count;
    const double flops = 2 * m * n * k * count;
    if (!(flops > 0)) {
        return Seconds();
    }
    const GemmFit& fit = model.fit;
    const double at_peak = flops / model.peak.value();
    const double bandwidth = model.bandwidth.value();
    const double memory_rate = fit.memory_efficiency * bandwidth;

    double compute = gemm_compute_time(m, n, k, count, model).value();
    compute *= clock_factor(at_peak, compute, model);
    if (const double limit = alignment_limit(forward, pass, model); limit < 1) {
        compute = std::max(compute, at_peak / limit);
    }
    const double memory = gemm_traffic(m, n, k, count, model).value() / memory_rate;
    double time = blend(compute, memory, fit.blend);
    time *= 1 + fit.droop * at_peak / (at_peak + droop_seconds);
    time += fit.launch.value();
    const bool quantises_here = model.quantises && (pass == GemmPass::forward || pass == GemmPass::dgrad);
    if (quantises_here) {
        time += fit.quantise_launch.value() +
                count * m * k * (2 + model.input_bytes) / (fit.quantise_efficiency * bandwidth);
    }
    time *= std::exp(correction(m * count, n, k, fit.correction));

    switch (pass) {
        case GemmPass::forward:
            break;
        case GemmPass::dgrad:
            time *= fit.dgrad;
            break;
        case GemmPass::wgrad:
            time *= fit.wgrad;
            break;
        // The old gradient is read and the new one written in fp32 after the product.
        case GemmPass::wgrad_accumulate:
            time = time * fit.wgrad + 2 * 4 * count * m * n / memory_rate;
            break;
    }
    time *= count > 1 ? fit.grouped : 1.0;
    return Seconds(model.borrowed ? std::max(time, at_peak) : time);
}

namespace {

// Fraction of the vector fp32 rate that fp32 products reach over that of 16-bit ones: 50 of 66.9 TFLOP/s
// against 0.69 of the 16-bit peak (8192 cubed, H200, 2026-11).
constexpr double fp32_relative_efficiency = 1.09;

}  // namespace

std::optional<GemmModel> gemm_model(const AcceleratorSpec& accelerator, const KernelModels& kernels,
                                    DataType type, Fp8Scaling scaling) {
    GemmFormat format = GemmFormat::bf16;
    double bytes = 2;
    std::optional<FlopRate> peak = peak_rate(accelerator, type);
    double relative_efficiency = 1;
    switch (type) {
        case DataType::bf16:
            if (emulates(accelerator, type))
                relative_efficiency = fp32_relative_efficiency;
            break;
        case DataType::fp16:
            break;
        case DataType::tf32:
            bytes = 4;
            break;
        case DataType::fp32:
            bytes = 4;
            if (accelerator.vector_fp32)
                peak = accelerator.vector_fp32;
            relative_efficiency = fp32_relative_efficiency;
            break;
        case DataType::fp8:
            format = scaling == Fp8Scaling::blockwise ? GemmFormat::fp8_block : GemmFormat::fp8;
            bytes = 1;
            break;
        case DataType::mxfp8:
            format = kernels.mxfp8_as_fp8 ? GemmFormat::fp8 : GemmFormat::fp8_block;
            bytes = 1;
            break;
        case DataType::fp4:
            format = GemmFormat::fp4;
            bytes = bytes_per_element(DataType::fp4).value();
            break;
        case DataType::int8:
        case DataType::nf4:
            return std::nullopt;
    }
    const auto fit_of = [&](GemmFormat f) -> const std::optional<GemmFit>& {
        return kernels.gemm[static_cast<std::size_t>(f)];
    };
    const std::optional<GemmFit>* fit = &fit_of(format);
    if (!*fit && format == GemmFormat::fp8_block) {
        fit = &fit_of(GemmFormat::fp8);
    }
    if (!*fit || !peak || peak->value() <= 0 || accelerator.memory_bandwidth.value() <= 0) {
        return std::nullopt;
    }
    GemmModel model{
        .peak = *peak,
        .bandwidth = accelerator.memory_bandwidth,
        .l2 = accelerator.l2.value_or(kernels.default_l2),
        .units = accelerator.compute_units > 0 ? static_cast<double>(accelerator.compute_units)
                                               : kernels.default_units,
        .input_bytes = bytes,
        .output_bytes = bytes == 4 ? 4.0 : 2.0,
        .quantises = format != GemmFormat::bf16,
        .sustained = kernels.gemm_sustained,
        .sustained_horizon = kernels.gemm_sustained_horizon,
        .power_knee = kernels.power_knee,
        .fit = **fit,
        .borrowed = type == DataType::fp32 || type == DataType::tf32,
    };
    const bool no_tf32 =
        type == DataType::tf32 && !accelerator.peak[static_cast<std::size_t>(DataType::tf32)];
    model.vector_units = type == DataType::fp32 || no_tf32 || emulates(accelerator, type);
    if (type == DataType::fp8 && scaling == Fp8Scaling::rowwise)
        relative_efficiency = model.fit.rowwise;
    model.fit.efficiency = std::min(1.0, model.fit.efficiency * relative_efficiency);
    return model;
}

}  // namespace traincost
