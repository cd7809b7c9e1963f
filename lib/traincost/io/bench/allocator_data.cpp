#include "traincost/io/bench/allocator_data.hpp"

#include <string>

#include "traincost/base/scale.hpp"

namespace traincost {

namespace {

/// A positive number in units of `unit`.
double positive(const JsonNode& node, double unit) {
    const double x = node.number();
    if (!(x > 0.0))
        node.fail(std::to_string(x) + "; must be more than 0");
    return x * unit;
}

}  // namespace

AllocatorModel allocator_model_from_json(const JsonNode& node) {
    constexpr double GiB = 1024.0 * mebi;
    JsonObject in(node);
    for (const char* told : {"schema", "id", "date", "hardware", "software", "kind", "points", "held_out",
                             "sources", "notes", "confidence"}) {
        in.skip(told);
    }
    AllocatorModel model{};
    model.per_segment = Seconds{positive(in.at("segment_ms"), milli)};
    model.segment_s_per_byte = positive(in.at("segment_ms_per_GiB"), milli / GiB);
    model.segment = Bytes{positive(in.at("segment_MiB"), mebi)};
    model.mapped_s_per_byte = positive(in.at("mapped_ms_per_GiB"), milli / GiB);
    const auto share = [&](const char* key) {
        const JsonNode at = in.at(key);
        const double x = at.number();
        if (!(x >= 0.0 && x <= 1.0))
            at.fail(std::to_string(x) + "; must be between 0 and 1");
        return x;
    };
    model.stuck_segments = share("stuck_segments");
    model.stuck_pages = share("stuck_pages");
    model.page_gaps = share("page_gaps");
    model.page_gaps_recompute = share("page_gaps_recompute");
    in.finish();
    return model;
}

}  // namespace traincost
