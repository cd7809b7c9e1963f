// What launch files say, as JSON.
#pragma once

#include "traincost/import/launch_fact.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

/// Writes an object: kind, format, facts by name, unread settings, contradictions.
void write_json(JsonWriter& out, const LaunchReading& reading);

}  // namespace traincost
