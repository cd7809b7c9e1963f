// The one exception of the library, and the list of problems that validation returns.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

/// Whose fault it is: the command line's, a file's or a spec's, an unknown name's, or ours.
enum class ErrorKind { usage, input, not_found, internal };

/// One thing wrong with an input: where it is ("run.parallel.tp", "model.json:/layers"), and what is given,
/// what is allowed, and the nearest valid value, in one line.
struct Problem {
    std::string path;
    std::string message;

    bool operator==(const Problem&) const = default;
};

/// "path: message", or the message alone where there is no path.
std::string to_string(const Problem& problem);

/// Thrown at boundaries only: parse, validate, look up. An infeasible configuration is a result, not an
/// error.
class Error : public std::runtime_error {
public:
    /// `message` is one line: where, what was given, what is allowed, the nearest valid.
    Error(ErrorKind kind, const std::string& message);
    /// Several problems at once; `what()` has one line for each. There must be at least one.
    Error(ErrorKind kind, std::vector<Problem> problems);

    ErrorKind kind() const noexcept {
        return kind_;
    }
    /// The problems; one without a path for an error made from a message.
    const std::vector<Problem>& problems() const noexcept {
        return problems_;
    }

private:
    ErrorKind kind_;
    std::vector<Problem> problems_;
};

/// Throws an `Error` of kind `input` that lists `problems`, each path below `prefix`; nothing when there are
/// none.
void throw_if_any(const std::vector<Problem>& problems, std::string_view prefix = "");

}  // namespace traincost
