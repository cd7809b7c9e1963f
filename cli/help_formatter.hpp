// Help that fits the terminal.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>

namespace traincost::cli {

/// How much of a command's help is printed.
enum class HelpLength { brief, full };

/// Options in two columns whose second is wrapped; no line is wider than the terminal. The brief help has the
/// command's own options and those that describe what runs where; the full one has all.
class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter(std::size_t width, HelpLength length);

    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_option(const CLI::Option* option, bool positional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_group(std::string group, bool positional,
                           std::vector<const CLI::Option*> options) const override;
    std::string make_footer(const CLI::App* app) const override;

private:
    std::size_t width_;
    HelpLength length_;
};

}  // namespace traincost::cli
