#include "support/temporary.hpp"

#include <traincost/cost/params.hpp>
#include <traincost/import/hf/hf_config.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

using namespace traincost;

namespace {

/// A small LLaMA with `more` keys.
std::string llama(std::string_view more = "") {
    return R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
               "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "tie_word_embeddings": false,
               "max_position_embeddings": 128, "attention_bias": false, "mlp_bias": false)" +
           std::string(more) + "}";
}

HfModel read(const std::string& text) {
    return read_hf_config(parse_json(text, "config.json"));
}

std::string error_of(const std::string& text) {
    try {
        read(text);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return "no error";
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool assumes(const HfModel& read, std::string_view part) {
    return std::any_of(read.assumptions.begin(), read.assumptions.end(),
                       [&](const std::string& one) { return contains(one, part); });
}

}  // namespace

TEST_CASE("a llama with every key takes nothing for granted", "[hf]") {
    const HfModel model = read(llama());
    CHECK(model.assumptions.empty());
    CHECK(model.model.kv_heads == 2);
    CHECK(model.model.head_dim == 16);
    // Per layer: queries, keys, values, output; gate, up, down; two norms.
    CHECK(parameter_count(model.model).total ==
          2 * 100 * 64 + 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 96 + 2 * 64) + 64);
}

TEST_CASE("a key that is left out takes the configuration class's default, and says so", "[hf]") {
    const HfModel model = read(R"({"model_type": "mistral", "hidden_size": 4096, "num_hidden_layers": 32})");
    CHECK(model.model.kv_heads == 8);
    CHECK(assumes(model, "num_key_value_heads = 8"));
    CHECK(parameter_count(model.model).total == 7241732096);
    const HfModel null = read(
        R"({"model_type": "mistral", "hidden_size": 4096, "num_hidden_layers": 32, "num_key_value_heads": null})");
    CHECK(null.model.kv_heads == 32);
}

TEST_CASE("an architecture that is not known is named, with the nearest that is", "[hf]") {
    CHECK(contains(error_of(R"({"model_type": "lama", "hidden_size": 64})"),
                   "/model_type: the model_type 'lama' is not known"));
    CHECK(contains(error_of(R"({"model_type": "lama", "hidden_size": 64})"), "did you mean 'llama'"));
    CHECK(contains(error_of(R"({"model_type": "hymba", "hidden_size": 64})"), "state-space"));
    CHECK(contains(error_of(R"({"architectures": ["FooForCausalLM"], "hidden_size": 64})"),
                   "'FooForCausalLM' is not known"));
    CHECK(contains(error_of(llama(R"(, "architectures": ["FooForCausalLM"])")),
                   "'FooForCausalLM' is not known"));
    CHECK(contains(error_of(R"({"hidden_size": 64})"), "names neither a model_type nor architectures"));
}

TEST_CASE("a config of before model types is known by its architecture", "[hf]") {
    const HfModel model =
        read(R"({"architectures": ["GPT2LMHeadModel"], "n_embd": 768, "n_layer": 12, "n_head": 12,
                                   "n_positions": 1024, "vocab_size": 50257})");
    CHECK(parameter_count(model.model).total == 124439808);
    CHECK(assumes(model, "model_type = gpt2"));
}

TEST_CASE("a key that may change a shape is an error, a harmless one is not", "[hf]") {
    CHECK(contains(error_of(llama(R"(, "num_widgets": 3)")),
                   "config.json:/num_widgets: the key 'num_widgets' may change a shape"));
    CHECK(contains(error_of(llama(R"(, "intermediate_sizes": [1, 2])")), "did you mean 'intermediate_size'"));
    CHECK(contains(error_of(llama(R"(, "num_experts": 8)")), "num_experts"));
    CHECK(contains(error_of(llama(R"(, "unheard_of": {"a": 1})")), "unheard_of"));
    CHECK(contains(error_of(llama(R"(, "ffn_dim_multiplier": 1.3)")), "ffn_dim_multiplier"));
    const HfModel model =
        read(llama(R"(, "bos_token_id": 1, "torch_dtype": "bfloat16", "rope_scaling": {"factor": 8},
                                         "initializer_range": 0.02, "rms_norm_eps": 1e-5, "num_experts": null, "use_widgets": true)"));
    CHECK(model.assumptions.size() == 1);
    CHECK(assumes(model, "'use_widgets' is unknown for llama and was ignored"));
}

TEST_CASE("two names of one setting must agree", "[hf]") {
    CHECK(contains(error_of(R"({"model_type": "gpt2", "n_embd": 768, "hidden_size": 1024, "n_layer": 12})"),
                   "config.json:/hidden_size: contradicts 'n_embd'"));
}

TEST_CASE("values of the wrong type or out of range name their place", "[hf]") {
    CHECK(contains(error_of(R"({"model_type": "llama", "hidden_size": "4096", "num_hidden_layers": 2})"),
                   "config.json:/hidden_size: the string '4096'; must be a whole number"));
    CHECK(contains(error_of(R"({"model_type": "llama", "hidden_size": -64, "num_hidden_layers": 2})"),
                   "must be at least 1"));
    CHECK(contains(error_of(R"({"model_type": "llama", "hidden_size": 64.5, "num_hidden_layers": 2})"),
                   "whole number"));
    CHECK(contains(error_of(R"({"model_type": "llama", "hidden_size": 1e15, "num_hidden_layers": 2})"),
                   "must be at most"));
    CHECK(contains(error_of(R"({"model_type": "llama", "num_hidden_layers": 2})"),
                   "missing key 'hidden_size'"));
    CHECK(contains(
        error_of(
            R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 7})"),
        "/num_attention_heads: 7 does not divide the hidden size 64"));
    CHECK(contains(
        error_of(
            R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8,
                                "num_key_value_heads": 3})"),
        "kv_heads"));
    CHECK(
        contains(error_of(R"({"model_type": "llama", "hidden_size": 900000000, "num_hidden_layers": 900000000,
                                "num_attention_heads": 1})"),
                 "more than 10^17 parameters"));
    CHECK(contains(error_of(R"({"model_type": 3, "hidden_size": 64})"), "must be a string"));
    CHECK(contains(error_of(R"([1, 2])"), "must be an object"));
    CHECK(contains(error_of(llama(R"(, "hidden_act": "siluu")")), "did you mean 'silu'"));
    CHECK(contains(error_of(llama(R"(, "hidden_size": 32)")), "given twice"));
    CHECK(contains(error_of(llama().substr(0, 80)), "ends too early"));
}

TEST_CASE("layers with windows and with experts must be ones that can be described", "[hf]") {
    const std::string head = R"({"model_type": "gpt_oss", "hidden_size": 64, "num_hidden_layers": 4, )";
    CHECK(contains(error_of(head + R"("layer_types": ["full_attention"]})"),
                   "has 1 entries; must have one for each of the 4"));
    CHECK(contains(
        error_of(
            head +
            R"("layer_types": ["linear_attention", "full_attention", "full_attention", "full_attention"]})"),
        "'linear_attention' layers are not modelled"));
    const HfModel model = read(
        head +
        R"("layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"], "sliding_window": 8})");
    REQUIRE(model.model.window);
    CHECK(model.model.window->full_every == 2);
    CHECK(model.model.window->size == 8);
    const std::string moe =
        R"({"model_type": "qwen3_moe", "hidden_size": 64, "num_hidden_layers": 4, "head_dim": 16, )";
    CHECK(read(moe + R"("mlp_only_layers": [0, 1]})").model.moe->first_k_dense == 2);
    CHECK(contains(error_of(moe + R"("mlp_only_layers": [3]})"), "only first layers can be dense"));
}

TEST_CASE("dense layers before experts may be a number or a list", "[hf]") {
    const std::string head =
        R"({"model_type": "glm4_moe", "hidden_size": 64, "num_hidden_layers": 3, "head_dim": 16, )";
    CHECK(read(head + R"("mlp_layer_types": ["dense", "sparse", "sparse"]})").model.moe->first_k_dense == 1);
    CHECK(read(head + R"("first_k_dense_replace": 2})").model.moe->first_k_dense == 2);
    CHECK(contains(error_of(head + R"("mlp_layer_types": ["sparse", "dense", "sparse"]})"),
                   "'dense' for the first layers"));
    CHECK(read(llama(R"(, "layer_types": ["full_attention", "full_attention"])")).assumptions.empty());
    CHECK(contains(error_of(llama(R"(, "layer_types": ["full_attention", "sliding_attention"])")),
                   "layer_types"));
}

TEST_CASE("a multimodal config is read for its text decoder", "[hf]") {
    const std::string inner = llama();
    const HfModel model = read(R"({"model_type": "llava", "text_config": )" + inner +
                               R"(, "vision_config": {"hidden_size": 1024}})");
    CHECK(parameter_count(model.model).total == parameter_count(read(inner).model).total);
    CHECK(assumes(model, "only the text decoder is counted"));
    CHECK(contains(error_of(R"({"model_type": "llava"})"), "missing key 'text_config'"));
}

TEST_CASE("a class without a head counts none", "[hf]") {
    const std::int64_t with_head = parameter_count(read(llama()).model).total;
    const HfModel model = read(llama(R"(, "architectures": ["LlamaModel"])"));
    CHECK(parameter_count(model.model).total == with_head - 100 * 64);
    CHECK(assumes(model, "no output head"));
}

TEST_CASE("a folder is read for its config.json", "[hf]") {
    const auto folder = traincost::test::temporary("traincost-hf-config");
    std::filesystem::create_directories(folder);
    std::filesystem::remove(folder / "config.json");
    CHECK_THROWS_WITH(load_hf_config(folder.string()),
                      Catch::Contains("is a directory without a config.json"));
    std::ofstream(folder / "config.json") << llama();
    CHECK(load_hf_config(folder.string()).model.layers == 2);
    std::filesystem::remove_all(folder);
    CHECK_THROWS_WITH(load_hf_config(folder.string()), Catch::Contains("no such file"));
}

TEST_CASE("model types are listed in order, once each", "[hf]") {
    const auto types = hf_model_types();
    CHECK(types.size() > 90);
    CHECK(std::is_sorted(types.begin(), types.end()));
    CHECK(std::adjacent_find(types.begin(), types.end()) == types.end());
}

TEST_CASE("a pattern of letters names the layers of a Nemotron-H", "[hf]") {
    const std::string head = R"({"model_type": "nemotron_h", "hidden_size": 64, "hybrid_override_pattern": )";
    const ModelSpec m = read(head + R"("M-*E"})").model;
    CHECK(m.mixers == std::vector<Mixer>{Mixer::recurrent, Mixer::none, Mixer::attention, Mixer::none});
    CHECK(m.feeds == std::vector<Feed>{Feed::none, Feed::dense, Feed::none, Feed::experts});
    CHECK(contains(error_of(head + R"("MX*"})"), "'X' is no layer that is known: M (mamba)"));
    CHECK(contains(error_of(head + R"("M*", "num_hidden_layers": 3})"),
                   "but hybrid_override_pattern names 2 layers"));
    CHECK(contains(error_of(R"({"model_type": "nemotron_h", "hidden_size": 64})"),
                   "missing key 'hybrid_override_pattern'"));
    CHECK(contains(error_of(head + R"("M*", "mamba_extra_heads": 3})"),
                   "'mamba_extra_heads' may change a shape"));
}

TEST_CASE("layers of a hybrid may be listed, numbered, spaced or taken from the class", "[hf]") {
    const auto attention_of = [](const std::string& config) { return attention_layers(read(config).model); };
    const std::string lfm = R"({"model_type": "lfm2", "hidden_size": 64, "num_hidden_layers": 4, )";
    CHECK(attention_of(lfm + R"("full_attn_idxs": [1, 3]})") == 2);
    CHECK(attention_of(lfm + R"("layer_types": ["conv", "full_attention", "conv", "conv"]})") == 1);
    CHECK(contains(error_of(lfm + R"("full_attn_idxs": [4]})"), "beyond the last of 4 layers"));
    CHECK(contains(error_of(lfm + R"("layer_types": ["conv", "conv", "conv", "rwkv"]})"),
                   "'rwkv' layers are not modelled"));
    const std::string qwen = R"({"model_type": "qwen3_next", "hidden_size": 64, "num_hidden_layers": 8)";
    CHECK(attention_of(qwen + "}") == 2);
    CHECK(attention_of(qwen + R"(, "full_attention_interval": 2})") == 4);
    const ModelSpec jamba =
        read(R"({"model_type": "jamba", "hidden_size": 64, "num_hidden_layers": 8, "mamba_dt_rank": "auto"})")
            .model;
    CHECK(attention_layers(jamba) == 1);
    CHECK(mixer_of(jamba, 4) == Mixer::attention);
    CHECK(moe_layers(jamba) == 4);
    CHECK(jamba.recurrent->rank == 4);
    const std::string kimi =
        R"({"model_type": "kimi_linear", "hidden_size": 64, "num_hidden_layers": 2, "linear_attn_config": )";
    CHECK(attention_of(kimi + R"({"full_attn_layers": [2], "kda_layers": [1]}})") == 1);
    CHECK(contains(error_of(kimi + R"({"full_attn_layers": [2], "kda_layers": [1, 2]}})"),
                   "must name each layer once; layer 2"));
}

TEST_CASE("an open end that Python wrote as Infinity is read, elsewhere it is no JSON", "[hf]") {
    const HfModel model = read(
        R"({"model_type": "mamba2", "hidden_size": 64, "num_hidden_layers": 1, "num_heads": 8, "head_dim": 16, "time_step_limit": [0.0, Infinity]})");
    CHECK(model.model.layers == 1);
    CHECK_THROWS_WITH(parse_json(R"({"a": Infinity})", "x"), Catch::Contains("not valid JSON"));
    CHECK(contains(error_of(R"({"model_type": "Infinity", "hidden_size": 64})"), "'Infinity' is not known"));
}

TEST_CASE("a tower and its projector are counted apart from the decoder", "[hf]") {
    const HfModel model = read(
        R"({"model_type": "llava", "text_config": )" + llama() +
        R"(, "vision_config": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "image_size": 28, "patch_size": 14}})");
    // CLIP: a class, 3·14² pixels, 5 positions, two norms; 4 (32² + 32) + 2 · 32 · 64 + 96 + two norms a
    // layer.
    const std::int64_t clip =
        32 + 32 * 588 + 5 * 32 + 2 * 64 + 4 * (32 * 32 + 32) + 2 * 32 * 64 + 96 + 2 * 64;
    REQUIRE(model.model.towers.size() == 2);
    CHECK(model.model.towers[0].count == clip);
    CHECK(model.model.towers[1].count == 32 * 64 + 64 * 64 + 2 * 64);
    const ParameterCount count = parameter_count(model.model);
    CHECK(count.towers == model.model.towers[0].count + model.model.towers[1].count);
    CHECK(count.total == parameter_count(read(llama()).model).total);
    CHECK(assumes(model, "are counted apart"));
    const HfModel other =
        read(R"({"model_type": "ovis2", "text_config": )" + llama() + R"(, "vision_config": {}})");
    CHECK(other.model.towers.empty());
    CHECK(assumes(other, "the parameters of the vision tower are not counted"));
}

TEST_CASE("stacks of BART have one shape", "[hf]") {
    CHECK(contains(error_of(R"({"model_type": "bart", "decoder_ffn_dim": 8})"), "but the encoder has 4096"));
    CHECK(parameter_count(read(R"({"model_type": "bart"})").model).total == 406291456);
}

// Each layer has queries, keys and values of global attention beside those of the window, with biases:
// LongformerSelfAttention.query_global, key_global, value_global.
TEST_CASE("a Longformer is RoBERTa with second projections and a window", "[hf]") {
    const HfModel model = read(
        R"({"model_type": "longformer", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
            "intermediate_size": 3072, "vocab_size": 50265, "max_position_embeddings": 4098, "type_vocab_size": 1,
            "attention_mode": "longformer", "ignore_attention_mask": false, "sep_token_id": 2,
            "attention_window": [512, 512, 512, 512, 512, 512, 512, 512, 512, 512, 512, 512]})");
    // RobertaModel of 514 positions has 124,645,632 (the published base); the table is 3,584 rows longer.
    CHECK(parameter_count(model.model).total == 124645632 + 3584 * 768 + 12 * 3 * (768 * 768 + 768));
    REQUIRE(model.model.window);
    CHECK(model.model.window->size == 512);
    CHECK(model.model.window->full_every == 0);
}

TEST_CASE("a Longformer of unequal windows is an error", "[hf]") {
    const std::string error = error_of(
        R"({"model_type": "longformer", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "attention_window": [32, 64]})");
    CHECK(contains(error, "attention_window"));
}

// LED against BART-base (139,420,416): tables of 16,384 and 1,024 rows in place of two of 1,026, and second
// projections in the six layers of the encoder.
TEST_CASE("LED is BART with a longer table and second projections in its encoder", "[hf]") {
    const HfModel model = read(
        R"({"model_type": "led", "d_model": 768, "encoder_layers": 6, "decoder_layers": 6, "vocab_size": 50265,
            "encoder_attention_heads": 12, "decoder_attention_heads": 12, "encoder_ffn_dim": 3072,
            "decoder_ffn_dim": 3072, "max_encoder_position_embeddings": 16384,
            "max_decoder_position_embeddings": 1024, "attention_window": 1024})");
    CHECK(parameter_count(model.model).total ==
          139420416 + (16384 + 1024 - 2 * 1026) * 768 + 6 * 3 * (768 * 768 + 768));
    CHECK(model.model.max_position == 16384);
    REQUIRE(model.model.window);
    CHECK(model.model.window->size == 1024);
    CHECK(assumes(model, "the decoder's self-attention"));
}

// google/long-t5-tglobal-base: the tensors of T5 1.1 base (247,577,856), and in the encoder a second table of
// 32 buckets for 12 heads and a norm of 768 in each of 12 layers (LongT5TransientGlobalAttention).
TEST_CASE("LongT5 is T5 1.1 with a window, and norms of its blocks where they are attended to", "[hf]") {
    const std::string base =
        R"({"model_type": "longt5", "d_model": 768, "d_ff": 2048, "num_layers": 12, "num_heads": 12,
            "vocab_size": 32128, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": false,
            "local_radius": 127, "encoder_attention_type": )";
    const HfModel local = read(base + R"("local"})");
    CHECK(parameter_count(local.model).total == 247577856);
    REQUIRE(local.model.window);
    CHECK(local.model.window->size == 255);
    const HfModel global = read(base + R"("transient-global", "global_block_size": 16})");
    CHECK(parameter_count(global.model).total == 247577856 + 32 * 12 + 12 * 768);
    CHECK(assumes(global, "summaries of the encoder's blocks"));
    CHECK(contains(error_of(base + R"("global"})"), "must be local or transient-global"));
}

// google/pegasus-x-base, by hand from the tensors of PegasusXEncoderLayer and PegasusXDecoderLayer; the
// paper gives 272 million, and 568 million for the large one.
TEST_CASE("PEGASUS-X has attention without biases and global tokens", "[hf]") {
    const HfModel base = read(
        R"({"model_type": "pegasus_x", "d_model": 768, "encoder_layers": 12, "decoder_layers": 12,
            "encoder_attention_heads": 12, "decoder_attention_heads": 12, "encoder_ffn_dim": 3072,
            "decoder_ffn_dim": 3072, "vocab_size": 96103, "num_global_tokens": 128, "block_size": 512,
            "stagger_local_blocks": true, "max_position_embeddings": 16384})");
    CHECK(parameter_count(base.model).total == 272292096);
    REQUIRE(base.model.window);
    CHECK(base.model.window->size == 512);
    const HfModel large = read(R"({"model_type": "pegasus_x", "num_global_tokens": 128})");
    CHECK(parameter_count(large.model).total == 568667136);
}
