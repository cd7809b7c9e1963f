// A job printed as launch files of another framework: --to.
#pragma once

#include <cli/context.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/spec/job.hpp>
#include <traincost/spec/job_draft.hpp>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace traincost::cli {

/// What --to, -o and --json say.
struct LaunchOutput {
    std::string format{};                 ///< empty: no launch files are asked for
    std::optional<std::string> folder{};  ///< where they are written; "-" or none: one script on the output
    bool json = false;
};

/// Declares --to.
void add_launch_format(CLI::App& app, LaunchOutput& output);

/// The stack of --to where the draft says none, and a line on the error stream that says so.
void take_stack(const LaunchOutput& output, const Catalogue& catalogue, JobDraft& draft, Context& context);

/// Writes the files, and on the error stream a line for everything that they do not say.
void print_launch_files(const LaunchOutput& output, const Job& job, const Catalogue& catalogue,
                        Context& context);

}  // namespace traincost::cli
