// The models a command line can name.
#pragma once

#include <cli/context.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/json.hpp>
#include <traincost/spec/model.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace traincost::cli {

/// A model and what was taken for granted while reading it.
struct ModelInput {
    ModelSpec model;
    std::vector<std::string> assumptions;
};

/// The model of a catalogue id, of a file (our own JSON or a Hugging Face config.json), of the folder of a
/// config.json, or of the standard input ("-"). A catalogue id wins over a file of that name; "./NAME" is
/// always the file.
ModelInput load_model(const std::string& name, const Catalogue& catalogue, Context& context);

/// Everything the standard input holds, as JSON.
JsonDocument read_standard_input(Context& context);

}  // namespace traincost::cli
