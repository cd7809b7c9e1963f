#include "traincost/io/bench/network_data.hpp"

#include <algorithm>
#include <cctype>

#include "traincost/base/scale.hpp"
#include "traincost/io/embedded.hpp"
#include "traincost/io/specs/provenance_fields.hpp"

namespace traincost {

namespace {

constexpr std::string_view networks_room = "bench";
constexpr std::string_view prefix = "network-";
constexpr std::string_view link_kind_names[] = {"scale_up", "scale_out"};

void read_protocol(io::FieldReader& io, ProtocolCurve& x) {
    io.required("base_us", io::scaled(x.base, micro));
    io.required("step_us", io::scaled(x.step, micro));
    io.required("ramp_us", io::scaled(x.ramp, micro));
    io.required("bandwidth_share", x.share);
}

void read_groups(const JsonNode& node, CollectiveCurve& x) {
    const std::vector<JsonNode> points = node.items();
    if (points.size() != x.groups.size()) {
        node.fail("has " + std::to_string(points.size()) + " points; must have " +
                  std::to_string(x.groups.size()));
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        JsonObject object(points[i]);
        io::FieldReader io(object);
        GroupPoint& point = x.groups[i];
        io.required("ranks", point.ranks);
        io.required("efficiency", point.efficiency);
        io.required("low_latency_limit_bytes", point.low_latency_limit);
        object.finish();
        if (point.ranks < 2 || (i > 0 && point.ranks < x.groups[i - 1].ranks)) {
            points[i].fail("ranks is " + std::to_string(point.ranks) + "; must be at least 2 and rise");
        }
        if (!(point.efficiency > 0 && point.efficiency <= 1)) {
            points[i].fail("efficiency is " + std::to_string(point.efficiency) + "; must be in (0, 1]");
        }
    }
}

void read_curve(const JsonNode& node, CollectiveCurve& x) {
    JsonObject object(node);
    io::FieldReader io(object);
    io.object("low_latency", [&](io::FieldReader& in) { read_protocol(in, x.low_latency); });
    io.object("bulk", [&](io::FieldReader& in) { read_protocol(in, x.bulk); });
    read_groups(object.at("groups"), x);
    object.finish();
}

void read_in_network(io::FieldReader& io, InNetworkCurve& x) {
    io.required("base_us", io::scaled(x.base, micro));
    io.required("ramp_us", io::scaled(x.ramp, micro));
    io.required("efficiency", x.efficiency);
    io.required("bus_bandwidth_limit", x.bus_bandwidth_limit);
    io.required("least_ranks", x.least_ranks);
}

void read_curves(const JsonNode& node, LinkCurves& x) {
    JsonObject object(node);
    io::FieldReader io(object);
    read_curve(object.at("all_reduce"), x.all_reduce);
    read_curve(object.at("all_gather"), x.all_gather);
    read_curve(object.at("reduce_scatter"), x.reduce_scatter);
    read_curve(object.at("all_to_all"), x.all_to_all);
    read_curve(object.at("broadcast"), x.broadcast);
    read_curve(object.at("send_recv"), x.send_recv);
    io.optional("inner_step_ratio", x.inner_step);
    if (const auto tree = object.find("tree_all_reduce")) {
        read_curve(*tree, x.tree_all_reduce.emplace());
    }
    io.optional("tree_over_two_domains", x.tree_over_two_domains);
    io.optional_object("in_network", false,
                       [&](io::FieldReader& in) { read_in_network(in, x.in_network.emplace()); });
    object.finish();
}

void read_error(io::FieldReader& io, LinkError& x) {
    io.required("points", x.points);
    io.required("fit_percent", x.fit_percent);
    io.optional("cross_validated_percent", x.cross_validated_percent);
    io.optional("left_out_system_percent", x.left_out_system_percent);
    io.required("below_1MiB_points", x.below_1MiB_points);
    io.optional("below_1MiB_fit_percent", x.below_1MiB_fit_percent);
}

LinkRecord parse(const EmbeddedFile& file) {
    const JsonDocument document =
        parse_json(file.text, std::string(file.room) + "/" + std::string(file.id) + ".json");
    return link_record_from_json(JsonNode(document));
}

/// Calls `f` with the files of links until it returns true.
template <class F>
void any_file(std::span<const EmbeddedFile> files, F f) {
    for (const EmbeddedFile& file : files) {
        if (file.room == networks_room && file.id.starts_with(prefix) && f(file)) {
            return;
        }
    }
}

/// How much of `link` the record serves: the length of the longest entry it begins with, at a word's end.
std::size_t served_length(const LinkRecord& record, std::string_view link) {
    std::size_t length = 0;
    for (const std::string& entry : record.serves) {
        const bool ends =
            link.size() == entry.size() ||
            (link.size() > entry.size() && std::isalnum(static_cast<unsigned char>(link[entry.size()])) == 0);
        if (link.starts_with(entry) && ends) {
            length = std::max(length, entry.size());
        }
    }
    return length;
}

}  // namespace

LinkRecord link_record_from_json(const JsonNode& node) {
    JsonObject object(node);
    io::FieldReader io(object);
    LinkRecord x{};
    io::read_schema(io, "network/1");
    io.required("id", x.id);
    io.required("name", x.name);
    x.kind = static_cast<LinkKind>(object.at("kind").one_of(link_kind_names));
    io.required("serves", x.serves);
    io.required("measured", x.measured);
    io.required("date", x.date);
    io.required("hardware", x.hardware);
    io.required("software", x.software);
    io.optional_object("error", false, [&](io::FieldReader& in) { read_error(in, x.error.emplace()); });
    read_curves(object.at("curves"), x.curves);
    io::describe_provenance(io, x.provenance);
    object.finish();
    return x;
}

std::optional<LinkRecord> find_link_record(std::string_view link, LinkKind kind,
                                           std::span<const EmbeddedFile> files) {
    std::optional<LinkRecord> best;
    std::size_t best_length = 0;
    // A record that serves the name holds the name's first word in quotes: the others need no parsing.
    const std::string first_word = "\"" + std::string(link.substr(0, link.find_first_of(" /")));
    any_file(files, [&](const EmbeddedFile& file) {
        if (file.id == link || file.id.substr(prefix.size()) == link) {
            best = parse(file);
            return true;
        }
        if (file.text.find(first_word) == std::string_view::npos) {
            return false;
        }
        LinkRecord record = parse(file);
        const std::size_t length = served_length(record, link);
        if (record.kind == kind && length > best_length) {
            best_length = length;
            best = std::move(record);
        }
        return false;
    });
    return best;
}

LinkRecord unmeasured_link_record(LinkKind kind, std::span<const EmbeddedFile> files) {
    const std::string_view id = kind == LinkKind::scale_up ? "unmeasured-scale-up" : "unmeasured-scale-out";
    std::optional<LinkRecord> record = find_link_record(id, kind, files);
    if (!record) {
        throw Error(ErrorKind::internal, "the built-in record '" + std::string(id) + "' is missing");
    }
    return *std::move(record);
}

std::vector<LinkRecord> link_records() {
    std::vector<LinkRecord> records;
    any_file(embedded_files(), [&](const EmbeddedFile& file) {
        records.push_back(parse(file));
        return false;
    });
    return records;
}

}  // namespace traincost
