// Launch files of other frameworks, in any number and order: what they say of the job.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/launch_fact.hpp"

namespace traincost {

/// One file: the name that places are shown with, and its bytes.
struct LaunchFile {
    std::string name;
    std::string text;
};

/// The names of the formats that are read, in the order of the table.
std::vector<std::string_view> launch_formats();

/// What `files` say. `select` names one of several jobs that they describe: a function of a Python file, a
/// branch of a script; empty where there is one. Nothing is run and no environment is read. `Error` of kind
/// input, with file and line, where a file cannot be read; with the file where its format is not known.
LaunchReading read_launch_files(std::span<const LaunchFile> files, std::string_view select = {});

}  // namespace traincost
