#include "traincost/report/commands/command_tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

#include "traincost/base/text.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/spec/data_type.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

namespace {

std::vector<std::string> copied(std::span<const std::string_view> names) {
    return {names.begin(), names.end()};
}

/// Values of these options are ids of records.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> record_options = {
    {{"--model", "models"},
     {"--as-model", "models"},
     {"--gpu", "accelerators"},
     {"--as-gpu", "accelerators"},
     {"--cluster", "clusters"},
     {"--clusters", "clusters"},
     {"--stack", "stacks"},
     {"--stacks", "stacks"},
     {"MODEL", "models"}}};

/// "full[:EVERY|:layers=N]" is "full".
std::string without_brackets(std::string_view text) {
    std::string out;
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' ? 1 : 0;
        if (depth == 0) {
            out += c;
        }
        depth -= c == ']' ? 1 : 0;
    }
    return out;
}

bool is_word(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_' || c == '-';
    });
}

/// The words that the help names as values: of "on|off|PARTS" on and off, of "0..3" the four digits.
std::vector<std::string> words_of(const std::string& value) {
    std::vector<std::string> words;
    for (const std::string& part : split(without_brackets(value), '|')) {
        for (const std::string& word : split(part, ',')) {
            if (word.size() == 4 && word.substr(1, 2) == ".." && word[0] <= word[3]) {
                for (char digit = word[0]; digit <= word[3]; ++digit) {
                    words.emplace_back(1, digit);
                }
            } else if (is_word(word) && std::find(words.begin(), words.end(), word) == words.end()) {
                words.push_back(word);
            }
        }
    }
    return words;
}

bool names_part(const std::string& value, std::string_view wanted) {
    const std::vector<std::string> parts = split(value, '|');
    return std::find(parts.begin(), parts.end(), wanted) != parts.end();
}

}  // namespace

void describe_value(OptionNode& node) {
    const std::string& name = node.names.back();
    const bool any_id = node.value.starts_with("ID") || name == "MODEL";
    const auto* record = std::find_if(record_options.begin(), record_options.end(),
                                      [&](const auto& row) { return row.first == name; });
    const JobField* field = job_field(name);
    if (name == "--vary") {
        node.kind = ValueKind::setting;
        for (const JobField& each : job_fields()) {
            if (each.sweepable && !each.flag.empty()) {
                node.words.emplace_back(each.flag.substr(2));
            }
        }
    } else if (record != record_options.end() && any_id) {
        node.kind = ValueKind::record;
        node.room = record->second;
        node.file = names_part(node.value, "FILE") || name == "MODEL";
    } else if (name == "NAME") {
        node.kind = ValueKind::record;
        node.room = "all";
    } else if (name == "KIND" || name == "--kind") {
        node.kind = ValueKind::word;
        node.words = copied(room_names());
    } else if (name == "--precision") {
        node.kind = ValueKind::word;
        node.words = copied(precision_names());
    } else if (name == "FILE" || names_part(node.value, "FILE")) {
        node.kind = ValueKind::file;
    } else if (names_part(node.value, "FOLDER")) {
        node.kind = ValueKind::folder;
    } else if (field != nullptr && field->choices != nullptr && name.starts_with("--")) {
        node.kind = ValueKind::word;
        node.words = copied(field->choices());
    } else if (node.words = words_of(node.value); !node.words.empty()) {
        node.kind = ValueKind::word;
    }
}

std::vector<const CommandNode*> commands_of(const std::vector<CommandNode>& tree, std::string_view name) {
    const std::string start = name.empty() ? "" : std::string(name) + " ";
    std::vector<const CommandNode*> found;
    for (const CommandNode& node : tree) {
        if (!node.name.empty() && node.name.starts_with(start) &&
            node.name.find(' ', start.size()) == node.name.npos && node.name != name) {
            found.push_back(&node);
        }
    }
    return found;
}

}  // namespace traincost
