#include "traincost/report/answers/check_answer.hpp"

namespace traincost {

std::string valid_files_text(const std::vector<CheckedFile>& files) {
    std::string text;
    for (const CheckedFile& file : files) {
        if (file.problems.empty()) {
            text += file.file + ": " + file.what + '\n';
        }
    }
    return text;
}

std::vector<Problem> problems_of(const std::vector<CheckedFile>& files) {
    std::vector<Problem> problems;
    for (const CheckedFile& file : files) {
        problems.insert(problems.end(), file.problems.begin(), file.problems.end());
    }
    return problems;
}

void write_json(JsonWriter& out, const std::vector<CheckedFile>& verdicts) {
    out.begin_object().member("schema_version", 1).key("files").begin_array();
    for (const CheckedFile& verdict : verdicts) {
        out.begin_object().member("file", verdict.file).member("valid", verdict.problems.empty());
        out.member("holds", verdict.what).key("problems").begin_array();
        for (const Problem& problem : verdict.problems) {
            out.begin_object().member("path", problem.path).member("message", problem.message).end_object();
        }
        out.end_array().end_object();
    }
    out.end_array().end_object();
}

}  // namespace traincost
