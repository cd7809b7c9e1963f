#include "traincost/io/answers/shard_json.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "traincost/base/text.hpp"
#include "traincost/io/answers/estimate_json.hpp"
#include "traincost/io/content_hash.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/io/specs/run_json.hpp"
#include "traincost/spec/names.hpp"

#include "traincost/io/answers/search_json.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/plan/search_check.hpp"

namespace traincost {

namespace {

constexpr const char* shard_schema = "shard/1";

/// The members of a configuration in the order files list them.
constexpr std::array<std::int32_t Configuration::*, 15> configuration_members = {
    &Configuration::site,
    &Configuration::tp,
    &Configuration::cp,
    &Configuration::pp,
    &Configuration::ep,
    &Configuration::etp,
    &Configuration::sequence_parallel,
    &Configuration::micro_batch,
    &Configuration::vp,
    &Configuration::schedule,
    &Configuration::zero,
    &Configuration::hybrid_shard,
    &Configuration::recompute,
    &Configuration::offload,
    &Configuration::dp};

void write_plan(JsonWriter& out, const Plan& plan) {
    out.begin_object();
    out.key("configuration").begin_array();
    for (const auto member : configuration_members)
        out.value(static_cast<std::int64_t>(plan.configuration.*member));
    out.end_array();
    out.member("time_s", plan.metrics.time);
    out.member("memory_bytes", plan.metrics.memory);
    out.member("cost_usd", plan.metrics.cost);
    out.member("energy_j", plan.metrics.energy);
    out.member("value", plan.value);
    out.end_object();
}

void write_plans(JsonWriter& out, const char* name, const std::vector<Plan>& plans) {
    out.key(name).begin_array();
    for (const Plan& plan : plans)
        write_plan(out, plan);
    out.end_array();
}

void write_optional_plan(JsonWriter& out, const char* name, const std::optional<Plan>& plan) {
    out.key(name);
    if (plan) {
        write_plan(out, *plan);
    } else {
        out.null();
    }
}

/// All members but the checksum.
std::string shard_body(const ShardFile& file) {
    JsonWriter out(0);
    out.begin_object();
    out.member("schema", shard_schema);
    out.array("arguments", file.arguments);
    out.member("request", file.request);
    out.member("shard", file.shard + 1);
    out.member("shards", file.shards);
    out.member("interrupted", file.result.interrupted);
    write_counts(out, file.result.counts);
    write_plans(out, "best", file.result.best);
    write_plans(out, "pareto", file.result.pareto);
    write_optional_plan(out, "smallest", file.result.smallest);
    write_optional_plan(out, "fastest", file.result.fastest);
    write_optional_plan(out, "cheapest", file.result.cheapest);
    out.end_object();
    return out.text();
}

Plan plan_from(const JsonNode& node) {
    JsonObject in(node);
    Plan plan{};
    const JsonNode members = in.at("configuration");
    const std::vector<JsonNode> values = members.items();
    if (values.size() != configuration_members.size())
        members.fail("must have " + std::to_string(configuration_members.size()) + " numbers");
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t value = values[i].integer(0);
        if (value > INT32_MAX)
            values[i].fail("is too large");
        plan.configuration.*configuration_members[i] = static_cast<std::int32_t>(value);
    }
    plan.metrics.time = Seconds{in.at("time_s").number()};
    plan.metrics.memory = Bytes{in.at("memory_bytes").number()};
    plan.metrics.cost = Dollars{in.at("cost_usd").number()};
    plan.metrics.energy = in.at("energy_j").number();
    plan.value = in.at("value").number();
    in.finish();
    return plan;
}

std::vector<Plan> plans_from(const JsonNode& node) {
    std::vector<Plan> plans;
    for (const JsonNode& item : node.items())
        plans.push_back(plan_from(item));
    return plans;
}

std::optional<Plan> optional_plan_from(JsonObject& in, const char* key) {
    const auto node = in.find(key);
    return node ? std::optional<Plan>(plan_from(*node)) : std::nullopt;
}

/// Far above any search, and sums of such counts stay exact.
std::int64_t count_from(JsonObject& in, const char* key) {
    constexpr std::int64_t most = 1'000'000'000'000'000;
    const JsonNode node = in.at(key);
    const std::int64_t n = node.integer(0);
    if (n > most)
        node.fail(std::to_string(n) + "; must be at most " + std::to_string(most));
    return n;
}

SearchCounts counts_from(const JsonNode& node) {
    JsonObject in(node);
    SearchCounts c;
    c.enumerated = count_from(in, "enumerated");
    const JsonNode pruned = in.at("pruned");
    c.cut_by_memory = count_from(in, "cut_by_memory");
    c.cut_by_plans = count_from(in, "cut_by_plans");
    if (pruned.integer(0) != c.pruned())
        pruned.fail("is not cut_by_memory + cut_by_plans");
    c.evaluated = count_from(in, "evaluated");
    c.does_not_fit = count_from(in, "does_not_fit");
    c.over_deadline = count_from(in, "over_deadline");
    c.over_budget = count_from(in, "over_budget");
    c.feasible = count_from(in, "feasible");
    in.finish();
    return c;
}

/// "2, 3 and 7": what of 0 to n - 1 is not among the rising `present`, counted from 1, the first few by
/// number.
std::string absent_of(const std::map<std::int64_t, std::string>& present, std::int64_t n) {
    constexpr std::int64_t listed = 10;
    const std::int64_t absent = n - static_cast<std::int64_t>(present.size());
    std::string text;
    std::int64_t named = 0;
    for (std::int64_t i = 0; named < std::min(absent, listed); ++i) {
        if (!present.contains(i)) {
            text += (text.empty() ? "" : ", ") + std::to_string(i + 1);
            ++named;
        }
    }
    return absent > named ? text + " and " + std::to_string(absent - named) + " more" : text;
}

}  // namespace

std::string shard_text(const ShardFile& file) {
    std::string body = shard_body(file);
    const std::string sum = content_hash(body);
    while (body.back() != '}')
        body.pop_back();
    body.pop_back();
    return body + ",\"checksum\":\"" + sum + "\"}\n";
}

ShardFile shard_from_json(const JsonNode& node) {
    JsonObject in(node);
    const JsonNode schema = in.at("schema");
    if (schema.string() != shard_schema)
        schema.fail("the schema is '" + schema.string() + "'; must be '" + shard_schema + "'");
    ShardFile file{};
    file.arguments = in.at("arguments").strings();
    file.request = in.at("request").string();
    const JsonNode shards = in.at("shards");
    file.shards = shards.integer(1);
    const JsonNode shard = in.at("shard");
    file.shard = shard.integer(1) - 1;
    if (file.shard >= file.shards)
        shard.fail("is " + std::to_string(file.shard + 1) + " of " + std::to_string(file.shards));
    file.result.interrupted = in.at("interrupted").boolean();
    file.result.counts = counts_from(in.at("counts"));
    file.result.best = plans_from(in.at("best"));
    file.result.pareto = plans_from(in.at("pareto"));
    file.result.smallest = optional_plan_from(in, "smallest");
    file.result.fastest = optional_plan_from(in, "fastest");
    file.result.cheapest = optional_plan_from(in, "cheapest");
    const JsonNode checksum = in.at("checksum");
    in.finish();
    if (content_hash(shard_body(file)) != checksum.string())
        checksum.fail("does not match the file's content, which was damaged or edited");
    return file;
}

SearchResult merge_shards(const std::vector<ShardFile>& files, const std::vector<std::string>& names,
                          std::size_t top) {
    if (files.empty())
        throw Error(ErrorKind::usage, "no shard files are given");
    std::map<std::int64_t, std::string> seen;
    std::vector<SearchResult> results;
    const std::int64_t shards = files.front().shards;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const ShardFile& file = files[i];
        if (file.request != files.front().request || file.shards != shards) {
            throw Error(ErrorKind::input, names[i] + ": belongs to a different search than " + names.front());
        }
        const auto [slot, is_new] = seen.emplace(file.shard, names[i]);
        if (!is_new) {
            throw Error(ErrorKind::input, names[i] + ": is shard " + std::to_string(file.shard + 1) + " of " +
                                              std::to_string(shards) + ", as " + slot->second + " is");
        }
        results.push_back(file.result);
    }
    if (const std::string missing = absent_of(seen, shards); !missing.empty()) {
        throw Error(ErrorKind::input, "shard " + missing + " of " + std::to_string(shards) + " is missing");
    }
    return merge(results, top);
}

SearchResult read_shards(const std::vector<std::string>& names, const SearchRequest& request) {
    std::vector<ShardFile> files;
    for (const std::string& name : names) {
        const JsonDocument document = read_json_file(name);
        files.push_back(shard_from_json(JsonNode(document)));
        if (files.back().request != fingerprint(request)) {
            throw Error(ErrorKind::input, name + ": was made from other inputs than its arguments now give");
        }
        std::vector<Problem> problems;
        validate(files.back().result, request, problems);
        for (Problem& problem : problems) {
            problem.path.insert(0, name + ":");
        }
        throw_if_any(problems);
    }
    return merge_shards(files, names, request.top);
}

}  // namespace traincost
