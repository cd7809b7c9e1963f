// Files of measured runs: one JSON object a line, schema run-record/1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/records/record.hpp"

namespace traincost {

/// The records of one file, and what its reader did not understand, one remark for each kind of it.
struct RecordFile {
    std::vector<RunRecord> records;
    std::vector<std::string> remarks;
};

/// Reads every line that is not blank. `Error` of kind input, "FILE:LINE:/json/pointer: message", where a
/// line is not JSON, lacks a key or has a value of the wrong type, where two records share an identifier, or
/// where there is no record. A key that the schema does not know is a remark: sources add measurements faster
/// than schemas.
RecordFile records_from_text(std::string_view text, const std::string& file);

/// `records_from_text` of a file's bytes.
RecordFile read_records(const std::string& path);

}  // namespace traincost
