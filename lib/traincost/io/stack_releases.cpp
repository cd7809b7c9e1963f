#include "traincost/io/stack_releases.hpp"

#include <utility>

#include "traincost/io/catalogue.hpp"

namespace traincost::io {

namespace {

std::vector<JsonNode> release_nodes(const JsonDocument& stack) {
    const JsonValue* releases = stack.root.find("releases");
    return releases != nullptr ? JsonNode(stack, *releases).items() : std::vector<JsonNode>{};
}

std::string name_of_release(const JsonNode& node) {
    JsonObject object(node);
    const JsonNode name = object.at("release");
    if (name.string().empty() || name.string() != canonical_name(name.string())) {
        name.fail("'" + name.string() + "'; must be in lower case, without spaces");
    }
    return name.string();
}

std::string stack_id(const JsonDocument& stack) {
    JsonObject object((JsonNode(stack)));
    return object.at("id").string();
}

}  // namespace

std::vector<StackRelease> releases_of(const JsonDocument& stack) {
    std::vector<StackRelease> releases;
    for (const JsonNode& node : release_nodes(stack)) {
        StackRelease& release = releases.emplace_back();
        release.name = name_of_release(node);
        release.id = stack_id(stack) + '@' + release.name;
        JsonObject object(node);
        if (const auto aliases = object.find("aliases")) {
            release.aliases = aliases->strings();
        }
    }
    return releases;
}

JsonDocument release_record(const JsonDocument& stack, std::string_view release) {
    for (const JsonNode& node : release_nodes(stack)) {
        if (name_of_release(node) != release) {
            continue;
        }
        const std::string id = stack_id(stack);
        JsonValue::Object record = {{"schema", JsonValue{std::string("stack/2")}},
                                    {"id", JsonValue{id + '@' + std::string(release)}}};
        if (node.value().find("base") == nullptr) {
            record.push_back({"base", JsonValue{id}});
        }
        for (const JsonMember& member : *node.value().object()) {
            if (member.key != "release") {
                record.push_back(member);
            }
        }
        return {stack.file + ", release " + std::string(release), JsonValue{std::move(record)}};
    }
    throw Error(ErrorKind::internal, stack.file + ": has no release " + std::string(release));
}

}  // namespace traincost::io
