#include "traincost/ask/questions/estimate_question.hpp"

#include "traincost/ask/remedy_words.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

std::optional<std::string> why_training_never_ends(const Job& job, const Operation& operation) {
    const std::optional<Reliability> r = reliability_of(job, operation);
    if (!r || r->goodput > 0.0)
        return std::nullopt;
    return std::to_string(job.cluster.accelerators) + " accelerators fail every " + to_text(r->mean_time) +
           "; writing a " + to_text(r->checkpoint) + " checkpoint takes " + to_text(r->write);
}

std::function<MemoryMargin(const Job&)> margins(const Sources& sources) {
    return [&sources](const Job& job) { return memory_margin(sources.residuals(), job); };
}

EstimateAnswer estimated(ResolvedJob resolved, const Sources& sources) {
    Estimate e = estimate(resolved.job);
    Uncertainty sure = uncertainty(sources.residuals(), resolved.job, e);
    const Bill b = bill(resolved.job, e, resolved.operation);
    std::optional<std::string> never_ends = why_training_never_ends(resolved.job, resolved.operation);
    return {.job = std::move(resolved.job),
            .operation = std::move(resolved.operation),
            .assumptions = std::move(resolved.assumptions),
            .estimate = std::move(e),
            .sure = std::move(sure),
            .bill = b,
            .never_ends = std::move(never_ends)};
}

EstimateAnswer ask(const EstimateQuestion& question, const Sources& sources) {
    EstimateAnswer answer = estimated(resolve(question.job, sources), sources);
    answer.notes = question.notes;
    if (question.weighs_unstated) {
        answer.unstated = unstated_range(question.job, answer.job, answer.estimate);
        if (!is_familiar(sources.residuals(), answer.job))
            answer.hope = hope(answer.unstated, answer.estimate);
        answer.sure = with_unstated(std::move(answer.sure), sources.residuals(), answer.job, answer.estimate,
                                    odds_of(answer.unstated, answer.estimate));
    }
    if (question.names_constants)
        answer.constants = constants_of(answer.job, answer.estimate, sources.catalogue());
    answer.padding = paying_padding(answer.job, answer.estimate.step.total);
    if (!answer.estimate.fits) {
        answer.remedies =
            remedies(answer.job, answer.estimate.capacity,
                     freedoms_of(question.job, answer.job, sources).other_stacks, margins(sources));
        for (Remedy& remedy : answer.remedies)
            remedy.change = words_in_full(remedy, question.job, sources);
    }
    return answer;
}

}  // namespace traincost
