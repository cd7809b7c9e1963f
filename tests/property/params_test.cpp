#include <traincost/cost/params.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace traincost;

namespace {

/// Small models whose every degree up to 4 divides; each shows one family.
std::vector<ModelSpec> families() {
    ModelSpec base{.name = "dense",
                   .family = "test",
                   .architecture = Architecture::decoder,
                   .layers = 8,
                   .hidden = 64,
                   .heads = 8,
                   .kv_heads = 4,
                   .head_dim = 16,
                   .ffn = 96,
                   .gated_mlp = true,
                   .activation = Activation::silu,
                   .vocab = 160,
                   .tied_embeddings = false,
                   .position = {.kind = PositionKind::learned, .table_rows = 32},
                   .norm = {.kind = NormKind::layernorm,
                            .bias = true,
                            .per_layer = 2,
                            .final_norm = true,
                            .embedding_norm = true,
                            .qk = QkNorm::full,
                            .placement = NormPlacement::pre},
                   .bias = {.qkv = true, .attention_out = true, .mlp = true, .lm_head = true}};
    base.attention_sinks = 8;
    std::vector<ModelSpec> models = {base};

    models.push_back(base);
    models.back().name = "tied, narrow table";
    models.back().tied_embeddings = true;
    models.back().embedding_dim = 32;
    models.back().bias.lm_head = false;

    models.push_back(base);
    models.back().name = "experts";
    models.back().moe = MoeSpec{
        .experts = 8, .top_k = 2, .ffn = 32, .first_k_dense = 1, .shared_experts = 1, .shared_ffn = 64};
    models.back().moe->expert_bias = true;
    models.back().moe->router_bias = true;
    models.back().moe->shared_gate = true;
    models.back().moe->score_correction_bias = true;
    models.back().moe->dense_residual_ffn = 48;

    models.push_back(models.back());
    models.back().name = "interleaved experts, latent attention";
    models.back().moe->first_k_dense = 0;
    models.back().moe->interleave_step = 2;
    models.back().norm.qk = QkNorm::none;
    models.back().head_dim = 24;
    models.back().mla =
        MlaSpec{.q_lora_rank = 24, .kv_lora_rank = 16, .qk_nope_dim = 16, .qk_rope_dim = 8, .v_head_dim = 16};
    models.back().indexer = IndexerSpec{.heads = 4, .head_dim = 8, .top_k = 4};

    models.push_back(base);
    models.back().name = "encoder-decoder";
    models.back().architecture = Architecture::encoder_decoder;
    models.back().decoder_layers = 8;
    models.back().tied_embeddings = true;
    models.back().position = {.kind = PositionKind::t5_relative_bias, .bias_tables = {256, 256}};
    models.back().extra = {{"pooler", 1000}};
    return models;
}

struct Degrees {
    std::int64_t tp, pp, vp, ep, etp;
};

/// What all ranks hold together, tensors repeated within a stage counted once.
double whole(const ModelSpec& model, const Degrees& d) {
    const StageLayout layout{.pp = d.pp, .vp = d.vp, .blocks = block_count(model)};
    double sum = 0.0;
    for (std::int64_t stage = 0; stage < d.pp; ++stage) {
        const ShardedCount count = stage_parameters(model, layout, stage, d.tp, d.ep, d.etp);
        sum += (count.dense - count.replicated) * static_cast<double>(d.tp) + count.replicated;
        sum += count.expert * static_cast<double>(d.ep * d.etp);
    }
    return sum;
}

/// Expert biases added after the second GEMM are whole on each of the etp ranks.
double repeated_expert_elements(const ModelSpec& model, const Degrees& d) {
    if (!model.moe || !model.moe->expert_bias) {
        return 0.0;
    }
    return static_cast<double>(moe_layers(model) * model.moe->experts * model.hidden * (d.etp - 1));
}

}  // namespace

TEST_CASE("what the ranks hold adds up to the model, a last stage's copy of the tied table besides",
          "[params]") {
    const std::vector<Degrees> cases = {{1, 1, 1, 1, 1}, {2, 1, 1, 1, 2}, {4, 2, 1, 4, 1}, {2, 4, 2, 8, 2},
                                        {1, 8, 1, 2, 1}, {4, 4, 2, 2, 4}, {2, 3, 1, 1, 1}};
    for (const ModelSpec& model : families()) {
        for (const Degrees& d : cases) {
            CAPTURE(model.name, d.tp, d.pp, d.vp, d.ep, d.etp);
            double expected = static_cast<double>(parameter_count(model).total);
            if (model.tied_embeddings && d.pp > 1) {
                expected += static_cast<double>(model.vocab * model.embedding_dim.value_or(model.hidden));
            }
            CHECK(whole(model, d) - repeated_expert_elements(model, d) == expected);
        }
    }
}

TEST_CASE("the modules add up to the total, and no token uses more than is stored", "[params]") {
    for (const ModelSpec& model : families()) {
        CAPTURE(model.name);
        const ParameterCount count = parameter_count(model);
        std::int64_t sum = 0;
        for (const std::int64_t module : count.by_module) {
            sum += module;
        }
        CHECK(sum == count.total);
        CHECK(count.embedding + count.non_embedding == count.total);
        CHECK(count.active <= count.total);
        CHECK(count.active_without_input_embedding <= count.active);
        CHECK(count.matrix_active <= count.total);
    }
}

TEST_CASE("the kinds of layers add up to the blocks, in whole and in every part", "[params]") {
    for (const ModelSpec& model : families()) {
        const std::int64_t blocks = block_count(model);
        for (std::int64_t cut = 0; cut <= blocks; ++cut) {
            CAPTURE(model.name, cut);
            std::int64_t expert = 0;
            std::int64_t all = 0;
            for (const LayerKinds& kinds :
                 {layer_kinds(model, 0, cut), layer_kinds(model, cut, blocks - cut)}) {
                for (const LayerKind& kind : kinds) {
                    all += kind.count;
                    expert += kind.moe ? kind.count : 0;
                }
            }
            CHECK(all == blocks);
            CHECK(expert == moe_layers(model));
        }
    }
}

TEST_CASE("one rank holds less the more ranks share, and never less than its share", "[params]") {
    for (const ModelSpec& model : families()) {
        const StageLayout layout{.pp = 2, .vp = 1, .blocks = block_count(model)};
        double previous = 1e300;
        for (const std::int64_t tp : {1, 2, 3, 4, 8, 16}) {
            CAPTURE(model.name, tp);
            const ShardedCount count = stage_parameters(model, layout, 0, tp, 1, 1);
            CHECK(count.dense <= previous);
            const ShardedCount one = stage_parameters(model, layout, 0, 1, 1, 1);
            CHECK(count.dense >= one.replicated + (one.dense - one.replicated) / static_cast<double>(tp));
            previous = count.dense;
        }
    }
}
