// The keys of one Hugging Face configuration object: aliases, defaults of the configuration class, and the
// rule that no key which may change a shape goes unread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/io/json.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

/// Names of one setting: the class's own first, then those of older versions.
using HfNames = std::initializer_list<std::string_view>;

class HfKeys {
public:
    /// Reads `object`, the configuration of a `type`; what is taken for granted goes to `assumptions`.
    HfKeys(JsonNode object, std::string type, std::vector<std::string>& assumptions);

    const std::string& type() const {
        return type_;
    }
    const JsonNode& node() const {
        return object_;
    }

    /// A count of at least `low`; `Error` where it is absent or null.
    std::int64_t required(HfNames names, std::int64_t low = 1);
    /// A count, or the configuration class's default where it is absent or null.
    std::int64_t integer(HfNames names, std::int64_t fallback, std::int64_t low = 1);
    /// A count, or nothing where it is absent or null.
    std::optional<std::int64_t> maybe(HfNames names, std::int64_t low = 1);
    /// As `maybe`, also of a list that repeats one count a layer.
    std::optional<std::int64_t> uniform(HfNames names, std::int64_t low = 1);
    bool flag(HfNames names, bool fallback);
    std::optional<double> number(HfNames names);
    std::optional<std::string> text(HfNames names);
    /// The strings of a list of one a layer (`Error` for another length), or nothing.
    std::optional<std::vector<std::string>> per_layer_names(std::string_view name, std::int64_t layers);
    /// The object under a key, as keys of the same type; nothing where it is absent.
    std::optional<HfKeys> object(std::string_view name);
    /// The value under a key, or nothing where it is absent or null.
    std::optional<JsonNode> find(HfNames names);
    /// Whether the key is there, null included.
    bool has(std::string_view name) const;

    /// Takes `names` from `outer` where this object does not have them.
    void inherit(const JsonNode& outer, HfNames names);
    /// Hidden size and layers of the configuration class, for a nested object, which leaves out what its
    /// class has.
    void default_sizes(std::int64_t hidden, std::int64_t layers) {
        hidden_default_ = hidden;
        layers_default_ = layers;
    }
    /// Accepts keys that do not matter for this type.
    void ignore(HfNames names);
    void assume(std::string text);
    /// `Error` at the key.
    [[noreturn]] void fail(std::string_view key, const std::string& message) const;

    /// `Error` that names a key which may change shapes and was not asked for. One that is switched off
    /// (null, false, 0,
    /// "", [] or {}) and one without a shape pass; the latter is an assumption.
    void finish();

private:
    const JsonValue* asked(std::string_view name);

    JsonNode object_;
    std::string type_;
    std::vector<std::string>* assumptions_;
    std::vector<std::string_view> asked_;
    std::vector<std::pair<std::string_view, const JsonValue*>> inherited_;
    std::int64_t hidden_default_ = 0;  // 0: none
    std::int64_t layers_default_ = 0;
};

}  // namespace traincost
