#include <cli/help_formatter.hpp>

#include <traincost/report/commands/command_tree.hpp>
#include <traincost/report/commands/help_text.hpp>

namespace traincost::cli {

HelpFormatter::HelpFormatter(std::size_t width, HelpLength length) : width_(width), length_(length) {
    column_width(meaning_column);
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
    return without_gaps(CLI::Formatter::make_help(app, std::move(name), mode));
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool positional) const {
    return help_entry(make_option_name(option, positional) + make_option_opts(option),
                      make_option_desc(option), width_);
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
    return help_entry(command->get_name(), command->get_description(), width_);
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
    return help_examples(app->get_footer(), width_) +
           (length_ == HelpLength::brief ? "All options: --help\n" : "");
}

}  // namespace traincost::cli
