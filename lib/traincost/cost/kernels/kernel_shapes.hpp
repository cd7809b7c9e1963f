#pragma once

namespace traincost {

/// y[m,n] = x[m,k] · w[k,n], `count` times (experts of a grouped GEMM, heads of a batched one).
struct GemmShape {
    double m;
    double n;
    double k;
    double count = 1.0;
};

/// Softmax attention of one rank: `batch` sequences, `heads` query heads on `kv_heads` key/value heads.
struct AttentionShape {
    double batch;
    double heads;
    double kv_heads;
    double queries;  ///< query positions
    double keys;     ///< key positions of one sequence
    double span;     ///< keys a query may see: the window, or `keys`
    double qk_dim;   ///< head dimension of queries and keys
    double v_dim;    ///< head dimension of values
    bool causal;
    bool masked = false;        ///< a fused kernel is handed a mask of the window and computes every score
    bool trained_bias = false;  ///< a trained table is added to the scores, which are written in fp32
};

/// Mean number of keys a query attends to: (window W, sequence S, causal) W - W(W-1)/(2S); half the square
/// for full causal.
double mean_keys(const AttentionShape& shape);

}  // namespace traincost
