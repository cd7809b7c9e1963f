// Names of temporary files that no other test has: cases run side by side, each in a process of its own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace traincost::test {

/// `name` in the folder for temporary files, with this process's number.
inline std::filesystem::path temporary(const std::string& name) {
    return std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + "-" + name);
}

}  // namespace traincost::test
