// The flags that describe a job: one for each field that has one.
#pragma once

#include <traincost/ask/job_input.hpp>
#include <traincost/ask/sources.hpp>
#include <traincost/spec/job_draft.hpp>

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace traincost::cli {

/// What the command line says of a job.
struct JobFlags {
    std::optional<std::string> job_file{};
    std::vector<std::string> files{};  ///< of a command that takes any kind of file
    std::string select{};              ///< of several jobs in them
    JobDraft said{};                   ///< by flags
};

/// Declares the flags.
void add_job_options(CLI::App& app, JobFlags& flags);

/// Declares the files that `read_draft_of` reads.
void add_file_options(CLI::App& app, JobFlags& flags);

/// The flags over what all files say, and what is to be told of these.
ReadDraft read_draft_of(const JobFlags& flags, const Sources& sources);

/// The flags over what the job file says. `Error` where the file cannot be read.
JobDraft draft_of(const JobFlags& flags, const Sources& sources);

}  // namespace traincost::cli
