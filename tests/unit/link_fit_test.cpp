#include "traincost/fit/kernels/link_fit.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/io/bench/kernel_writer.hpp"
#include "traincost/io/bench/network_data.hpp"
#include "traincost/io/catalogue.hpp"

using namespace traincost;

namespace {

Network h100_domain() {
    const Catalogue catalogue;
    return catalogue.cluster("h100-sxm5-80gb", 8).spec.network;
}

/// Collectives "measured" on a domain with those curves.
std::vector<CollectivePoint> made_points(const Network& network, Collective collective) {
    std::vector<CollectivePoint> points;
    for (const std::int64_t ranks : {2, 4, 8}) {
        for (double bytes = 4096.0; bytes <= 1 << 30; bytes *= 2.0) {
            const Bytes message(bytes);
            points.push_back({collective, ranks, message,
                              collective_time(collective, message, {ranks, ranks, 1}, network)});
        }
    }
    return points;
}

}  // namespace

TEST_CASE("collectives made with known curves give them back", "[calibrate][collectives]") {
    const Network start = h100_domain();
    Network truth = start;
    CollectiveCurve& curve = truth.scale_up.curves.all_gather;
    for (GroupPoint& group : curve.groups)
        group.efficiency *= 0.7;
    curve.bulk.base = Seconds(30e-6);
    const std::vector<CollectivePoint> points = made_points(truth, Collective::all_gather);
    const LinkCalibration c = calibrate_link(points, start);
    REQUIRE(c.collectives.size() == 1);
    const CollectiveCalibration& gather = c.collectives[0];
    CHECK(gather.collective == Collective::all_gather);
    CHECK(gather.points == 57);
    CHECK(gather.before.mape > 0.2);
    CHECK(gather.fitted.mape < 0.01);
    CHECK(gather.held_out.mape < 0.05);
    for (std::size_t g = 0; g < 3; ++g)
        CHECK(c.curves.all_gather.groups[g].efficiency == Approx(curve.groups[g].efficiency).epsilon(0.03));
    CHECK(c.curves.all_reduce == start.scale_up.curves.all_reduce);  // not measured: as it was
}

TEST_CASE("all-reduce by the switches is fitted where the domain has it", "[calibrate][collectives]") {
    const Network start = h100_domain();
    REQUIRE(start.sharp);
    REQUIRE(start.scale_up.curves.in_network);
    Network truth = start;
    truth.scale_up.curves.in_network->efficiency *= 0.85;
    const LinkCalibration c = calibrate_link(made_points(truth, Collective::all_reduce), start);
    REQUIRE(c.curves.in_network);
    CHECK(c.curves.in_network->efficiency ==
          Approx(truth.scale_up.curves.in_network->efficiency).epsilon(0.03));
}

TEST_CASE("a collective with few points stays as it was", "[calibrate][collectives]") {
    const Network start = h100_domain();
    std::vector<CollectivePoint> points = made_points(start, Collective::all_to_all);
    points.resize(5);
    const LinkCalibration c = calibrate_link(points, start);
    CHECK(c.collectives.empty());
    CHECK(c.curves == start.scale_up.curves);
}

TEST_CASE("every built-in link record reads back what the writer writes", "[calibrate][json][collectives]") {
    for (const LinkRecord& record : link_records()) {
        INFO(record.id);
        const JsonDocument document = parse_json(link_record_json(record), "network.json");
        const LinkRecord read = link_record_from_json(JsonNode(document));
        CHECK(read.id == record.id);
        CHECK(read.serves == record.serves);
        CHECK(read.curves.all_reduce.bulk.base.value() ==
              Approx(record.curves.all_reduce.bulk.base.value()).epsilon(1e-3));
        CHECK(read.curves.in_network.has_value() == record.curves.in_network.has_value());
        CHECK(read.curves.tree_all_reduce.has_value() == record.curves.tree_all_reduce.has_value());
    }
}
