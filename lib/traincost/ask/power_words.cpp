#include "traincost/ask/power_words.hpp"

#include <string>
#include <vector>

#include "traincost/base/text.hpp"
#include "traincost/io/power_limit.hpp"

namespace traincost {

void apply_power(const Operation& words, ClusterSpec& cluster, std::span<const EmbeddedFile> bench,
                 Assumptions& out) {
    if (!words.power_limit_w)
        return;
    const double watts = *words.power_limit_w;
    if (const auto complaint = limit_complaint(cluster.accelerator, watts))
        throw Error(ErrorKind::usage,
                    std::vector<Problem>{{"--power-limit", to_exact(watts) + " W; " + *complaint}});
    const double before = *accelerator_watts(cluster);
    if (cluster.node_power_w)
        *cluster.node_power_w += static_cast<double>(cluster.per_node) * (watts - before);
    limit_power(cluster, watts, bench);
    out.push_back(assumption_from("power: " + to_significant(watts) + " W per accelerator instead of " +
                                  to_significant(before) + " W (--power-limit)"));
}

}  // namespace traincost
