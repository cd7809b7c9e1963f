// What reads one object of a run record: fields that may be absent, and the keys that nobody read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/io/json.hpp"

namespace traincost {

/// One object of a record: `read` fills what is stated, and `remark_unread` names the keys nobody read.
/// `Error` of kind input where a value has the wrong type or a count is too large.
class RecordReader {
public:
    /// Counts of a source beyond this are mistakes; products of those within stay exact.
    static constexpr std::int64_t largest_count = std::int64_t{1} << 40;

    explicit RecordReader(const JsonNode& node) : object_(node) {
    }

    void read(std::string_view key, std::string& field);
    void read(std::string_view key, bool& field);
    void read(std::string_view key, double& field);
    /// A count of at most `high`.
    void read(std::string_view key, std::int64_t& field, std::int64_t high = largest_count);
    void read(std::string_view key, std::optional<std::int64_t>& field, std::int64_t high = largest_count);
    void read(std::string_view key, std::optional<double>& field);
    void read(std::string_view key, std::optional<bool>& field);
    void read(std::string_view key, std::vector<double>& field);
    void read(std::string_view key, std::vector<std::string>& field);
    /// A name: what is looked up and what tables print.
    void name(std::string_view key, std::string& field);
    void required(std::string_view key, std::string& field);
    JsonNode at(std::string_view key);
    std::optional<JsonNode> find(std::string_view key);
    void skip(std::string_view key);
    void remark_unread(std::string_view place, std::vector<std::string>& remarks) const;

private:
    JsonObject object_;
    std::vector<std::string_view> names_;
};

}  // namespace traincost
