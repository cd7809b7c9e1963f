#include "traincost/spec/cluster.hpp"

#include "traincost/spec/check.hpp"

namespace traincost {

std::int64_t nodes(const ClusterSpec& cluster) {
    return (cluster.accelerators + cluster.per_node - 1) / cluster.per_node;
}

void validate(const ClusterSpec& c, std::vector<Problem>& problems) {
    Checker check(problems, "cluster.");
    check.positive("accelerators", c.accelerators);
    check.positive("per_node", c.per_node);
    validate(c.accelerator, problems);
}

}  // namespace traincost
