#include "traincost/io/bench/diagnoses_json.hpp"

#include "traincost/io/bench/bench_file.hpp"

namespace traincost {

std::vector<Diagnosis> diagnoses_from_json(const JsonNode& node) {
    JsonObject in(node);
    in.skip("schema");
    in.at("id").string();
    std::vector<Diagnosis> diagnoses;
    for (const JsonNode& item : in.at("diagnoses").items()) {
        JsonObject d(item);
        diagnoses.push_back({d.at("source").string(), d.at("records").string(), d.at("cause").string(),
                             d.at("from").string()});
        d.finish();
    }
    in.finish();
    return diagnoses;
}

std::vector<Diagnosis> read_diagnoses(const Catalogue& catalogue) {
    const JsonDocument document = bench_file(catalogue, "diagnoses");
    return diagnoses_from_json(JsonNode(document));
}

}  // namespace traincost
