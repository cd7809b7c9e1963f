// Software stacks in JSON ("stack/1").
#pragma once

#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// Reads a "stack/1" record whose base, if it had one, has been laid under it; `Error` of kind input where a
/// choice is missing, unknown or not allowed.
StackSpec stack_from_json(const JsonNode& node);

/// `derived` over `base`: its members replace or join the base's; the members of "basis" one by one.
JsonValue overlay_stack(const JsonValue& base, const JsonValue& derived);

/// Names of the choices, as the files spell them.
std::vector<std::string> stack_choice_names();

/// Writes an object that `stack_from_json` reads back equal.
void write_json(JsonWriter& out, const StackSpec& stack);

}  // namespace traincost
