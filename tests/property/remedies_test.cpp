// What is advised to a job that does not fit, held against what a search of the same job finds.
#include <traincost/ask/questions/estimate_question.hpp>
#include <traincost/ask/resolve.hpp>
#include <traincost/base/text.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/export/job_words.hpp>
#include <traincost/plan/configuration_text.hpp>
#include <traincost/plan/relaxation.hpp>
#include <traincost/plan/remedies.hpp>
#include <traincost/spec/draft/job_fields.hpp>

#include <catch2/catch.hpp>

#include "support/random_searches.hpp"

using namespace traincost;

TEST_CASE("no remedy is faster than the best plan of a search of the same job", "[remedies]") {
    const int of_each = random_searches::repetitions("TRAINCOST_SEARCHES", 8);
    int compared = 0;
    random_searches::for_random_requests(of_each, 11, [&](auto& random, SearchRequest& request) {
        request.sites[0].space = stack_space(base_job(request, 0));
        const std::optional<Job> job = random_searches::layout(random, request);
        if (!job || estimate(*job).fits)
            return;
        request.run.uneven_stages = job->run.uneven_stages || searches_uneven_stages(*job);
        const RelaxedSearch found = relaxed_search(request, {}, [](SearchRequest& r) { return search(r); });
        const std::vector<Remedy> advice =
            remedies(*job, allowed_memory(job->cluster.accelerator, request.run));
        if (advice.empty() || !advice.front().fits) {
            CHECK(found.result.best.empty());
            return;
        }
        ++compared;
        REQUIRE_FALSE(found.result.best.empty());
        const RunSpec& run = job->run;
        const Parallelism& p = run.parallel;
        CAPTURE(p.tp, p.pp, p.vp, p.cp, p.dp, p.zero, run.micro_batch, run.recompute, run.recompute_every,
                run.schedule, run.uneven_stages, advice.front().change,
                configuration_flags(found.request, found.result.best.front().configuration));
        CHECK(found.result.best.front().metrics.time.value() <=
              Approx(advice.front().step.value()).epsilon(1e-9));
    });
    CHECK(compared > 25);
}

namespace {

/// Some of what is said of a job; what is not, launchers and recipes complete.
JobDraft part_of(random_searches::Generator& random, const Job& job) {
    const JobDraft whole = draft_of(job);
    JobDraft part;
    for (const JobField& field : job_fields()) {
        const bool completed = field.group == FieldGroup::parallelism || field.key == "run.recompute";
        if (!completed || !random.once_in(3))
            field.copy(part, whole);
    }
    part.model = {};
    part.model_spec = {job.model, "model"};
    return part;
}

/// The draft with a remedy's words over it.
JobDraft with_words(const JobDraft& draft, const std::string& change) {
    const std::vector<std::string> words = split(change, ' ');
    JobDraft said;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& flag = words[i];
        const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
        say(said, *job_field(flag), has_value ? words[++i] : "", flag);
    }
    return overlaid(draft, said);
}

}  // namespace

TEST_CASE("the words of a remedy make its job, whatever was said before", "[remedies]") {
    const int of_each = random_searches::repetitions("TRAINCOST_SEARCHES", 4);
    const Sources sources;
    int asked = 0;
    random_searches::for_random_requests(of_each, 31, [&](auto& random, SearchRequest& request) {
        const std::optional<Job> job = random_searches::layout(random, request);
        if (!job)
            return;
        const JobDraft draft = part_of(random, *job);
        try {
            if (estimate(resolve(draft, sources).job).fits)
                return;
        } catch (const Error&) {
            return;  // what is left of the job is none
        }
        for (const Remedy& remedy : ask(EstimateQuestion{draft}, sources).remedies) {
            CAPTURE(remedy.change);
            ++asked;
            const EstimateAnswer taken = ask(EstimateQuestion{with_words(draft, remedy.change)}, sources);
            CHECK(taken.estimate.step.total == remedy.step);
            CHECK(taken.estimate.stages[static_cast<std::size_t>(taken.estimate.peak_stage)].device ==
                  remedy.device);
        }
    });
    CHECK(asked > 20);
}

TEST_CASE("a model on any number of accelerators has an answer, and remedies that are theirs", "[remedies]") {
    const Sources sources;
    int asked = 0;
    for (const char* model : {"llama-3.1-8b", "mixtral-8x7b", "gpt3-175b"}) {
        for (const std::int64_t count : {3, 5, 7, 9, 24, 30}) {
            JobDraft draft;
            draft.model = {model, "--model"};
            draft.gpu = {"h100", "--gpu"};
            draft.gpus = {count, "--gpus"};
            INFO(model << " on " << count);
            EstimateAnswer answer = ask(EstimateQuestion{draft}, sources);
            for (const Remedy& remedy : answer.remedies) {
                CAPTURE(remedy.change);
                ++asked;
                const EstimateAnswer taken = ask(EstimateQuestion{with_words(draft, remedy.change)}, sources);
                CHECK(taken.estimate.step.total == remedy.step);
                CHECK(taken.estimate.fits == remedy.fits);
            }
        }
    }
    CHECK(asked > 20);
}
