// What a command is given and gives back.
#pragma once

#include <traincost/report/commands/command_fields.hpp>
#include <traincost/report/text_table.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace traincost::cli {

/// Exit codes of the program; scripts depend on them.
enum ExitCode {
    exit_yes = 0,            ///< done, or computed and the answer is yes
    exit_no = 1,             ///< computed, and the answer is no
    exit_usage = 2,          ///< bad usage or bad input
    exit_internal = 3,       ///< a defect of traincost, or the output cannot be written
    exit_interrupted = 130,  ///< as shells report SIGINT
};

/// The streams and global options of one invocation. Data goes to `out`, talk to `err`.
struct Context {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    std::string
        data_folder;    ///< --data or TRAINCOST_DATA: records that override the embedded ones; empty: none
    TextStyle style{};  ///< how text is printed
    std::vector<GivenArgument> given{};  ///< arguments of the command that runs
    int exit_code = exit_yes;            ///< set by the command that ran

    void answer(bool yes) {
        exit_code = yes ? exit_yes : exit_no;
    }
};

}  // namespace traincost::cli
