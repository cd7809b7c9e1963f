// What the GEMM time model knows of an accelerator: plain data, fitted to measured kernels (docs/model.md,
// "GEMM time").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// Kinds of matrix product that have kernels of their own.
enum class GemmFormat : std::uint8_t {
    bf16,       ///< 16-bit inputs; also the kernels of fp16, tf32 and fp32, at their own peaks
    fp8,        ///< e4m3 with one scale a tensor, activations quantised on the way
    fp8_block,  ///< e4m3 with 1x128 and 128x128 scales, or mxfp8
    fp4,        ///< e2m1 with a scale per 16 elements
};
inline constexpr std::size_t gemm_format_count = 4;

/// Rows and columns of the output that one compute unit works on at a time.
struct GemmTile {
    double m;
    double n;
    bool operator==(const GemmTile&) const = default;
};
inline constexpr std::size_t gemm_tile_count = 8;

/// Smooth remainder of the formula: ln(measured / formula) on a grid of log2 m, log2 n, log2 k, linear in
/// between and constant outside. All zero: none.
struct GemmCorrection {
    static constexpr std::size_t knots = 6;
    std::array<double, knots> log2_m;
    std::array<double, knots> log2_n;
    std::array<double, knots> log2_k;
    std::array<float, knots * knots * knots> log_ratio;  ///< k runs fastest
    bool operator==(const GemmCorrection&) const = default;
};

/// Fraction of the peak that products reach whose rows don't start on 16 bytes: by what their length in
/// 16-bit elements is a multiple of.
struct GemmMisalignment {
    double even;  ///< n or k a multiple of 2, not of 8: rows start on 4 bytes, as all of 32-bit elements do
    double odd_forward;
    double odd_dgrad;
    double odd_wgrad;
    bool operator==(const GemmMisalignment&) const = default;
};

/// How an architecture runs products of one format: fractions, lengths and latencies, so that it carries over
/// to another accelerator of the family.
struct GemmFit {
    double efficiency;           ///< e: fraction of the peak inside a long k loop of a 256x128 tile
    double tile_penalty;         ///< h: rate of a tile falls as 1 / (1 + h (1/bm + 1/bn))
    double k_prologue;           ///< k0: filling the pipeline costs so many steps of k
    double wave_quantisation;    ///< w: 0 a partial wave costs its share, 1 a whole wave
    double memory_efficiency;    ///< e_m: fraction of the nominal bandwidth
    double blend;                ///< p: (compute^p + memory^p)^(1/p); large is max, 1 is the sum
    Seconds launch;              ///< t0: start and end of one kernel
    Seconds wave;                ///< t_w: start and epilogue of one wave
    bool split_k;                ///< the kernels divide k where the tiles don't fill the units
    Seconds split;               ///< t_s: the second pass of a divided k
    double reread_rows;          ///< R: rows that share one reading of an operand which the cache can't hold
    double cache_share;          ///< c: fraction of L2 that keeps it
    double droop;                ///< d: slowing of long kernels (power)
    Seconds quantise_launch;     ///< t_q: kernels that quantise the activations
    double quantise_efficiency;  ///< e_q: their fraction of the nominal bandwidth; unused for 16-bit inputs
    double dgrad;                ///< factor on the time of the input gradient
    double wgrad;                ///< factor on the time of the weight gradient
    double grouped;              ///< factor on the time of `count` > 1 products in one kernel
    double grouped_prologue;     ///< more steps of k for each of them
    double rowwise =
        1.0;  ///< factor on the rate inside the k loop where rows and columns have scales of their own
    GemmMisalignment misaligned;
    std::array<GemmTile, gemm_tile_count> tiles;  ///< the menu; the fastest is taken. {0, 0} ends it
    GemmCorrection correction;
    bool operator==(const GemmFit&) const = default;
};

/// A fit on an accelerator: all that `gemm_time` reads.
struct GemmModel {
    FlopRate peak;       ///< dense, of the inputs' format
    ByteRate bandwidth;  ///< nominal
    Bytes l2;
    double units;            ///< SMs, CUs, cores that take a tile each
    double input_bytes;      ///< of an element of the operands, scales included
    double output_bytes;     ///< of an element of the product
    bool quantises;          ///< inputs arrive in 16 bits and are quantised first
    double sustained = 1.0;  ///< clock of a short benchmark over that of a long training run, 1 or more
    Seconds sustained_horizon{
        5e-3};                ///< kernels longer than this (at peak) were measured at the sustained clock
    double power_knee = 0.0;  ///< share of the peak up to which the power limit sustains the highest clock;
                              ///< 0: nothing is known of it
    GemmFit fit;
    bool borrowed = false;       ///< the fit is another format's: only the peak bounds its products
    bool vector_units = false;   ///< products run on fp32 units, whose operands' rows may start anywhere
    bool pads = false;           ///< a compiler pads operands whose rows don't start on 16 bytes
    bool pads_gradients = true;  ///< in the backward pass too
    bool operator==(const GemmModel&) const = default;
};

}  // namespace traincost
