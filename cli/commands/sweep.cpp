// `traincost sweep`: a table over a space of jobs.

#include <cli/commands/commands.hpp>
#include <cli/given_arguments.hpp>
#include <cli/job_options.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <cli/search_options.hpp>
#include <traincost/base/parallel.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/residuals_json.hpp>
#include <traincost/io/sweep_json.hpp>
#include <traincost/plan/sweep.hpp>
#include <traincost/report/svg.hpp>
#include <traincost/report/sweep_tables.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct SweepFlags {
    JobFlags job;
    OutputFlags output;
    std::vector<std::string> vary;
    std::optional<ShardFlag> shard{};
};

[[noreturn]] void fail(const std::string& why) {
    throw Error(ErrorKind::usage, "--vary: " + why);
}

/// Every axis must be a flag of a job, once.
void check_axes(const std::vector<SweepAxis>& axes) {
    JobFlags flags;
    CLI::App parser("", "");
    add_job_options(parser, flags);
    std::vector<std::string> known;
    for (const CLI::Option* option : parser.get_options()) {
        if (option->get_name() != "--help") {
            known.push_back(option->get_name().substr(2));
        }
    }
    for (const SweepAxis& axis : axes) {
        if (std::find(known.begin(), known.end(), axis.flag) == known.end()) {
            fail("'" + axis.flag + "' is no flag of a job" + did_you_mean(axis.flag, known));
        }
        const auto same = std::count_if(axes.begin(), axes.end(),
                                        [&](const SweepAxis& other) { return other.flag == axis.flag; });
        if (same > 1) {
            fail("'" + axis.flag + "' is varied twice");
        }
    }
}

/// Sets flags from text exactly as the command line does.
void set_flags(JobFlags& flags, const std::vector<SweepAxis>& axes, const std::vector<std::string>& values) {
    CLI::App parser("", "");
    add_job_options(parser, flags);
    std::vector<std::string> arguments;
    for (std::size_t i = axes.size(); i-- > 0;) {
        arguments.push_back("--" + axes[i].flag + "=" + values[i]);
    }
    parser.parse(arguments);
}

std::vector<SweepAxis> axes_of(const std::vector<std::string>& texts) {
    if (texts.empty()) {
        fail("is missing: FLAG=a,b,c, as in --vary tp=1,2,4,8");
    }
    std::vector<SweepAxis> axes;
    for (const std::string& text : texts) {
        try {
            axes.push_back(sweep_axis(text));
        } catch (const Error& error) {
            fail(error.what());
        }
    }
    check_axes(axes);
    return axes;
}

std::vector<std::vector<std::string>> combinations_of(const std::vector<SweepAxis>& axes) {
    try {
        return sweep_combinations(axes);
    } catch (const Error& error) {
        fail(error.what());
    }
}

SweepPoint point_of(const SweepFlags& f, const std::vector<SweepAxis>& axes, std::vector<std::string> values,
                    const Catalogue& catalogue, Context& context) {
    SweepPoint point{std::move(values)};
    JobFlags flags = f.job;
    set_flags(flags, axes, point.values);
    try {
        ResolvedJob resolved = resolve_job(flags, catalogue, context);
        point.job = std::move(resolved.job);
        point.operation = std::move(resolved.operation);
        point.assumptions = std::move(resolved.assumptions);
    } catch (const Error& error) {
        // A combination that cannot be is a row of the table; a name that nobody knows is a mistake.
        if (error.kind() == ErrorKind::not_found) {
            throw;
        }
        point.problem = to_string(error.problems().front());
    }
    return point;
}

void run_sweep(const SweepFlags& f, const std::vector<std::string>& arguments, Context& context) {
    const std::vector<SweepAxis> axes = axes_of(f.vary);
    if (f.job.job_file == "-" || f.job.model == "-") {
        throw Error(ErrorKind::usage, "sweep: the standard input can be read once only; give a file");
    }
    const std::vector<std::vector<std::string>> all = combinations_of(axes);
    const ShardFlag shard = f.shard.value_or(ShardFlag{0, 1});
    const Catalogue catalogue(context.data_folder);
    std::vector<SweepPoint> points;
    for (auto i = static_cast<std::size_t>(shard.shard); i < all.size();
         i += static_cast<std::size_t>(shard.shards)) {
        points.push_back(point_of(f, axes, all[i], catalogue, context));
    }
    parallel_for(points.size(), [&](std::size_t i) {
        SweepPoint& p = points[i];
        if (p.job) {
            p.estimate = estimate(*p.job);
            p.bill = bill(*p.job, *p.estimate, p.operation);
        }
    });
    const bool any =
        std::any_of(points.begin(), points.end(), [](const SweepPoint& p) { return p.estimate; });
    if (!any && !points.empty()) {
        throw Error(ErrorKind::input, "no point of the sweep is valid; the first: " + points.front().problem);
    }
    const bool fits = std::any_of(points.begin(), points.end(),
                                  [](const SweepPoint& p) { return p.estimate && p.estimate->fits; });
    context.exit_code = fits || points.empty() ? exit_yes : exit_no;
    if (f.output.json) {
        std::optional<SweepShard> part;
        if (f.shard) {
            part = {arguments, shard.shard, shard.shards, static_cast<std::int64_t>(all.size())};
        }
        context.out << sweep_json(axes, points, read_residuals(context.data_folder), part);
    } else if (f.output.svg) {
        context.out << svg(sweep_charts(axes, points));
    } else {
        context.out << render(std::vector<Table>{sweep_table(axes, points)}, f.output.format, context.style);
    }
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("sweep", "Table over every combination of flag values");
    const auto flags = std::make_shared<SweepFlags>();
    add_job_options(*command, flags->job);
    command->add_option("--vary", flags->vary, "A job flag and its values; repeat it for every combination")
        ->type_name("FLAG=a,b,c|LO..HI[xK|+K]");
    add_parsed(*command, "--shard", flags->shard, "I/N", shard_flag,
               "Evaluate this part of the points only; with --json, for 'traincost merge'");
    add_output_options(*command, flags->output, Charts::yes);
    command->callback([flags, command, &context] {
        run_sweep(*flags, given_arguments(*command, {"--shard", "--json"}), context);
    });
}

}  // namespace traincost::cli
