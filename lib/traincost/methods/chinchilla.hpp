// The compute-optimal model of a budget, as p208p2002's Compute-Optimal-Model-Estimator (2023) finds it: the
// least loss of Chinchilla's third approach [Hoffmann22, §3.3, Eq. 10] over a grid of 64 sizes. Kept as it
// is: the grid is 15.5 % coarse, nothing is interpolated, and it ends at 10 M and 86.6 B parameters without
// saying so. Its page takes N without embeddings; Hoffmann's N has them.
#pragma once

#include <array>
#include <string>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// Fitted constants of L(N, D) = E + A/N^α + B/D^β [Hoffmann22, Eq. 10].
struct ChinchillaConstants {
    double E = 1.69;
    double A = 406.4;
    double B = 410.7;
    double alpha = 0.34;
    double beta = 0.28;
};

/// A size and token count with their predicted loss (nats a token).
struct ChinchillaOptimum {
    Flops compute;
    double parameters;
    double tokens;
    double loss;
};

/// What the page prints of an optimum.
struct ChinchillaLabels {
    std::string compute;     ///< "6.048e+18"
    std::string loss;        ///< "3.09": three decimals at most
    std::string parameters;  ///< "177.83M": always two decimals
    std::string tokens;      ///< "5.67B"
};

ChinchillaLabels chinchilla_labels(const ChinchillaOptimum& optimum);

/// C = tflops · 10^12 · cards · 86400 · days · utilization. `Error` of kind input unless all are positive and
/// utilization is at most 1.
Flops chinchilla_compute(double tflops, double utilization, double cards, double days);

/// Sizes of the grid: 10^(7 + i/16), i = 0 … 63.
std::array<double, 64> chinchilla_sizes();

/// The least loss over N = 10^(7 + i/16), i = 0 … 63, with D = C/(6N).
ChinchillaOptimum chinchilla_grid(Flops compute, const ChinchillaConstants& constants = {});

/// The optimum in closed form: N = G (C/6)^a, D = (C/6)^(1-a) / G, a = β/(α+β), G = (αA/βB)^(1/(α+β))
/// [Hoffmann22, Eq. 4].
ChinchillaOptimum chinchilla_closed_form(Flops compute, const ChinchillaConstants& constants = {});

}  // namespace traincost
