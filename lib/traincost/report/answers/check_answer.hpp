// What `check` found, printed.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/questions/check_question.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

/// A line for each valid file: its name and what it holds.
std::string valid_files_text(const std::vector<CheckedFile>& files);

/// Every problem of every file.
std::vector<Problem> problems_of(const std::vector<CheckedFile>& files);

/// {"files": [{"file", "valid", "holds", "problems"}]}.
void write_json(JsonWriter& out, const std::vector<CheckedFile>& files);

}  // namespace traincost
