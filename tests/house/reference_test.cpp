// docs/reference.md says what every --help says, and names every member of JSON answers. UPDATE_GOLDEN=1
// rewrites it.

#include "house/help_text.hpp"
#include "support/transcript.hpp"

#include <traincost/io/json.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

using namespace traincost::test;

namespace {

constexpr const char* page_path = "docs/reference.md";

HelpText help_of(const std::string& command) {
    return parse_help(run_in_process("traincost " + command + (command.empty() ? "" : " ") + "--help"));
}

std::string in_table(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '|' ? std::string("\\|") : std::string(1, c);
    }
    return out;
}

std::string table_of(const HelpGroup& group) {
    std::string text =
        "\n| " + (group.title == "Positionals" ? "argument" : group.title) + " | |\n|---|---|\n";
    for (const HelpEntry& entry : group.entries) {
        text += "| `" + in_table(entry.name) + "` | " + in_table(entry.meaning) + " |\n";
    }
    return text;
}

/// The groups that `estimate` has too, word for word, are told once.
bool is_shared(const HelpGroup& group, const HelpText& estimate) {
    const HelpGroup* same = group_of(estimate, group.title);
    return same != nullptr && *same == group && group.title != "Command options";
}

std::string section_of(const std::string& command, const HelpText& estimate) {
    const HelpText help = help_of(command);
    std::string text = "\n### " + command + "\n\n" + help.summary + ".\n\n    " + help.usage + "\n";
    std::string shared;
    for (const HelpGroup& group : help.groups) {
        if (is_of_commands(group)) {
            continue;
        }
        if (is_shared(group, estimate)) {
            shared += (shared.empty() ? "" : ", ") + group.title;
        } else {
            text += table_of(group);
        }
    }
    if (!shared.empty()) {
        text += "\nFlags of every job: " + shared + ".\n";
    }
    for (const HelpEntry& entry : commands_of(help)) {
        text += section_of(command + " " + entry.name, estimate);
    }
    return text;
}

std::string commands_text() {
    const HelpText program = help_of("");
    const HelpText estimate = help_of("estimate");
    std::string text = "\n## Flags of every command\n";
    for (const HelpGroup& group : program.groups) {
        if (!is_of_commands(group)) {
            text += table_of(group);
        }
    }
    text += "\n## Flags of every job\n";
    for (const HelpGroup& group : estimate.groups) {
        if (group.title != "Command options") {
            text += table_of(group);
        }
    }
    text += "\n## Commands\n";
    const std::vector<HelpEntry> commands = commands_of(program);
    REQUIRE_FALSE(commands.empty());
    for (const HelpEntry& entry : commands) {
        text += section_of(entry.name, estimate);
    }
    return text;
}

/// The members of the object that a command prints, and of the first one in its list.
std::string members_of(const std::string& command, const std::string& list) {
    const std::string output = run_in_process("traincost " + command + " --json");
    const traincost::JsonDocument document =
        traincost::parse_json(output.substr(0, output.rfind("\n}") + 3), command);
    const auto names = [](const traincost::JsonValue& value) {
        std::string text;
        for (const traincost::JsonMember& member : *value.object()) {
            text += (text.empty() ? "`" : ", `") + member.key + "`";
        }
        return text;
    };
    std::string text = names(document.root);
    if (!list.empty()) {
        const auto* items = document.root.find(list)->array();
        REQUIRE((items != nullptr && !items->empty()));
        text += "; one of `" + list + "`: " + names(items->front());
    }
    return text;
}

std::string answers_text() {
    struct Example {
        const char* command;
        const char* arguments;
        const char* list;
    };
    const std::string job = " --job tests/golden/job.json";
    const Example examples[] = {{"estimate", "", ""},
                                {"plan", "", "plans"},
                                {"achieved", " --step-time 7s", ""},
                                {"recommend", " --top 1", "plans"},
                                {"sweep", " --vary tp=1", "points"},
                                {"compare", "", "jobs"},
                                {"scale", " --flops 1e22", "laws"},
                                {"params", "", ""}};
    std::string text = "\n| answer of | members |\n|---|---|\n";
    for (const Example& example : examples) {
        const std::string name = example.command;
        const std::string command = name == "compare"  ? "compare tests/golden/job.json tests/golden/job.json"
                                    : name == "scale"  ? name + example.arguments
                                    : name == "params" ? "params llama-3.1-8b"
                                                       : name + job + example.arguments;
        text += "| `" + name + "` | " + members_of(command, example.list) + " |\n";
    }
    return text;
}

/// The page with what stands between two marks replaced.
std::string with_block(const std::string& page, const std::string& name, const std::string& text) {
    const std::string begin = "<!-- " + name + ": written by the tests -->\n";
    const std::string end = "<!-- end of " + name + " -->\n";
    const auto from = page.find(begin);
    const auto to = page.find(end);
    INFO(page_path << " has no block '" << name << "'");
    REQUIRE(from != page.npos);
    REQUIRE(to != page.npos);
    return page.substr(0, from + begin.size()) + text + "\n" + page.substr(to);
}

}  // namespace

TEST_CASE("help is taken apart", "[reference]") {
    const HelpText help = help_of("scale");
    CHECK(help.usage == "traincost scale [OPTIONS]");
    const HelpGroup* own = group_of(help, "Command options");
    REQUIRE(own != nullptr);
    CHECK(own->entries.front().name == "--flops NUMBER");
    CHECK(own->entries.front().meaning == "Compute budget in FLOPs, as in 5.76e23");
}

TEST_CASE("the reference names every command, every flag and every member of an answer", "[reference]") {
    std::filesystem::current_path(SOURCE_FOLDER);
    const std::string page = read_file(page_path);
    const std::string wanted =
        with_block(with_block(page, "commands", commands_text()), "answers", answers_text());
    if (update_wanted() && wanted != page) {
        write_file(page_path, wanted);
        return;
    }
    // Where they differ first is what a reader needs.
    const auto differ = std::mismatch(page.begin(), page.end(), wanted.begin(), wanted.end());
    const auto at = static_cast<std::size_t>(differ.first - page.begin());
    INFO("docs/reference.md has:\n"
         << page.substr(at, 300) << "\n\nand should have:\n"
         << wanted.substr(at, 300));
    CHECK((page == wanted));
}
