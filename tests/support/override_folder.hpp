// A folder of override records that is gone with the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

/// Laid out like `data/`: `write("stacks/ours.json", text)`.
class OverrideFolder {
public:
    OverrideFolder()
        : path_(std::filesystem::temp_directory_path() /
                ("traincost_catalogue_" + std::to_string(++count()))) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~OverrideFolder() {
        std::filesystem::remove_all(path_);
    }
    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((path_ / file).parent_path());
        std::ofstream(path_ / file) << text;
    }
    std::string path() const {
        return path_.string();
    }

private:
    static int& count() {
        static int n = 0;
        return n;
    }
    std::filesystem::path path_;
};
