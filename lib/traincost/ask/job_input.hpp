// Where the words about a job come from: files of several kinds, and what is said over them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/sources.hpp"
#include "traincost/import/importers.hpp"
#include "traincost/spec/draft/job_draft.hpp"

namespace traincost {

/// One thing that a file says of the job.
struct SaidField {
    std::string field;  ///< its flag or key, without dashes: "tp"
    std::string value;
    std::string where;
    bool operator==(const SaidField&) const = default;
};

/// What is to be told about files that were read.
struct FileNotes {
    std::vector<SaidField> said{};
    std::vector<std::string> contradictions{};  ///< one line each, with both places
    std::vector<std::string> unread{};          ///< what was not understood and may change memory or time

    bool empty() const {
        return said.empty() && contradictions.empty() && unread.empty();
    }
};

/// Files in any number and order, and words over them.
struct JobInput {
    std::vector<std::string> files{};  ///< job files, launch files, models; "-" is the standard input
    std::string select{};              ///< of several jobs in launch files: a function, a branch of a script
    JobDraft said{};
    std::vector<LaunchFile> inlined{};  ///< files whose text is at hand
};

/// A draft and its notes.
struct ReadDraft {
    JobDraft draft;
    FileNotes notes;
};

/// What files and words say together: words win over job files, job files over launch files. `Error` where a
/// file cannot be read.
ReadDraft read_draft(const JobInput& input, const Sources& sources);

/// What a command line says of a job.
struct SaidJob {
    std::optional<std::string> file{};  ///< a job file
    std::vector<std::string> files{};   ///< of a command that takes any kind of file
    std::string select{};               ///< of several jobs in them
    JobDraft said{};                    ///< by flags
};

/// The flags over what all files say, and what is to be told of these.
ReadDraft read_draft(const SaidJob& job, const Sources& sources);

/// The flags over what the job file says. `Error` where the file cannot be read.
JobDraft draft_of(const SaidJob& job, const Sources& sources);

}  // namespace traincost
