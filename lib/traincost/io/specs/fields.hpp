// One description of a struct's fields serves its reader and its writer: `describe(io, spec)` calls
// `io.required(key, member)` or `io.optional(key, member)` once a field, and both directions stay in step.
// Internal to io/.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/names.hpp"

namespace traincost::io {

/// `T` or `const T`: what a description takes, so that it serves reading and writing.
template <class Actual, class T>
concept Is = std::same_as<std::remove_const_t<Actual>, T>;

template <class T>
struct is_quantity : std::false_type {};
template <int b, int f, int s, int d>
struct is_quantity<Quantity<b, f, s, d>> : std::true_type {};
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

/// A double, a quantity or an optional of them, kept in the file in a larger unit: "memory_GB" is `unit` 1e9.
template <class T>
struct Scaled {
    T& value;
    double unit;
};
template <class T>
struct is_scaled : std::false_type {};
template <class T>
struct is_scaled<Scaled<T>> : std::true_type {};
template <class T>
Scaled<T> scaled(T& value, double unit) {
    return {value, unit};
}

class FieldReader {
public:
    explicit FieldReader(JsonObject& object) : object_(object) {
    }

    static constexpr bool reading = true;

    template <class T>
    void required(const char* key, T&& field) {
        read(object_.at(key), field);
    }
    /// Absent or null leaves the field as it is.
    template <class T>
    void optional(const char* key, T&& field) {
        if (const auto node = object_.find(key)) {
            read(*node, field);
        }
    }
    /// A nested object described by `body(io)`.
    template <class Body>
    void object(const char* key, Body body) {
        nested(object_.at(key), body);
    }
    /// A nested object that may be absent; `present` is for the writer.
    template <class Body>
    void optional_object(const char* key, bool /*present*/, Body body) {
        if (const auto node = object_.find(key)) {
            nested(*node, body);
        }
    }
    /// A key that the file may hold and the struct does not.
    void ignore(const char* key) {
        object_.skip(key);
    }
    const JsonNode& node() const {
        return object_.node();
    }

    template <class T>
    static void read(const JsonNode& node, T& field) {
        if constexpr (std::same_as<T, bool>) {
            field = node.boolean();
        } else if constexpr (std::integral<T>) {
            field = static_cast<T>(node.integer());
        } else if constexpr (std::floating_point<T>) {
            field = node.number();
        } else if constexpr (std::same_as<T, std::string>) {
            field = node.string();
        } else if constexpr (is_quantity<T>::value) {
            field = T(node.number());
        } else if constexpr (is_scaled<T>::value) {
            read_scaled(node, field);
        } else if constexpr (std::is_enum_v<T>) {
            field = static_cast<T>(node.one_of(enum_names<T>()));
        } else if constexpr (is_optional<T>::value) {
            typename T::value_type inner{};
            read(node, inner);
            field = std::move(inner);
        } else if constexpr (is_vector<T>::value) {
            field.clear();
            for (const JsonNode& item : node.items()) {
                typename T::value_type inner{};
                read(item, inner);
                field.push_back(std::move(inner));
            }
        } else {
            nested(node, [&](FieldReader& io) { describe(io, field); });
        }
    }
    template <class T>
    static void read_scaled(const JsonNode& node, const Scaled<T>& field) {
        if constexpr (is_optional<T>::value) {
            field.value = typename T::value_type(node.number() * field.unit);
        } else {
            field.value = T(node.number() * field.unit);
        }
    }

private:
    template <class Body>
    static void nested(const JsonNode& node, Body body) {
        JsonObject object(node);
        FieldReader io(object);
        body(io);
        object.finish();
    }

    JsonObject& object_;
};

class FieldWriter {
public:
    explicit FieldWriter(JsonWriter& out) : out_(out) {
    }

    static constexpr bool reading = false;

    template <class T>
    void required(const char* key, const T& field) {
        optional(key, field);
    }
    /// An empty optional and an empty list are left out.
    template <class T>
    void optional(const char* key, const T& field) {
        if constexpr (is_optional<T>::value || is_vector<T>::value) {
            if (field == T{}) {
                return;
            }
        }
        out_.key(key);
        write(field);
    }
    template <class T>
    void optional(const char* key, const Scaled<T>& field) {
        if constexpr (is_optional<std::remove_const_t<T>>::value) {
            if (field.value) {
                out_.key(key).value(base(*field.value) / field.unit);
            }
        } else {
            out_.key(key).value(base(field.value) / field.unit);
        }
    }
    template <class T>
    void required(const char* key, const Scaled<T>& field) {
        optional(key, field);
    }
    template <class Body>
    void object(const char* key, Body body) {
        out_.key(key).begin_object();
        body(*this);
        out_.end_object();
    }
    template <class Body>
    void optional_object(const char* key, bool present, Body body) {
        if (present) {
            object(key, body);
        }
    }
    void ignore(const char* /*key*/) {
    }

    template <class T>
    void write(const T& field) {
        if constexpr (std::is_enum_v<T>) {
            out_.value(name_of(field));
        } else if constexpr (is_optional<T>::value) {
            write(*field);
        } else if constexpr (is_vector<T>::value) {
            out_.begin_array();
            for (const auto& item : field) {
                write(item);
            }
            out_.end_array();
        } else if constexpr (requires { out_.value(field); }) {
            out_.value(field);
        } else {
            out_.begin_object();
            describe(*this, field);
            out_.end_object();
        }
    }

private:
    static double base(double x) {
        return x;
    }
    template <int b, int f, int s, int d>
    static double base(Quantity<b, f, s, d> x) {
        return x.value();
    }

    JsonWriter& out_;
};

/// Reads the root of `document` into `field` by its description.
template <class T>
void read_fields(const JsonNode& node, T& field) {
    FieldReader::read(node, field);
}

/// Writes `field` as one object by its description.
template <class T>
void write_fields(JsonWriter& out, const T& field) {
    FieldWriter io(out);
    io.write(field);
}

/// Throws the problems that `validate` finds, their paths below the node's place.
template <class T>
void require_valid(const JsonNode& node, const T& spec) {
    std::vector<Problem> problems;
    validate(spec, problems);
    throw_if_any(problems, node.where());
}

}  // namespace traincost::io
