#include <traincost/base/error.hpp>

#include <traincost/base/elided.hpp>

#include <utility>

namespace traincost {

namespace {

std::string lines(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        text += (text.empty() ? "" : "\n") + to_string(problem);
    }
    return text;
}

/// No message is longer, whatever a file or a flag held.
constexpr std::size_t longest = 4000;

std::vector<Problem> bounded(std::vector<Problem> problems) {
    for (Problem& problem : problems) {
        problem = {elided(problem.path, longest / 4), elided(problem.message, longest)};
    }
    return problems;
}

}  // namespace

std::string to_string(const Problem& problem) {
    return problem.path.empty() ? problem.message : problem.path + ": " + problem.message;
}

Error::Error(ErrorKind kind, const std::string& message)
    : Error(kind, std::vector<Problem>{{.path = "", .message = message}}) {
}

Error::Error(ErrorKind kind, std::vector<Problem> problems)
    : std::runtime_error(lines(bounded(problems))), kind_(kind), problems_(bounded(std::move(problems))) {
}

void throw_if_any(const std::vector<Problem>& problems, std::string_view prefix) {
    if (problems.empty()) {
        return;
    }
    std::vector<Problem> prefixed = problems;
    if (!prefix.empty()) {
        for (Problem& problem : prefixed) {
            problem.path = std::string(prefix) + (problem.path.empty() ? "" : ": ") + problem.path;
        }
    }
    throw Error(ErrorKind::input, std::move(prefixed));
}

}  // namespace traincost
