// The commands of a shell script that are no blocks: assignments, words and redirections.
#pragma once

#include <string>
#include <vector>

#include "traincost/import/shell/shell_scanner.hpp"

namespace traincost {

class SimpleCommands : public ShellScanner {
public:
    using ShellScanner::ShellScanner;

protected:
    void read_here_document(ShellCommand& command, std::size_t index);
    /// Where a word may be an assignment: NAME=, NAME+=, NAME[index]=; the characters up to the value, or 0.
    std::size_t assignment_length(ShellAssignment& assignment) const;
    void array_elements(std::vector<ShellText>& words);
    bool assignment(ShellCommand& command);
    void redirect(ShellCommand& command);
    // The words of [[ ]] are split at blanks only.
    void double_brackets(ShellCommand& command);
    ShellCommand simple();
    // What follows on the line ("cat <<EOF | tee x") is passed over.
    void finish_here_documents(ShellCommand& command, const std::vector<std::size_t>& here);

    std::vector<std::size_t> here_{};  ///< here-documents of the line, whose texts follow it
};

}  // namespace traincost
