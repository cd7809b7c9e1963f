// What a kWh weighs in CO2: data/bench/grid-intensity.json.
#pragma once

#include <string>
#include <vector>

#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

/// The electricity of a country or region.
struct GridIntensity {
    std::string id;
    std::string what;
    double grams_per_kwh;  ///< CO2 equivalent
    std::string date;
    std::string source;
};

/// Reads a "grid-intensity/1" record; `Error` of kind input where a key is unknown, missing or wrong.
std::vector<GridIntensity> grid_intensities_from_json(const JsonNode& node);

/// The catalogue's.
std::vector<GridIntensity> read_grid_intensities(const Catalogue& catalogue);

}  // namespace traincost
