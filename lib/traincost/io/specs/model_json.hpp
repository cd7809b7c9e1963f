// Models in our own JSON ("model/1"): a catalogue record, or a user's file with the same fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/model.hpp"
#include "traincost/spec/provenance.hpp"

namespace traincost {

/// A parameter count somebody published.
struct PublishedCount {
    std::int64_t value;
    std::string counts;  ///< total | active | non_embedding | total_plus_mtp
    std::string what;
    std::int64_t tolerance = 0;  ///< of a rounded figure
    std::optional<std::string> known_wrong;
    std::vector<ExtraParameters> includes;  ///< what the figure holds besides (buffers, scales)
    std::vector<std::string> sources;
};

/// What is known about a model's parameter count, published and counted tensor by tensor.
struct KnownParameters {
    std::optional<std::int64_t> total_exact;  ///< an integer that a published integer confirms
    std::string total_exact_from;
    std::optional<std::string> active_published;  ///< as printed: "37B"
    std::vector<PublishedCount> published;

    struct Computed {
        std::int64_t total;
        std::int64_t active;
        std::int64_t active_without_input_embedding;
        std::int64_t embedding;
        std::int64_t non_embedding;
        std::optional<std::int64_t> mtp;
        std::optional<std::int64_t> expert_layers;
        JsonValue breakdown;  ///< count by part
    };
    std::optional<Computed> computed;
};

/// A model of the catalogue: its shape and what is known about it.
struct ModelRecord {
    ModelSpec spec;
    std::vector<std::string> aliases;
    std::optional<std::string> hf_repo;
    std::optional<std::int64_t> tokenizer_vocab;
    KnownParameters parameters;
    std::vector<std::string> checked_against;
    Provenance provenance;
};

/// Reads a "model/1" record; `Error` of kind input where a key is unknown, missing or of the wrong type, or
/// the shape is not valid.
ModelRecord model_record_from_json(const JsonNode& node);

/// The shape alone.
ModelSpec model_from_json(const JsonNode& node);

/// Writes the shape as an object that `model_from_json` reads back equal.
void write_json(JsonWriter& out, const ModelSpec& model);

}  // namespace traincost
