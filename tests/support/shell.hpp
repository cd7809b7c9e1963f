// Commands run by a shell, with the program of this build.
#pragma once

#include <string>

namespace traincost::test {

/// What `command` prints on both streams, run by sh with the built program first in PATH and no
/// TRAINCOST_DATA.
std::string shell_output(const std::string& command);

}  // namespace traincost::test
