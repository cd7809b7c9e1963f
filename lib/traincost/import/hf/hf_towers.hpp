// Encoders of images and sound in multimodal Hugging Face configurations: their parameters, apart from the
// decoder's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/io/json.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

/// Tower and projector of a multimodal configuration of `type`, whose decoder is `hidden` wide; nothing where
/// the tower is of a kind that is not known. Sizes the file leaves out are the defaults of the tower's class.
std::optional<std::vector<ExtraParameters>> hf_towers(const JsonNode& root, std::string_view type,
                                                      std::int64_t hidden);

}  // namespace traincost
