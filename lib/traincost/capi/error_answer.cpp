#include "traincost/capi/error_answer.hpp"

#include <algorithm>

#include "traincost/io/json_writer.hpp"

namespace traincost {

namespace {

std::string_view kind_name(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
            return "usage";
        case ErrorKind::input:
            return "input";
        case ErrorKind::not_found:
            return "not_found";
        case ErrorKind::internal:
            break;
    }
    return "internal";
}

/// "--tp: must ..." as a path and a sentence.
Problem said_of_its_flag(Problem problem) {
    const std::size_t colon = problem.message.find(": ");
    const std::string flag = problem.message.substr(0, std::min(colon, problem.message.size()));
    const bool named = flag.starts_with("--") && flag.find(' ') == std::string::npos;
    if (colon != std::string::npos && named && (problem.path.empty() || problem.path == flag)) {
        problem.path = flag;
        problem.message.erase(0, colon + 2);
    }
    return problem;
}

}  // namespace

std::string error_answer(ErrorKind kind, const std::vector<Problem>& problems) {
    JsonWriter out;
    out.begin_object().key("error").begin_object().member("kind", kind_name(kind));
    out.key("problems").begin_array();
    for (const Problem& given : problems) {
        const Problem problem = said_of_its_flag(given);
        out.begin_object().member("path", problem.path).member("message", problem.message).end_object();
    }
    out.end_array().end_object().end_object();
    return out.text();
}

}  // namespace traincost
