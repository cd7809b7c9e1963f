// The commands that a program of Python starts: os.system("torchrun ..."), subprocess.run(["composer", ...]).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace traincost {

/// A shell script of the commands that start a process's launcher or a training program, every line where it
/// stands in the program; nothing where there are none. What is no text there is unknown in the script.
std::optional<std::string> python_commands(std::string_view text);

}  // namespace traincost
