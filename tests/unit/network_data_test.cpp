#include <traincost/io/bench/network_data.hpp>
#include <traincost/io/catalogue.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace traincost;

TEST_CASE("every built-in link record is complete and says where it comes from", "[network_data]") {
    const std::vector<LinkRecord> records = link_records();
    REQUIRE(records.size() >= 20);
    for (const LinkRecord& r : records) {
        INFO(r.id);
        CHECK(!r.serves.empty());
        CHECK(!r.provenance.sources.empty());
        CHECK(r.measured == r.error.has_value());
        std::vector<Problem> problems;
        Network net{.topology = Topology::switched,
                    .domain_size = 8,
                    .scale_up = {.link = r.id, .bandwidth = ByteRate(1e9), .curves = r.curves},
                    .scale_out = {},
                    .nics = 1,
                    .sharp = false,
                    .oversubscription = 1,
                    .rail_domains = 1};
        validate(net, problems);
        CHECK(problems.empty());
    }
}

TEST_CASE("links of clusters find their record", "[network_data]") {
    const auto id = [](std::string_view link, LinkKind kind) {
        const auto record = find_link_record(link, kind);
        return record ? record->id : "";
    };
    CHECK(id("NVLink 4", LinkKind::scale_up) == "network-nvlink4");
    CHECK(id("NVLink 4 bridge / PCIe 5", LinkKind::scale_up) == "network-pcie4");
    CHECK(id("PCIe 5.0 x16", LinkKind::scale_up) == "network-pcie5");
    CHECK(id("Infinity Fabric/xGMI", LinkKind::scale_up) == "network-xgmi");
    CHECK(id("nvlink4", LinkKind::scale_up) == "network-nvlink4");
    CHECK(id("IB NDR (CX-7) / Spectrum-X", LinkKind::scale_out) == "network-ib");
    CHECK(id("EFA v2", LinkKind::scale_out) == "network-efa");
    CHECK(id("GPUDirect-TCPX", LinkKind::scale_out) == "network-tcpx");
    CHECK(id("GPUDirect-TCPXO", LinkKind::scale_out) == "network-tcpxo");
    CHECK(id("RoCE/IB 400G", LinkKind::scale_out) == "network-roce-rccl");
    CHECK(id("RoCE CX-7", LinkKind::scale_out) == "network-roce");
    CHECK(id("RoCE 100GbE", LinkKind::scale_up) == "network-unmeasured-scale-up");
    CHECK(id("carrier pigeon", LinkKind::scale_out).empty());
    CHECK_FALSE(unmeasured_link_record(LinkKind::scale_out).measured);
    CHECK_FALSE(unmeasured_link_record(LinkKind::scale_up).measured);
}

TEST_CASE("the links of every cluster of the catalogue have curves", "[network_data]") {
    const Catalogue catalogue;
    for (const CatalogueEntry& entry : catalogue.entries(Room::clusters)) {
        INFO(entry.id);
        const ClusterRecord record = catalogue.cluster_record(entry.id);
        CHECK(find_link_record(record.scale_up.link, LinkKind::scale_up).has_value());
        if (record.scale_out && !record.scale_out->fabric.empty()) {
            INFO(record.scale_out->fabric);
            CHECK(find_link_record(record.scale_out->fabric, LinkKind::scale_out).has_value());
        }
    }
}

TEST_CASE("a link record with a wrong figure is refused with its place", "[network_data]") {
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            const JsonDocument document = parse_json(text, "f.json");
            link_record_from_json(JsonNode(document));
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    };
    CHECK_THAT(refusal(R"({"schema": "network/2"})"), Catch::Contains("network/1"));
    CHECK_THAT(refusal(R"({"id": "x", "name": "x", "kind": "sideways"})"), Catch::Contains("f.json:/kind"));
}
