#include "traincost/io/record_catalogue.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace traincost {

namespace {

struct Kept {
    std::mutex mutex;
    std::map<std::tuple<std::string, std::int64_t, std::int64_t>, ClusterChoice> clusters;
    std::map<std::string, StackSpec, std::less<>> stacks;
};

}  // namespace

RecordCatalogue record_catalogue(const Catalogue& catalogue) {
    const auto kept = std::make_shared<Kept>();
    RecordCatalogue result;
    result.cluster = [&catalogue, kept](std::string_view accelerator, std::int64_t accelerators,
                                        std::optional<std::int64_t> per_node,
                                        std::vector<std::string>& assumptions) {
        const std::tuple key(std::string(accelerator), accelerators, per_node.value_or(0));
        const std::lock_guard lock(kept->mutex);
        auto found = kept->clusters.find(key);
        if (found == kept->clusters.end())
            found = kept->clusters.emplace(key, catalogue.cluster(accelerator, accelerators, per_node)).first;
        assumptions.insert(assumptions.end(), found->second.assumptions.begin(),
                           found->second.assumptions.end());
        return found->second.spec;
    };
    result.stack = [&catalogue, kept](std::string_view name) {
        const std::lock_guard lock(kept->mutex);
        auto found = kept->stacks.find(name);
        if (found == kept->stacks.end())
            found = kept->stacks.emplace(std::string(name), catalogue.stack(name)).first;
        return found->second;
    };
    return result;
}

}  // namespace traincost
