#include "traincost/io/bench/grid_data.hpp"

#include "traincost/io/bench/bench_file.hpp"

namespace traincost {

std::vector<GridIntensity> grid_intensities_from_json(const JsonNode& node) {
    JsonObject in(node);
    in.skip("schema");
    in.at("id").string();
    std::vector<GridIntensity> grids;
    for (const JsonNode& item : in.at("grids").items()) {
        JsonObject one(item);
        GridIntensity grid{};
        grid.id = one.at("id").string();
        grid.what = one.at("what").string();
        const JsonNode grams = one.at("g_CO2e_per_kWh");
        grid.grams_per_kwh = grams.number();
        if (!(grid.grams_per_kwh >= 0.0))
            grams.fail("must not be negative");
        grid.date = one.at("date").string();
        grid.source = one.at("source").string();
        one.finish();
        grids.push_back(std::move(grid));
    }
    in.finish();
    return grids;
}

std::vector<GridIntensity> read_grid_intensities(const Catalogue& catalogue) {
    const JsonDocument document = bench_file(catalogue, "grid-intensity");
    return grid_intensities_from_json(JsonNode(document));
}

}  // namespace traincost
