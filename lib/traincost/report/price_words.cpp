#include "traincost/report/price_words.hpp"

#include <optional>

#include "traincost/base/text.hpp"
#include "traincost/plan/price.hpp"

namespace traincost {

std::string price_words(const ClusterSpec& cluster) {
    const std::optional<GpuHourPrice> price = gpu_hour_price(cluster);
    if (!price)
        return "";
    std::string words = to_text(price->amount) + " per GPU-hour, " + price->kind;
    if (!price->provider.empty() && price->provider != price->kind)
        words += ", " + price->provider;
    const std::int64_t used = cluster.accelerators % cluster.per_node;
    if (cluster.whole_nodes && used != 0)
        words += "; " + std::to_string(cluster.per_node - used) + " unused ones are paid for too";
    return words;
}

}  // namespace traincost
