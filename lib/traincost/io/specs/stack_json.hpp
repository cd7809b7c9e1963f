// Software stacks in JSON ("stack/2"): groups of choices, each a value, or a value with where it comes from.
#pragma once

#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// Reads a "stack/2" record whose base, if it had one, has been laid under it; `Error` of kind input where a
/// choice is unknown, outside its group, or not allowed.
StackSpec stack_from_json(const JsonNode& node);

/// `derived` over `base`: its members replace or join the base's; the choices of a group one by one.
JsonValue overlay_stack(const JsonValue& base, const JsonValue& derived);

/// The choices by their paths, as the files spell them: "host.per_step_s".
const std::vector<std::string>& stack_choice_names();

/// Multiplies the number at `path`; false where there is none, or it is 0.
bool scale_choice(StackSpec& stack, std::string_view path, double factor);

/// Writes an object that `stack_from_json` reads back equal, without where its values come from.
void write_json(JsonWriter& out, const StackSpec& stack);

}  // namespace traincost
