#include "traincost/io/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "traincost/base/decimal.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/text_file.hpp"

namespace traincost {

namespace {

/// Above this a double no longer holds every whole number: 2^53.
constexpr double largest_exact_integer = 9007199254740992.0;

/// Of one document, of all kinds: some 70 bytes of memory each.
constexpr std::size_t most_values = 4'000'000;

/// Bytes of one string or key; the text of a file in a question may have all that the document may.
constexpr std::size_t longest_string = std::size_t{1} << 16;

/// How much of a given value an error shows.
constexpr std::size_t shown_characters = 60;

[[noreturn]] void fail_at(const std::string& where, const std::string& message) {
    throw Error(ErrorKind::input, std::vector<Problem>{{.path = where, .message = message}});
}

std::string position_text(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t column =
        newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(std::max<std::size_t>(column, 1));
}

/// One line of at most `shown_characters`.
std::string shorten(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ') {
            c = ' ';
        }
    }
    if (text.size() > shown_characters) {
        text.resize(shown_characters);
        text += "...";
    }
    return text;
}

std::string escape_pointer(std::string_view key) {
    std::string out;
    for (const char c : key) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
    return out;
}

/// Appends the pointer of `wanted` below `value`; false where it is not there.
bool find_pointer(const JsonValue& value, const JsonValue* wanted, std::string& pointer) {
    if (&value == wanted) {
        return true;
    }
    const std::size_t length = pointer.size();
    if (const auto* items = value.array()) {
        for (std::size_t i = 0; i < items->size(); ++i) {
            pointer += "/" + std::to_string(i);
            if (find_pointer((*items)[i], wanted, pointer)) {
                return true;
            }
            pointer.resize(length);
        }
    } else if (const auto* members = value.object()) {
        for (const JsonMember& member : *members) {
            pointer += "/" + escape_pointer(member.key);
            if (find_pointer(member.value, wanted, pointer)) {
                return true;
            }
            pointer.resize(length);
        }
    }
    return false;
}

std::string where_text(const JsonDocument& document, const JsonValue* value) {
    std::string pointer;
    find_pointer(document.root, value, pointer);
    return pointer.empty() ? document.file : document.file + ":" + pointer;
}

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
                    "the key '" + shorten(std::string(*twice)) + "' is given twice");
        }
    }
    JsonValue* place(JsonValue&& value) {
        if (++values_ > most_values) {
            fail_at(document_.file,
                    "more than " + std::to_string(most_values) + " values, which is the most that is read");
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

/// Length of the UTF-8 sequence at the front of `text`, 0 where there is none that is valid.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t n = lead >= 0xF0 && lead <= 0xF4  ? 4
                          : lead >= 0xE0 && lead < 0xF0 ? 3
                          : lead >= 0xC2 && lead < 0xE0 ? 2
                                                        : 0;
    if (n == 0 || text.size() < n) {
        return 0;
    }
    for (std::size_t i = 1; i < n; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool outside = (lead == 0xED && byte(1) >= 0xA0) || (lead == 0xF4 && byte(1) >= 0x90);
    return overlong || outside ? 0 : n;
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

namespace {

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
    fail("is " + kind_text(*value_) + ", must be a string");
}

bool JsonNode::boolean() const {
    if (const auto* x = std::get_if<bool>(&value_->data)) {
        return *x;
    }
    fail("is " + kind_text(*value_) + ", must be true or false");
}

std::int64_t JsonNode::integer(std::int64_t low) const {
    std::int64_t x = 0;
    if (const auto* whole = std::get_if<std::int64_t>(&value_->data)) {
        x = *whole;
    } else if (const auto* real = std::get_if<double>(&value_->data);
               real != nullptr && std::trunc(*real) == *real && std::abs(*real) <= largest_exact_integer) {
        x = static_cast<std::int64_t>(*real);
    } else {
        fail("is " + kind_text(*value_) + ", must be a whole number");
    }
    if (x < low) {
        fail("is " + std::to_string(x) + ", must be at least " + std::to_string(low));
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
    fail("is " + kind_text(*value_) + ", must be a number");
}

std::vector<JsonNode> JsonNode::items() const {
    const auto* array = value_->array();
    if (array == nullptr) {
        fail("is " + kind_text(*value_) + ", must be an array");
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
        fail("is '" + shorten(text) + "', must be one of " + joined(names) + did_you_mean(text, names));
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
        node.fail("is " + kind_text(node.value()) + ", must be an object");
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

void JsonWriter::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (!first_) {
        out_ += indent_ > 0 ? "," : ", ";
    }
    if (depth_ > 0 && indent_ > 0) {
        out_ += '\n';
        out_.append(static_cast<std::size_t>(depth_) * static_cast<std::size_t>(indent_), ' ');
    }
    first_ = false;
}

void JsonWriter::open(char bracket) {
    separate();
    out_ += bracket;
    ++depth_;
    first_ = true;
}

void JsonWriter::close(char bracket) {
    --depth_;
    if (!first_ && indent_ > 0) {
        out_ += '\n';
        out_.append(static_cast<std::size_t>(depth_) * static_cast<std::size_t>(indent_), ' ');
    }
    out_ += bracket;
    first_ = false;
}

JsonWriter& JsonWriter::begin_object() {
    open('{');
    return *this;
}

JsonWriter& JsonWriter::end_object() {
    close('}');
    return *this;
}

JsonWriter& JsonWriter::begin_array() {
    open('[');
    return *this;
}

JsonWriter& JsonWriter::end_array() {
    close(']');
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    value(name);
    out_ += ": ";
    after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    separate();
    out_ += '"';
    while (!text.empty()) {
        const char c = text.front();
        std::size_t taken = 1;
        if (c == '"' || c == '\\') {
            out_ += '\\';
            out_ += c;
        } else if (static_cast<unsigned char>(c) < ' ') {
            constexpr std::string_view digits = "0123456789abcdef";
            out_ += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\u00";
            if (c != '\n' && c != '\t') {
                out_ += digits[static_cast<unsigned char>(c) >> 4];
                out_ += digits[static_cast<unsigned char>(c) & 15];
            }
        } else if (const std::size_t n = utf8_length(text); n > 0) {
            out_ += text.substr(0, n);
            taken = n;
        } else {
            out_ += "\\ufffd";  // a byte that is not UTF-8
        }
        text.remove_prefix(taken);
    }
    out_ += '"';
    return *this;
}

JsonWriter& JsonWriter::value(bool x) {
    separate();
    out_ += x ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::value(double x) {
    finite(x);
    separate();
    std::array<char, 40> buffer;
    const auto end = write_decimal(buffer.data(), buffer.data() + buffer.size(), x);
    out_.append(buffer.data(), end.ptr);
    return *this;
}

JsonWriter& JsonWriter::value(std::int64_t x) {
    separate();
    out_ += std::to_string(x);
    return *this;
}

JsonWriter& JsonWriter::null() {
    separate();
    out_ += "null";
    return *this;
}

JsonWriter& JsonWriter::value(const JsonValue& x) {
    if (const auto* items = x.array()) {
        begin_array();
        for (const JsonValue& item : *items) {
            value(item);
        }
        return end_array();
    }
    if (const auto* members = x.object()) {
        begin_object();
        for (const JsonMember& member : *members) {
            key(member.key).value(member.value);
        }
        return end_object();
    }
    if (const auto* text = std::get_if<std::string>(&x.data)) {
        return value(*text);
    }
    if (const auto* flag = std::get_if<bool>(&x.data)) {
        return value(*flag);
    }
    if (const auto* whole = std::get_if<std::int64_t>(&x.data)) {
        return value(*whole);
    }
    if (const auto* real = std::get_if<double>(&x.data)) {
        return value(*real);
    }
    return null();
}

std::string JsonWriter::text() const {
    return indent_ > 0 ? out_ + "\n" : out_;
}

}  // namespace traincost
