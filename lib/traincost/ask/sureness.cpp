#include "traincost/ask/sureness.hpp"

#include <utility>

#include "traincost/ask/unstated.hpp"

namespace traincost {

Uncertainty sureness(const JobDraft& draft, const Job& job, const Estimate& taken,
                     const Residuals& residuals) {
    Uncertainty sure = uncertainty(residuals, job, taken);
    if (is_familiar(residuals, job))
        return sure;  // no other setting need be estimated
    return with_unstated(std::move(sure), residuals, job, taken,
                         odds_of(unstated_range(draft, job, taken), taken));
}

Sureness plan_sureness(const JobDraft& question, const Residuals& residuals) {
    JobDraft draft = question;
    draft.recompute = RecomputeChoice{};
    return [draft = std::move(draft), &residuals](const Job& job, const Estimate& taken) {
        return sureness(draft, job, taken, residuals);
    };
}

std::function<bool(const Job&, const Estimate&)> plan_sure_to_fit(const JobDraft& question,
                                                                  const Residuals& residuals) {
    return [sure_of = plan_sureness(question, residuals)](const Job& job, const Estimate& taken) {
        return is_sure_to_fit(sure_of(job, taken));
    };
}

}  // namespace traincost
