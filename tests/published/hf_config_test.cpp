// Published config.json files, and shapes of the catalogue written as one, counted to the integer.
#include <traincost/cost/params.hpp>
#include <traincost/import/hf/hf_config.hpp>
#include <traincost/io/embedded.hpp>
#include <traincost/io/specs/model_json.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace traincost;

namespace {

const std::string folder = std::string(SOURCE_FOLDER) + "/tests/published/";

ModelRecord catalogue_record(std::string_view id) {
    const auto files = embedded_files();
    const auto found = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& file) {
        return file.room == "models" && file.id == id;
    });
    REQUIRE(found != files.end());
    const JsonDocument document = parse_json(found->text, std::string(id));
    return model_record_from_json(JsonNode(document));
}

/// "gelu_new", "gelu_fast" and "gelu_tanh" are three names of one formula.
Activation formula(Activation activation) {
    return activation == Activation::gelu_new || activation == Activation::gelu_fast ? Activation::gelu_tanh
                                                                                     : activation;
}

/// What decides counts and FLOPs is the same; names and stated facts beyond it may differ.
void check_same_shape(const ModelSpec& read, const ModelSpec& record) {
    const ParameterCount ours = parameter_count(read);
    const ParameterCount theirs = parameter_count(record);
    CHECK(ours.total == theirs.total);
    CHECK(ours.active == theirs.active);
    CHECK(ours.embedding == theirs.embedding);
    CHECK(ours.matrix_active == theirs.matrix_active);
    CHECK(ours.by_module == theirs.by_module);
    CHECK(read.layers == record.layers);
    CHECK(read.heads == record.heads);
    CHECK(read.kv_heads == record.kv_heads);
    CHECK(read.head_dim == record.head_dim);
    CHECK(read.gated_mlp == record.gated_mlp);
    CHECK(formula(read.activation) == formula(record.activation));
    CHECK(read.position.kind == record.position.kind);
    CHECK(read.norm.kind == record.norm.kind);
    CHECK(read.parallel_attention == record.parallel_attention);
    CHECK(read.moe.has_value() == record.moe.has_value());
    if (read.moe && record.moe) {
        CHECK(read.moe->top_k == record.moe->top_k);
    }
}

}  // namespace

TEST_CASE("34 published config.json files are counted to the integer", "[hf]") {
    const JsonDocument list = read_json_file(folder + "hf-configs.json");
    int files = 0;
    for (const JsonNode& row : JsonObject(JsonNode(list)).at("configs").items()) {
        JsonObject entry(row);
        const std::string file = entry.at("file").string();
        CAPTURE(file);
        const HfModel read = load_hf_config(folder + "hf-configs/" + file);
        CHECK(parameter_count(read.model).total == entry.at("parameters").integer());
        if (const auto id = entry.find("catalogue")) {
            check_same_shape(read.model, catalogue_record(id->string()).spec);
        }
        ++files;
    }
    CHECK(files == 34);
}

TEST_CASE("catalogue shapes written with the keys of their model type are read back the same", "[hf]") {
    const JsonDocument list = read_json_file(folder + "hf-shapes.json");
    std::set<std::string> types;
    for (const JsonNode& row : JsonObject(JsonNode(list)).at("configs").items()) {
        JsonObject entry(row);
        const std::string id = entry.at("catalogue").string();
        CAPTURE(id);
        const JsonDocument config{.file = id, .root = entry.at("config").value()};
        const HfModel read = read_hf_config(config);
        const ModelRecord record = catalogue_record(id);
        check_same_shape(read.model, record.spec);
        if (record.parameters.total_exact) {
            CHECK(parameter_count(read.model).total == *record.parameters.total_exact);
        }
        types.insert(read.model.family);
    }
    CHECK(types.size() >= 35);
}

TEST_CASE("published models outside the catalogue are counted to the integer", "[hf]") {
    const JsonDocument list = read_json_file(folder + "hf-counts.json");
    for (const JsonNode& row : JsonObject(JsonNode(list)).at("configs").items()) {
        JsonObject entry(row);
        const std::string repository = entry.at("repository").string();
        CAPTURE(repository);
        const JsonDocument config{.file = repository, .root = entry.at("config").value()};
        CHECK(parameter_count(read_hf_config(config).model).total == entry.at("parameters").integer());
    }
}

TEST_CASE("138 configurations of classes give the classes' own integer, towers apart", "[hf]") {
    const JsonDocument list = read_json_file(folder + "hf-classes.json");
    int configurations = 0;
    for (const JsonNode& row : JsonObject(JsonNode(list)).at("configs").items()) {
        JsonObject entry(row);
        const std::string name = entry.at("class").string();
        CAPTURE(name);
        const JsonDocument config{.file = name, .root = entry.at("config").value()};
        const ParameterCount count = parameter_count(read_hf_config(config).model);
        CHECK(count.total + count.towers == entry.at("parameters").integer());
        const auto towers = entry.find("towers");
        CHECK(count.towers == (towers ? towers->integer() : 0));
        ++configurations;
    }
    CHECK(configurations == 138);
}

TEST_CASE("76 configurations of today's models give transformers' own integer, towers apart", "[hf]") {
    const JsonDocument list = read_json_file(folder + "hf-today.json");
    std::set<std::string> types;
    int models = 0;
    for (const JsonNode& row : JsonObject(JsonNode(list)).at("configs").items()) {
        JsonObject entry(row);
        const std::string name = entry.at("model").string();
        CAPTURE(name);
        const JsonDocument config{.file = name, .root = entry.at("config").value()};
        const HfModel read = read_hf_config(config);
        const ParameterCount count = parameter_count(read.model);
        const auto biases = entry.find("score_biases");
        const auto towers = entry.find("towers");
        CHECK(count.total + count.towers ==
              entry.at("parameters").integer() + (biases ? biases->integer() : 0));
        CHECK(count.towers == (towers ? towers->integer() : 0));
        types.insert(read.model.family);
        ++models;
    }
    CHECK(models == 76);
    CHECK(types.size() >= 45);
}

TEST_CASE("published multimodal models are counted to the integer, towers and projector apart", "[hf]") {
    const JsonDocument list = read_json_file(folder + "hf-multimodal.json");
    int models = 0;
    for (const JsonNode& row : JsonObject(JsonNode(list)).at("configs").items()) {
        JsonObject entry(row);
        const std::string repository = entry.at("repository").string();
        CAPTURE(repository);
        const JsonDocument config{.file = repository, .root = entry.at("config").value()};
        const ParameterCount count = parameter_count(read_hf_config(config).model);
        CHECK(count.towers > 0);
        CHECK(count.total + count.towers == entry.at("parameters").integer());
        ++models;
    }
    CHECK(models == 12);
}
