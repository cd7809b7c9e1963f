// Configurations around a text decoder's: which types they are, and where the decoder stands in them.
#pragma once

#include <span>
#include <string_view>

#include "traincost/io/json.hpp"

namespace traincost {

/// A configuration that keeps its decoder's under `text_config`, or where `path` says; everything else in it
/// belongs to other encoders.
struct HfWrapper {
    std::string_view type;
    std::string_view text_type;  ///< of a `text_config` that names none
    std::string_view path = "text_config";
};

std::span<const HfWrapper> hf_wrappers();
/// The one of that type; null where it is none.
const HfWrapper* find_hf_wrapper(std::string_view type);

/// What stands at `path` (keys joined by dots), and the object that holds it; null where it is missing.
const JsonValue* hf_nested(const JsonValue& root, std::string_view path, const JsonValue*& holder);

}  // namespace traincost
