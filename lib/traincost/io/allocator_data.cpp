#include "traincost/io/allocator_data.hpp"

#include <string>

namespace traincost {

namespace {

/// A positive number in units of `unit`.
double positive(const JsonNode& node, double unit) {
    const double x = node.number();
    if (!(x > 0.0))
        node.fail("is " + std::to_string(x) + ", must be more than 0");
    return x * unit;
}

}  // namespace

AllocatorModel allocator_model_from_json(const JsonNode& node) {
    constexpr double ms = 1e-3;
    constexpr double MiB = 1024.0 * 1024.0;
    constexpr double GiB = 1024.0 * MiB;
    JsonObject in(node);
    for (const char* told : {"schema", "id", "date", "hardware", "software", "kind", "points", "held_out",
                             "sources", "notes", "confidence"}) {
        in.skip(told);
    }
    AllocatorModel model{};
    model.per_segment = Seconds{positive(in.at("segment_ms"), ms)};
    model.segment_s_per_byte = positive(in.at("segment_ms_per_GiB"), ms / GiB);
    model.segment = Bytes{positive(in.at("segment_MiB"), MiB)};
    model.mapped_s_per_byte = positive(in.at("mapped_ms_per_GiB"), ms / GiB);
    in.finish();
    return model;
}

}  // namespace traincost
