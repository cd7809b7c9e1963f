#include "traincost/ask/measured/record_files.hpp"

#include <filesystem>
#include <set>

#include "traincost/base/error.hpp"
#include "traincost/io/records.hpp"

namespace traincost {

std::vector<SourcedRecord> read_record_files(const std::vector<std::string>& files,
                                             const TakeRemark& remark) {
    std::vector<SourcedRecord> records;
    std::set<std::string> ids;
    for (const std::string& path : files) {
        RecordFile file = read_records(path);
        for (const std::string& line : file.remarks)
            remark(line);
        const std::string source = std::filesystem::path(path).stem().string();
        for (RunRecord& record : file.records) {
            if (!ids.insert(record.id).second)
                throw Error(ErrorKind::input, path + ": record '" + record.id + "' was read before");
            records.push_back({std::move(record), source});
        }
    }
    return records;
}

void require_unused(const std::vector<std::pair<std::string_view, bool>>& options) {
    for (const auto& [name, given] : options) {
        if (given)
            throw Error(ErrorKind::usage,
                        std::string(name) + ": applies to run records; the files contain kernels");
    }
}

}  // namespace traincost
