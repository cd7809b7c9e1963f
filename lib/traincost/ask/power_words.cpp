#include "traincost/ask/power_words.hpp"

#include <string>
#include <vector>

#include "traincost/base/text.hpp"
#include "traincost/io/power_limit.hpp"

namespace traincost {

namespace {

[[noreturn]] void refuse_limit(double watts, const std::string& why) {
    throw Error(ErrorKind::usage, std::vector<Problem>{{"--power-limit", to_exact(watts) + " W; " + why}});
}

}  // namespace

void apply_power(const Operation& words, ClusterSpec& cluster, std::span<const EmbeddedFile> bench,
                 Assumptions& out) {
    if (!words.power_limit_w)
        return;
    const double watts = *words.power_limit_w;
    const std::optional<double> rated = cluster.accelerator.tdp_w;
    if (!rated)
        refuse_limit(watts, "the rated power of " + cluster.accelerator.id + " is not known");
    const double least = 0.1 * *rated;
    const double most = 2.0 * *rated;
    if (watts < least || watts > most)
        refuse_limit(watts, "allowed for " + cluster.accelerator.id + ", rated " + to_significant(*rated) +
                                " W: " + to_significant(least) + " to " + to_significant(most) + " W");
    const double before = *accelerator_watts(cluster);
    if (cluster.node_power_w)
        *cluster.node_power_w += static_cast<double>(cluster.per_node) * (watts - before);
    limit_power(cluster, watts, bench);
    out.push_back(assumption_from("power: " + to_significant(watts) + " W per accelerator instead of " +
                                  to_significant(before) + " W (--power-limit)"));
}

}  // namespace traincost
