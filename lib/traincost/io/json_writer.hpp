#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "traincost/base/quantity.hpp"
#include "traincost/io/json_value.hpp"

namespace traincost {

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
