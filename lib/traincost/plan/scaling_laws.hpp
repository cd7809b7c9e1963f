// Compute-optimal model size and tokens from a compute budget.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// A published way to split compute C = 6 N D between parameters N and tokens D.
enum class ScalingLaw : std::uint8_t {
    chinchilla_1,  ///< envelope of training curves: N ∝ C^0.50              [Hoffmann22, §3.1]
    chinchilla_2,  ///< IsoFLOP profiles: N ∝ C^0.49                         [Hoffmann22, §3.2]
    chinchilla_3,  ///< parametric loss                                      [Hoffmann22, §3.3]
    besiroglu,     ///< the parametric loss fitted again to the same runs    [Besiroglu24, Table 1]
    fixed_ratio,   ///< a given number of tokens a parameter, 20 as a rule
};
std::span<const std::string_view> scaling_law_names();

/// L(N, D) = E + A/N^α + B/D^β, nats a token.
struct LossLaw {
    double E;
    double A;
    double B;
    double alpha;
    double beta;
};

/// E 1.69, A 406.4, B 410.7, α 0.34, β 0.28, as printed [Hoffmann22, Eq. 10]. Rounded: [Besiroglu24] shows
/// that these disagree with approaches 1 and 2.
inline constexpr LossLaw chinchilla_loss{1.69, 406.4, 410.7, 0.34, 0.28};
/// [Besiroglu24, Table 1]
inline constexpr LossLaw besiroglu_loss{1.8172, 482.01, 2085.43, 0.3478, 0.3658};

/// The law's loss of a model of N parameters after D tokens.
double loss(const LossLaw& law, double N, double D);

/// A model size and its tokens.
struct Allocation {
    double parameters;
    double tokens;
    double loss;  ///< by the law's own loss where it has one, else by Besiroglu's
};

/// The allocation a law calls optimal for C FLOPs; `ratio` is fixed_ratio's tokens a parameter.
///   parametric: N = G (C/6)^a, D = C/(6N), G = (αA/(βB))^(1/(α+β)), a = β/(α+β)      [Hoffmann22, Eq. 4]
Allocation optimal_allocation(ScalingLaw law, Flops compute, double ratio = 20.0);

/// A model of N parameters trained with all of C.
Allocation fixed_size(const LossLaw& law, Flops compute, double parameters);

/// Tokens a model of N parameters needs for a loss; nothing where it cannot reach it.
std::optional<double> tokens_for_loss(const LossLaw& law, double N, double target);

/// A model whose training and inference together take the fewest FLOPs.
struct LifetimeAllocation {
    Allocation allocation;
    Flops training;   ///< 6 N D
    Flops inference;  ///< 2 N tokens
};
/// The cheapest model over its life that is as good as the one `compute` trains best, when it will process
/// `inference_tokens`: argmin over N of 6 N D(N) + 2 N D_inf at equal loss [Sardana23, Eq. 3].
LifetimeAllocation lifetime_optimal(const LossLaw& law, Flops compute, double inference_tokens);

}  // namespace traincost
