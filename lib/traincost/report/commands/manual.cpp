#include "traincost/report/commands/manual.hpp"

#include "traincost/base/version.hpp"

#include <algorithm>

namespace traincost {

namespace {

/// As roff prints it: backslashes and hyphens escaped, no request at the beginning of a line.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if (c == '\'') {
            out += "\\(aq";
        } else {
            out += c;
        }
    }
    return out.starts_with('.') ? "\\&" + out : out;
}

std::string bold(const std::string& text) {
    return "\\fB" + roff(text) + "\\fR";
}

std::string option_text(const OptionNode& option, bool positional) {
    std::string names;
    for (const std::string& name : option.names) {
        names += (names.empty() ? "" : ", ") + (positional ? "\\fI" + roff(name) + "\\fR" : bold(name));
    }
    if (!positional && !option.value.empty()) {
        names += " \\fI" + roff(option.value) + "\\fR";
    }
    names += option.several ? " ..." : "";
    const std::string meaning =
        option.meaning + (option.environment.empty() ? "" : " (or " + option.environment + ")");
    return ".TP\n" + names + "\n" + roff(meaning) + "\n";
}

/// The options that `command` shares, word for word, with every job are told once.
bool is_told(const OptionNode& option, const std::vector<OptionNode>& shared) {
    return std::find(shared.begin(), shared.end(), option) != shared.end();
}

std::string synopsis(const CommandNode& command) {
    std::string text = bold("traincost " + command.name) + " [\\fIOPTIONS\\fR]";
    for (const OptionNode& each : command.positionals) {
        text += " [\\fI" + roff(each.names.front()) + "\\fR" + (each.several ? " ...]" : "]");
    }
    return text + (command.has_commands ? " \\fICOMMAND\\fR" : "");
}

std::string command_text(const CommandNode& command, const std::vector<OptionNode>& shared) {
    std::string text = ".SS \"" + roff(command.name) + "\"\n" + synopsis(command) + "\n.PP\n" +
                       roff(command.summary) + ".\n";
    for (const OptionNode& each : command.positionals) {
        text += option_text(each, true);
    }
    bool some_shared = false;
    for (const OptionNode& option : command.options) {
        if (is_told(option, shared)) {
            some_shared = true;
        } else if (option.names.back() != "--help") {
            text += option_text(option, false);
        }
    }
    if (some_shared) {
        text += ".PP\nIt also takes the options of every job, described below.\n";
    }
    if (!command.examples.empty()) {
        text += ".PP\nExample:\n.PP\n.nf\n";
        for (const std::string& example : command.examples) {
            text += "    " + roff(example) + "\n";
        }
        text += ".fi\n";
    }
    return text;
}

/// The options of a job, as `estimate` has them.
std::vector<OptionNode> job_options_of(const std::vector<CommandNode>& tree) {
    std::vector<OptionNode> options;
    for (const CommandNode& command : tree) {
        if (command.name == "estimate") {
            std::copy_if(command.options.begin(), command.options.end(), std::back_inserter(options),
                         [](const OptionNode& option) {
                             return option.group != own_group && option.names.back() != "--help";
                         });
        }
    }
    return options;
}

std::string overview(const std::vector<CommandNode>& tree) {
    std::string text;
    std::string group;
    for (const CommandNode* command : commands_of(tree, "")) {
        if (command->group != group) {
            group = command->group;
            text += ".SS \"" + roff(group) + "\"\n";
        }
        text += ".TP\n" + bold(command->name) + "\n" + roff(command->summary) + "\n";
    }
    return text;
}

constexpr const char* exit_status = R"(.SH EXIT STATUS
.TP
0
Done, or computed and the answer is yes
.TP
1
Computed, and the answer is no: the job does not fit, or nothing was found
.TP
2
Bad usage or bad input; standard error has one line per problem: where, what, and what is allowed
.TP
3
Internal error, or the output cannot be written
)";

constexpr const char* environment = R"(.SH ENVIRONMENT
.TP
\fBTRAINCOST_DATA\fR
Folder of records that override the built\-in catalogue, as \fB\-\-data\fR
.TP
\fBNO_COLOR\fR
If set, text is not coloured
.TP
\fBCOLUMNS\fR
Width of text; default: the width of the terminal, or 100 if output is not a terminal
)";

}  // namespace

std::string manual_page(const std::vector<CommandNode>& tree) {
    const CommandNode& program = tree.front();
    const std::vector<OptionNode> shared = job_options_of(tree);
    std::string text = ".\\\" Written by 'traincost manual'.\n.TH TRAINCOST 1 \"\" \"traincost " +
                       roff(std::string(version())) + "\" \"User Commands\"\n";
    text += ".SH NAME\ntraincost \\- training\\-cost calculator for large language models\n";
    text += ".SH SYNOPSIS\n" + bold("traincost") +
            " [\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.br\n" + bold("traincost help") +
            " \\fICOMMAND\\fR\n";
    text += ".SH DESCRIPTION\n" + roff(program.summary) +
            "\n.PP\nMemory, time and cost are computed from the model's operators, the accelerator's "
            "measured rates and\n"
            "the known behaviour of the software stack. Unstated settings are taken from the stack and the "
            "model, "
            "and\n"
            "listed as assumed.\n";
    text += ".SH COMMANDS\n" + overview(tree);
    text += ".SH OPTIONS OF EVERY COMMAND\n";
    for (const OptionNode& option : program.options) {
        text += option_text(option, false);
    }
    text += ".SH COMMANDS IN DETAIL\n";
    for (const CommandNode& command : tree) {
        text += command.name.empty() ? "" : command_text(command, shared);
    }
    text += ".SH OPTIONS OF EVERY JOB\n";
    std::string group;
    for (const OptionNode& option : shared) {
        if (option.group != group) {
            group = option.group;
            text += ".SS \"" + roff(group) + "\"\n";
        }
        text += option_text(option, false);
    }
    return text + exit_status + environment;
}

}  // namespace traincost
