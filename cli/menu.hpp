// Questions on a terminal, or on a pipe.
#pragma once

#include <cli/context.hpp>
#include <traincost/ask/questions/guide_question.hpp>

#include <string>
#include <vector>

namespace traincost::cli {

/// Asks one question after the other on the error stream, and reads the answers from the standard input: a
/// line, or on a terminal keys as they are pressed.
class Menu {
public:
    explicit Menu(Context& context);

    /// One of the step's choices by its number, by its value, or with the arrow keys and Enter; Enter alone
    /// takes the first. `Error` of kind usage at the end of the input.
    std::string choose(const GuideStep& step);

    /// A text that the step accepts: where it does not, that is shown, and the question comes again. Enter
    /// alone takes what is usual.
    std::string text(const GuideStep& step, const Sources& sources);

private:
    std::string line();
    std::string pressed(const std::vector<GuideChoice>& choices);

    Context& context_;
    bool keys_;  ///< the standard input is a terminal that gives keys
};

}  // namespace traincost::cli
