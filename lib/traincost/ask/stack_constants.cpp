#include "traincost/ask/stack_constants.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/io/specs/stack_json.hpp"

namespace traincost {

namespace {

/// A constant that leaves both alone when it grows by this much has no bearing.
constexpr double growth = 1.1;

/// The value at `path` as it stands in the record.
std::string value_at(const JsonDocument& record, const std::string& path) {
    return to_exact(claimed_value(JsonNode(record, *choice_at(record.root, path))).number());
}

Bytes used(const Estimate& e) {
    return e.stages[static_cast<std::size_t>(e.peak_stage)].device;
}

bool bears_on(const std::string& path, const Job& job, const Estimate& e) {
    Job changed = job;
    if (!scale_choice(changed.stack, path, growth))
        return false;
    const Estimate other = estimate(changed);
    return other.step.total != e.step.total || used(other) != used(e);
}

std::size_t count_of(const std::vector<StackConstant>& constants, ClaimKind kind) {
    return static_cast<std::size_t>(std::count_if(
        constants.begin(), constants.end(), [&](const StackConstant& c) { return c.claim.kind == kind; }));
}

/// "on 1 source", "on 1 to 5 sources each"; empty where no fit says.
std::string sources_text(const std::vector<StackConstant>& constants) {
    std::vector<std::int64_t> sources;
    for (const StackConstant& constant : constants) {
        if (constant.claim.kind == ClaimKind::fitted && constant.claim.sources)
            sources.push_back(*constant.claim.sources);
    }
    if (sources.empty())
        return "";
    const auto [least, most] = std::minmax_element(sources.begin(), sources.end());
    std::string text = " on " + std::to_string(*least);
    if (*most > *least)
        text += " to " + std::to_string(*most);
    return text + (*most == 1 ? " source" : " sources") + (sources.size() > 1 ? " each" : "");
}

}  // namespace

std::vector<StackConstant> constants_of(const Job& job, const Estimate& e, const Catalogue& catalogue) {
    std::vector<StackConstant> constants;
    if (!catalogue.find(Room::stacks, job.stack.id))
        return constants;
    const JsonDocument record = catalogue.stack_document(job.stack.id);
    for (const std::string& path : stack_choice_names()) {
        auto claim = claim_of(record, path);
        if (claim && bears_on(path, job, e))
            constants.push_back({path, value_at(record, path), std::move(*claim)});
    }
    return constants;
}

std::string constants_text(const std::vector<StackConstant>& constants, const std::string& stack) {
    const std::size_t fitted = count_of(constants, ClaimKind::fitted);
    std::string text = std::to_string(constants.size()) + " constants of " + stack + " affect this job: ";
    text += std::to_string(fitted) + " fitted" + sources_text(constants);
    text += ", " + std::to_string(count_of(constants, ClaimKind::measured)) + " measured";
    text += ", " + std::to_string(count_of(constants, ClaimKind::estimate)) + " estimated";
    return text + ", " + std::to_string(count_of(constants, ClaimKind::code)) + " from its code.";
}

}  // namespace traincost
