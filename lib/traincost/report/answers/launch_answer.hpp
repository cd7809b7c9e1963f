// A job's launch files, printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/ask/questions/search_question.hpp"
#include "traincost/export/exporters.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

/// What a hub calls the job's model, if the catalogue knows; else empty.
std::string checkpoint_of(const Job& job, const Catalogue& catalogue);

/// The job's launch files in the format of that name.
LaunchExport launch_of(const std::string& format, const Job& job, const Catalogue& catalogue);

/// Takes the stack that the format is named after where the draft says none; what was taken, in a line.
/// Nothing of an empty format.
std::vector<std::string> take_stack_of(const std::string& format, const Catalogue& catalogue,
                                       JobDraft& draft);
/// The same of a search that names no stacks.
std::vector<std::string> take_stack_of(const std::string& format, const Catalogue& catalogue,
                                       SearchQuestion& search);

/// The files and what they leave out, as one JSON object.
void write_json(JsonWriter& out, std::string_view format, const LaunchExport& launch);

}  // namespace traincost
