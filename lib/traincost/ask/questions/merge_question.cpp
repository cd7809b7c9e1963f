#include "traincost/ask/questions/merge_question.hpp"

#include <algorithm>

#include "traincost/base/error.hpp"
#include "traincost/io/answers/shard_json.hpp"
#include "traincost/io/answers/sweep_json.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

namespace {

std::string merged_sweep_files(const MergeQuestion& question) {
    if (!question.format.empty())
        throw Error(ErrorKind::usage, "--format: the shards of a sweep merge to JSON");
    std::vector<JsonDocument> shards;
    for (const std::string& file : question.files)
        shards.push_back(read_json_file(file));
    return merged_sweep(shards);
}

}  // namespace

MergeAnswer ask(const MergeQuestion& question) {
    const JsonDocument first = read_json_file(question.files.front());
    if (is_sweep(first))
        return {merged_sweep_files(question), {}};
    const std::vector<std::string> said = shard_from_json(JsonNode(first)).arguments;
    std::vector<std::string> command = {"recommend"};
    command.insert(command.end(), said.begin(), said.end());
    const auto absent = [&](const std::string& flag) {
        return std::none_of(said.begin(), said.end(),
                            [&](const std::string& word) { return word.starts_with(flag); });
    };
    if (question.json && absent("--json"))
        command.emplace_back("--json");
    if (!question.format.empty() && absent("--format"))
        command.push_back("--format=" + question.format);
    for (const std::string& file : question.files)
        command.push_back("--from-shard=" + file);
    return {{}, std::move(command)};
}

}  // namespace traincost
