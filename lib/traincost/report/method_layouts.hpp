// A job as published calculators print it, ours beside theirs.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

struct MethodFigure {
    std::string what;
    double theirs;
    double ours;
    std::string why;  ///< they differ
};

struct MethodLayout {
    std::string name;     ///< of the method: "fast-llm"
    std::string command;  ///< of the program, which prints the same
    std::string text;     ///< as the original prints it
    std::vector<MethodFigure> figures;
};

/// The pages of the calculators that take such a job: fast-llm, of dense models and of mixtures of 1, 2, 4 or
/// 8 experts. Its TFLOPS are the hardware rate that we predict, as its user would measure it; without tokens
/// of the whole run its own BTOKEN stays, and days are not compared.
std::vector<MethodLayout> method_layouts(const EstimateAnswer& of);

/// [{"name", "command", "text", "figures": [{"what", "theirs", "ours", "why"}]}].
void write_json(JsonWriter& out, const std::vector<MethodLayout>& layouts);

}  // namespace traincost
