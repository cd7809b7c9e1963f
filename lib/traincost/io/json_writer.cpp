#include "traincost/io/json_writer.hpp"

#include <array>
#include <cmath>

#include "traincost/base/decimal.hpp"
#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

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
