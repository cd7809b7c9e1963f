#include "traincost/ask/questions/explain_question.hpp"

#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/io/specs/stack_claim.hpp"

namespace traincost {

ExplainAnswer ask(const ExplainQuestion& question, const Sources& sources) {
    ExplainAnswer answer{.item = question.item};
    if (question.operators && !question.job)
        throw Error(ErrorKind::usage, "--operators: needs a job; give --model and --gpu, or a launch file");
    if (question.job) {
        ResolvedJob resolved = resolve(*question.job, sources);
        Estimate e = estimate(resolved.job);
        if (question.operators)
            answer.operators = operator_list(resolved.job, e.step.slowest_stage);
        answer.of.emplace(EstimatedJob{std::move(resolved), std::move(e)});
    }
    return answer;
}

std::vector<std::string> reasons_of_stack(std::span<const std::string_view> choices, const std::string& stack,
                                          const Catalogue& catalogue) {
    std::vector<std::string> lines;
    if (!catalogue.find(Room::stacks, stack)) {
        return lines;
    }
    const JsonDocument record = catalogue.stack_document(stack);
    for (const std::string_view choice : choices) {
        if (const auto claim = claim_of(record, choice)) {
            lines.push_back("stack " + stack + ", " + std::string(choice) + ": " + claim_text(*claim));
        }
    }
    return lines;
}

}  // namespace traincost
