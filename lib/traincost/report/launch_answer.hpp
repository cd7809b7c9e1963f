// A job's launch files, printed.
#pragma once

#include <string>
#include <string_view>

#include "traincost/export/exporters.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

/// What a hub calls the job's model, if the catalogue knows; else empty.
std::string checkpoint_of(const Job& job, const Catalogue& catalogue);

/// The files and what they leave out, as one JSON object.
void write_json(JsonWriter& out, std::string_view format, const LaunchExport& launch);

}  // namespace traincost
