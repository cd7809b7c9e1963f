// JSON in and out. What is read keeps its file name and JSON pointer, so that every complaint names its
// place; what is written is in order, exact, and has its units in the keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/quantity.hpp"

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

/// Input beyond these is refused before it can do harm.
struct JsonLimits {
    std::size_t bytes = std::size_t{256} << 20;
    int depth = 64;
};

/// A value with the name of the file it came from.
struct JsonDocument {
    std::string file;
    JsonValue root;
};

/// Parses `text`; `Error` of kind input, with file, line and column, where it is empty, truncated, not JSON,
/// too deep or too large, names a key twice, or holds a number that no 64-bit type does.
JsonDocument parse_json(std::string_view text, std::string file, const JsonLimits& limits = {});

/// The bytes of a file. `Error` of kind input where it is missing, a directory, unreadable or larger than
/// `limit`.
std::string read_text_file(const std::string& path, std::size_t limit = JsonLimits{}.bytes);

/// `parse_json` of a file's bytes.
JsonDocument read_json_file(const std::string& path, const JsonLimits& limits = {});

/// One place of a document. The typed readers throw an `Error` that names file, JSON pointer, what is there
/// and what is allowed. The document must outlive the node.
class JsonNode {
public:
    explicit JsonNode(const JsonDocument& document) : document_(&document), value_(&document.root) {
    }
    JsonNode(const JsonDocument& document, const JsonValue& value) : document_(&document), value_(&value) {
    }

    const JsonValue& value() const {
        return *value_;
    }
    const JsonDocument& document() const {
        return *document_;
    }
    bool is_null() const {
        return value_->is_null();
    }
    bool is_string() const {
        return std::holds_alternative<std::string>(value_->data);
    }
    bool is_object() const {
        return value_->object() != nullptr;
    }
    bool is_array() const {
        return value_->array() != nullptr;
    }

    const std::string& string() const;
    bool boolean() const;
    /// A whole number ("4096" or "4.096e3") no less than `low`.
    std::int64_t integer(std::int64_t low = INT64_MIN) const;
    double number() const;
    std::vector<JsonNode> items() const;
    /// The string's position in `names`; the error suggests the nearest.
    std::size_t one_of(std::span<const std::string_view> names) const;
    /// The strings of an array.
    std::vector<std::string> strings() const;

    /// "file:/json/pointer"; the file alone for the root.
    std::string where() const;
    [[noreturn]] void fail(const std::string& message) const;

private:
    const JsonDocument* document_;
    const JsonValue* value_;
};

/// Reads one object and remembers which keys were asked for, so that `finish` can reject the others.
class JsonObject {
public:
    /// `Error` unless `node` is an object.
    explicit JsonObject(JsonNode node);

    /// The value of a key that must be there; the error names a key that looks like it.
    JsonNode at(std::string_view key);
    /// The value of a key, or nothing where it is absent or null.
    std::optional<JsonNode> find(std::string_view key);
    /// Accepts a key without reading it.
    void skip(std::string_view key) {
        asked(key);
    }
    /// `Error` that names a key nobody asked for, and the nearest that was.
    void finish() const;

    const JsonNode& node() const {
        return node_;
    }

private:
    const JsonValue* asked(std::string_view key);

    JsonNode node_;
    std::vector<std::string_view> keys_;  ///< asked for so far
};

/// Writes JSON in the order of the calls. Numbers read back as the same double; a NaN or an infinity is a
/// defect of the caller and an `Error` of kind internal.
class JsonWriter {
public:
    /// `indent` spaces a level; 0 writes one line.
    explicit JsonWriter(int indent = 2) : indent_(indent) {
    }

    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) {
        return value(std::string_view(text));
    }
    JsonWriter& value(const std::string& text) {
        return value(std::string_view(text));
    }
    JsonWriter& value(bool x);
    JsonWriter& value(double x);
    JsonWriter& value(std::int64_t x);
    JsonWriter& value(int x) {
        return value(static_cast<std::int64_t>(x));
    }
    JsonWriter& value(std::size_t x) {
        return value(static_cast<std::int64_t>(x));
    }
    template <int b, int f, int s, int d>
    JsonWriter& value(Quantity<b, f, s, d> x) {
        return value(x.value());
    }
    JsonWriter& value(const JsonValue& x);
    JsonWriter& null();

    /// `key(name)` and `value(x)`.
    template <class T>
    JsonWriter& member(std::string_view name, const T& x) {
        key(name);
        if constexpr (requires { x.has_value(); }) {
            return x ? value(*x) : null();
        } else {
            return value(x);
        }
    }
    /// A member that is an array of numbers or strings.
    template <class Range>
    JsonWriter& array(std::string_view name, const Range& xs) {
        key(name);
        begin_array();
        for (const auto& x : xs) {
            value(x);
        }
        return end_array();
    }

    /// What has been written, with a final newline where it is indented.
    std::string text() const;

private:
    void separate();
    void open(char bracket);
    void close(char bracket);

    int indent_;
    int depth_ = 0;
    bool first_ = true;  ///< nothing yet in the open bracket
    bool after_key_ = false;
    std::string out_;
};

}  // namespace traincost
