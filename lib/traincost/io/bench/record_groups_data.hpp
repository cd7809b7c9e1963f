// data/bench/record-groups.json: groups of run records whose errors are summed up together.
//
//   {"schema": "record-groups/1", "id": "record-groups",
//    "groups": [{"name": "h200 DTensor",               what tables call it
//                "when": {"id": {"begins": "h200-"}},   conditions as in record-rules.json, on facts of
//                                                       `group_facts`
//                "unless": {"tp": 1}}],                 but for records that meet all of these
//    "layouts": {"name": "…", "when": {…},             runs whose layouts compete with each other, if any
//                "note": "…"}}                          what to know of them
#pragma once

#include "traincost/fit/record_groups.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

/// `Error` of kind input where the document is not of the schema.
RecordGroups record_groups_from_json(const JsonNode& node);

/// The groups of the catalogue, an override folder's before the built-in ones.
RecordGroups read_record_groups(const Catalogue& catalogue);

}  // namespace traincost
