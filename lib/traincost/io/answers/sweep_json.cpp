#include "traincost/io/answers/sweep_json.hpp"
#include "traincost/io/json_writer.hpp"

#include <map>

#include "traincost/io/answers/estimate_json.hpp"
#include "traincost/io/content_hash.hpp"

namespace traincost {

namespace {

void write_points(JsonWriter& out, const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points,
                  const std::vector<Uncertainty>& sure) {
    out.key("points").begin_array();
    for (std::size_t n = 0; n < points.size(); ++n) {
        const SweepPoint& p = points[n];
        out.begin_object();
        out.key("varied").begin_object();
        for (std::size_t i = 0; i < axes.size(); ++i)
            out.member(axes[i].flag, p.values[i]);
        out.end_object();
        if (p.estimate) {
            write_estimate_members(out, *p.job, *p.estimate, sure[n], p.assumptions, p.operation);
        } else {
            out.member("problem", p.problem);
        }
        out.end_object();
    }
    out.end_array();
}

/// Of a shard's place and points as they are parsed: layout and digits of the file don't matter.
std::string checksum_of(const SweepShard& shard, const JsonValue& points) {
    JsonWriter out(0);
    out.begin_array();
    for (const std::string& argument : shard.arguments)
        out.value(argument);
    out.value(shard.index).value(shard.of).value(shard.points).value(points);
    out.end_array();
    return content_hash(out.text());
}

/// A shard as read: its place and its points.
struct ReadShard {
    SweepShard place;
    const JsonValue::Array* points;
};

ReadShard read_shard(const JsonDocument& document) {
    JsonObject in{JsonNode(document)};
    in.skip("schema_version");
    const JsonNode points = in.at("points");
    const JsonNode node = in.at("shard");
    in.finish();
    JsonObject shard(node);
    ReadShard read{{shard.at("arguments").strings(), 0, 0, shard.at("points").integer(0)},
                   points.value().array()};
    read.place.of = shard.at("of").integer(1);
    read.place.index = shard.at("index").integer(1) - 1;
    const JsonNode checksum = shard.at("checksum");
    shard.finish();
    constexpr std::int64_t most = 1'000'000'000;
    if (read.place.of > most || read.place.points > most)
        node.fail("counts more than " + std::to_string(most) + " shards or points");
    if (checksum.string() != checksum_of(read.place, points.value()) || read.place.index >= read.place.of ||
        points.items().size() !=
            static_cast<std::size_t>((read.place.points - read.place.index + read.place.of - 1) /
                                     read.place.of)) {
        checksum.fail("does not match the file's content, which was damaged or edited");
    }
    return read;
}

/// The shards by their place; `Error` where one is missing, twice there, or of another sweep.
std::vector<ReadShard> in_order(const std::vector<JsonDocument>& documents) {
    struct Place {
        ReadShard shard;
        std::string file;
    };
    std::map<std::int64_t, Place>
        places;  // as many as there are files, whatever they say of how many there are
    std::optional<SweepShard> first;
    for (const JsonDocument& document : documents) {
        const ReadShard read = read_shard(document);
        first = first.value_or(read.place);
        if (read.place.arguments != first->arguments || read.place.of != first->of ||
            read.place.points != first->points) {
            throw Error(ErrorKind::input,
                        document.file + ": belongs to a different sweep than " + documents.front().file);
        }
        const auto [place, is_new] = places.emplace(read.place.index, Place{read, document.file});
        if (!is_new) {
            throw Error(ErrorKind::input,
                        document.file + ": is shard " + std::to_string(read.place.index + 1) + " of " +
                            std::to_string(first->of) + ", as " + place->second.file + " is");
        }
    }
    std::vector<ReadShard> ordered;
    for (const auto& [index, place] : places) {
        if (index != std::ssize(ordered))
            break;
        ordered.push_back(place.shard);
    }
    if (std::ssize(ordered) != first->of) {
        throw Error(ErrorKind::input, "shard " + std::to_string(ordered.size() + 1) + " of " +
                                          std::to_string(first->of) + " is missing");
    }
    return ordered;
}

}  // namespace

std::string sweep_json(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points,
                       const std::vector<Uncertainty>& sure, const std::optional<SweepShard>& shard) {
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", estimate_schema_version);
    write_points(out, axes, points, sure);
    if (shard) {
        JsonWriter alone;
        alone.begin_object();
        write_points(alone, axes, points, sure);
        alone.end_object();
        const JsonDocument parsed = parse_json(alone.text(), "sweep");
        out.key("shard").begin_object();
        out.array("arguments", shard->arguments);
        out.member("index", shard->index + 1);
        out.member("of", shard->of);
        out.member("points", shard->points);
        out.member("checksum", checksum_of(*shard, *parsed.root.find("points")));
        out.end_object();
    }
    out.end_object();
    return out.text();
}

bool is_sweep(const JsonDocument& document) {
    return document.root.find("points") != nullptr;
}

std::string merged_sweep(const std::vector<JsonDocument>& documents) {
    const std::vector<ReadShard> shards = in_order(documents);
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", estimate_schema_version);
    out.key("points").begin_array();
    const auto total = static_cast<std::size_t>(shards.front().place.points);
    for (std::size_t i = 0; i < total; ++i)
        out.value((*shards[i % shards.size()].points)[i / shards.size()]);
    out.end_array().end_object();
    return out.text();
}

}  // namespace traincost
