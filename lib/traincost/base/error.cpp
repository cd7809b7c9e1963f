#include <traincost/base/error.hpp>

#include <traincost/base/elided.hpp>

#include <cctype>
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

/// No value that a message quotes is longer.
constexpr std::size_t longest_quoted = 200;

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// The message with the values that it quotes shortened; an apostrophe after a letter quotes nothing.
std::string with_short_quotes(std::string_view message) {
    std::string text;
    std::size_t done = 0;
    for (std::size_t at = message.find('\''); at != message.npos; at = message.find('\'', at + 1)) {
        if (at > 0 && is_letter(message[at - 1]))
            continue;
        std::size_t end = message.find('\'', at + 1);
        while (end != message.npos && end + 1 < message.size() && is_letter(message[end + 1]))
            end = message.find('\'', end + 1);
        if (end == message.npos)
            break;
        text += message.substr(done, at + 1 - done);
        text += elided(message.substr(at + 1, end - at - 1), longest_quoted);
        text += '\'';
        done = end + 1;
        at = end;
    }
    text += message.substr(done);
    return text;
}

std::vector<Problem> bounded(std::vector<Problem> problems) {
    for (Problem& problem : problems) {
        problem = {elided(problem.path, longest / 4), elided(with_short_quotes(problem.message), longest)};
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
