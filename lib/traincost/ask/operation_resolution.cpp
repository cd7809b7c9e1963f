#include "traincost/ask/operation_resolution.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/io/bench/failure_data.hpp"
#include "traincost/io/bench/grid_data.hpp"
#include "traincost/plan/price.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

namespace {

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

/// The record called `id`; the error lists them all.
template <class Record>
const Record& record_of(const std::vector<Record>& records, const std::string& id, const std::string& flag,
                        const std::string& else_allowed) {
    std::vector<std::string> ids;
    for (const Record& record : records) {
        if (record.id == id) {
            return record;
        }
        ids.push_back(record.id);
    }
    std::string allowed = else_allowed;
    for (const std::string& name : ids) {
        allowed += ", " + name;
    }
    fail(flag + ": unknown value '" + id + "'; allowed: " + allowed + did_you_mean(id, ids));
}

void resolve_failures(const Catalogue& catalogue, Operation& o, Assumptions& out) {
    constexpr double hour = 3600.0;
    if (!o.failure_rate && !o.between_failures) {
        for (const auto& [said, flag] : {std::pair{o.storage.has_value(), "--storage-bandwidth"},
                                         std::pair{o.restart.has_value(), "--restart"}}) {
            if (said)
                fail(std::string(flag) + ": needs --mtbf");
        }
        return;
    }
    const FailureData data = read_failure_data(catalogue);
    if (o.failure_rate && !o.between_failures) {
        const FailureRate& rate =
            record_of(data.rates, *o.failure_rate, "--mtbf", "accelerator-time, as in 50000h");
        o.between_failures = rate.per_failure;
        out.push_back({"failures",
                       "one in " + count_text(rate.per_failure.value() / hour) + " accelerator-hours",
                       "the rate of " + rate.id + ": " + rate.what, "--mtbf"});
    }
    if (!o.storage)
        fail("--mtbf: needs --storage-bandwidth, the aggregate checkpoint bandwidth, as in 200GB/s");
    if (!o.restart) {
        o.restart = data.restart;
        out.push_back({"restart", to_text(data.restart) + " from failure to resumed training",
                       "excluding lost work: " + data.restart_what + " [" + data.restart_source + "]",
                       "--restart"});
    }
}

void resolve_grid(const Catalogue& catalogue, Operation& o, Assumptions& out) {
    if (!o.grid || o.grid_grams_per_kwh)
        return;
    const std::vector<GridIntensity> grids = read_grid_intensities(catalogue);
    const GridIntensity& grid = record_of(grids, *o.grid, "--grid", "grams per kWh, as in 400");
    o.grid_grams_per_kwh = grid.grams_per_kwh;
    out.push_back({"grid", to_significant(grid.grams_per_kwh) + " g CO2e per kWh",
                   grid.what + ", " + grid.date + " [" + grid.source + "]", "--grid"});
}

/// Checks what an owned cluster needs, and that nothing of it was given in vain.
void resolve_ownership(Operation& o, Assumptions& out) {
    if (o.price != "own") {
        for (const auto& [given, flag] :
             {std::pair{o.kwh.has_value(), "--electricity-price"}, std::pair{o.life.has_value(), "--life"},
              std::pair{o.utilization.has_value(), "--utilization"},
              std::pair{o.gpu_purchase.has_value(), "--gpu-purchase-price"}}) {
            if (given) {
                fail(std::string(flag) + ": applies only to --price own");
            }
        }
        return;
    }
    std::vector<Problem> missing;
    if (!o.kwh) {
        missing.push_back({"--electricity-price", "missing; --price own needs the price per kWh in dollars"});
    }
    if (!o.life) {
        missing.push_back({"--life", "missing; --price own needs the write-off period"});
    }
    if (!missing.empty()) {
        throw Error(ErrorKind::usage, std::move(missing));
    }
    if (!o.utilization) {
        o.utilization = 1.0;
        out.push_back({"utilization", "owned hardware trains all its life", "", "--utilization"});
    }
    if (!o.pue) {
        o.pue = 1.0;
        out.push_back({"PUE", "1", "facility overhead is not paid", "--pue"});
    }
}

/// Ranges are those of a job file's operation; errors name the place, and the unit where a flag hides it.
void require_in_range(const Operation& operation, const JobDraft& draft) {
    std::vector<Problem> problems;
    validate(operation, problems);
    for (Problem& problem : problems) {
        const JobField* field = job_field(problem.path);
        const std::string* where = field != nullptr ? field->where(draft) : nullptr;
        if (where == nullptr)
            continue;
        const std::string unit(field->key.substr(field->key.find('.') + 1));
        const bool same = where->ends_with(unit);
        problem.path = *where + (same ? "" : " (" + unit + ")");
    }
    if (!problems.empty())
        throw Error(ErrorKind::usage, std::move(problems));
}

/// "on-demand, spot": the kinds of hourly price that are known of nodes; nothing where none is.
std::string price_list(const std::vector<ClusterSpec>& nodes) {
    std::vector<std::string> kinds;
    std::string text;
    for (const ClusterSpec& node : nodes) {
        for (const NodePrice& price : node.prices) {
            if (!price.per_hour || std::find(kinds.begin(), kinds.end(), price.kind) != kinds.end())
                continue;
            kinds.push_back(price.kind);
            text += (text.empty() ? "" : ", ") + price.kind;
        }
    }
    return text;
}

/// The nodes that could have had the price: the one named, or all with the accelerator.
std::vector<ClusterSpec> nodes_asked(const JobDraft& draft, const Catalogue& catalogue,
                                     const ClusterSpec& cluster) {
    std::vector<ClusterSpec> nodes = {cluster};
    if (draft.cluster)
        return nodes;
    for (const std::string& id : catalogue.clusters_with(cluster.accelerator.id))
        nodes.push_back(catalogue.cluster(id, cluster.accelerator.id, cluster.accelerators).spec);
    return nodes;
}

[[noreturn]] void fail_unpriced(const JobDraft& draft, const Catalogue& catalogue, const ClusterSpec& cluster,
                                const Operation& o) {
    if (o.power_share && !power_watts(cluster)) {
        throw Error(ErrorKind::input, "--power-share: the power of " + cluster.id + " is not known");
    }
    if (o.price == "own") {
        throw Error(ErrorKind::input,
                    "--price: " + (power_watts(cluster) ? "no purchase price of " + cluster.id +
                                                              " is known; give --gpu-purchase-price"
                                                        : "the power of " + cluster.id + " is not known"));
    }
    const std::string asked = o.price.value_or("hourly") + " price";
    const std::string known = price_list(nodes_asked(draft, catalogue, cluster));
    throw Error(ErrorKind::input,
                "--price: " +
                    (draft.cluster ? cluster.id + " has no " + asked
                                   : "no node with " + cluster.accelerator.id + " has a known " + asked) +
                    (known.empty() ? "; give --gpu-hour-price" : "; known: " + known));
}

/// What a job pays that leaves a part of its last node to others, or to nobody.
void state_part_of_node(const ClusterSpec& cluster, Assumptions& out) {
    const std::int64_t used = cluster.accelerators % cluster.per_node;
    if (used == 0) {
        return;
    }
    const std::string all = std::to_string(cluster.per_node);
    const std::string whole = to_text(*hourly_price(cluster)) + " per hour";
    if (cluster.whole_nodes) {
        out.push_back(assumption_from("whole nodes: " + std::to_string(cluster.per_node - used) +
                                      " of the last node's " + all +
                                      " accelerators are paid for but unused (--whole-nodes)"));
    } else {
        out.push_back(assumption_from("part of a node: " + std::to_string(used) + " of the last node's " +
                                      all + " accelerators are paid for; the whole node is " + whole +
                                      " (--whole-nodes)"));
    }
}

void state_price(const Job& job, Assumptions& out) {
    if (!job.run.tokens) {
        return;
    }
    for (const NodePrice& price : job.cluster.prices) {
        if (price.per_hour) {
            const bool own = price.kind == "own";
            out.push_back(assumption_from(
                "price: " + to_text(price.amount) + " per node-hour, " +
                to_text(price.amount / static_cast<double>(job.cluster.per_node)) + " per GPU-hour, " +
                price.kind +
                (price.provider.empty() || price.provider == price.kind ? "" : ", " + price.provider) +
                (price.as_of.empty() ? "" : ", as of " + price.as_of) +
                (own ? ", from " + price.source : "") + " (--price, --gpu-hour-price)"));
            state_part_of_node(job.cluster, out);
            return;
        }
    }
    out.push_back({"price", "no known price for " + job.cluster.id + " with " + job.cluster.accelerator.id,
                   "", "--gpu-hour-price"});
}

/// What was said and has no effect without --tokens, or beside another price.
void refuse_what_has_no_effect(const JobDraft& draft, const Job& job) {
    if (draft.price && draft.gpu_hour)
        fail("--price: cannot be combined with --gpu-hour-price");
    if (job.run.tokens)
        return;
    const bool pue_in_vain = draft.pue && draft.price.value != "own";
    for (const auto& [said, flag] :
         {std::pair{draft.grid                 ? &draft.grid.where
                    : draft.grid_grams_per_kwh ? &draft.grid_grams_per_kwh.where
                                               : nullptr,
                    "--grid"},
          std::pair{draft.power_share ? &draft.power_share.where : nullptr, "--power-share"},
          std::pair{pue_in_vain ? &draft.pue.where : nullptr, "--pue"}}) {
        if (said != nullptr && *said == flag)
            fail(std::string(flag) + ": needs --tokens");
    }
}

}  // namespace

Operation resolve_operation(const JobDraft& draft, const Catalogue& catalogue, Job& job, Assumptions& out) {
    refuse_what_has_no_effect(draft, job);
    Operation o = operation_of(draft);
    resolve_failures(catalogue, o, out);
    resolve_grid(catalogue, o, out);
    require_in_range(o, draft);
    resolve_ownership(o, out);
    if (o.grid_grams_per_kwh && !o.pue)
        out.push_back({"PUE", "1", "facility overhead is not counted", "--pue"});
    std::optional<ClusterSpec> cluster = operated(job.cluster, o);
    if (!cluster)
        fail_unpriced(draft, catalogue, job.cluster, o);
    job.cluster = std::move(*cluster);
    state_price(job, out);
    if (job.run.tokens && !o.between_failures)
        out.push_back({"failures", "not counted", "nor are checkpoints", "--mtbf"});
    return o;
}

}  // namespace traincost
