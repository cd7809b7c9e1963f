#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace traincost {

struct JsonMember;

/// A parsed JSON value: null, true/false, a whole number, another number, a string, an array or an object
/// whose members keep their order.
struct JsonValue {
    using Array = std::vector<JsonValue>;
    using Object = std::vector<JsonMember>;
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> data;

    bool is_null() const {
        return std::holds_alternative<std::monostate>(data);
    }
    /// The array's items, or nothing where this is no array.
    const Array* array() const {
        return std::get_if<Array>(&data);
    }
    /// The object's members, or nothing where this is no object.
    const Object* object() const {
        return std::get_if<Object>(&data);
    }
    /// The member of that key, or nothing.
    const JsonValue* find(std::string_view key) const;
    bool operator==(const JsonValue&) const;
};

struct JsonMember {
    std::string key;
    JsonValue value;
    bool operator==(const JsonMember&) const = default;
};

}  // namespace traincost
