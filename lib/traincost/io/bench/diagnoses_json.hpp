// Diagnoses of records that are not met: data/bench/diagnoses.json.
#pragma once

#include <vector>

#include "traincost/fit/diagnosis.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

/// Reads a "diagnoses/1" record; `Error` of kind input where a key is unknown, missing or wrong.
std::vector<Diagnosis> diagnoses_from_json(const JsonNode& node);

/// The catalogue's.
std::vector<Diagnosis> read_diagnoses(const Catalogue& catalogue);

}  // namespace traincost
