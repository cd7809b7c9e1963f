// Transcripts: commands with the output they must have, as text files that can be rewritten from what
// happens.
//
//     # a remark
//     $ traincost params llama-3-8b
//     total  8030261248
//     $ traincost estimate --model nothing < job.json
//     ! traincost: error: unknown model 'nothing'
//     [exit 2]
//
// Lines of the error stream start with "! "; an exit code other than 0 stands at the end.
#pragma once

#include <traincost/report/text_table.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace traincost::test {

/// One command of a transcript: its words as typed, and everything printed after it, with line ends.
struct Exchange {
    int line = 0;         ///< where the command stands, counted from 1
    std::string command;  ///< without "$ "; lines that end in a backslash are joined
    std::string source;   ///< the lines of the command as they stand in the file
    std::string expected;
};

/// A transcript: what stands before its first command, and its commands.
struct Transcript {
    std::string preamble;
    std::vector<Exchange> exchanges;
};

Transcript parse_transcript(std::string_view text, int first_line = 1);

/// The words of a command line, with single and double quotes and backslashes as in a shell.
std::vector<std::string> split_words(std::string_view command);

/// Runs "traincost ARGS [< FILE]" in this process; what it prints, as a transcript shows it.
std::string run_in_process(const std::string& command, const TextStyle& style = {});

/// Whether `actual` is what `expected` says, where "..." in `expected` stands for any characters.
bool matches(std::string_view expected, std::string_view actual);

/// Whether files are to be rewritten from what happens: UPDATE_GOLDEN is set, and not to 0 or nothing.
bool update_wanted();

std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view text);

}  // namespace traincost::test
