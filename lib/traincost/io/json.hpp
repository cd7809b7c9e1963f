// JSON that is read: documents with limits, nodes that know their place, objects that refuse what nobody asks
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/io/json_value.hpp"

namespace traincost {

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

}  // namespace traincost
