#include <cli/help_formatter.hpp>

#include <cli/options.hpp>
#include <traincost/report/text_table.hpp>

namespace traincost::cli {

namespace {

constexpr std::size_t meaning_column = 30;

}  // namespace

HelpFormatter::HelpFormatter(std::size_t width, HelpLength length) : width_(width), length_(length) {
    column_width(meaning_column);
}

std::string HelpFormatter::entry(const std::string& name, const std::string& meaning) const {
    std::string out;
    std::string line = "  " + name;
    const bool below = display_width(line) + 1 > meaning_column;
    if (below) {
        for (const std::string& part : wrapped(line.substr(2), width_ - 6)) {
            out += (out.empty() ? "  " : "      ") + part + '\n';
        }
        line.clear();
    }
    for (const std::string& part : wrapped(meaning, width_ - meaning_column)) {
        line.resize(meaning_column, ' ');
        out += line + part + '\n';
        line.clear();
    }
    return out;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
    // Groups that are left out leave their blank lines.
    std::string out;
    for (const char c : CLI::Formatter::make_help(app, std::move(name), mode)) {
        if (c != '\n' || !out.ends_with("\n\n")) {
            out += c;
        }
    }
    return out;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool positional) const {
    return entry(make_option_name(option, positional) + make_option_opts(option), make_option_desc(option));
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    // What excludes what is said by the error of who gives both.
    std::string text;
    if (option->get_type_size() != 0) {
        text = option->get_type_name().empty() ? "" : " " + option->get_type_name();
        text += option->get_expected_max() >= CLI::detail::expected_max_vector_size ? " ..." : "";
    }
    return option->get_envname().empty() ? text : text + " (or " + option->get_envname() + ")";
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
    return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_group(std::string group, bool positional,
                                      std::vector<const CLI::Option*> options) const {
    const bool own = positional || group == own_group || group == "Options";
    if (length_ == HelpLength::brief && !own) {
        return "";
    }
    return CLI::Formatter::make_group(std::move(group), positional, std::move(options));
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
    std::string out;
    if (!app->get_footer().empty()) {
        out = "Examples:\n";
        for (const std::string& example : CLI::detail::split(app->get_footer(), '\n')) {
            std::string line = "  ";
            for (const std::string& part : wrapped(example, width_ - 8)) {
                out += line + part;
                line = " \\\n      ";
            }
            out += '\n';
        }
    }
    if (length_ == HelpLength::brief) {
        out += "All options: --help\n";
    }
    return out;
}

}  // namespace traincost::cli
