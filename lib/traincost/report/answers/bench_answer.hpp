// The answer of `export bench` and `loop`, printed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "traincost/ask/questions/bench_question.hpp"
#include "traincost/report/commands/command_fields.hpp"

namespace traincost {

/// What is told beside the script, a line each: what was assumed, and that the job is predicted not to fit.
std::vector<std::string> bench_remarks(const BenchAnswer& answer);

/// How a job is measured, and what is printed of it.
struct BenchView {
    BenchOptions options{};
    std::string file{};  ///< of the script; empty: the standard output
    bool loop = false;   ///< the four commands instead
};

/// The arguments that were given, to be given again.
struct BenchWords {
    std::vector<std::string> job;  ///< what describes the job
    std::vector<std::string> all;  ///< how it is measured, too
    std::string script{};          ///< its file; empty: bench.py
};

/// Those of the arguments of `export bench` or `loop`: what measures is for one of the commands only.
BenchWords bench_words(const std::vector<GivenArgument>& given, const std::string& script);

/// Predict, measure, compare, calibrate: the four commands of the job, no wider than `width` where their
/// words allow.
std::string loop_text(const BenchAnswer& answer, const BenchWords& words, std::size_t width);

}  // namespace traincost
