// What one file, or one command of a script, says: settings that some format's reader understands.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/importers.hpp"
#include "traincost/import/settings/python/python_program.hpp"
#include "traincost/import/settings/setting.hpp"

namespace traincost {

struct LaunchDocument {
    Setting root;
    bool is_command = false;  ///< the arguments of a command: laid over the files it names
    std::size_t file = 0;     ///< of the files it came from, the first
};

/// The documents of a set of files.
struct LaunchDocuments {
    std::vector<LaunchDocument> all;
    std::vector<UnreadSetting> unread;  ///< of scripts: what was sourced and not given
    std::vector<std::string> names;     ///< of files given, and written by scripts
    std::vector<bool> is_part;          ///< files that a script sources: they need not be known by themselves
};

/// Parses every file. A Python program may hold many objects: `knows` tells a job's settings. `files` must
/// outlive the documents.
LaunchDocuments parse_documents(std::span<const LaunchFile> files, std::string_view select,
                                const KnowsSettings& knows);

}  // namespace traincost
