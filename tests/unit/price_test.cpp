// What an hour of a node costs, and who says so.

#include <traincost/ask/resolve.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/plan/price.hpp>
#include <traincost/spec/draft/job_fields.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace traincost;

namespace {

ResolvedJob priced_job(const std::vector<std::pair<std::string, std::string>>& flags) {
    static const Sources sources;
    JobDraft draft;
    for (const auto& [flag, value] : flags)
        say(draft, *job_field(flag), value, flag);
    return resolve(draft, sources, {});
}

}  // namespace

TEST_CASE("an accelerator of a node costs and draws the same however many stand in it", "[price][slow]") {
    const Catalogue catalogue;
    int priced = 0;
    for (const CatalogueEntry& entry : catalogue.entries(Room::clusters)) {
        if (catalogue.prices(entry.id).empty())
            continue;
        ClusterSpec whole;
        try {
            whole = catalogue.cluster(entry.id, 8).spec;
        } catch (const Error&) {
            continue;  // an accelerator whose rates nobody publishes
        }
        const std::optional<GpuHourPrice> usual = gpu_hour_price(whole);
        for (const std::int64_t per_node : {1, 2, 4, 8, 16}) {
            const ClusterSpec part = catalogue.cluster(entry.id, 8, per_node).spec;
            INFO(entry.id << " with " << per_node << " a node");
            const std::optional<GpuHourPrice> price = gpu_hour_price(part);
            REQUIRE(price.has_value() == usual.has_value());
            if (price) {
                CHECK(price->amount.value() == Approx(usual->amount.value()));
                ++priced;
            }
            if (whole.node_power_w)
                CHECK(*part.node_power_w / static_cast<double>(part.per_node) ==
                      Approx(*whole.node_power_w / static_cast<double>(whole.per_node)));
        }
    }
    CHECK(priced > 100);
}

TEST_CASE("a node's price and power are not those of another accelerator in it", "[price]") {
    const Catalogue catalogue;
    const ClusterSpec own = catalogue.cluster("dgx-h100", "h100-sxm5-80gb", 8).spec;
    CHECK(gpu_hour_price(own));
    CHECK(own.node_power_w);
    const ClusterSpec other = catalogue.cluster("dgx-h100", "h20-sxm-96gb", 8).spec;
    CHECK_FALSE(gpu_hour_price(other));
    CHECK_FALSE(other.node_power_w);
    // An accelerator whose usual node is another's: the same.
    CHECK_FALSE(gpu_hour_price(catalogue.cluster("h20-sxm-96gb", 8).spec));
}

TEST_CASE("an accelerator named alone has the price of a node that is rented", "[price]") {
    const ResolvedJob alone =
        priced_job({{"--model", "llama-3.2-1b"}, {"--gpu", "a100"}, {"--gpus", "8"}, {"--tokens", "1B"}});
    const ResolvedJob node = priced_job(
        {{"--model", "llama-3.2-1b"}, {"--cluster", "dgx-a100-80gb"}, {"--gpus", "8"}, {"--tokens", "1B"}});
    const std::optional<GpuHourPrice> price = gpu_hour_price(alone.job.cluster);
    REQUIRE(price);
    CHECK(price->kind == "on-demand");
    CHECK_FALSE(gpu_hour_price(node.job.cluster));  // a node that is named is that node
    // The node itself, and so every time, stays the usual one.
    CHECK(alone.job.cluster.id == node.job.cluster.id);
    CHECK(std::any_of(alone.assumptions.begin(), alone.assumptions.end(), [](const Assumption& a) {
        return a.field == "price" && a.value.starts_with("that of");
    }));
    // No other node's price on demand is lower.
    const Catalogue catalogue;
    for (const std::string& id : catalogue.clusters_with("a100-sxm4-80gb")) {
        const ClusterSpec other = catalogue.cluster(id, 8).spec;
        for (const NodePrice& rent : other.prices) {
            if (rent.per_hour && rent.kind == "on-demand")
                CHECK(rent.amount.value() / static_cast<double>(other.per_node) >=
                      Approx(price->amount.value()));
        }
    }
}
