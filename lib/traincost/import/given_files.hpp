// What stands beside a Python program among the files given together: settings it may load, modules it may
// import, and the commands that start it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "traincost/import/launch_document.hpp"
#include "traincost/import/recognise.hpp"
#include "traincost/import/settings/python/python_given.hpp"
#include "traincost/import/shell/shell.hpp"

namespace traincost {

/// The settings among the files, as programs beside them load them, each with the groups that its list of
/// defaults names; of two files of one name, none. And the modules among them.
GivenSettings given_settings(std::span<const ShellFile> files, const std::vector<Content>& contents,
                             const std::vector<Setting>& parsed);

/// What the scripts' commands say of a program's options.
std::map<std::string, Setting> said_options(const std::vector<LaunchDocuments>& scripts,
                                            const std::string& program);

}  // namespace traincost
