// The fields of a job's draft in JSON. Internal to io/.
#pragma once

#include <string_view>

#include "traincost/io/json.hpp"
#include "traincost/spec/draft/job_draft.hpp"

namespace traincost::io {

/// Reads every field but composites whose key is `prefix` and one more part.
void read_fields_below(JsonObject& object, std::string_view prefix, JobDraft& draft);

}  // namespace traincost::io
