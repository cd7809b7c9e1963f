// Layers of several shapes in one model: what they hold, multiply and repeat.
#include <traincost/cost/blocks.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/flops.hpp>
#include <traincost/cost/params.hpp>
#include <traincost/import/hf/hf_config.hpp>
#include <traincost/io/specs/model_json.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

const std::string small = R"("hidden_size": 64, "num_hidden_layers": 6, "vocab_size": 1024,
    "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 16, "intermediate_size": 128)";

/// Models of several shapes of layer, or of a projection that others do not have.
const std::vector<std::string>& shaped_configurations() {
    static const std::vector<std::string> all = {
        R"({"model_type": "gemma4_text", "global_head_dim": 32, "use_double_wide_mlp": true,
            "num_kv_shared_layers": 2, "attention_k_eq_v": true, "num_global_key_value_heads": 2,
            "hidden_size_per_layer_input": 0, )" +
            small + "}",
        R"({"model_type": "mimo_v2_flash", "v_head_dim": 8, "sliding_window": 32, "n_routed_experts": 4,
            "num_experts_per_tok": 2, "moe_intermediate_size": 64, )" +
            small + "}",
        R"({"model_type": "step3p5", "moe_num_experts": 4, "moe_top_k": 2, "moe_intermediate_size": 64,
            "share_expert_dim": 64, "sliding_window": 32, "attention_other_setting": {"num_attention_heads": 16},
            "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "full_attention",
                            "sliding_attention", "sliding_attention"], )" +
            small + "}",
        R"({"model_type": "laguna", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 64,
            "shared_expert_intermediate_size": 64, "num_attention_heads_per_layer": [8, 8, 16, 16, 8, 16], )" +
            small + "}",
        R"({"model_type": "deepseek_v4", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024,
            "num_attention_heads": 8, "head_dim": 16, "q_lora_rank": 32, "o_groups": 4, "o_lora_rank": 8,
            "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 64, "index_n_heads": 2,
            "index_head_dim": 8, "index_topk": 16, "sliding_window": 32})"};
    return all;
}

Job shaped_job(const std::string& config) {
    Job job{read_hf_config(parse_json(config, "config.json")).model, search_jobs::cluster(8),
            search_jobs::stack(), search_jobs::run(256, 16)};
    job.run.parallel = Parallelism{};
    job.run.parallel.dp = 8;
    return job;
}

struct Products {
    double multiplied = 0.0;
    double held = 0.0;
};

/// Matrix elements that the operators of all blocks multiply, and that their layers hold.
Products products(const Job& job) {
    const auto ops = std::make_unique<BlockOps>();
    fill_ops(job, shape_of(job), *ops);
    Products sum;
    for (std::int64_t i = 0; i < block_count(job.model); ++i) {
        for (const Operator& op : ops->blocks[kind_of(job, *ops, i)])
            sum.multiplied += op.weights;
        for (const WeightTensor& tensor : layer_weights(job.model, layer_kind(job.model, i)))
            sum.held += tensor.matrix ? static_cast<double>(elements(tensor)) : 0.0;
    }
    return sum;
}

const std::string albert = R"({"model_type": "albert", "hidden_size": 64, "num_hidden_layers": 4,
    "vocab_size": 1024, "num_attention_heads": 8, "intermediate_size": 128, "embedding_size": 16,
    "num_hidden_groups": )";

}  // namespace

TEST_CASE("operators of layers of several shapes multiply every matrix that the layers hold", "[shapes]") {
    for (const std::string& config : shaped_configurations()) {
        CAPTURE(config);
        const Products sum = products(shaped_job(config));
        CHECK(sum.multiplied == Approx(sum.held));
    }
}

TEST_CASE("a layer that repeats another's weights multiplies them and holds none", "[shapes]") {
    const Products shared = products(shaped_job(albert + "1}"));
    CHECK(shared.multiplied == Approx(4.0 * shared.held));
    const Job one = shaped_job(albert + "1}");
    const Job four = shaped_job(albert + "4}");
    CHECK(step_flops(one).model.value() == Approx(step_flops(four).model.value()));
    CHECK(parameter_count(one.model).matrix_active == parameter_count(four.model).matrix_active);
    const Estimate narrow = estimate(one);
    const Estimate wide = estimate(four);
    CHECK(narrow.stages.front()[MemoryTerm::optimizer_states] <
          wide.stages.front()[MemoryTerm::optimizer_states]);
    CHECK(narrow.stages.front()[MemoryTerm::saved_activations].value() ==
          Approx(wide.stages.front()[MemoryTerm::saved_activations].value()));
}

TEST_CASE("jobs of layers of several shapes have finite answers under sharding and recompute", "[shapes]") {
    for (const std::string& config : shaped_configurations()) {
        CAPTURE(config);
        Job job = shaped_job(config);
        REQUIRE(validate(job).empty());
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
            job.run.recompute = recompute;
            for (const std::int64_t zero : {0, 3}) {
                job.run.parallel.zero = zero;
                const Estimate e = estimate(job);
                CHECK(std::isfinite(e.step.total.value()));
                CHECK(e.step.total.value() > 0.0);
                CHECK(e.stages.front().device.value() > 0.0);
            }
        }
    }
}

TEST_CASE("lists of shapes must fit the model, and kinds of layer are bounded", "[shapes]") {
    const auto says = [](const ModelSpec& model, const std::string& part) {
        std::vector<Problem> problems;
        validate(model, problems);
        for (const Problem& problem : problems) {
            if ((problem.path + " " + problem.message).find(part) != std::string::npos)
                return true;
        }
        return false;
    };
    ModelSpec model = shaped_job(shaped_configurations()[0]).model;
    model.layer_shapes.pop_back();
    CHECK(says(model, "layer_shapes has 5 entries; must have one for each of the 6 layers"));
    model.layer_shapes.push_back(9);
    CHECK(says(model, "layer_shapes"));
    model.shapes.clear();
    model.mixers.clear();
    model.layers = 20;
    model.layer_shapes.clear();
    for (std::int64_t i = 0; i < model.layers; ++i) {
        model.shapes.push_back({.ffn = 64 + i});
        model.layer_shapes.push_back(i + 1);
    }
    CHECK(says(model, "are of 20 kinds; at most 16 are modelled"));
}
