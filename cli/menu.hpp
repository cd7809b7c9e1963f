// Questions on a terminal, or on a pipe.
#pragma once

#include <cli/context.hpp>

#include <functional>
#include <string>
#include <vector>

namespace traincost::cli {

/// A choice: what is taken, and what is said of it.
struct Choice {
    std::string value;
    std::string says;
};

/// Asks one question after the other on the error stream, and reads the answers from the standard input: a
/// line, or on a terminal keys as they are pressed.
class Menu {
public:
    explicit Menu(Context& context);

    /// One of the choices by its number, by its value, or with the arrow keys and Enter; Enter alone takes
    /// the first. `Error` of kind usage at the end of the input.
    std::string choose(const std::string& question, const std::vector<Choice>& choices);

    /// A text that `check` accepts (it throws an `Error` that is shown, and the question comes again); Enter
    /// alone takes `usual`.
    std::string text(const std::string& question, const std::string& usual,
                     const std::function<void(const std::string&)>& check);

private:
    std::string line();
    std::string pressed(const std::vector<Choice>& choices);

    Context& context_;
    bool keys_;  ///< the standard input is a terminal that gives keys
};

}  // namespace traincost::cli
