#include "traincost/io/stack_json.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/io/stack_fields.hpp"

namespace traincost {

namespace {

JsonValue overlay(const JsonValue& base, const JsonValue& derived, bool nested) {
    if (base.object() == nullptr || derived.object() == nullptr) {
        return derived;
    }
    JsonValue merged = base;
    auto& members = std::get<JsonValue::Object>(merged.data);
    for (const JsonMember& member : *derived.object()) {
        JsonMember* found = nullptr;
        for (JsonMember& candidate : members) {
            if (candidate.key == member.key) {
                found = &candidate;
            }
        }
        if (found == nullptr) {
            members.push_back(member);
        } else if (nested && member.key == "basis") {
            found->value = overlay(found->value, member.value, false);
        } else {
            found->value = member.value;
        }
    }
    return merged;
}

/// Collects the keys a description asks for.
struct NameCollector {
    static constexpr bool reading = false;
    std::vector<std::string> names;

    template <class T>
    void required(const char* key, const T& /*field*/) {
        names.emplace_back(key);
    }
    template <class T>
    void optional(const char* key, const T& field) {
        required(key, field);
    }
};

}  // namespace

StackSpec stack_from_json(const JsonNode& node) {
    JsonObject object(node);
    io::FieldReader io(object);
    StackSpec stack{};
    io::read_schema(io, "stack/1");
    describe(io, stack);
    io.ignore("base");
    io.ignore("basis");
    io.ignore("launch");  // read by launch_rules_json
    object.finish();
    io::require_valid(node, stack);
    return stack;
}

JsonValue overlay_stack(const JsonValue& base, const JsonValue& derived) {
    return overlay(base, derived, true);
}

std::vector<std::string> stack_choice_names() {
    NameCollector collector;
    const StackSpec any{};
    describe_choices(collector, any);
    return collector.names;
}

void write_json(JsonWriter& out, const StackSpec& stack) {
    io::write_fields(out, stack);
}

}  // namespace traincost
