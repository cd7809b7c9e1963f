// Architectures whose layers are not all alike, and decoders that stand deeper in their configuration.

#include <traincost/cost/params.hpp>
#include <traincost/import/hf/hf_config.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace traincost;

namespace {

HfModel hf_shape(const std::string& text) {
    return read_hf_config(parse_json(text, "config.json"));
}

std::string hf_refusal(const std::string& text) {
    try {
        hf_shape(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

bool hf_holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool hf_says(const HfModel& model, std::string_view part) {
    return std::any_of(model.assumptions.begin(), model.assumptions.end(),
                       [&](const std::string& one) { return hf_holds(one, part); });
}

}  // namespace

TEST_CASE("Gemma 4: wider heads, experts beside the dense MLP and embeddings of every layer are counted",
          "[hf]") {
    const std::string body = R"({"model_type": "gemma4_text", "hidden_size": 32, "num_hidden_layers": 6,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "global_head_dim": 16,
        "intermediate_size": 64, "vocab_size": 100, "vocab_size_per_layer_input": 50)";
    const std::int64_t rest = 100 * 32 + 32;
    const std::int64_t mlp = 3 * 32 * 64;
    const std::int64_t local = 2 * 32 * 32 + 2 * 32 * 16 + 2 * 8 + mlp + 4 * 32;
    const std::int64_t global = 2 * 32 * 64 + 2 * 32 * 32 + 2 * 16 + mlp + 4 * 32;
    const HfModel plain = hf_shape(body + R"(, "hidden_size_per_layer_input": 0})");
    CHECK(parameter_count(plain.model).total == rest + 5 * local + global);
    CHECK(plain.model.shapes == std::vector<LayerShape>{{.head_dim = 16}});
    CHECK(plain.model.layer_shapes == std::vector<std::int64_t>{0, 0, 0, 0, 0, 1});
    // Keys that serve as values: one projection, of as many heads as the wide layers have.
    CHECK(parameter_count(hf_shape(body + R"(, "hidden_size_per_layer_input": 0, "attention_k_eq_v": true,
                                        "num_global_key_value_heads": 1})")
                              .model)
              .total == rest + 5 * local + global - 2 * 32 * 32 + 32 * 16);
    // Layers that use earlier keys and values have queries and outputs only.
    CHECK(parameter_count(
              hf_shape(body + R"(, "hidden_size_per_layer_input": 0, "num_kv_shared_layers": 2})").model)
              .total == rest + 5 * local + global - (2 * 32 * 16 + 8) - (2 * 32 * 32 + 16));
    CHECK(parameter_count(hf_shape(body + R"(, "hidden_size_per_layer_input": 4})").model).total ==
          rest + 5 * local + global + 50 * 6 * 4 + 32 * 6 * 4 + 4 + 6 * (2 * 32 * 4 + 32));
    const HfModel experts = hf_shape(body + R"(, "hidden_size_per_layer_input": 0, "enable_moe_block": true,
                                        "num_experts": 8, "top_k_experts": 2, "moe_intermediate_size": 16})");
    CHECK(parameter_count(experts.model).total ==
          rest + 5 * local + global + 6 * (8 * 3 * 32 * 16 + 32 * 8 + 32 + 8 + 3 * 32));
    // MLPs twice as wide in the layers that use earlier keys and values.
    CHECK(parameter_count(hf_shape(body + R"(, "hidden_size_per_layer_input": 0, "num_kv_shared_layers": 2,
                                            "use_double_wide_mlp": true})")
                              .model)
              .total == rest + 5 * local + global - (2 * 32 * 16 + 8) - (2 * 32 * 32 + 16) + 2 * mlp);
}

TEST_CASE("T5Gemma is two Gemma 2 of one shape", "[hf]") {
    const auto stack = [](const std::string& more) {
        return R"({"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 8,
                   "num_key_value_heads": 2, "intermediate_size": 64, "vocab_size": 100)" +
               more + "}";
    };
    const auto both = [&](const std::string& more) {
        return R"({"model_type": "t5gemma", "vocab_size": 100, "encoder": )" + stack("") +
               R"(, "decoder": )" + stack(more) + "}";
    };
    const std::int64_t attention = 2 * 32 * 32 + 2 * 32 * 16;
    const std::int64_t layer = attention + 3 * 32 * 64 + 4 * 32;
    CHECK(parameter_count(hf_shape(both("")).model).total ==
          2 * 100 * 32 + 2 * layer + 2 * (layer + attention + 2 * 32) + 2 * 32);
    std::string wider = both("");
    wider.replace(wider.rfind("64"), 2, "96");
    CHECK(hf_holds(hf_refusal(wider), "has another shape than the encoder"));
    CHECK(hf_holds(hf_refusal(R"({"model_type": "t5gemma", "encoder": )" + stack("") + "}"),
                   "missing key 'decoder'; a t5gemma needs it"));
}

TEST_CASE("a decoder may stand deeper, and one of another class keeps its word on tied embeddings", "[hf]") {
    const std::string small = R"({"model_type": "qwen2", "hidden_size": 32, "num_hidden_layers": 1,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 64, "vocab_size": 100,
        "tie_word_embeddings": true})";
    CHECK(hf_shape(R"({"model_type": "internvl_chat", "tie_word_embeddings": false, "llm_config": )" + small +
                   "}")
              .model.tied_embeddings);
    const HfModel thinker =
        hf_shape(R"({"model_type": "qwen2_5_omni", "thinker_config": {"audio_config": {}, "vision_config": {},
                 "text_config": )" +
                 small + "}}");
    CHECK(thinker.model.hidden == 32);
    CHECK(hf_says(thinker, "audio and vision towers"));
    CHECK(hf_holds(hf_refusal(R"({"model_type": "qwen2_5_omni", "thinker_config": {}})"),
                   "missing key 'thinker_config.text_config'"));
}

TEST_CASE("BigBird's blocks are a window", "[hf]") {
    const std::string small = R"({"model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 1,
        "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 100)";
    const HfModel sparse = hf_shape(small + R"(, "block_size": 16, "num_random_blocks": 1})");
    REQUIRE(sparse.model.window);
    CHECK(sparse.model.window->size == (3 + 2 + 1) * 16);
    CHECK(!hf_shape(small + R"(, "attention_type": "original_full"})").model.window);
}

TEST_CASE("a Zamba's shared block is stored once and stands at every hybrid depth", "[hf]") {
    const std::string head = R"({"model_type": "zamba2", "hidden_size": 32, "num_hidden_layers": 4,
        "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 100, "adapter_rank": 2,
        "n_mamba_heads": 4, "mamba_headdim": 16, "mamba_d_state": 8,
        "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"])";
    const std::int64_t block = 3 * 64 * 64 + 64 * 32 + 3 * 32 * 64 + 64 + 32;  // norms of 64 and 32
    const std::int64_t in = 32 * (2 * 64 + 2 * 8 + 4);
    const std::int64_t mamba = in + 64 * 32 + 5 * (64 + 2 * 8) + 3 * 4 + 64 + 32;
    const std::int64_t depth = 32 * 32 + 2 * 32 + 2 * 2 * 64;  // a projection and the MLP's adapter
    const HfModel one = hf_shape(head + "}");
    CHECK(parameter_count(one.model).total == 100 * 32 + 32 + 4 * mamba + block + 2 * depth);
    CHECK(one.model.layers == 6);
    CHECK(hf_says(one, "that 2 depths share is stored once for each of its 1 copies"));
    CHECK(parameter_count(hf_shape(head + R"(, "num_mem_blocks": 2})").model).total ==
          100 * 32 + 32 + 4 * mamba + 2 * block + 2 * depth);
    CHECK(parameter_count(hf_shape(head + R"(, "use_shared_attention_adapter": true})").model).total ==
          100 * 32 + 32 + 4 * mamba + block + 2 * (depth + 3 * 2 * 2 * 64));
    CHECK(hf_holds(hf_refusal(R"({"model_type": "zamba2", "hidden_size": 32, "num_hidden_layers": 1,
                                  "layers_block_type": ["rwkv"]})"),
                   "'rwkv' is neither hybrid nor mamba"));
}

TEST_CASE("an ALBERT stores a layer a group, and its tables are narrower than its layers", "[hf]") {
    const std::string head = R"({"model_type": "albert", "hidden_size": 32, "num_hidden_layers": 4,
        "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 100, "embedding_size": 8,
        "max_position_embeddings": 16)";
    const std::int64_t layer = 4 * (32 * 32 + 32) + 32 * 64 + 64 + 64 * 32 + 32 + 4 * 32;
    const std::int64_t rest = (100 + 16 + 2 + 2) * 8 + 8 * 32 + 32 + 32 * 32 + 32;
    CHECK(parameter_count(hf_shape(head + "}").model).total == rest + layer);
    CHECK(parameter_count(hf_shape(head + R"(, "num_hidden_groups": 2})").model).total == rest + 2 * layer);
    CHECK(hf_holds(hf_refusal(head + R"(, "num_hidden_groups": 3})"), "must divide the 4 layers"));
    CHECK(hf_holds(hf_refusal(head + R"(, "inner_group_num": 2})"), "only 1 is modelled"));
}

TEST_CASE("Llama 4's list of layers with experts may be empty or uneven", "[hf]") {
    const std::string head = R"({"model_type": "llama4_text", "hidden_size": 32, "num_hidden_layers": 4,
        "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 8, "intermediate_size": 16,
        "intermediate_size_mlp": 64, "vocab_size": 100, "num_local_experts": 2, "moe_layers": )";
    CHECK(!hf_shape(head + "[]}").model.moe);
    CHECK(moe_layers(hf_shape(head + "[0, 3]}").model) == 2);
    CHECK(hf_holds(hf_refusal(head + "[4]}"), "beyond the last of 4 layers"));
}

TEST_CASE("an answer says where its integer differs from that of transformers", "[hf]") {
    CHECK(hf_says(hf_shape(R"({"model_type": "dots1", "hidden_size": 32, "num_hidden_layers": 2,
                               "num_attention_heads": 4, "num_key_value_heads": 4, "n_routed_experts": 8,
                               "num_experts_per_tok": 2, "moe_intermediate_size": 16, "vocab_size": 100})"),
                  "16 biases that correct the scores of experts are counted"));
}

TEST_CASE("an architecture's class says more than an older model_type beside it", "[hf]") {
    const std::string ling = R"({"model_type": "bailing_moe", "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 64, "vocab_size": 100,
        "moe_intermediate_size": 16, "num_experts": 4, "num_experts_per_tok": 2, "num_shared_experts": 1,
        "use_bias": false,
        "use_qk_norm": true, "architectures": [")";
    const HfModel young = hf_shape(ling + R"(BailingMoeV2ForCausalLM"]})");
    CHECK(young.model.family == "bailing_moe_v2");
    CHECK(young.model.norm.qk == QkNorm::per_head);
    CHECK(hf_says(young, "bailing_moe is read as bailing_moe_v2"));
    CHECK(hf_holds(hf_refusal(ling + R"(BailingMoeForCausalLM"]})"), "use_qk_norm"));
}

TEST_CASE("the word on a key of a new family that changes a shape is an error", "[hf]") {
    for (const char* type : {"deepseek_v4", "mimo_v2_flash", "step3p5", "laguna", "zamba2", "albert", "rwkv",
                             "whisper", "deberta", "jetmoe"}) {
        CAPTURE(type);
        CHECK(
            hf_holds(hf_refusal(std::string(R"({"model_type": ")") + type +
                                R"(", "hidden_size": 768, "num_hidden_layers": 2, "extra_hidden_width": 3})"),
                     "'extra_hidden_width' may change a shape"));
    }
}
