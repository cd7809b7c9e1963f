#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/text.hpp>

namespace traincost::cli {

namespace {

Format table_format(const std::string& text, Charts charts, Pages pages) {
    if (const auto format = format_from(text)) {
        return *format;
    }
    std::vector<std::string> names(format_names().begin(), format_names().end());
    if (charts == Charts::yes) {
        names.emplace_back("svg");
    }
    if (pages == Pages::yes) {
        names.emplace_back("html");
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

void add_output_options(CLI::App& app, OutputFlags& flags, Charts charts, Pages pages) {
    name_group(app, own_group);
    CLI::Option* json = app.add_flag("--json", flags.json, "JSON output: base units, full resolved input");
    const auto set = [&flags, charts, pages](const std::string& text) {
        flags.svg = charts == Charts::yes && text == "svg";
        flags.html = pages == Pages::yes && text == "html";
        if (!flags.svg && !flags.html) {
            try {
                flags.format = table_format(text, charts, pages);
            } catch (const Error& error) {
                throw Error(ErrorKind::usage, std::string("--format: ") + error.what());
            }
        }
    };
    const bool drawn = charts == Charts::yes;
    const bool paged = pages == Pages::yes;
    const std::string meaning = std::string("Output format: text table, CSV") +
                                (drawn || paged ? ", Markdown" : " or Markdown") +
                                (drawn && paged ? ", SVG chart or HTML page"
                                 : drawn        ? ", or SVG chart"
                                 : paged        ? " or HTML page"
                                                : "");
    app.add_option_function<std::string>("--format", set, meaning)
        ->type_name(std::string("table|csv|markdown") + (drawn ? "|svg" : "") + (paged ? "|html" : ""))
        ->excludes(json);
    if (paged) {
        app.add_option("-o,--output", flags.file, "File of the HTML page; default: standard output")
            ->type_name("FILE");
    }
    name_group(app, "Output");
}

}  // namespace traincost::cli
