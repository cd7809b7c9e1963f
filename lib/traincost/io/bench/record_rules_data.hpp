// data/bench/record-rules.json: what a record's stack and words mean for its run.
//
//   {"schema": "record-rules/1", "id": "record-rules", "rules": [
//     {"about": "recompute",                            what it settles; of these the first that holds is
//     taken
//      "when": {"stack": "litgpt",                      a fact of the record that is this,
//               "task": ["lora", "sft"],                one of these,
//               "accelerators": {"above": 1},           a number above or below ("below"),
//               "family": {"begins": "llama"},          a text that begins so
//               "notes": {"says": "packed", "says_not": ["not packed"]}},     a text with or without words
//      "set": {"recompute": "full"},                    fields of the run, or "stack", "attention", "loss"
//      "assume": "…", "cannot": "…", "why": "…"}]}      what is said of it; why there is no job; where it is
//      from
#pragma once

#include "traincost/fit/records/record_rules.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

/// `Error` of kind input where the document is not of the schema.
RecordRules record_rules_from_json(const JsonNode& node);

/// The rules of the catalogue, an override folder's before the built-in ones.
RecordRules read_record_rules(const Catalogue& catalogue);

}  // namespace traincost
