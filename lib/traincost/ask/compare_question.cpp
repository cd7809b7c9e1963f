#include "traincost/ask/compare_question.hpp"

#include <algorithm>

namespace traincost {

bool CompareAnswer::yes() const {
    return std::all_of(jobs.begin(), jobs.end(), [](const EstimateAnswer& job) { return job.estimate.fits; });
}

CompareAnswer ask(const CompareQuestion& question, const Sources& sources) {
    if (question.jobs.size() < 2)
        throw Error(ErrorKind::usage, "compare: needs two job files or more");
    CompareAnswer answer;
    for (const CompareQuestion::Named& named : question.jobs) {
        answer.names.push_back(named.name);
        answer.jobs.push_back(estimated(resolve(named.job, sources), sources));
    }
    return answer;
}

CompareQuestion compare_question(const std::vector<std::string>& files, const Sources& sources) {
    if (std::count(files.begin(), files.end(), "-") > 1)
        throw Error(ErrorKind::usage, "compare: the standard input can be read once only");
    CompareQuestion question;
    for (const std::string& file : files)
        question.jobs.push_back({file, draft_from_file(file, sources)});
    return question;
}

}  // namespace traincost
