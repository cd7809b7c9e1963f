#include <traincost/cost/params.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>

using namespace traincost;

namespace {

ModelSpec decoder(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t kv_heads,
                  std::int64_t head_dim, std::int64_t ffn, std::int64_t vocab) {
    return {.name = "test",
            .family = "test",
            .architecture = Architecture::decoder,
            .layers = layers,
            .hidden = hidden,
            .heads = heads,
            .kv_heads = kv_heads,
            .head_dim = head_dim,
            .ffn = ffn,
            .gated_mlp = true,
            .activation = Activation::silu,
            .vocab = vocab,
            .tied_embeddings = false,
            .position = {.kind = PositionKind::rope},
            .norm = {.kind = NormKind::rmsnorm,
                     .bias = false,
                     .per_layer = 2,
                     .final_norm = true,
                     .embedding_norm = false,
                     .qk = QkNorm::none,
                     .placement = NormPlacement::pre},
            .bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false}};
}

ModelSpec gpt2() {
    ModelSpec m = decoder(12, 768, 12, 12, 64, 3072, 50257);
    m.gated_mlp = false;
    m.tied_embeddings = true;
    m.position = {.kind = PositionKind::learned, .table_rows = 1024};
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    m.bias = {.qkv = true, .attention_out = true, .mlp = true, .lm_head = false};
    return m;
}

ModelSpec llama_3_8b() {
    return decoder(32, 4096, 32, 8, 128, 14336, 128256);
}

ModelSpec deepseek_v3() {
    ModelSpec m = decoder(61, 7168, 128, 128, 192, 18432, 129280);
    m.mla = MlaSpec{
        .q_lora_rank = 1536, .kv_lora_rank = 512, .qk_nope_dim = 128, .qk_rope_dim = 64, .v_head_dim = 128};
    m.moe = MoeSpec{
        .experts = 256, .top_k = 8, .ffn = 2048, .first_k_dense = 3, .shared_experts = 1, .shared_ffn = 2048};
    m.moe->score_correction_bias = true;
    m.mtp = MtpSpec{.layers = 1, .embedding_copy = true, .head_copy = true};
    return m;
}

ModelSpec t5_11b() {
    ModelSpec m = decoder(24, 1024, 128, 128, 128, 65536, 32128);
    m.architecture = Architecture::encoder_decoder;
    m.decoder_layers = 24;
    m.gated_mlp = false;
    m.tied_embeddings = true;
    m.position = {.kind = PositionKind::t5_relative_bias, .bias_tables = {4096, 4096}};
    return m;
}

const WeightTensor* find(const WeightList& weights, std::string_view name) {
    const auto* found = std::find_if(weights.begin(), weights.end(),
                                     [&](const WeightTensor& tensor) { return tensor.name == name; });
    return found == weights.end() ? nullptr : found;
}

std::int64_t of(const ParameterCount& count, Module module) {
    return count.by_module[static_cast<std::size_t>(module)];
}

}  // namespace

TEST_CASE("GPT-2 small is counted as by hand", "[params]") {
    const ParameterCount count = parameter_count(gpt2());
    // 12 layers of 12 h² + 13 h, V h, s h, and the final norm's 2 h.
    const std::int64_t h = 768;
    CHECK(count.total == 12 * (12 * h * h + 13 * h) + 50257 * h + 1024 * h + 2 * h);
    CHECK(count.total == 124439808);
    CHECK(count.embedding == 50257 * h);
    CHECK(count.active_without_input_embedding == count.total);
    CHECK(of(count, Module::position) == 1024 * h);
    CHECK(of(count, Module::head) == 0);
    // The tied head still multiplies.
    CHECK(count.matrix_active == 12 * 12 * h * h + 50257 * h);
}

TEST_CASE("grouped queries, a gated MLP and an untied head give Llama 3 its 8,030,261,248", "[params]") {
    const ParameterCount count = parameter_count(llama_3_8b());
    CHECK(count.total == 8030261248);
    CHECK(count.embedding == 2 * 128256LL * 4096);
    CHECK(count.active_without_input_embedding == count.total - 128256LL * 4096);
    CHECK(count.matrix_active == count.total - 128256LL * 4096 - (2 * 32 + 1) * 4096);
}

TEST_CASE("DeepSeek-V3: latent attention, 256 experts, and the module for the second next token",
          "[params]") {
    const ModelSpec model = deepseek_v3();
    const ParameterCount count = parameter_count(model);
    CHECK(count.total == 671026419200);
    CHECK(count.active == 37552297472);
    CHECK(count.mtp == 13463426304);
    const WeightList weights = layer_weights(model, Side::decoder, true);
    REQUIRE(find(weights, "attention.key_value_down") != nullptr);
    CHECK(find(weights, "attention.key_value_down")->columns == 576);
    CHECK(find(weights, "attention.key_value_up")->columns == 128 * 256);
    CHECK(find(weights, "experts.up")->copies == 256);
    CHECK(find(weights, "experts.up")->active_copies == 8);
}

TEST_CASE("a sparse-attention indexer adds 13,959,424 to each layer of DeepSeek-V3", "[params]") {
    ModelSpec model = deepseek_v3();
    const std::int64_t without = parameter_count(model).total;
    model.indexer = IndexerSpec{.heads = 64, .head_dim = 128, .top_k = 2048};
    CHECK(parameter_count(model).total - without == 61 * (1536LL * 8192 + 7168 * 128 + 256 + 7168 * 64));
}

TEST_CASE("a decoder with cross attention has a second attention block and a third norm", "[params]") {
    const ModelSpec model = t5_11b();
    CHECK(parameter_count(model).total == 11307321344);
    const WeightList encoder = layer_weights(model, Side::encoder, false);
    const WeightList cross = layer_weights(model, Side::cross_decoder, false);
    CHECK(find(encoder, "cross_attention.query") == nullptr);
    REQUIRE(find(cross, "cross_attention.query") != nullptr);
    CHECK(find(encoder, "layer_norms")->rows == 2);
    CHECK(find(cross, "layer_norms")->rows == 3);
    CHECK(block_count(model) == 48);
    CHECK(layer_kind(model, 23).side == Side::encoder);
    CHECK(layer_kind(model, 24).side == Side::cross_decoder);
}

TEST_CASE("a narrow embedding table is projected in and out", "[params]") {
    ModelSpec model = gpt2();
    const std::int64_t wide = parameter_count(model).total;
    model.embedding_dim = 512;
    CHECK(parameter_count(model).total == wide - 50257 * (768 - 512) + 2 * 512 * 768);
    CHECK(find(embedding_weights(model), "embedding.project_in")->matrix);
    CHECK(find(head_weights(model, false), "head.project_out")->columns == 512);
}

TEST_CASE("lookups, norms and biases do not multiply activations", "[params]") {
    const ModelSpec model = gpt2();
    CHECK_FALSE(find(embedding_weights(model), "embedding")->matrix);
    CHECK_FALSE(find(embedding_weights(model), "position")->matrix);
    const WeightList weights = layer_weights(model, Side::decoder, false);
    CHECK_FALSE(find(weights, "layer_norms")->matrix);
    CHECK_FALSE(find(weights, "mlp.up_bias")->matrix);
    CHECK(find(weights, "mlp.up")->matrix);
    CHECK(find(head_weights(model, false), "head")->matrix);
}

TEST_CASE("every second layer of an interleaved model holds experts, the last one included", "[params]") {
    ModelSpec model = llama_3_8b();
    model.moe = MoeSpec{.experts = 4, .top_k = 1, .ffn = 1024, .interleave_step = 2};
    const LayerKinds kinds = layer_kinds(model);
    REQUIRE(kinds.size == 2);
    CHECK(kinds.items[0].count == 16);
    CHECK(kinds.items[1].moe);
    CHECK_FALSE(layer_kind(model, 0).moe);
    CHECK(layer_kind(model, 31).moe);
}

TEST_CASE("remainders of a division into chunks go to the earliest", "[params]") {
    const StageLayout layout{.pp = 4, .vp = 1, .blocks = 61};
    CHECK(chunk_size(layout, 0) == 16);
    CHECK(chunk_size(layout, 3) == 15);
    CHECK(chunk_first(layout, 3) == 46);
}

TEST_CASE("a group of keys is kept whole by the ranks that outnumber the key heads", "[params]") {
    const WeightList weights = layer_weights(llama_3_8b(), Side::decoder, false);
    const WeightTensor& key = *find(weights, "attention.key");
    CHECK(sharded_count(key, 8, 1, 1).dense == 4096.0 * 128);
    CHECK(sharded_count(key, 16, 1, 1).dense == 4096.0 * 128);
}
