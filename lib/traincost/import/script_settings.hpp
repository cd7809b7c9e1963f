// A script that nobody gave, and the variables it is started with.
#pragma once

#include <vector>

#include "traincost/import/launch_document.hpp"
#include "traincost/import/shell/shell.hpp"

namespace traincost {

/// The settings of "TP=8 MBS=2 SEQ_LENGTH=4096 bash train.sh": variables whose names say what they set.
/// Nothing where the script is not the last word, or too few of them do.
std::vector<LaunchDocument> script_settings(const StartedCommand& command,
                                            const std::vector<const std::string*>& files);

}  // namespace traincost
