// Completions and the manual, as the shells and man read them.

#include "support/shell.hpp"
#include "support/transcript.hpp"

#include <cli/app.hpp>

#include <catch2/catch.hpp>

#include <string>

using traincost::CommandNode;
using traincost::OptionNode;
using traincost::cli::program_tree;
using traincost::test::run_in_process;
using traincost::test::shell_output;

namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

bool has_tool(const std::string& name) {
    return shell_output("command -v " + name + " >/dev/null && echo yes") == "yes\n";
}

/// What bash offers after the words of `line`, the last of which is being written, one a line.
std::string offered(const std::string& line) {
    const std::string script = "traincost completion bash >\"$f\"; . \"$f\"; line=(" + line +
                               "); COMP_WORDS=(\"${line[@]}\"); COMP_CWORD=$((${#line[@]} - 1)); "
                               "_traincost traincost \"${line[COMP_CWORD]}\" \"\"; printf \"%s\\n\" "
                               "\"${COMPREPLY[@]}\"";
    return "\n" + shell_output("f=$(mktemp); export f; bash -c '" + script + "'; rm -f \"$f\"");
}

}  // namespace

TEST_CASE("bash completes commands, flags, values and ids", "[completion]") {
    if (!has_tool("bash")) {
        WARN("no bash: not tested");
        return;
    }
    CHECK(offered("traincost est") == "\nestimate\n");
    CHECK(offered("traincost help recom") == "\nrecommend\n");
    CHECK(offered("traincost export sh") == "\nsheet\n");
    CHECK(offered("traincost estimate --micro-b") == "\n--micro-batch\n");
    CHECK(offered("traincost estimate --gpus 8 --micro-b") == "\n--micro-batch\n");
    CHECK(offered("traincost --color never estimate --sequence-parallel o") == "\non\noff\n");
    CHECK(offered("traincost estimate --sequence-parallel = of") == "\noff\n");
    CHECK(offered("traincost estimate --zero \"\"") == "\n0\n1\n2\n3\nddp\nfsdp\n");
    CHECK(offered("traincost estimate --precision fp8") == "\nfp8-mixed\n");
    CHECK(has(offered("traincost estimate --model llama-3.1-8"), "\nllama-3.1-8b\n"));
    CHECK(has(offered("traincost params llama-3.1-8"), "\nllama-3.1-8b\n"));
    CHECK(offered("traincost estimate --gpu h100-sxm5-80") == "\nh100-sxm5-80gb\n");
    CHECK(offered("traincost estimate --cluster dgx-h2") == "\ndgx-h200\n");
    CHECK(offered("traincost recommend --stacks megatron-core,nanoc") == "\nmegatron-core,nanochat\n");
    CHECK(offered("traincost show dgx-h2") == "\ndgx-h200\n");
    CHECK(offered("traincost list acc") == "\naccelerators\n");
    CHECK(offered("traincost sweep --vary micro-b") == "\nmicro-batch=\n");
    CHECK(offered("traincost completion fi") == "\nfish\n");
}

TEST_CASE("every command and flag is in the completion of each shell", "[completion]") {
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        const std::string script = run_in_process("traincost completion " + shell);
        for (const CommandNode& command : program_tree()) {
            INFO(shell << ", " << command.name);
            CHECK(has(script, command.name.substr(command.name.rfind(' ') + 1)));
            for (const OptionNode& option : command.options) {
                INFO(option.names.back());
                CHECK(has(script, shell == "fish" ? option.names.back().substr(2) : option.names.back()));
            }
        }
        if (has_tool(shell)) {
            CHECK(shell_output("f=$(mktemp); traincost completion " + shell + " >\"$f\"; " + shell +
                               " -n \"$f\"; rm -f \"$f\"")
                      .empty());
        }
    }
}

TEST_CASE("an unknown shell and an unknown kind of record are errors", "[completion]") {
    CHECK(has(run_in_process("traincost completion bsh"), "did you mean 'bash'?"));
    CHECK(has(run_in_process("traincost completion --ids modles"), "did you mean 'models'?"));
    CHECK(has(run_in_process("traincost completion"), "allowed: bash, zsh, fish"));
}

TEST_CASE("the manual names every command and every flag", "[completion]") {
    const std::string page = run_in_process("traincost manual");
    const auto in_roff = [](const std::string& name) {
        std::string text;
        for (const char c : name) {
            text += c == '-' ? std::string("\\-") : std::string(1, c);
        }
        return text;
    };
    for (const CommandNode& command : program_tree()) {
        INFO(command.name);
        CHECK(has(page, "\\fBtraincost " + in_roff(command.name)));
        for (const OptionNode& option : command.options) {
            INFO(option.names.back());
            CHECK(has(page, "\\fB" + in_roff(option.names.back()) + "\\fR"));
        }
    }
}

TEST_CASE("man reads the manual without a warning", "[completion]") {
    if (!has_tool("man") || !has_tool("groff")) {
        WARN("no man or no groff: not tested");
        return;
    }
    CHECK(shell_output("f=$(mktemp --suffix=.1); traincost manual >\"$f\"; MANWIDTH=100 LC_ALL=C.UTF-8 man "
                       "--warnings -l \"$f\" 2>&1 >/dev/null; rm -f \"$f\"")
              .empty());
}
