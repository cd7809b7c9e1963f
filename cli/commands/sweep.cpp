// `traincost sweep`: a table over a space of jobs. `traincost compare`: jobs side by side.

#include <cli/commands/commands.hpp>
#include <cli/job_options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/parallel.hpp>
#include <traincost/base/text.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/io/estimate_json.hpp>
#include <traincost/io/job_json.hpp>
#include <traincost/io/residuals_json.hpp>
#include <traincost/report/estimate_tables.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

/// One flag and the values it takes.
struct Axis {
    std::string flag;  ///< without dashes: "tp"
    std::vector<std::string> values;
};

[[noreturn]] void bad_vary(const std::string& text, const std::string& why) {
    throw Error(ErrorKind::usage, "--vary: '" + text + "' " + why +
                                      "; write FLAG=a,b,c, or FLAG=LO..HI xK (times K), or FLAG=LO..HI +K");
}

/// lo..hi xK: lo, lo K, lo K² … up to hi; lo..hi +K: lo, lo + K …; lo..hi alone doubles.
std::vector<std::string> range_values(const std::string& text, const std::string& range) {
    const auto dots = range.find("..");
    std::string high_text = range.substr(dots + 2);
    char kind = 'x';
    std::int64_t by = 2;
    const auto mark = high_text.find_first_of("x+");
    if (mark != high_text.npos) {
        kind = high_text[mark];
        by = parse_count(high_text.substr(mark + 1), Range::positive);
        high_text.resize(mark);
    }
    while (!high_text.empty() && high_text.back() == ' ') {
        high_text.pop_back();
    }
    const std::int64_t low = parse_count(range.substr(0, dots), Range::positive);
    const std::int64_t high = parse_count(high_text, Range::positive);
    if (low > high) {
        bad_vary(text, "goes from " + std::to_string(low) + " down to " + std::to_string(high));
    }
    if (kind == 'x' && by < 2) {
        bad_vary(text, "multiplies by 1, which never arrives");
    }
    std::vector<std::string> values;
    constexpr std::size_t most = 10'000;
    for (std::int64_t x = low; x <= high && values.size() < most; x = kind == 'x' ? x * by : x + by) {
        values.push_back(std::to_string(x));
        if (x > high / by && kind == 'x') {
            break;
        }
    }
    return values;
}

Axis axis_of(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size()) {
        bad_vary(text, "names no flag or no values");
    }
    Axis axis{text.substr(0, equals), {}};
    while (axis.flag.starts_with('-')) {
        axis.flag.erase(0, 1);
    }
    const std::string list = text.substr(equals + 1);
    if (list.find("..") != list.npos) {
        axis.values = range_values(text, list);
        return axis;
    }
    std::size_t begin = 0;
    while (begin <= list.size()) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        if (end == begin) {
            bad_vary(text, "has an empty value");
        }
        axis.values.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return axis;
}

/// One point: its values, and the job and estimate, or why there is none.
struct Point {
    std::vector<std::string> values;
    std::optional<ResolvedJob> resolved{};
    std::optional<Estimate> estimate{};
    std::string problem{};
};

/// Sets flags from text exactly as the command line does.
void set_flags(JobFlags& flags, const std::vector<Axis>& axes, const std::vector<std::string>& values) {
    CLI::App parser("", "");
    add_job_options(parser, flags);
    std::vector<std::string> arguments;
    for (std::size_t i = axes.size(); i-- > 0;) {
        arguments.push_back("--" + axes[i].flag + "=" + values[i]);
    }
    try {
        parser.parse(arguments);
    } catch (const CLI::ExtrasError&) {
        std::vector<std::string> known;
        for (const CLI::Option* option : parser.get_options()) {
            known.push_back(option->get_name().substr(2));
        }
        for (const Axis& axis : axes) {
            if (std::find(known.begin(), known.end(), axis.flag) == known.end()) {
                throw Error(ErrorKind::usage, "--vary: '" + axis.flag + "' is no flag of a job" +
                                                  did_you_mean(axis.flag, known));
            }
        }
        throw Error(ErrorKind::usage, "--vary: cannot be read");
    }
}

struct SweepFlags {
    JobFlags job;
    OutputFlags output;
    std::vector<std::string> vary;
    std::int64_t shard = 0;
    std::int64_t shards = 1;
    std::optional<std::string> shard_text{};
};

std::vector<std::vector<std::string>> product_of(const std::vector<Axis>& axes) {
    std::vector<std::vector<std::string>> points{{}};
    constexpr std::size_t most = 1'000'000;
    for (const Axis& axis : axes) {
        std::vector<std::vector<std::string>> longer;
        if (points.size() * axis.values.size() > most) {
            throw Error(ErrorKind::usage,
                        "--vary: more than a million points; use 'recommend', which streams");
        }
        for (const auto& point : points) {
            for (const std::string& value : axis.values) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

Cell time_cell(const Point& p) {
    return p.estimate ? cell(p.estimate->step.total) : empty_cell();
}

const StageMemory& peak_of(const Estimate& e) {
    return e.stages[static_cast<std::size_t>(e.peak_stage)];
}

Table sweep_table(const std::vector<Axis>& axes, const std::vector<Point>& points) {
    Table table{.title = "Sweep", .columns = {}, .rows = {}, .remarks = {}};
    for (const Axis& axis : axes) {
        table.columns.push_back(axis.flag);
    }
    const bool totals = std::any_of(points.begin(), points.end(),
                                    [](const Point& p) { return p.estimate && p.estimate->training; });
    table.columns.insert(table.columns.end(), {"fits", "memory", "step", "tokens/s", "MFU"});
    if (totals) {
        table.columns.insert(table.columns.end(), {"days", "cost"});
    }
    table.columns.emplace_back("bound by");
    for (const Point& p : points) {
        std::vector<Cell> row;
        for (const std::string& value : p.values) {
            row.push_back(text_cell(value));
        }
        if (!p.estimate) {
            row.push_back(text_cell("invalid"));
            row.resize(table.columns.size() - 1, empty_cell());
            row.push_back(text_cell(p.problem));
            table.rows.push_back(std::move(row));
            continue;
        }
        const Estimate& e = *p.estimate;
        row.push_back(text_cell(e.fits ? "yes" : "no"));
        row.push_back(cell(peak_of(e).device));
        row.push_back(time_cell(p));
        row.push_back(short_count_cell(e.throughput.tokens_per_s));
        row.push_back(percent_cell(e.throughput.mfu));
        if (totals) {
            constexpr double seconds_a_day = 86400.0;
            row.push_back(e.training ? number_cell(e.training->time.value() / seconds_a_day) : empty_cell());
            row.push_back(e.training && e.training->cost ? cell(*e.training->cost) : empty_cell());
        }
        row.push_back(text_cell(bound_by(e.step)));
        table.rows.push_back(std::move(row));
    }
    return table;
}

void print_sweep_json(Context& context, const std::vector<Axis>& axes, const std::vector<Point>& points) {
    const Residuals residuals = read_residuals(context.data_folder);
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", estimate_schema_version);
    out.key("points").begin_array();
    for (const Point& p : points) {
        out.begin_object();
        out.key("varied").begin_object();
        for (std::size_t i = 0; i < axes.size(); ++i) {
            out.member(axes[i].flag, p.values[i]);
        }
        out.end_object();
        if (p.estimate) {
            const Job& job = p.resolved->job;
            write_estimate_members(out, job, *p.estimate, uncertainty(residuals, job, *p.estimate),
                                   p.resolved->assumptions);
        } else {
            out.member("problem", p.problem);
        }
        out.end_object();
    }
    out.end_array().end_object();
    context.out << out.text();
}

void read_shard(SweepFlags& f) {
    if (!f.shard_text) {
        return;
    }
    const std::string& text = *f.shard_text;
    const auto slash = text.find('/');
    if (slash == text.npos) {
        throw Error(ErrorKind::usage, "--shard: '" + text + "' is not I/N, as in 3/16");
    }
    const std::int64_t shard = parse_count(text.substr(0, slash));
    f.shards = parse_count(text.substr(slash + 1));
    if (f.shards < 1 || shard < 1 || shard > f.shards) {
        throw Error(ErrorKind::usage,
                    "--shard: '" + text + "' names no shard; allowed: 1/N to N/N with N at least 1");
    }
    f.shard = shard - 1;
}

void run_sweep(SweepFlags f, Context& context) {
    if (f.vary.empty()) {
        throw Error(ErrorKind::usage, "--vary: is missing: FLAG=a,b,c, as in --vary tp=1,2,4,8");
    }
    if (f.job.job_file == "-" || f.job.model == "-") {
        throw Error(ErrorKind::usage, "sweep: the standard input can be read once only; give a file");
    }
    read_shard(f);
    std::vector<Axis> axes;
    for (const std::string& text : f.vary) {
        axes.push_back(axis_of(text));
    }
    const std::vector<std::vector<std::string>> all = product_of(axes);
    const Catalogue catalogue(context.data_folder);
    std::vector<Point> points;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (static_cast<std::int64_t>(i) % f.shards != f.shard) {
            continue;
        }
        Point point{all[i]};
        JobFlags flags = f.job;
        set_flags(flags, axes, point.values);
        try {
            point.resolved = resolve_job(flags, catalogue, context);
        } catch (const Error& error) {
            // A combination that cannot be is a row of the table; a name that nobody knows is a mistake.
            if (error.kind() == ErrorKind::not_found) {
                throw;
            }
            point.problem = to_string(error.problems().front());
        }
        points.push_back(std::move(point));
    }
    parallel_for(points.size(), [&](std::size_t i) {
        if (points[i].resolved) {
            points[i].estimate = estimate(points[i].resolved->job);
        }
    });
    const bool any = std::any_of(points.begin(), points.end(), [](const Point& p) { return p.estimate; });
    if (!any && !points.empty()) {
        throw Error(ErrorKind::input, "no point of the sweep is valid; the first: " + points.front().problem);
    }
    const bool fits = std::any_of(points.begin(), points.end(),
                                  [](const Point& p) { return p.estimate && p.estimate->fits; });
    context.exit_code = fits || points.empty() ? exit_yes : exit_no;
    if (f.output.json) {
        print_sweep_json(context, axes, points);
        return;
    }
    context.out << render(std::vector<Table>{sweep_table(axes, points)}, f.output.format);
}

// ---- compare ----

struct CompareFlags {
    std::vector<std::string> files;
    OutputFlags output;
};

/// A row of the comparison: a name, and what each job has there; `ratio` of numbers.
struct Row {
    std::string name;
    std::function<Cell(const Job&, const Estimate&)> cell;
    std::function<double(const Job&, const Estimate&)> number;  ///< empty: text
};

std::vector<Row> comparison_rows() {
    const auto text = [](const char* name, auto of) {
        return Row{name, [of](const Job& j, const Estimate& e) { return text_cell(of(j, e)); }, {}};
    };
    const auto value = [](const char* name, auto of) {
        return Row{name, [of](const Job& j, const Estimate& e) { return cell(of(j, e)); },
                   [of](const Job& j, const Estimate& e) { return of(j, e).value(); }};
    };
    std::vector<Row> rows = {
        text("job", [](const Job& j, const Estimate&) { return job_title(j); }),
        text("layout", [](const Job& j, const Estimate&) { return layout_text(j); }),
        text("fits", [](const Job&, const Estimate& e) { return std::string(e.fits ? "yes" : "no"); }),
        value("memory", [](const Job&, const Estimate& e) { return peak_of(e).device; }),
        value("step", [](const Job&, const Estimate& e) { return e.step.total; }),
        {"tokens/s",
         [](const Job&, const Estimate& e) { return short_count_cell(e.throughput.tokens_per_s); },
         [](const Job&, const Estimate& e) { return e.throughput.tokens_per_s; }},
        {"MFU", [](const Job&, const Estimate& e) { return percent_cell(e.throughput.mfu); },
         [](const Job&, const Estimate& e) { return e.throughput.mfu; }}};
    for (int t = 0; t < memory_term_count; ++t) {
        const auto term = static_cast<MemoryTerm>(t);
        rows.push_back(value("", [term](const Job&, const Estimate& e) { return peak_of(e)[term]; }));
        rows.back().name = "memory: " + std::string(to_string(term));
    }
    for (int t = 0; t < step_term_count; ++t) {
        const auto term = static_cast<StepTerm>(t);
        rows.push_back(value("", [term](const Job&, const Estimate& e) { return e.step[term]; }));
        rows.back().name = "step: " + std::string(to_string(term));
    }
    const auto total = [&rows](const char* name, auto of) {
        rows.push_back({name,
                        [of](const Job&, const Estimate& e) {
                            return e.training && of(*e.training) ? number_cell(*of(*e.training))
                                                                 : empty_cell();
                        },
                        [of](const Job&, const Estimate& e) {
                            return e.training && of(*e.training) ? *of(*e.training) : 0.0;
                        }});
    };
    total("days", [](const TrainingTotals& t) { return std::optional<double>(t.time.value() / 86400.0); });
    total("cost, USD", [](const TrainingTotals& t) {
        return t.cost ? std::optional<double>(t.cost->value()) : std::nullopt;
    });
    total("energy, kWh", [](const TrainingTotals& t) { return t.energy_kwh; });
    return rows;
}

void run_compare(const CompareFlags& f, Context& context) {
    if (f.files.size() < 2) {
        throw Error(ErrorKind::usage,
                    "compare: needs two jobs or more, as 'estimate --json' or 'job/1' files");
    }
    if (std::count(f.files.begin(), f.files.end(), "-") > 1) {
        throw Error(ErrorKind::usage, "compare: the standard input can be read once only");
    }
    const Catalogue catalogue(context.data_folder);
    std::vector<ResolvedJob> jobs;
    std::vector<Estimate> estimates;
    for (const std::string& file : f.files) {
        JobFlags flags;
        flags.job_file = file;
        jobs.push_back(resolve_job(flags, catalogue, context));
        estimates.push_back(estimate(jobs.back().job));
    }
    if (f.output.json) {
        const Residuals residuals = read_residuals(context.data_folder);
        JsonWriter out;
        out.begin_object();
        out.member("schema_version", estimate_schema_version);
        out.key("jobs").begin_array();
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            out.begin_object();
            out.member("file", f.files[i]);
            out.member("step_ratio", estimates[i].step.total / estimates[0].step.total);
            out.member("memory_ratio", peak_of(estimates[i]).device / peak_of(estimates[0]).device);
            write_estimate_members(out, jobs[i].job, estimates[i],
                                   uncertainty(residuals, jobs[i].job, estimates[i]), jobs[i].assumptions);
            out.end_object();
        }
        out.end_array().end_object();
        context.out << out.text();
    } else {
        Table table{.title = "", .columns = {""}, .rows = {}, .remarks = {}};
        table.columns.push_back(f.files[0]);
        for (std::size_t i = 1; i < jobs.size(); ++i) {
            table.columns.push_back(f.files[i]);
            table.columns.emplace_back("ratio");
        }
        for (const Row& row : comparison_rows()) {
            std::vector<Cell> cells{text_cell(row.name)};
            bool shown = !row.number;
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                cells.push_back(row.cell(jobs[i].job, estimates[i]));
                const double x = row.number ? row.number(jobs[i].job, estimates[i]) : 0.0;
                shown = shown || x != 0.0;
                if (i == 0) {
                    continue;
                }
                if (!row.number) {
                    const bool same = cells.back().text == cells[1].text;
                    cells.push_back(text_cell(same ? "" : "*"));
                    continue;
                }
                const double first = row.number(jobs[0].job, estimates[0]);
                if (first != 0.0) {
                    cells.push_back(number_cell(x / first));
                } else {
                    cells.push_back(empty_cell());
                }
            }
            if (shown) {
                table.rows.push_back(std::move(cells));
            }
        }
        table.remarks.emplace_back("ratio: to the first; *: differs from the first");
        context.out << render(std::vector<Table>{table}, f.output.format);
    }
    const bool all_fit =
        std::all_of(estimates.begin(), estimates.end(), [](const Estimate& e) { return e.fits; });
    context.exit_code = all_fit ? exit_yes : exit_no;
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("sweep", "A table over every combination of flags' values");
    const auto flags = std::make_shared<SweepFlags>();
    add_job_options(*command, flags->job);
    command->add_option("--vary", flags->vary, "A job's flag and its values; several make every combination")
        ->type_name("FLAG=a,b,c|LO..HI[xK|+K]");
    command->add_option("--shard", flags->shard_text, "Only this part of the points, which keep their order")
        ->type_name("I/N");
    add_output_options(*command, flags->output);
    command->callback([flags, &context] { run_sweep(*flags, context); });
}

void add_compare(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("compare", "Jobs side by side: differences and ratios to the first");
    const auto flags = std::make_shared<CompareFlags>();
    command->add_option("jobs", flags->files, "Job files")->required()->type_name("FILE");
    add_output_options(*command, flags->output);
    command->callback([flags, &context] { run_compare(*flags, context); });
}

}  // namespace traincost::cli
