#include "traincost/io/record_reader.hpp"

#include <algorithm>

#include "traincost/base/elided.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

std::string record_name(const JsonNode& node) {
    constexpr std::size_t longest = 500;
    if (node.string().size() > longest)
        node.fail("is a name of " + std::to_string(node.string().size()) + " bytes; must have at most " +
                  std::to_string(longest));
    return node.string();
}

std::int64_t record_count(const JsonNode& node, std::int64_t high) {
    const std::int64_t x = node.integer(0);
    if (x > high)
        node.fail(std::to_string(x) + "; must be at most " + std::to_string(high));
    return x;
}

}  // namespace

void RecordReader::read(std::string_view key, std::string& field) {
    if (const auto node = find(key))
        field = node->string();
}

void RecordReader::read(std::string_view key, bool& field) {
    if (const auto node = find(key))
        field = node->boolean();
}

void RecordReader::read(std::string_view key, double& field) {
    if (const auto node = find(key))
        field = node->number();
}

void RecordReader::read(std::string_view key, std::int64_t& field, std::int64_t high) {
    if (const auto node = find(key))
        field = record_count(*node, high);
}

void RecordReader::read(std::string_view key, std::optional<std::int64_t>& field, std::int64_t high) {
    if (const auto node = find(key))
        field = record_count(*node, high);
}

void RecordReader::read(std::string_view key, std::optional<double>& field) {
    if (const auto node = find(key))
        field = node->number();
}

void RecordReader::read(std::string_view key, std::optional<bool>& field) {
    if (const auto node = find(key))
        field = node->boolean();
}

void RecordReader::read(std::string_view key, std::vector<double>& field) {
    if (const auto node = find(key)) {
        for (const JsonNode& item : node->items())
            field.push_back(item.number());
    }
}

void RecordReader::read(std::string_view key, std::vector<std::string>& field) {
    if (const auto node = find(key))
        field = node->strings();
}

void RecordReader::name(std::string_view key, std::string& field) {
    if (const auto node = find(key))
        field = record_name(*node);
}

void RecordReader::required(std::string_view key, std::string& field) {
    names_.push_back(key);
    field = record_name(object_.at(key));
    if (field.empty())
        object_.at(key).fail("is empty");
}

JsonNode RecordReader::at(std::string_view key) {
    names_.push_back(key);
    return object_.at(key);
}

std::optional<JsonNode> RecordReader::find(std::string_view key) {
    names_.push_back(key);
    return object_.find(key);
}

void RecordReader::skip(std::string_view key) {
    names_.push_back(key);
}

void RecordReader::remark_unread(std::string_view place, std::vector<std::string>& remarks) const {
    for (const JsonMember& member : *object_.node().value().object()) {
        if (std::find(names_.begin(), names_.end(), member.key) != names_.end())
            continue;
        constexpr std::size_t shown = 60;
        remarks.push_back("unknown key '" + std::string(place) + elided(member.key, shown) +
                          "' was not read" + did_you_mean(member.key, names_));
    }
}

}  // namespace traincost
