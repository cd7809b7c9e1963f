#include "traincost/fit/records/record_model.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace traincost;

namespace {

RecordModel record(const std::string& family, const std::string& attention = "mha/gqa") {
    return {.name = "m",
            .family = family,
            .layers = 12,
            .hidden = 1024,
            .heads = 8,
            .kv_heads = 8,
            .head_dim = 128,
            .ffn = 4096,
            .gated_mlp = true,
            .vocab = 32000,
            .tied_embeddings = false,
            .positional = "rope",
            .attention = attention};
}

ModelSpec read(const RecordModel& model) {
    std::vector<std::string> assumptions;
    return model_of(model, 4096, assumptions);
}

}  // namespace

TEST_CASE("a record's words say which layers attend to everything", "[records]") {
    struct Words {
        std::string family;
        std::string attention;
        std::optional<WindowSpec> window;
    };
    const auto sliding = [](std::int64_t size, std::int64_t every) {
        return WindowSpec{WindowKind::sliding, size, every};
    };
    const std::vector<Words> cases = {
        {"llama3", "mha/gqa", std::nullopt},
        {"llama3", "sliding window 4096", sliding(4096, 0)},
        {"gemma3", "sliding window 512 on five layers of six", sliding(512, 6)},
        {"llama3", "gqa, sliding window 512 on 3 layers of 4", sliding(512, 4)},
        {"gpt-oss", "gqa, alternating sliding window 128", sliding(128, 2)},
        {"llama4", "chunked local attention 8192 on 3/4 layers", WindowSpec{WindowKind::chunked, 8192, 4}},
        // What the words leave out is the family's.
        {"gemma2", "mha/gqa", sliding(4096, 2)},
        {"gemma3", "mha/gqa", sliding(1024, 6)},
        {"gpt-oss", "gqa", sliding(128, 2)},
        {"olmo3", "mha", sliding(4096, 4)},
        {"gemma3", "full attention", std::nullopt},
    };
    for (const Words& c : cases) {
        INFO(c.family << ": " << c.attention);
        CHECK(read(record(c.family, c.attention)).window == c.window);
    }
    std::vector<std::string> assumptions;
    model_of(record("gemma3"), 4096, assumptions);
    REQUIRE(assumptions.size() == 1);
    CHECK(assumptions[0].find("1024 tokens") != std::string::npos);
}

TEST_CASE("a model's windows are the same again after a record", "[records]") {
    for (const char* words : {"mha/gqa", "full attention", "alternating sliding window 256",
                              "sliding window 512 on 5 layers of 6", "chunked local attention 64"}) {
        for (const char* family : {"gemma3", "llama3"}) {
            const ModelSpec model = read(record(family, words));
            INFO(family << ": " << words);
            CHECK(read(describe_model(model, 4096).model).window == model.window);
        }
    }
}

TEST_CASE("families are known by other spellings, and near names of others are not", "[records]") {
    for (const auto& [spelt, known] :
         std::vector<std::pair<std::string, std::string>>{{"gemma-2", "gemma2"},
                                                          {"Gemma_3", "gemma3"},
                                                          {"qwen2.5", "qwen2"},
                                                          {"qwen3_moe", "qwen3"},
                                                          {"llama-3.1", "llama3"},
                                                          {"olmo-2", "olmo2"},
                                                          {"gpt_oss", "gpt-oss"}}) {
        INFO(spelt);
        const ModelSpec a = read(record(spelt));
        const ModelSpec b = read(record(known));
        CHECK(a.norm == b.norm);
        CHECK(a.bias == b.bias);
        CHECK(a.activation == b.activation);
        CHECK(a.window == b.window);
    }
    for (const char* other : {"phi1", "falcon3", "internlm2", "yi"}) {
        std::vector<std::string> assumptions;
        model_of(record(other), 4096, assumptions);
        INFO(other);
        REQUIRE_FALSE(assumptions.empty());
        CHECK(assumptions[0].find("is not known") != std::string::npos);
    }
}

TEST_CASE("nanochat's models bound their logits and not their scores", "[records]") {
    const ModelSpec m = read(record("nanochat"));
    CHECK(m.activation == Activation::squared_relu);
    CHECK(m.norm.qk == QkNorm::per_head);
    CHECK(m.norm.embedding_norm);
    CHECK(m.logits_softcap);
    CHECK_FALSE(m.attention_softcap);
    const ModelSpec gemma = read(record("gemma2"));
    CHECK((gemma.logits_softcap && gemma.attention_softcap));
    CHECK_FALSE(gemma.norm.embedding_norm);
}
