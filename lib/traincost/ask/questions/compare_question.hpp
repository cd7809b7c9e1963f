// `compare`: jobs side by side.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/questions/estimate_question.hpp"

namespace traincost {

struct CompareQuestion {
    /// A job and what it is called.
    struct Named {
        std::string name;
        JobDraft job;
    };
    std::vector<Named> jobs;  ///< two or more; ratios are to the first
};

struct CompareAnswer {
    std::vector<std::string> names;
    std::vector<EstimateAnswer> jobs;

    /// Whether all fit.
    bool yes() const;
};

/// The jobs of files; "-" is the standard input. `Error` where it is meant twice, or a file cannot be read.
CompareQuestion compare_question(const std::vector<std::string>& files, const Sources& sources);

/// `Error` where there are fewer than two, or one is no job.
CompareAnswer ask(const CompareQuestion& question, const Sources& sources);

}  // namespace traincost
