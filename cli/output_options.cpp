#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/text.hpp>

namespace traincost::cli {

namespace {

Format table_format(const std::string& text, Charts charts) {
    if (const auto format = format_from(text)) {
        return *format;
    }
    std::vector<std::string> names(format_names().begin(), format_names().end());
    if (charts == Charts::yes) {
        names.emplace_back("svg");
    }
    std::string allowed;
    for (const std::string& name : names) {
        allowed += (allowed.empty() ? "" : ", ") + name;
    }
    throw Error(ErrorKind::usage,
                "'" + text + "' is not known" + did_you_mean(text, names) + "; allowed: " + allowed);
}

}  // namespace

void say_never_ends(const std::optional<std::string>& why, Context& context) {
    if (why) {
        context.err << "traincost: training never ends: " << *why << "\n";
    }
}

void add_output_options(CLI::App& app, OutputFlags& flags, Charts charts) {
    name_group(app, own_group);
    CLI::Option* json = app.add_flag("--json", flags.json, "JSON output: base units, full resolved input");
    const auto set = [&flags, charts](const std::string& text) {
        flags.svg = charts == Charts::yes && text == "svg";
        if (!flags.svg) {
            try {
                flags.format = table_format(text, charts);
            } catch (const Error& error) {
                throw Error(ErrorKind::usage, std::string("--format: ") + error.what());
            }
        }
    };
    const bool drawn = charts == Charts::yes;
    app.add_option_function<std::string>("--format", set,
                                         drawn ? "Output format: text table, CSV, Markdown, or SVG chart"
                                               : "Output format: text table, CSV or Markdown")
        ->type_name(drawn ? "table|csv|markdown|svg" : "table|csv|markdown")
        ->excludes(json);
    name_group(app, "Output");
}

}  // namespace traincost::cli
