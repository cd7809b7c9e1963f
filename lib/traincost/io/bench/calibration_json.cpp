#include "traincost/io/bench/calibration_json.hpp"
#include "traincost/io/json_writer.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

std::string_view name_of(Fitted to) {
    return to == Fitted::time ? "time" : "memory";
}

void write_errors(JsonWriter& out, std::string_view key, const ErrorStatistics& errors) {
    out.key(key)
        .begin_object()
        .member("mape", errors.mape)
        .member("median_ape", errors.median_ape)
        .member("p90_ape", errors.p90_ape)
        .member("bias", errors.bias)
        .member("within_10pct", errors.within_10pct)
        .end_object();
}

void set(JsonValue::Object& object, std::string_view key, JsonValue value) {
    const auto found = std::find_if(object.begin(), object.end(),
                                    [&](const JsonMember& member) { return member.key == key; });
    if (found != object.end())
        found->value = std::move(value);
    else
        object.push_back({std::string(key), std::move(value)});
}

/// The object below `key`, made where there is none.
JsonValue::Object& object_at(JsonValue::Object& object, std::string_view key) {
    const auto found = std::find_if(object.begin(), object.end(),
                                    [&](const JsonMember& member) { return member.key == key; });
    if (found == object.end() || found->value.object() == nullptr)
        set(object, key, JsonValue{JsonValue::Object{}});
    const auto there = std::find_if(object.begin(), object.end(),
                                    [&](const JsonMember& member) { return member.key == key; });
    return std::get<JsonValue::Object>(there->value.data);
}

/// The choice with the fitted value, and what it was fitted to.
JsonValue fitted_claim(const Calibration& c, const FittedConstant& fitted,
                       std::span<const std::string> sources) {
    constexpr int digits = 3;
    std::string names;
    for (const std::string& source : sources)
        names += (names.empty() ? "" : ", ") + source;
    JsonValue::Object claim = {{"value", JsonValue{std::stod(to_significant(fitted.after, digits))}},
                               {"kind", JsonValue{std::string("fitted")}},
                               {"n", JsonValue{c.fitted.n}}};
    if (sources.size() == 1)  // which of several a stack's records are from is not known here
        claim.push_back({"sources", JsonValue{std::int64_t{1}}});
    if (c.held_out.n > 0)
        claim.push_back({"held_out_error", JsonValue{std::stod(to_significant(c.held_out.mape, digits))}});
    claim.push_back(
        {"why", JsonValue{"records of " + names + (fitted.at_bound ? "; at the limit of its range" : "")}});
    return JsonValue{std::move(claim)};
}

}  // namespace

std::string calibration_json(std::span<const Calibration> calibrations) {
    JsonWriter out;
    out.begin_object().member("schema_version", 1).key("calibrations").begin_array();
    for (const Calibration& c : calibrations) {
        out.begin_object()
            .member(c.of == Subject::stack ? "stack" : "accelerator", c.subject)
            .member("fitted_to", name_of(c.to))
            .member("n", c.fitted.n);
        write_errors(out, "error_before", c.before);
        write_errors(out, "error_fitted", c.fitted);
        write_errors(out, "error_held_out", c.held_out);
        out.key("constants").begin_array();
        for (const FittedConstant& fitted : c.constants) {
            out.begin_object()
                .member("name", fitted.constant->name)
                .member("before", fitted.before)
                .member("after", fitted.after)
                .member("standard_error", fitted.standard_error)
                .member("bound_by_records", fitted.bound)
                .member("at_end_of_range", fitted.at_bound)
                .end_object();
        }
        out.end_array().end_object();
    }
    return out.end_array().end_object().text();
}

std::string cross_validation_json(std::span<const CrossValidation> validations, const std::string& by) {
    JsonWriter out;
    out.begin_object().member("schema_version", 1).member("by", by).key("cross_validations").begin_array();
    for (const CrossValidation& v : validations) {
        const auto write_constants = [&](std::string_view key, const std::vector<double>& values) {
            out.key(key).begin_object();
            for (std::size_t i = 0; i < v.names.size(); ++i)
                out.member(v.names[i], values[i]);
            out.end_object();
        };
        out.begin_object()
            .member(v.of == Subject::stack ? "stack" : "accelerator", v.subject)
            .member("fitted_to", name_of(v.to))
            .member("n", v.as_is.n);
        write_constants("present", v.present);
        write_errors(out, "error_as_is", v.as_is);
        write_errors(out, "error_refitted", v.refitted);
        out.key("groups").begin_array();
        for (const LeftOutGroup& group : v.groups) {
            out.begin_object().member("group", group.group).member("n", group.as_is.n);
            write_errors(out, "error_as_is", group.as_is);
            write_errors(out, "error_refitted", group.refitted);
            write_constants("constants", group.constants);
            out.end_object();
        }
        out.end_array().end_object();
    }
    return out.end_array().end_object().text();
}

std::string calibrated_stack_record(const JsonDocument& document, std::span<const Calibration> calibrations,
                                    std::span<const std::string> sources) {
    JsonValue record = document.root;
    if (record.object() == nullptr)
        throw Error(ErrorKind::input, document.file + ": a stack record must be an object");
    auto& object = std::get<JsonValue::Object>(record.data);
    for (const Calibration& c : calibrations) {
        for (const FittedConstant& fitted : c.constants) {
            if (!fitted.bound)
                continue;
            const std::string_view path = fitted.constant->name;
            const std::size_t dot = path.find('.');
            set(object_at(object, path.substr(0, dot)), path.substr(dot + 1),
                fitted_claim(c, fitted, sources));
        }
    }
    JsonWriter out(4);
    out.value(record);
    return out.text();
}

}  // namespace traincost
