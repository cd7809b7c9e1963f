#include "traincost/io/specs/cluster_json.hpp"

#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/specs/provenance_fields.hpp"
#include "traincost/spec/check.hpp"
#include "traincost/spec/limits.hpp"

namespace traincost {

namespace {

constexpr double gigabit = 1e9 / 8;

constexpr std::string_view layouts[] = {"switched",         "host_bus", "full_mesh",
                                        "hybrid_cube_mesh", "torus_2d", "torus_3d"};

void read_latency(io::FieldReader& io, std::optional<Seconds>& latency) {
    io.optional_object("latency", false, [&](io::FieldReader& in) {
        in.optional("p2p_us", io::scaled(latency, micro));
        in.ignore("nccl_hop_us");
        in.ignore("basis");
    });
}

void read_scale_up(io::FieldReader& io, ScaleUpRecord& x) {
    io.required("domain", x.domain);
    io.required("layout", x.layout);
    io.required("topology", x.topology);
    io.required("link", x.link);
    io.optional("per_accelerator_GBps", io::scaled(x.per_accelerator, giga));
    io.optional("pair_GBps", io::scaled(x.pair, giga));
    read_latency(io, x.latency);
    io.optional("sharp", x.sharp);
    for (const char* fact : {"links", "per_link_GBps", "nominal_bidirectional_GBps", "wraparound",
                             "usable_fraction", "inter_instance_pair_GBps", "in_package_pair_GBps", "note"}) {
        io.ignore(fact);
    }
    if (const JsonValue* layout = io.node().value().find("layout")) {
        JsonNode(io.node().document(), *layout).one_of(layouts);
    }
}

void read_scale_out(io::FieldReader& io, ScaleOutRecord& x) {
    io.optional("nics", x.nics);
    io.optional("nic_Gbitps", io::scaled(x.nic, gigabit));
    io.optional("fabric", x.fabric);
    io.optional("per_accelerator_GBps", io::scaled(x.per_accelerator, giga));
    read_latency(io, x.latency);
    io.ignore("total_Gbitps");
    io.ignore("host_GBps");
}

/// Refuses a record whose numbers are out of range.
void require_in_range(const JsonNode& node, const ClusterRecord& x) {
    std::vector<Problem> problems;
    constexpr double slowest = 1e3;
    constexpr double fastest = 1e17;
    constexpr double longest = 1.0;
    Checker check(problems, "");
    check.name("id", x.id);
    check.count("accelerators_per_node", x.per_node, most_per_node);
    check.count("scale_up.domain", x.scale_up.domain, most_accelerators);
    check.name("scale_up.link", x.scale_up.link);
    check.in_range("scale_up.per_accelerator_GBps", x.scale_up.per_accelerator, slowest, fastest);
    check.in_range("scale_up.pair_GBps", x.scale_up.pair, slowest, fastest);
    check.in_range("scale_up.latency", x.scale_up.latency, 0.0, longest);
    if (x.scale_out) {
        check.count("scale_out.nics", x.scale_out->nics, most_per_node);
        check.name("scale_out.fabric", x.scale_out->fabric);
        check.in_range("scale_out.nic_Gbitps", x.scale_out->nic, slowest, fastest);
        check.in_range("scale_out.per_accelerator_GBps", x.scale_out->per_accelerator, slowest, fastest);
        check.in_range("scale_out.latency", x.scale_out->latency, 0.0, longest);
    }
    validate(x.host, problems);
    check.in_range("power_kW", x.node_power_w, 1e-3, 1e9);
    check.in_range("accelerator_power_limit_W", x.power_limit_w, 1e-3, 1e7);
    throw_if_any(problems, node.where());
}

}  // namespace

ClusterRecord cluster_record_from_json(const JsonNode& node) {
    JsonObject object(node);
    io::FieldReader io(object);
    ClusterRecord x{};
    io::read_schema(io, "cluster/1");
    io.required("id", x.id);
    io.optional("aliases", x.aliases);
    io.optional("provider", x.provider);
    io.required("kind", x.kind);
    io.ignore("year");
    io.optional("accelerator", x.accelerator);
    io.required("accelerators_per_node", x.per_node);
    io.object("scale_up", [&](io::FieldReader& in) { read_scale_up(in, x.scale_up); });
    io.optional_object("scale_out", false, [&](io::FieldReader& in) {
        x.scale_out.emplace();
        read_scale_out(in, *x.scale_out);
    });
    io.optional_object("host", false, [&](io::FieldReader& in) {
        in.optional("cpu", x.host.cpu);
        in.optional("launch_speed", x.host.launch_speed);
        in.optional("memory_GiB", io::scaled(x.host.memory, gibi));
        in.optional("local_nvme_TB", io::scaled(x.host.nvme, tera));
        in.optional("memory_GBps", io::scaled(x.host.memory_bandwidth, giga));
        in.optional("accelerator_link_GBps", io::scaled(x.host.link_per_accelerator, giga));
        in.optional("nvme_read_GBps", io::scaled(x.host.storage_read, giga));
        in.optional("nvme_write_GBps", io::scaled(x.host.storage_write, giga));
        in.ignore("pcie_gen");
        in.ignore("vcpus");
    });
    io.optional_object("power_kW", false, [&](io::FieldReader& in) {
        in.optional("tray", io::scaled(x.node_power_w, kilo));
        in.optional("max", io::scaled(x.node_power_w, kilo));
        for (const char* fact :
             {"typical", "measured_training", "rack_max", "rack_typical", "rack_planning"}) {
            in.ignore(fact);
        }
    });
    io.optional("accelerator_power_limit_W", x.power_limit_w);
    io.ignore("measured");
    io::describe_provenance(io, x.provenance);
    object.finish();
    require_in_range(node, x);
    return x;
}

std::vector<NodePrice> prices_from_json(const JsonNode& node) {
    JsonObject object(node);
    io::FieldReader io(object);
    io::read_schema(io, "prices/1");
    io.ignore("id");
    io.ignore("verified");
    std::vector<NodePrice> prices;
    for (const JsonNode& item : object.at("prices").items()) {
        JsonObject entry(item);
        io::FieldReader in(entry);
        NodePrice price{};
        std::optional<Dollars> once;
        std::optional<Dollars> hourly;
        in.required("provider", price.provider);
        in.required("kind", price.kind);
        in.optional("usd", once);
        in.optional("usd_per_hour", hourly);
        in.optional("region", price.region);
        in.required("as_of", price.as_of);
        in.required("source", price.source);
        entry.finish();
        if (once.has_value() == hourly.has_value()) {
            item.fail("needs one of 'usd' and 'usd_per_hour'");
        }
        price.per_hour = hourly.has_value();
        price.amount = price.per_hour ? *hourly : *once;
        constexpr double dearest = 1e15;
        if (!(price.amount.value() > 0 && price.amount.value() <= dearest)) {
            item.fail("the price is " + to_exact(price.amount.value()) + "; must be positive and at most " +
                      to_exact(dearest));
        }
        prices.push_back(std::move(price));
    }
    object.finish();
    return prices;
}

}  // namespace traincost
