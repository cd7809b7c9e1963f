#include "traincost/io/specs/stack_claim.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 4> claim_kinds = {"code", "measured", "fitted", "estimate"};

/// "40 runs".
std::string counted(std::int64_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

bool is_claim(const JsonValue& value) {
    return value.object() != nullptr && value.find("value") != nullptr;
}

/// The claim at a node that is one, and its value.
StackClaim read_claim(const JsonNode& node, JsonNode& value) {
    JsonObject object(node);
    StackClaim claim{};
    value = object.at("value");
    claim.kind = static_cast<ClaimKind>(object.at("kind").one_of(claim_kinds));
    if (const auto n = object.find("n"))
        claim.n = n->integer(1);
    if (const auto sources = object.find("sources"))
        claim.sources = sources->integer(1);
    if (const auto error = object.find("held_out_error"))
        claim.held_out_error = error->number();
    if (const auto date = object.find("date"))
        claim.date = date->string();
    claim.why = object.at("why").string();
    object.finish();
    return claim;
}

}  // namespace

JsonNode claimed_value(const JsonNode& choice) {
    if (!is_claim(choice.value()))
        return choice;
    JsonNode value = choice;
    read_claim(choice, value);
    return value;
}

const JsonValue* choice_at(const JsonValue& record, std::string_view path) {
    const JsonValue* value = &record;
    for (std::size_t at = 0; value != nullptr && at <= path.size();) {
        const std::size_t dot = std::min(path.find('.', at), path.size());
        value = value->find(path.substr(at, dot - at));
        at = dot + 1;
    }
    return value;
}

std::optional<StackClaim> claim_of(const JsonDocument& record, std::string_view path) {
    const JsonValue* value = choice_at(record.root, path);
    if (value == nullptr || !is_claim(*value))
        return std::nullopt;
    JsonNode inner(record, *value);
    return read_claim(inner, inner);
}

std::string origin_text(const StackClaim& claim) {
    if (claim.kind == ClaimKind::code)
        return "";
    std::string text(claim_kinds[static_cast<std::size_t>(claim.kind)]);
    if (claim.n)
        text += (claim.kind == ClaimKind::fitted ? " to " : " on ") + counted(*claim.n, "run");
    if (claim.n && claim.sources)
        text += " of " + counted(*claim.sources, "source");
    if (claim.held_out_error)
        text += ", error of runs held out " + percent_text(*claim.held_out_error);
    if (!claim.date.empty())
        text += ", " + claim.date;
    return text;
}

std::string claim_text(const StackClaim& claim) {
    const std::string origin = origin_text(claim);
    return origin.empty() ? claim.why : origin + ": " + claim.why;
}

}  // namespace traincost
