// `check`: whether files of records can be read, and what they hold.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/sources.hpp"
#include "traincost/base/error.hpp"

namespace traincost {

/// A file and what it holds, or what is wrong with it.
struct CheckedFile {
    std::string file;
    std::string what;               ///< "model llama-3.1-8b"; empty where it could not be told
    std::vector<Problem> problems;  ///< none: it is valid
};

/// Every record of the files: catalogue records, run records (.jsonl), Hugging Face configurations, and
/// folders of overrides. `Error` of kind input for a folder without a record.
std::vector<CheckedFile> check_files(const std::vector<std::string>& files, const Sources& sources);

}  // namespace traincost
