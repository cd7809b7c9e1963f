// What one file, or one command of a script, says: settings that some format's reader understands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/setting.hpp"

namespace traincost {

struct LaunchDocument {
    Setting root;
    bool is_command = false;  ///< the arguments of a command: laid over the files it names
};

/// The documents of a text: one for a configuration, more for a script. `file` must outlive them.
std::vector<LaunchDocument> parse_documents(const std::string& file, std::string_view text);

}  // namespace traincost
