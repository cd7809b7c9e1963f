// `traincost recommend`: the best configurations, and why.

#include <cli/commands/commands.hpp>
#include <cli/given_arguments.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <cli/page_output.hpp>
#include <cli/search_options.hpp>
#include <cli/search_sites.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/residuals_json.hpp>
#include <traincost/io/search_json.hpp>
#include <traincost/plan/relaxation.hpp>
#include <traincost/plan/search_check.hpp>
#include <traincost/plan/search_emptiness.hpp>
#include <traincost/report/answer_pages.hpp>
#include <traincost/report/estimate_tables.hpp>
#include <traincost/report/search_tables.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cmath>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

constexpr int exit_interrupted = 130;  // as shells report SIGINT

struct Flags {
    SearchFlags search;
    OutputFlags output;
    std::vector<std::string> shard_files;  // of merge
    std::optional<double> tie{};
    bool each_cluster = false;
    std::int64_t why = 1;
};

/// Half the relative width of an interval.
double half_width(const std::optional<Interval>& interval) {
    return interval ? (interval->high - interval->low) / (interval->high + interval->low) : 0.0;
}

/// What a difference between two predictions must exceed. Between plans of one cluster and stack: by how much
/// one measured lead in five is overstated. Between others, of whose errors nothing says how they go
/// together, and where only memory counts: half the interval that four of five comparable runs fall in.
TieRule tie_rule(const std::optional<double>& given, const Residuals& residuals, const SearchRequest& request,
                 const SearchResult& result) {
    if (given) {
        return {*given, *given, "--tie"};
    }
    if (result.best.empty()) {
        return {};
    }
    const Job job = job_of(request, result.best.front().configuration);
    const Uncertainty sure = uncertainty(residuals, job, estimate(job));
    const Objective& o = request.objective;
    const bool memory_only = o.time == 0.0 && o.cost == 0.0 && o.energy == 0.0;
    const double apart = half_width(memory_only ? sure.device_bytes : sure.step_time_s);
    const std::optional<LeadError> lead = lead_error(residuals.leads, job.stack.id);
    if (memory_only || !lead) {
        return {apart, apart, "the interval of comparable runs"};
    }
    return {std::exp(lead->overstated) - 1.0, apart,
            std::to_string(lead->pairs) + " measured pairs of layouts in " + std::to_string(lead->groups) +
                " groups" + (lead->stack.empty() ? "" : " of " + lead->stack)};
}

SearchResult read_shards(const Flags& flags, const SearchRequest& request) {
    std::vector<ShardFile> files;
    for (const std::string& name : flags.shard_files) {
        const JsonDocument document = read_json_file(name);
        files.push_back(shard_from_json(JsonNode(document)));
        if (files.back().request != fingerprint(request)) {
            throw Error(ErrorKind::input, name + ": was made with other inputs than its arguments give now");
        }
        std::vector<Problem> problems;
        validate(files.back().result, request, problems);
        for (Problem& problem : problems) {
            problem.path.insert(0, name + ":");
        }
        throw_if_any(problems);
    }
    return merge_shards(files, flags.shard_files, request.top);
}

void print_answer(const Flags& flags, Context& context, const ResolvedSearch& resolved,
                  const SearchResult& result, const std::vector<std::string>& relaxed, double seconds) {
    const SearchRequest& request = resolved.request;
    const Residuals residuals = read_residuals(context.data_folder);
    const TieRule tie = tie_rule(flags.tie, residuals, request, result);
    const FitProbability fits = [&](const Plan& plan) {
        const Job job = job_of(request, plan.configuration);
        return probability_of_fitting(residuals, job, estimate(job));
    };
    const std::vector<Recommendation> plans = recommend(request, result, tie, resolved.operation);
    const std::vector<std::string> assumptions = assumptions_of(resolved, result);
    if (flags.output.json) {
        JsonWriter out;
        out.begin_object();
        write_search_members(out, request, result, plans, residuals, seconds, assumptions,
                             resolved.operation);
        out.member("tie_below", tie.same_site);
        out.member("tie_below_other_cluster", tie.other_site);
        out.member("tie_basis", tie.basis);
        out.array("left_out", resolved.left_out);
        out.member("risky", result.risky);
        if (!plans.empty()) {
            write_chosen(out, residuals, plans.front().job, plans.front().estimate);
        }
        if (flags.each_cluster && !result.interrupted) {
            write_clusters(out, request, best_of_clusters(request), residuals);
        }
        out.array("relaxed", relaxed);
        out.array("no_plan_because",
                  plans.empty() ? why_no_plan(request, result) : std::vector<std::string>{});
        out.end_object();
        context.out << out.text();
    } else {
        std::vector<Table> tables = search_tables(request, result, plans, tie, assumptions, fits,
                                                  resolved.operation, static_cast<std::size_t>(flags.why));
        if (!relaxed.empty()) {
            tables.front().remarks.push_back(relaxed_text(relaxed));
        }
        if (!plans.empty()) {
            tables.front().remarks.push_back(
                chosen_text(residuals, plans.front().job, plans.front().estimate));
        }
        if (result.risky) {
            tables.front().remarks.emplace_back(risky_text);
        }
        if (flags.each_cluster && !result.interrupted) {
            tables.insert(tables.begin() + (plans.empty() ? 0 : 1),
                          cluster_table(request, best_of_clusters(request), fits));
        }
        if (!resolved.left_out.empty()) {
            tables.push_back(remarks_table("Not searched", resolved.left_out));
        }
        if (page_wanted(flags.output)) {
            const std::string verdict =
                plans.empty() ? "No plan"
                              : job_title(plans.front().job) + ": " + layout_text(plans.front().job) + "; " +
                                    to_text(plans.front().estimate.step.total) + " a step";
            write_page(page_of("Best configurations", verdict, plans.empty() ? Tone::bad : Tone::good, tables,
                               {pareto_chart(result)}),
                       flags.output, context);
        } else {
            context.out << render(tables, flags.output.format, context.style);
        }
    }
    if (plans.empty() && !result.interrupted) {
        for (const std::string& why : why_no_plan(request, result)) {
            context.err << "traincost: no plan: " << why << "\n";
        }
    }
    context.exit_code = result.interrupted ? exit_interrupted : plans.empty() ? exit_no : exit_yes;
}

void fail_where_empty(const SearchRequest& request, const SearchResult& result) {
    if (result.counts.enumerated > 0 || result.interrupted) {
        return;
    }
    std::string text = "nothing to search: ";
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        const std::string why = why_empty(base_job(request, i), request.sites[i].space);
        if (!why.empty()) {
            throw Error(ErrorKind::input, text + why);
        }
    }
}

/// The search, and where nothing fits what goes beyond its space; `resolved` becomes what was answered.
RelaxedSearch search_further(const SearchFlags& flags, ResolvedSearch& resolved, const Catalogue& catalogue,
                             Context& context) {
    std::optional<ResolvedSearch> others;
    Freedoms freedoms = freedoms_of(flags);
    freedoms.other_stacks = [&] {
        others = resolve_other_stacks(flags, resolved, catalogue, context);
        return others ? others->request.sites : std::vector<Site>{};
    };
    RelaxedSearch answer = relaxed_search(
        resolved.request, freedoms, [&](SearchRequest& request) { return run_search(request, context); });
    if (answer.other_stacks) {
        resolved.assumptions = std::move(others->assumptions);
        resolved.operation = std::move(others->operation);
    }
    resolved.request = answer.request;
    return answer;
}

void run_recommend(const Flags& flags, const std::vector<std::string>& arguments, Context& context) {
    const Catalogue catalogue(context.data_folder);
    ResolvedSearch resolved = resolve_search(flags.search, catalogue, context);
    SearchRequest& request = resolved.request;
    if (request.sites.empty()) {
        for (const std::string& why : resolved.left_out) {
            context.err << "traincost: no plan: " << why << "\n";
        }
        context.exit_code = exit_no;
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    // A part of a search does not know whether the others find nothing.
    RelaxedSearch answer;
    if (flags.search.shard) {
        answer.result = run_search(request, context);
    } else if (!flags.shard_files.empty()) {
        answer.result = read_shards(flags, request);
    } else {
        answer = search_further(flags.search, resolved, catalogue, context);
    }
    const SearchResult& result = answer.result;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (flags.search.shard) {
        context.out << shard_text({arguments, fingerprint(request), request.shard, request.shards, result});
        context.exit_code = result.interrupted ? exit_interrupted : exit_yes;
        return;
    }
    fail_where_empty(request, result);
    print_answer(flags, context, resolved, result, answer.relaxed, seconds.count());
}

}  // namespace

void add_recommend(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("recommend", "Best configurations for one or more clusters, and why");
    const auto flags = std::make_shared<Flags>();
    add_search_options(*command, flags->search);
    add_parsed(
        *command, "--tie", flags->tie, "FRACTION", [](auto& t) { return parse_fraction(t); },
        "Differences below this are ties; default: the measured error of predicted leads");
    command->add_flag("--each-cluster", flags->each_cluster,
                      "Also show the best plan of each cluster and stack, or why there is none");
    add_parsed(
        *command, "--why", flags->why, "N", [](auto& t) { return parse_count(t); },
        "Number of plans whose neighbours are explained; default 1; --json explains all");
    command->add_option("--from-shard", flags->shard_files)->group("");
    add_output_options(*command, flags->output, Charts::no, Pages::yes);
    command->callback([flags, command, &context] {
        run_recommend(*flags, given_arguments(*command, {"--shard", "--threads"}), context);
    });
}

}  // namespace traincost::cli
