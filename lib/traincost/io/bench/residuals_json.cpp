#include "traincost/io/bench/residuals_json.hpp"
#include "traincost/io/json_writer.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "traincost/io/embedded.hpp"

namespace traincost {

namespace {

constexpr std::string_view residuals_schema = "residuals/2";

// Four decimals of a logarithm are a hundredth of a percent.
double rounded_share(double x) {
    constexpr double digits = 1e4;
    return std::round(x * digits) / digits;
}

ResidualCluster cluster_from_json(const JsonNode& node) {
    JsonObject in(node);
    const JsonNode kind = in.at("kind");
    const auto known = residual_kind_from(kind.string());
    if (!known)
        kind.fail("'" + kind.string() + "'; must be step_time, allocated, reserved or device");
    ResidualCluster cluster{{*known, in.at("stack").string(), in.at("accelerator_class").string(),
                             in.at("measured_kernels").boolean()},
                            in.at("source").string(),
                            in.at("model").string(),
                            in.at("n").integer(1),
                            {}};
    const JsonNode list = in.at("at");
    for (const JsonNode& value : list.items())
        cluster.at.push_back(value.number());
    if (cluster.at.empty() || !std::is_sorted(cluster.at.begin(), cluster.at.end()))
        list.fail("must be one or more numbers that do not fall");
    in.finish();
    return cluster;
}

LeadError lead_from_json(const JsonNode& node) {
    JsonObject in(node);
    LeadError lead{in.at("stack").string(), in.at("groups").integer(1), in.at("pairs").integer(1),
                   in.at("overstated").number()};
    in.finish();
    return lead;
}

}  // namespace

Residuals residuals_from_json(const JsonNode& node) {
    JsonObject in(node);
    if (in.at("schema").string() != residuals_schema)
        in.at("schema").fail("must be '" + std::string(residuals_schema) + "'");
    in.skip("what");
    std::vector<ResidualCluster> clusters;
    for (const JsonNode& item : in.at("clusters").items())
        clusters.push_back(cluster_from_json(item));
    Residuals residuals = indexed(std::move(clusters));
    if (const auto leads = in.find("leads")) {
        for (const JsonNode& item : leads->items())
            residuals.leads.push_back(lead_from_json(item));
    }
    if (const auto selection = in.find("selection")) {
        JsonObject bias(*selection);
        residuals.selection =
            SelectionBias{bias.at("groups").integer(1), bias.at("mean").number(), bias.at("upper").number()};
        bias.finish();
    }
    in.finish();
    return residuals;
}

std::string residuals_json(const Residuals& residuals) {
    std::string text =
        "{\"schema\": \"" + std::string(residuals_schema) +
        "\",\n \"what\": \"ln(measured / predicted) over its scale, by stack, accelerator class, source and "
        "model: each run's, or " +
        std::to_string(ResidualCluster::most_points) +
        " quantiles; leads: what one predicted lead in five of a layout over another is overstated by; "
        "selection: how much worse the layout predicted fastest keeps its promise than its group; "
        "generated "
        "by traincost validate --write-residuals\",\n \"clusters\": [";
    bool first = true;
    for (const ResidualCluster& cluster : residuals.clusters) {
        JsonWriter out(0);
        out.begin_object().member("kind", to_string(cluster.group.kind)).member("stack", cluster.group.stack);
        out.member("accelerator_class", cluster.group.accelerator_class)
            .member("measured_kernels", cluster.group.measured_kernels)
            .member("source", cluster.source)
            .member("model", cluster.model)
            .member("n", cluster.n);
        out.key("at").begin_array();
        for (const double x : cluster.at)
            out.value(rounded_share(x));
        out.end_array().end_object();
        text += (first ? "\n  " : ",\n  ") + out.text();
        first = false;
    }
    text += "\n],\n \"leads\": [";
    first = true;
    for (const LeadError& lead : residuals.leads) {
        JsonWriter out(0);
        out.begin_object().member("stack", lead.stack).member("groups", lead.groups);
        out.member("pairs", lead.pairs).member("overstated", rounded_share(lead.overstated)).end_object();
        text += (first ? "\n  " : ",\n  ") + out.text();
        first = false;
    }
    text += "\n]";
    if (residuals.selection) {
        JsonWriter out(0);
        out.begin_object().member("groups", residuals.selection->groups);
        out.member("mean", rounded_share(residuals.selection->mean))
            .member("upper", rounded_share(residuals.selection->upper))
            .end_object();
        text += ",\n \"selection\": " + out.text();
    }
    return text + "}\n";
}

Residuals read_residuals(const std::string& folder) {
    if (!folder.empty()) {
        const std::filesystem::path path = std::filesystem::path(folder) / "bench" / "residuals.json";
        std::error_code none;
        if (std::filesystem::exists(path, none)) {
            const JsonDocument document = read_json_file(path.string());
            return residuals_from_json(JsonNode(document));
        }
    }
    for (const EmbeddedFile& file : embedded_files()) {
        if (file.room == "bench" && file.id == "residuals") {
            const JsonDocument document = parse_json(file.text, "data/bench/residuals.json");
            return residuals_from_json(JsonNode(document));
        }
    }
    return {};
}

}  // namespace traincost
