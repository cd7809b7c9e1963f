// A folder of override records that is gone with the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temporary.hpp"

/// Laid out like `data/`: `write("stacks/ours.json", text)`.
class OverrideFolder {
public:
    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((folder_.path() / file).parent_path());
        std::ofstream(folder_.path() / file) << text;
    }
    std::string path() const {
        return folder_.path().string();
    }

private:
    traincost::test::TemporaryFolder folder_;
};
