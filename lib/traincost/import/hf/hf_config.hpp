// Hugging Face `config.json` in: the shape of a model from the file that stands beside its weights.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/io/json.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

/// A model read from a `config.json`, and what was taken for granted: defaults of the configuration class for
/// keys the file leaves out, parts that are not modelled, unknown keys without a shape.
struct HfModel {
    ModelSpec model;
    std::vector<std::string> assumptions;
};

/// Whether the document looks like a `config.json` (it names a `model_type` or `architectures`) and not like
/// a model record of ours.
bool is_hf_config(const JsonDocument& document);

/// `Error` of kind input, with file and JSON pointer, where the architecture or a key that may change shapes
/// is not known (with the nearest that is), or a value is missing, of the wrong type or out of range.
HfModel read_hf_config(const JsonDocument& document);

/// `read_hf_config` of a `config.json`, or of the directory that holds one.
HfModel load_hf_config(const std::string& path);

/// Every `model_type` that is understood, in alphabetical order.
std::span<const std::string_view> hf_model_types();

}  // namespace traincost
