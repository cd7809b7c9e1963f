#include "traincost/ask/model_input.hpp"

#include <filesystem>
#include <system_error>

#include "traincost/base/error.hpp"
#include "traincost/import/hf/hf_config.hpp"
#include "traincost/io/specs/model_json.hpp"

namespace traincost {

namespace fs = std::filesystem;

namespace {

ModelInput from_document(const JsonDocument& document) {
    if (is_hf_config(document)) {
        HfModel read = read_hf_config(document);
        return {std::move(read.model), std::move(read.assumptions)};
    }
    return {model_from_json(JsonNode(document)), {}};
}

ModelInput from_path(const std::string& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
        return from_document(read_json_file(path));
    }
    const std::string config = (fs::path(path) / "config.json").string();
    if (!fs::exists(config, ignored)) {
        throw Error(ErrorKind::input, path + ": is a directory without a config.json");
    }
    return from_document(read_json_file(config));
}

bool looks_like_a_path(const std::string& name) {
    return name.ends_with(".json") || name.starts_with("./") || name.starts_with("../") ||
           name.starts_with('/');
}

}  // namespace

ModelInput load_model(const std::string& name, const Sources& sources) {
    if (name == "-")
        return from_document(sources.json_file(name));
    const Catalogue& catalogue = sources.catalogue();
    if (looks_like_a_path(name)) {
        return from_path(name);
    }
    if (const auto id = catalogue.find(Room::models, name)) {
        return {catalogue.model(*id), {}};
    }
    std::error_code ignored;
    if (fs::exists(name, ignored)) {
        return from_path(name);
    }
    return {catalogue.model(name), {}};  // says that the name is unknown, and what is near
}

}  // namespace traincost
