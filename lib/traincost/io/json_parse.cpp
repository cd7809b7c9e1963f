#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "traincost/io/json.hpp"
#include "traincost/io/json_place.hpp"

namespace traincost {

using io::fail_at;
using io::position_text;
using io::shorten;
using io::where_text;

namespace {

/// Of one document, of all kinds: some 70 bytes of memory each.
constexpr std::size_t most_values = 4'000'000;

/// Bytes of one string or key; the text of a file in a question may have all that the document may.
constexpr std::size_t longest_string = std::size_t{1} << 16;

/// Builds the tree while nlohmann's parser reads; its own tree would drop the first of two equal keys.
class TreeBuilder {
public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    TreeBuilder(std::string_view text, JsonDocument& document, const JsonLimits& limits)
        : text_(text), document_(document), limits_(limits) {
    }

    bool null() {
        return add({});
    }
    bool boolean(bool x) {
        return add({x});
    }
    bool number_integer(number_integer_t x) {
        return add({std::int64_t{x}});
    }
    bool number_unsigned(number_unsigned_t x) {
        if (x > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
            JsonValue* value = place({});
            fail_at(where_text(document_, value), std::to_string(x) + " is too large for a whole number");
        }
        return add({static_cast<std::int64_t>(x)});
    }
    bool number_float(number_float_t x, const string_t&) {
        return add({x});
    }
    bool string(string_t& x) {
        const JsonValue::Object* object = stack_.empty() ? nullptr : stack_.back()->object();
        if (object == nullptr || object->empty() || object->back().key != "text") {
            require_short(x);
        }
        return add({std::move(x)});
    }
    bool binary(binary_t&) {
        return false;
    }
    bool start_object(std::size_t) {
        return open(JsonValue{JsonValue::Object{}});
    }
    bool key(string_t& name) {
        require_short(name);
        std::get<JsonValue::Object>(stack_.back()->data).push_back({.key = std::move(name), .value = {}});
        return true;
    }
    bool end_object() {
        require_different_keys(*stack_.back());
        stack_.pop_back();
        return true;
    }
    bool start_array(std::size_t) {
        return open(JsonValue{JsonValue::Array{}});
    }
    bool end_array() {
        stack_.pop_back();
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error) {
        if (error.id == 406) {  // a number beyond the double's range
            fail_at(document_.file,
                    position_text(text_, position) + ": " + shorten(token) + " is too large for a number");
        }
        const std::string_view what = error.what();
        if (what.find("unexpected end of input") != what.npos ||
            what.find("missing closing quote") != what.npos) {
            fail_at(document_.file,
                    position_text(text_, position) + ": not valid JSON: the text ends too early");
        }
        const std::size_t last = std::min(position, text_.size()) - 1;
        fail_at(document_.file, position_text(text_, position) + ": not valid JSON: unexpected '" +
                                    shorten(std::string(text_.substr(last, 1))) + "'");
    }

private:
    void require_short(const std::string& text) const {
        if (text.size() > longest_string) {
            fail_at(document_.file, "the string '" + shorten(text) + "' has " + std::to_string(text.size()) +
                                        " bytes; at most " + std::to_string(longest_string) + " are read");
        }
    }
    void require_different_keys(const JsonValue& object) const {
        std::vector<std::string_view> keys;
        for (const JsonMember& member : *object.object()) {
            keys.push_back(member.key);
        }
        std::sort(keys.begin(), keys.end());
        const auto twice = std::adjacent_find(keys.begin(), keys.end());
        if (twice != keys.end()) {
            fail_at(where_text(document_, object.find(*twice)),
                    "key '" + shorten(std::string(*twice)) + "' is given twice");
        }
    }
    JsonValue* place(JsonValue&& value) {
        if (++values_ > most_values) {
            fail_at(document_.file, "more than " + std::to_string(most_values) + " values, the limit");
        }
        if (stack_.empty()) {
            document_.root = std::move(value);
            return &document_.root;
        }
        JsonValue& parent = *stack_.back();
        if (auto* items = std::get_if<JsonValue::Array>(&parent.data)) {
            items->push_back(std::move(value));
            return &items->back();
        }
        JsonValue& slot = std::get<JsonValue::Object>(parent.data).back().value;
        slot = std::move(value);
        return &slot;
    }
    bool add(JsonValue&& value) {
        place(std::move(value));
        return true;
    }
    // A container's items move only while it is the innermost, so the pointers on the stack stay valid.
    bool open(JsonValue&& value) {
        JsonValue* placed = place(std::move(value));
        if (static_cast<int>(stack_.size()) >= limits_.depth) {
            fail_at(document_.file, "nested more than " + std::to_string(limits_.depth) + " deep");
        }
        stack_.push_back(placed);
        return true;
    }

    std::string_view text_;
    JsonDocument& document_;
    const JsonLimits& limits_;
    std::vector<JsonValue*> stack_;  ///< the open containers
    std::size_t values_ = 0;
};
/// Python writes an open end of a range as Infinity, which is no JSON; model configurations have it in limits
/// that no shape depends on. Nulls of the same length take its place outside strings, so that positions stay.
std::string without_infinities(std::string_view text) {
    constexpr std::string_view word = "Infinity";
    std::string out(text);
    bool quoted = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (quoted && out[i] == '\\') {
            ++i;
        } else if (out[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && text.substr(i, word.size()) == word) {
            out.replace(i, word.size(), "null    ");
            if (i > 0 && out[i - 1] == '-')
                out[i - 1] = ' ';
            i += word.size() - 1;
        }
    }
    return out;
}
}  // namespace

JsonDocument parse_json(std::string_view text, std::string file, const JsonLimits& limits) {
    JsonDocument document{.file = std::move(file), .root = {}};
    if (text.size() > limits.bytes) {
        fail_at(document.file, std::to_string(text.size()) + " bytes; at most " +
                                   std::to_string(limits.bytes) + " are read");
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        fail_at(document.file, "empty; a JSON value is expected");
    }
    std::string cleaned;
    if (text.find("\"model_type\"") != std::string_view::npos &&
        text.find("Infinity") != std::string_view::npos) {
        cleaned = without_infinities(text);
        text = cleaned;
    }
    TreeBuilder builder(text, document, limits);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return document;
}

}  // namespace traincost
