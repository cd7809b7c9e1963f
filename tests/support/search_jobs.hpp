// Small and large jobs for searches, with round constants.
#pragma once

#include <traincost/plan/search.hpp>

namespace search_jobs {

/// `layers` blocks of a GPT-3-like decoder, `hidden` wide with heads of 128.
traincost::ModelSpec gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                         std::int64_t vocab = 51200);

/// A small mixture of `experts` experts after one dense layer.
traincost::ModelSpec mixture(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                             std::int64_t experts);

/// DeepSeek-V3 without its multi-token-prediction module.
traincost::ModelSpec deepseek_v3();

/// `count` A100s in nodes of 8, of which `memory_GB` can be used, $16 per node-hour, 5 kW a node.
traincost::ClusterSpec cluster(std::int64_t count, double memory_GB = 80.0);

/// A Megatron-like stack.
traincost::StackSpec stack();

/// 16-bit training with AdamW and fp32 states.
traincost::RunSpec run(std::int64_t sequence, std::int64_t global_batch);

/// A request of one site whose space is everything.
traincost::SearchRequest request(const traincost::ModelSpec& model, const traincost::ClusterSpec& cluster,
                                 const traincost::RunSpec& run);

}  // namespace search_jobs
