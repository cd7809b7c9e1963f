// Temporary files that no other test has, since cases run side by side, each in a process of its own, and
// that are gone when they end.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace traincost::test {

/// A folder that goes with this object, in the process that made it.
class TemporaryFolder {
public:
    TemporaryFolder()
        : owner_(::getpid()),
          path_(std::filesystem::temp_directory_path() /
                ("traincost-test-" + std::to_string(owner_) + "-" + std::to_string(++count()))) {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);  // what a killed process of the same number left
        std::filesystem::create_directories(path_);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        if (::getpid() == owner_)
            std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const {
        return path_;
    }

private:
    static int& count() {
        static int n = 0;
        return n;
    }
    pid_t owner_;
    std::filesystem::path path_;
};

/// `name` in a folder of this process's own.
inline std::filesystem::path temporary(const std::string& name) {
    static const TemporaryFolder folder;
    return folder.path() / name;
}

}  // namespace traincost::test
