// The terms of a rank's memory as formulas of named symbols: the walk fills the symbols in and takes the
// bytes, an explanation prints both. Internal to cost/.
#pragma once

#include <algorithm>

#include "traincost/cost/memory/memory_symbols.hpp"

namespace traincost::memory_terms {

/// (n_b w_b + n_r w_r) d
struct Weights {
    double n_b = 0.0, w_b = 0.0, n_r = 0.0, w_r = 0.0, d = 1.0;
    Bytes bytes() const {
        return Bytes{(n_b * w_b + n_r * w_r) * d};
    }
    TermSymbols symbols() const {
        return {{"n_b", n_b}, {"w_b", w_b}, {"n_r", n_r}, {"w_r", w_r}, {"d", d}};
    }
};

/// n_s t s d: master weights and moments
struct States {
    double n_s = 0.0, t = 0.0, s = 0.0, d = 1.0;
    Bytes bytes() const {
        return Bytes{n_s * t * s * d};
    }
    TermSymbols symbols() const {
        return {{"n_s", n_s}, {"t", t}, {"s", s}, {"d", d}};
    }
};

/// n_a (w + g + s)
struct Adapters {
    double n_a = 0.0, w = 0.0, g = 0.0, s = 0.0;
    Bytes bytes() const {
        return Bytes{n_a * (w + g + s)};
    }
    TermSymbols symbols() const {
        return {{"n_a", n_a}, {"w", w}, {"g", g}, {"s", s}};
    }
};

/// n_g g + n_k e
struct Gradients {
    double n_g = 0.0, g = 0.0, n_k = 0.0, e = 0.0;
    Bytes bytes() const {
        return Bytes{n_g * g + n_k * e};
    }
    TermSymbols symbols() const {
        return {{"n_g", n_g}, {"g", g}, {"n_k", n_k}, {"e", e}};
    }
};

/// (max(m - 1, 0) S + A) (1 - o) + m E
struct Saved {
    double m = 0.0, S = 0.0, A = 0.0, o = 0.0, E = 0.0;
    Bytes bytes() const {
        return Bytes{(std::max(m - 1.0, 0.0) * S + A) * (1.0 - o) + m * E};
    }
    TermSymbols symbols() const {
        return {{"m", m}, {"S", S}, {"A", A}, {"o", o}, {"E", E}};
    }
};

/// (max(m - 1, 0) n_i + n_a) B (1 - o)
struct Inputs {
    double m = 0.0, n_i = 0.0, n_a = 0.0, B = 0.0, o = 0.0;
    Bytes bytes() const {
        return Bytes{(std::max(m - 1.0, 0.0) * n_i + n_a) * B * (1.0 - o)};
    }
    TermSymbols symbols() const {
        return {{"m", m}, {"n_i", n_i}, {"n_a", n_a}, {"B", B}, {"o", o}};
    }
};

/// K - F
struct Casts {
    double K = 0.0, F = 0.0;
    Bytes bytes() const {
        return Bytes{K - F};
    }
    TermSymbols symbols() const {
        return {{"K", K}, {"F", F}};
    }
};

/// k n_l w_g + n_x e
struct Gathered {
    double k = 0.0, n_l = 0.0, w_g = 0.0, n_x = 0.0, e = 0.0;
    Bytes bytes() const {
        return Bytes{k * n_l * w_g + n_x * e};
    }
    TermSymbols symbols() const {
        return {{"k", k}, {"n_l", n_l}, {"w_g", w_g}, {"n_x", n_x}, {"e", e}};
    }
};

/// max(K, k b) + n_q r + n_h e
struct Staging {
    double K = 0.0, k = 0.0, b = 0.0, n_q = 0.0, r = 0.0, n_h = 0.0, e = 0.0;
    Bytes bytes() const {
        return Bytes{std::max(K, k * b) + n_q * r + n_h * e};
    }
    TermSymbols symbols() const {
        return {{"K", K}, {"k", k}, {"b", b}, {"n_q", n_q}, {"r", r}, {"n_h", n_h}, {"e", e}};
    }
};

/// max(W + k B, F)
struct Working {
    double W = 0.0, k = 0.0, B = 0.0, F = 0.0;
    Bytes bytes() const {
        return Bytes{std::max(W + k * B, F)};
    }
    TermSymbols symbols() const {
        return {{"W", W}, {"k", k}, {"B", B}, {"F", F}};
    }
};

/// k a B + O
struct Buffers {
    double k = 0.0, a = 0.0, B = 0.0, O = 0.0;
    Bytes bytes() const {
        return Bytes{k * a * B + O};
    }
    TermSymbols symbols() const {
        return {{"k", k}, {"a", a}, {"B", B}, {"O", O}};
    }
};

/// n_u (c t + f)
struct Temporaries {
    double n_u = 0.0, c = 0.0, t = 0.0, f = 0.0;
    Bytes bytes() const {
        return Bytes{n_u * (c * t + f)};
    }
    TermSymbols symbols() const {
        return {{"n_u", n_u}, {"c", c}, {"t", t}, {"f", f}};
    }
};

/// W g
struct Workspace {
    double W = 0.0, g = 1.0;
    Bytes bytes() const {
        return Bytes{W * g};
    }
    TermSymbols symbols() const {
        return {{"W", W}, {"g", g}};
    }
};

/// f (A - R) + min(max(h + z, s), max(s, y))
struct Fragmentation {
    double f = 0.0, A = 0.0, R = 0.0, h = 0.0, z = 0.0, s = 0.0, y = 0.0;
    Bytes gaps() const {
        return Bytes{f * (A - R)};
    }
    Bytes bytes() const {
        return gaps() + Bytes{std::min(std::max(h + z, s), std::max(s, y))};
    }
    TermSymbols symbols() const {
        return {{"f", f}, {"A", A}, {"R", R}, {"h", h}, {"z", z}, {"s", s}, {"y", y}};
    }
};

/// n b
struct Communicators {
    double n = 0.0, b = 0.0;
    Bytes bytes() const {
        return Bytes{n * b};
    }
    TermSymbols symbols() const {
        return {{"n", n}, {"b", b}};
    }
};

/// m o S + H
struct Host {
    double m = 0.0, o = 0.0, S = 0.0, H = 0.0;
    Bytes bytes() const {
        return Bytes{m * o * S + H};
    }
    TermSymbols symbols() const {
        return {{"m", m}, {"o", o}, {"S", S}, {"H", H}};
    }
};

/// What is alive at one moment of the walk.
struct Alive {
    Saved saved;
    Inputs inputs;
    Casts casts;
    Gathered gathered;
    Working working;
    Staging staging;
    Gradients gradients;
    Temporaries temporaries;
    Bytes bytes() const {
        return saved.bytes() + inputs.bytes() + casts.bytes() + gathered.bytes() + working.bytes() +
               staging.bytes() + gradients.bytes() + temporaries.bytes();
    }
};

}  // namespace traincost::memory_terms
