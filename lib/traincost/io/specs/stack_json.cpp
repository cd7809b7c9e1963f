#include "traincost/io/specs/stack_json.hpp"

#include <algorithm>
#include <array>

#include "traincost/io/json_writer.hpp"
#include "traincost/io/specs/stack_claim.hpp"
#include "traincost/io/specs/stack_fields.hpp"

namespace traincost {

namespace {

/// A struct of choices, not a choice itself.
template <class T>
constexpr bool is_group =
    std::same_as<T, StackLayer> || std::same_as<T, StackAttention> || std::same_as<T, StackNarrow> ||
    std::same_as<T, StackHead> || std::same_as<T, StackExperts> || std::same_as<T, StackStates> ||
    std::same_as<T, StackTraffic> || std::same_as<T, StackPipeline> || std::same_as<T, StackHost> ||
    std::same_as<T, StackDevice>;

/// Reads groups of choices, each a value or a claim.
class ChoiceReader {
public:
    static constexpr bool reading = true;

    explicit ChoiceReader(JsonObject& object) : object_(object) {
    }
    template <class T>
    void required(const char* key, T& field) {
        io::FieldReader::read(object_.at(key), field);
    }
    template <class T>
    void optional(const char* key, T& field) {
        const auto node = object_.find(key);
        if (!node)
            return;
        if constexpr (is_group<T>) {
            JsonObject group(*node);
            ChoiceReader inner(group);
            describe(inner, field);
            group.finish();
        } else {
            io::FieldReader::read(claimed_value(*node), field);
        }
    }

private:
    JsonObject& object_;
};

/// Collects the paths of choices, "host.per_step_s", and the names of groups.
struct PathCollector {
    static constexpr bool reading = false;
    std::string group;
    std::vector<std::string> paths;
    std::vector<std::string> groups;

    template <class T>
    void optional(const char* key, const T& field) {
        if constexpr (is_group<T>) {
            group = std::string(key) + '.';
            groups.emplace_back(key);
            describe(*this, field);
            group.clear();
        } else {
            paths.push_back(group + key);
        }
    }
};

PathCollector collected() {
    PathCollector collector;
    const StackSpec any{};
    describe_choices(collector, any);
    return collector;
}

/// Finds a number by its path and multiplies it.
struct Scaler {
    static constexpr bool reading = true;
    std::string_view path;
    double factor;
    std::string group;
    bool scaled = false;

    template <class T>
    void optional(const char* key, T& field) {
        if constexpr (is_group<T>) {
            group = std::string(key) + '.';
            describe(*this, field);
            group.clear();
        } else if constexpr (std::same_as<T, double> || io::is_quantity<T>::value) {
            if (group + key != path || field == T{})
                return;
            field = field * factor;
            scaled = true;
        }
    }
};

/// Of a record's keys that belong to no choice.
constexpr std::array<std::string_view, 12> own_keys = {"schema",     "id",         "aliases",  "title",
                                                       "base",       "launch",     "releases", "lacks",
                                                       "confidence", "unverified", "notes",    "sources"};

/// `Error` where a choice stands outside its group: "dropout", which is layer.dropout.
void refuse_choice_outside_its_group(const JsonNode& node, const std::vector<std::string>& groups) {
    for (const JsonMember& member : *node.value().object()) {
        if (std::find(own_keys.begin(), own_keys.end(), member.key) != own_keys.end() ||
            std::find(groups.begin(), groups.end(), member.key) != groups.end())
            continue;
        for (const std::string& path : stack_choice_names()) {
            const std::size_t dot = std::min(path.find('.'), path.size() - 1);
            std::string joined = path;
            joined[dot] = '_';
            if (member.key == path.substr(dot + 1) || member.key == joined) {
                JsonNode(node.document(), member.value)
                    .fail("unknown key '" + member.key + "'; the choice belongs to a group, as '" + path +
                          "'");
            }
        }
    }
}

const std::vector<std::string>& group_names() {
    static const std::vector<std::string> names = collected().groups;
    return names;
}

JsonValue overlay(const JsonValue& base, const JsonValue& derived, const std::vector<std::string>& groups) {
    if (base.object() == nullptr || derived.object() == nullptr) {
        return derived;
    }
    JsonValue merged = base;
    auto& members = std::get<JsonValue::Object>(merged.data);
    for (const JsonMember& member : *derived.object()) {
        const auto found = std::find_if(members.begin(), members.end(),
                                        [&](const JsonMember& m) { return m.key == member.key; });
        if (found == members.end()) {
            members.push_back(member);
        } else if (std::find(groups.begin(), groups.end(), member.key) != groups.end()) {
            found->value = overlay(found->value, member.value, {});
        } else {
            found->value = member.value;
        }
    }
    return merged;
}

}  // namespace

StackSpec stack_from_json(const JsonNode& node) {
    JsonObject object(node);
    io::FieldReader io(object);
    ChoiceReader choices(object);
    StackSpec stack{};
    refuse_choice_outside_its_group(node, group_names());
    io::read_schema(io, "stack/2");
    io.required("id", stack.id);
    io.optional("aliases", stack.aliases);
    io.required("title", stack.title);
    describe_choices(choices, stack);
    io::describe_provenance(io, stack.provenance);
    io.ignore("base");
    io.ignore("launch");    // read by launch_rules_json
    io.ignore("releases");  // records of their own to the catalogue
    object.finish();
    io::require_valid(node, stack);
    return stack;
}

JsonValue overlay_stack(const JsonValue& base, const JsonValue& derived) {
    return overlay(base, derived, group_names());
}

const std::vector<std::string>& stack_choice_names() {
    static const std::vector<std::string> names = collected().paths;
    return names;
}

bool scale_choice(StackSpec& stack, std::string_view path, double factor) {
    Scaler scaler{path, factor, {}};
    describe_choices(scaler, stack);
    return scaler.scaled;
}

void write_json(JsonWriter& out, const StackSpec& stack) {
    io::write_fields(out, stack);
}

}  // namespace traincost
