#include "traincost/ask/questions/compare_question.hpp"

#include <algorithm>

#include "traincost/ask/sureness.hpp"
#include "traincost/base/error.hpp"

namespace traincost {

namespace {

/// The problems with the name of the file they are in; those that name it already stay.
[[noreturn]] void throw_for_file(const Error& error, const std::string& file) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
        const std::string& first = problem.path.empty() ? problem.message : problem.path;
        if (!first.starts_with(file)) {
            problem.path = problem.path.empty() ? file : file + ": " + problem.path;
        }
    }
    throw Error(error.kind(), problems);
}

EstimateAnswer estimate_of(const CompareQuestion::Named& named, const Sources& sources) {
    try {
        EstimateAnswer answer = estimated(resolve(named.job, sources), sources);
        answer.sure = sureness(named.job, answer.job, answer.estimate, sources.residuals());
        return answer;
    } catch (const Error& error) {
        throw_for_file(error, named.name);
    }
}

}  // namespace

bool CompareAnswer::yes() const {
    return std::all_of(jobs.begin(), jobs.end(), [](const EstimateAnswer& job) { return job.estimate.fits; });
}

CompareAnswer ask(const CompareQuestion& question, const Sources& sources) {
    if (question.jobs.size() < 2)
        throw Error(ErrorKind::usage, "compare: needs at least two job files");
    CompareAnswer answer;
    for (const CompareQuestion::Named& named : question.jobs) {
        answer.names.push_back(named.name);
        answer.jobs.push_back(estimate_of(named, sources));
    }
    return answer;
}

CompareQuestion compare_question(const std::vector<std::string>& files, const Sources& sources) {
    if (std::count(files.begin(), files.end(), "-") > 1)
        throw Error(ErrorKind::usage, "compare: standard input can be read only once");
    CompareQuestion question;
    for (const std::string& file : files)
        question.jobs.push_back({file, draft_from_file(file, sources)});
    return question;
}

}  // namespace traincost
