#include <cli/operation_options.hpp>

#include <cli/options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/failure_data.hpp>
#include <traincost/io/grid_data.hpp>
#include <traincost/plan/operation_check.hpp>
#include <traincost/plan/price.hpp>

#include <algorithm>
#include <array>

namespace traincost::cli {

namespace {

using Assumptions = std::vector<std::string>;

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

bool is_number(const std::string& text) {
    return !text.empty() && (text.front() == '.' || (text.front() >= '0' && text.front() <= '9'));
}

double share_of_whole(const std::string& text) {
    const double x = parse_fraction(text, Range::positive);
    if (x > 1.0) {
        fail("'" + text + "' is more than the whole; allowed: up to 100%");
    }
    return x;
}

std::string price_kind(const std::string& text) {
    const std::span<const std::string_view> kinds = price_kinds();
    if (std::find(kinds.begin(), kinds.end(), text) == kinds.end()) {
        fail("'" + text + "' is not known" + did_you_mean(text, kinds) +
             "; allowed: on-demand, reserved, spot, market, own");
    }
    return text;
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
    fail(flag + ": '" + id + "' is not known" + did_you_mean(id, ids) + "; allowed: " + allowed);
}

void resolve_failures(const OperationFlags& f, const Catalogue& catalogue, Operation& o, Assumptions& out) {
    constexpr double hour = 3600.0;
    if (f.mtbf) {
        o.failure_rate.reset();
        o.between_failures.reset();
        if (is_number(*f.mtbf)) {
            try {
                o.between_failures = parse_duration(*f.mtbf, Range::positive);
            } catch (const Error& error) {
                fail(std::string("--mtbf: ") + error.what());
            }
        } else {
            o.failure_rate = *f.mtbf;
        }
    }
    if (!o.failure_rate && !o.between_failures) {
        for (const auto& [given, flag] : {std::pair{o.storage.has_value(), "--storage-bandwidth"},
                                          std::pair{o.restart.has_value(), "--restart"}}) {
            if (given) {
                fail(std::string(flag) + ": needs --mtbf, the accelerator-time between failures");
            }
        }
        return;
    }
    const FailureData data = read_failure_data(catalogue);
    if (o.failure_rate && !o.between_failures) {
        const FailureRate& rate =
            record_of(data.rates, *o.failure_rate, "--mtbf", "accelerator-time as in 50000h");
        o.between_failures = rate.per_failure;
        out.push_back("failures: one in " + count_text(rate.per_failure.value() / hour) +
                      " accelerator-hours, as " + rate.id + " had: " + rate.what + " (--mtbf)");
    }
    if (!o.storage) {
        fail("--mtbf: needs --storage-bandwidth, what all ranks write a checkpoint with together: 200GB/s");
    }
    if (!o.restart) {
        o.restart = data.restart;
        out.push_back("restart: " + to_text(data.restart) +
                      " from a failure to training again, lost work apart: " + data.restart_what + " [" +
                      data.restart_source + "] (--restart)");
    }
}

void resolve_grid(const OperationFlags& f, const Catalogue& catalogue, Operation& o, Assumptions& out) {
    if (f.grid) {
        o.grid.reset();
        o.grid_grams_per_kwh.reset();
        if (is_number(*f.grid)) {
            try {
                o.grid_grams_per_kwh = parse_number(*f.grid, Range::not_negative);
            } catch (const Error& error) {
                fail(std::string("--grid: ") + error.what());
            }
        } else {
            o.grid = *f.grid;
        }
    }
    if (o.grid && !o.grid_grams_per_kwh) {
        const std::vector<GridIntensity> grids = read_grid_intensities(catalogue);
        const GridIntensity& grid = record_of(grids, *o.grid, "--grid", "grams a kWh as in 400");
        o.grid_grams_per_kwh = grid.grams_per_kwh;
        out.push_back("grid: " + to_significant(grid.grams_per_kwh) + " g of CO2 equivalent a kWh, " +
                      grid.what + ", " + grid.date + " [" + grid.source + "] (--grid)");
    }
}

/// Checks what an owned cluster needs, and that nothing of it was given in vain.
void resolve_ownership(Operation& o, Assumptions& out) {
    if (o.price != "own") {
        for (const auto& [given, flag] :
             {std::pair{o.kwh.has_value(), "--electricity-price"}, std::pair{o.life.has_value(), "--life"},
              std::pair{o.utilization.has_value(), "--utilization"},
              std::pair{o.gpu_purchase.has_value(), "--gpu-purchase-price"}}) {
            if (given) {
                fail(std::string(flag) + ": is for --price own");
            }
        }
        return;
    }
    std::vector<Problem> missing;
    if (!o.kwh) {
        missing.push_back({"--electricity-price", "is missing: dollars a kWh, for --price own"});
    }
    if (!o.life) {
        missing.push_back({"--life", "is missing: the time a purchase is written off in, for --price own"});
    }
    if (!missing.empty()) {
        throw Error(ErrorKind::usage, std::move(missing));
    }
    if (!o.utilization) {
        o.utilization = 1.0;
        out.emplace_back("utilization: what is owned trains all its life (--utilization)");
    }
    if (!o.pue) {
        o.pue = 1.0;
        out.emplace_back("PUE: 1, no power of the building is paid (--pue)");
    }
}

/// Ranges are those of a job file's operation; errors name the flags.
void require_in_range(const Operation& operation) {
    constexpr std::array<std::array<std::string_view, 2>, 11> flags = {
        {{"operation.accelerator_hours_per_failure", "--mtbf"},
         {"operation.storage_GBps", "--storage-bandwidth"},
         {"operation.restart_s", "--restart"},
         {"operation.usd_per_gpu_hour", "--gpu-hour-price"},
         {"operation.usd_per_gpu_purchase", "--gpu-purchase-price"},
         {"operation.usd_per_kWh", "--electricity-price"},
         {"operation.life_years", "--life"},
         {"operation.utilization", "--utilization"},
         {"operation.power_share", "--power-share"},
         {"operation.pue", "--pue"},
         {"operation.g_CO2e_per_kWh", "--grid"}}};
    std::vector<Problem> problems;
    validate(operation, problems);
    for (Problem& problem : problems) {
        for (const auto& [key, flag] : flags) {
            if (problem.path == key) {
                const std::string unit(key.substr(key.find('.') + 1));
                problem.path = std::string(flag) + (flag.substr(2) == unit ? "" : " (" + unit + ")");
            }
        }
    }
    if (!problems.empty()) {
        throw Error(ErrorKind::usage, std::move(problems));
    }
}

std::string price_list(const ClusterSpec& cluster) {
    std::vector<std::string> kinds;
    for (const NodePrice& price : cluster.prices) {
        if (price.per_hour && std::find(kinds.begin(), kinds.end(), price.kind) == kinds.end()) {
            kinds.push_back(price.kind);
        }
    }
    std::string text;
    for (const std::string& kind : kinds) {
        text += (text.empty() ? "" : ", ") + kind;
    }
    return text.empty() ? "none" : text;
}

[[noreturn]] void fail_unpriced(const ClusterSpec& cluster, const Operation& o) {
    if (o.power_share && !power_watts(cluster)) {
        throw Error(ErrorKind::input, "--power-share: the power of " + cluster.id + " is not known");
    }
    if (o.price == "own") {
        throw Error(ErrorKind::input,
                    "--price: " + (power_watts(cluster) ? "no purchase price of " + cluster.id +
                                                              " is known; give --gpu-purchase-price"
                                                        : "the power of " + cluster.id + " is not known"));
    }
    throw Error(ErrorKind::input, "--price: " + cluster.id + " has no " + o.price.value_or("hourly") +
                                      " price; it has " + price_list(cluster));
}

/// What a job pays that leaves a part of its last node to others, or to nobody.
void state_part_of_node(const ClusterSpec& cluster, Assumptions& out) {
    const std::int64_t used = cluster.accelerators % cluster.per_node;
    if (used == 0) {
        return;
    }
    const std::string all = std::to_string(cluster.per_node);
    const std::string whole = to_text(*hourly_price(cluster)) + " an hour";
    if (cluster.whole_nodes) {
        out.push_back("whole nodes: " + std::to_string(cluster.per_node - used) + " of the last node's " +
                      all + " accelerators are paid but not used (--whole-nodes)");
    } else {
        out.push_back("part of a node: " + std::to_string(used) + " of the last node's " + all +
                      " accelerators are paid; the whole node is " + whole + " (--whole-nodes)");
    }
}

void state_price(const Job& job, Assumptions& out) {
    if (!job.run.tokens) {
        return;
    }
    for (const NodePrice& price : job.cluster.prices) {
        if (price.per_hour) {
            const bool own = price.kind == "own";
            out.push_back(
                "price: " + to_text(price.amount) + " a node-hour, " +
                to_text(price.amount / static_cast<double>(job.cluster.per_node)) + " a GPU-hour, " +
                price.kind +
                (price.provider.empty() || price.provider == price.kind ? "" : ", " + price.provider) +
                (price.as_of.empty() ? "" : ", as of " + price.as_of) +
                (own ? ", from " + price.source : "") + " (--price, --gpu-hour-price)");
            state_part_of_node(job.cluster, out);
            return;
        }
    }
    out.push_back("price: none is known of " + job.cluster.id + " (--gpu-hour-price)");
}

}  // namespace

void add_operation_options(CLI::App& app, OperationFlags& f) {
    Operation& o = f.given;
    add_parsed(app, "--price", o.price, "KIND", price_kind,
               "Kind of price: on-demand, reserved, spot, market or own; default: the catalogue's first");
    add_parsed(
        app, "--gpu-hour-price", o.gpu_hour, "DOLLARS", [](auto& t) { return parse_dollars(t); },
        "Price per accelerator-hour");
    app.add_flag("--whole-nodes", f.whole_nodes,
                 "Nodes are rented whole: the last one is paid in full; default: accelerators used");
    add_parsed(
        app, "--gpu-purchase-price", o.gpu_purchase, "DOLLARS",
        [](auto& t) { return parse_dollars(t, Range::positive); },
        "Purchase price per accelerator, node and network included, for --price own");
    add_parsed(
        app, "--life", o.life, "TIME", [](auto& t) { return parse_duration(t, Range::positive); },
        "Write-off period, as in 1461d, for --price own");
    add_parsed(app, "--utilization", o.utilization, "FRACTION", share_of_whole,
               "Share of its life that owned hardware spends training, for --price own");
    add_parsed(
        app, "--electricity-price", o.kwh, "DOLLARS", [](auto& t) { return parse_dollars(t); },
        "Price per kWh, for --price own");
    add_parsed(app, "--power-share", o.power_share, "FRACTION", share_of_whole,
               "Share of the nodes' rated power drawn in training; default: 100%");
    add_parsed(
        app, "--pue", o.pue, "NUMBER",
        [](auto& t) {
            const double x = parse_number(t, Range::positive);
            if (x < 1.0) {
                fail("'" + t + "' is less than 1, the power of the nodes alone");
            }
            return x;
        },
        "Power usage effectiveness: facility power over node power");
    add_parsed(
        app, "--grid", f.grid, "GRAMS|ID", [](auto& t) { return t; },
        "Grid carbon intensity in g CO2e per kWh, as in 400, or a grid's id, as in france");
    add_parsed(
        app, "--mtbf", f.mtbf, "TIME|ID", [](auto& t) { return t; },
        "Accelerator-time between failures, as in 50000h, or a measured rate's id, as in llama-3-405b");
    add_parsed(
        app, "--storage-bandwidth", o.storage, "RATE",
        [](auto& t) { return parse_byte_rate(t, Range::positive); },
        "Aggregate checkpoint bandwidth, as in 200GB/s; training waits meanwhile");
    add_parsed(
        app, "--restart", o.restart, "TIME", [](auto& t) { return parse_duration(t, Range::not_negative); },
        "Time from a failure to resumed training, lost work excluded");
}

Operation resolve_operation(const OperationFlags& f, const Operation& file, const Catalogue& catalogue,
                            Job& job, std::vector<std::string>& assumptions) {
    if (f.given.price && f.given.gpu_hour) {
        fail("--price: excludes --gpu-hour-price");
    }
    if (!job.run.tokens) {
        for (const auto& [given, flag] : {std::pair{f.grid.has_value(), "--grid"},
                                          std::pair{f.given.power_share.has_value(), "--power-share"},
                                          std::pair{f.given.pue && f.given.price != "own", "--pue"}}) {
            if (given) {
                fail(std::string(flag) + ": needs --tokens, the tokens to train on");
            }
        }
    }
    Operation o = overridden(file, f.given);
    if (f.whole_nodes) {
        o.whole_nodes = true;
    }
    resolve_failures(f, catalogue, o, assumptions);
    resolve_grid(f, catalogue, o, assumptions);
    require_in_range(o);
    resolve_ownership(o, assumptions);
    if (o.grid_grams_per_kwh && !o.pue) {
        assumptions.emplace_back("PUE: 1, no power of the building is counted (--pue)");
    }
    std::optional<ClusterSpec> cluster = operated(job.cluster, o);
    if (!cluster) {
        fail_unpriced(job.cluster, o);
    }
    job.cluster = std::move(*cluster);
    state_price(job, assumptions);
    if (job.run.tokens && !o.between_failures) {
        assumptions.emplace_back("failures: none are counted, nor checkpoints (--mtbf)");
    }
    return o;
}

}  // namespace traincost::cli
