// `traincost estimate`: one configuration in depth.

#include <cli/commands/commands.hpp>
#include <cli/job_options.hpp>
#include <cli/network_options.hpp>
#include <cli/output_options.hpp>
#include <cli/search_options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/io/estimate_json.hpp>
#include <traincost/io/residuals_json.hpp>
#include <traincost/plan/remedies.hpp>
#include <traincost/plan/vocabulary_padding.hpp>
#include <traincost/report/estimate_tables.hpp>
#include <traincost/report/step_details.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    JobFlags job;
    NetworkFlags network;
    OutputFlags output;
    bool verbose = false;
};

void print_json(Context& context, const ResolvedJob& resolved, const Estimate& e, const Uncertainty& sure,
                const std::vector<Remedy>& remedies) {
    JsonWriter out;
    out.begin_object();
    write_estimate_members(out, resolved.job, e, sure, resolved.assumptions, resolved.operation);
    if (const auto padding = paying_padding(resolved.job, e.step.total)) {
        out.key("vocabulary_padding").begin_object();
        out.member("vocabulary", padding->vocabulary);
        out.member("step_time_s", padding->step);
        out.end_object();
    }
    if (!e.fits) {
        out.key("remedies").begin_array();
        for (const Remedy& remedy : remedies) {
            out.begin_object();
            out.member("change", remedy.change);
            out.member("fits", remedy.fits);
            out.member("risky", remedy.risky);
            out.member("device_bytes", remedy.device);
            out.member("step_time_s", remedy.step);
            out.end_object();
        }
        out.end_array();
    }
    out.end_object();
    context.out << out.text();
}

Table remedy_table(const std::vector<Remedy>& remedies) {
    const bool enough = !remedies.empty() && remedies.front().fits;
    Table table{
        .title = enough ? "It would fit with" : "No change of these choices is enough; the nearest is",
        .columns = {"change", "used", "step"},
        .rows = {},
        .remarks = {}};
    if (enough && remedies.front().risky) {
        table.remarks.emplace_back(risky_text);
    }
    for (const Remedy& remedy : remedies) {
        table.rows.push_back({text_cell(remedy.change), cell(remedy.device), cell(remedy.step)});
    }
    if (remedies.empty()) {
        return {
            .title = "No change of parallelism, micro-batch or recomputation is valid here; use more GPUs",
            .columns = {},
            .rows = {},
            .remarks = {}};
    }
    return table;
}

/// "A vocabulary of 50304 instead of 50257 would be 40% faster".
std::string padding_text(const Job& job, const VocabularyPadding& padding) {
    return "A vocabulary padded to " + std::to_string(padding.vocabulary) + " instead of " +
           std::to_string(job.model.vocab) + " rows would be " + percent_text(padding.faster) +
           " faster: rows of its products would start on 16 bytes.";
}

void run_estimate(const Flags& flags, Context& context) {
    const Catalogue catalogue(context.data_folder);
    ResolvedJob resolved = resolve_job(flags.job, catalogue, context);
    apply_network(flags.network, resolved.job, resolved.assumptions);
    const Estimate e = estimate(resolved.job);
    const Uncertainty sure = uncertainty(read_residuals(context.data_folder), resolved.job, e);
    const std::vector<Remedy> ways_out =
        e.fits
            ? std::vector<Remedy>{}
            : remedies(resolved.job, e.capacity, freedoms_of(flags.job, resolved.job, catalogue).other_stacks,
                       margins(context.data_folder));
    const bool ends = goodput_of(resolved.job, resolved.operation) > 0.0;
    if (!ends) {
        context.err << "traincost: training never ends: "
                    << no_progress_text(resolved.job, resolved.operation) << "\n";
    }
    context.exit_code = e.fits && ends ? exit_yes : exit_no;
    if (flags.output.json) {
        print_json(context, resolved, e, sure, ways_out);
        return;
    }
    const std::optional<VocabularyPadding> padding = paying_padding(resolved.job, e.step.total);
    std::vector<Table> tables =
        estimate_tables(resolved.job, e, sure, resolved.assumptions, resolved.operation);
    if (padding) {
        tables.front().remarks.push_back(padding_text(resolved.job, *padding));
    }
    if (flags.verbose) {
        // Before what was assumed.
        const std::vector<Table> details = step_detail_tables(resolved.job, e);
        tables.insert(tables.end() - (resolved.assumptions.empty() ? 0 : 1), details.begin(), details.end());
    }
    if (!e.fits) {
        tables.insert(tables.begin() + 1, remedy_table(ways_out));
    }
    context.out << render(tables, flags.output.format, context.style);
}

}  // namespace

void add_estimate(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("estimate", "Memory, time and cost of one configuration");
    const auto flags = std::make_shared<Flags>();
    add_job_options(*command, flags->job);
    add_network_options(*command, flags->network);
    command->add_flag(
        "-v,--verbose", flags->verbose,
        "Computation, communication by kind of collective and pass, and the timeline's numbers");
    add_output_options(*command, flags->output);
    command->callback([flags, &context] { run_estimate(*flags, context); });
}

}  // namespace traincost::cli
