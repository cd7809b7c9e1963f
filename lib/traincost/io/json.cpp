#include "traincost/io/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "traincost/base/decimal.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/json_place.hpp"
#include "traincost/io/text_file.hpp"

namespace traincost {

using io::fail_at;
using io::shorten;
using io::where_text;

namespace {

/// Above this a double no longer holds every whole number: 2^53.
constexpr double largest_exact_integer = 9007199254740992.0;
std::string kind_text(const JsonValue& value) {
    struct Visitor {
        std::string operator()(std::monostate) const {
            return "null";
        }
        std::string operator()(bool x) const {
            return x ? "true" : "false";
        }
        std::string operator()(std::int64_t x) const {
            return std::to_string(x);
        }
        std::string operator()(double x) const {
            return to_exact(x);
        }
        std::string operator()(const std::string& x) const {
            return "the string '" + shorten(x) + "'";
        }
        std::string operator()(const JsonValue::Array&) const {
            return "an array";
        }
        std::string operator()(const JsonValue::Object&) const {
            return "an object";
        }
    };
    return std::visit(Visitor{}, value.data);
}

std::string joined(std::span<const std::string_view> names) {
    std::string out;
    for (const std::string_view name : names) {
        out += out.empty() ? "" : ", ";
        out += name;
    }
    return out;
}
}  // namespace

// Written out: clang 14 crashes on the defaulted comparison of a type that holds itself.
bool JsonValue::operator==(const JsonValue& other) const {
    return data == other.data;
}

const JsonValue* JsonValue::find(std::string_view key) const {
    if (const Object* members = object()) {
        for (const JsonMember& member : *members) {
            if (member.key == key) {
                return &member.value;
            }
        }
    }
    return nullptr;
}
std::string read_text_file(const std::string& path, std::size_t limit) {
    return io::file_bytes(path, limit);
}

JsonDocument read_json_file(const std::string& path, const JsonLimits& limits) {
    return parse_json(read_text_file(path, limits.bytes), path, limits);
}

std::string JsonNode::where() const {
    return where_text(*document_, value_);
}

void JsonNode::fail(const std::string& message) const {
    fail_at(where(), message);
}

const std::string& JsonNode::string() const {
    if (const auto* text = std::get_if<std::string>(&value_->data)) {
        return *text;
    }
    fail(kind_text(*value_) + "; must be a string");
}

bool JsonNode::boolean() const {
    if (const auto* x = std::get_if<bool>(&value_->data)) {
        return *x;
    }
    fail(kind_text(*value_) + "; must be true or false");
}

std::int64_t JsonNode::integer(std::int64_t low) const {
    std::int64_t x = 0;
    if (const auto* whole = std::get_if<std::int64_t>(&value_->data)) {
        x = *whole;
    } else if (const auto* real = std::get_if<double>(&value_->data);
               real != nullptr && std::trunc(*real) == *real && std::abs(*real) <= largest_exact_integer) {
        x = static_cast<std::int64_t>(*real);
    } else {
        fail(kind_text(*value_) + "; must be a whole number");
    }
    if (x < low) {
        fail(std::to_string(x) + "; must be at least " + std::to_string(low));
    }
    return x;
}

double JsonNode::number() const {
    if (const auto* whole = std::get_if<std::int64_t>(&value_->data)) {
        return static_cast<double>(*whole);
    }
    if (const auto* real = std::get_if<double>(&value_->data)) {
        return *real;
    }
    fail(kind_text(*value_) + "; must be a number");
}

std::vector<JsonNode> JsonNode::items() const {
    const auto* array = value_->array();
    if (array == nullptr) {
        fail(kind_text(*value_) + "; must be an array");
    }
    std::vector<JsonNode> nodes;
    nodes.reserve(array->size());
    for (const JsonValue& item : *array) {
        nodes.emplace_back(*document_, item);
    }
    return nodes;
}

std::size_t JsonNode::one_of(std::span<const std::string_view> names) const {
    const std::string& text = string();
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
        fail("unknown value '" + shorten(text) + "'; allowed: " + joined(names) + did_you_mean(text, names));
    }
    return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> JsonNode::strings() const {
    std::vector<std::string> out;
    for (const JsonNode& item : items()) {
        out.push_back(item.string());
    }
    return out;
}

JsonObject::JsonObject(JsonNode node) : node_(node) {
    if (!node.is_object()) {
        node.fail(kind_text(node.value()) + "; must be an object");
    }
}

const JsonValue* JsonObject::asked(std::string_view key) {
    keys_.push_back(key);
    return node_.value().find(key);
}

std::optional<JsonNode> JsonObject::find(std::string_view key) {
    const JsonValue* value = asked(key);
    if (value == nullptr || value->is_null()) {
        return std::nullopt;
    }
    return JsonNode(node_.document(), *value);
}

JsonNode JsonObject::at(std::string_view key) {
    if (const JsonValue* value = asked(key)) {
        return {node_.document(), *value};
    }
    std::vector<std::string_view> others;
    for (const JsonMember& member : *node_.value().object()) {
        constexpr std::size_t enough = 1000;
        if (std::find(keys_.begin(), keys_.end(), member.key) == keys_.end() && others.size() < enough) {
            others.push_back(member.key);
        }
    }
    const auto similar = nearest(key, others);
    node_.fail("missing key '" + std::string(key) + "'" +
               (similar ? " (did you mean it by '" + shorten(*similar) + "'?)" : std::string()));
}

void JsonObject::finish() const {
    for (const JsonMember& member : *node_.value().object()) {
        if (std::find(keys_.begin(), keys_.end(), member.key) == keys_.end()) {
            JsonNode(node_.document(), member.value)
                .fail("unknown key '" + shorten(member.key) + "'" + did_you_mean(member.key, keys_));
        }
    }
}

}  // namespace traincost
