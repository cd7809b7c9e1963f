#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/text.hpp>

namespace traincost::cli {

void add_output_options(CLI::App& app, OutputFlags& flags) {
    CLI::Option* json = app.add_flag("--json", flags.json, "Print JSON: base units, full resolved input");
    add_parsed(
        app, "--format", flags.format, "table|csv|markdown",
        [](const std::string& text) {
            if (const auto format = format_from(text)) {
                return *format;
            }
            throw Error(ErrorKind::usage, "'" + text + "' is not known" + did_you_mean(text, format_names()) +
                                              "; allowed: table, csv, markdown");
        },
        "Print tables as text, CSV or Markdown")
        ->excludes(json);
}

}  // namespace traincost::cli
