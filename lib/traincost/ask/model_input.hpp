// The models that can be named.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/sources.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

/// A model and what was taken for granted while reading it, one line each.
struct ModelInput {
    ModelSpec model;
    std::vector<std::string> assumptions;
};

/// The model of a catalogue id, of a file (our own JSON or a Hugging Face config.json), of the folder of a
/// config.json, or of the standard input ("-"). A catalogue id wins over a file of that name; "./NAME" is
/// always the file.
ModelInput load_model(const std::string& name, const Sources& sources);

}  // namespace traincost
