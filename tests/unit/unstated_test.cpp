// Effect of unstated settings.

#include "traincost/ask/unstated.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/spec/draft/job_fields.hpp"

using namespace traincost;

namespace {

JobDraft draft_of(std::initializer_list<std::pair<const char*, const char*>> words) {
    JobDraft draft;
    for (const auto& [flag, text] : words)
        say(draft, *job_field(flag), text, flag);
    return draft;
}

JobDraft small_job() {
    return draft_of({{"--model", "llama-3.2-1b"},
                     {"--gpu", "h100"},
                     {"--gpus", "8"},
                     {"--stack", "torchtitan"},
                     {"--seq", "4096"},
                     {"--global-batch", "64"}});
}

EstimateAnswer answer_to(const JobDraft& draft) {
    static const Sources sources;
    return ask(EstimateQuestion{draft, {}, true}, sources);
}

const UnstatedSetting* setting_of(const UnstatedRange& range, std::string_view flag) {
    const auto found = std::find_if(range.settings.begin(), range.settings.end(),
                                    [&](const UnstatedSetting& s) { return s.flag == flag; });
    return found == range.settings.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("tokens in uneven numbers widen the range of experts over ranks, unless their share is said",
          "[unstated]") {
    const auto mixture = [](const char* ep) {
        return draft_of({{"--model", "qwen3-30b-a3b"},
                         {"--gpu", "h100"},
                         {"--gpus", "8"},
                         {"--stack", "megatron-core"},
                         {"--ep", ep},
                         {"--seq", "4096"},
                         {"--global-batch", "64"}});
    };
    const EstimateAnswer answer = answer_to(mixture("8"));
    const UnstatedSetting* routing = setting_of(answer.unstated, "--expert-imbalance");
    REQUIRE(routing != nullptr);
    REQUIRE(routing->others.size() == 1);
    CHECK(routing->others[0].step > answer.estimate.step.total);
    CHECK(routing->others[0].device > answer.estimate.stages[0].device);
    JobDraft stated = mixture("8");
    say(stated, *job_field("--expert-imbalance"), "1.4", "--expert-imbalance");
    const EstimateAnswer busy = answer_to(stated);
    CHECK(setting_of(busy.unstated, "--expert-imbalance") == nullptr);
    CHECK(busy.estimate.step.total == routing->others[0].step);
    CHECK(setting_of(answer_to(mixture("1")).unstated, "--expert-imbalance") == nullptr);
    CHECK(setting_of(answer_to(small_job()).unstated, "--expert-imbalance") == nullptr);
}

TEST_CASE("unstated settings span the estimate, and few evaluations tell", "[unstated]") {
    const EstimateAnswer answer = answer_to(small_job());
    const UnstatedRange& range = answer.unstated;
    REQUIRE(setting_of(range, "--recompute") != nullptr);
    REQUIRE(setting_of(range, "--compile") != nullptr);
    CHECK(range.step_low < answer.estimate.step.total);
    CHECK(range.step_high > answer.estimate.step.total);
    std::size_t evaluations = 2;
    double shares = 0.0;
    for (const UnstatedSetting& setting : range.settings) {
        evaluations += setting.others.size();
        shares += setting.share;
    }
    CHECK(evaluations <= static_cast<std::size_t>(most_unstated_evaluations));
    CHECK(shares == Approx(1.0));
    CHECK(range.settings.front().share >= range.settings.back().share);
    CHECK(advice(range).rfind("stating " + range.settings.front().flag, 0) == 0);
}

TEST_CASE("another value of a setting is the estimate of the job that states it", "[unstated]") {
    const UnstatedSetting recompute = *setting_of(answer_to(small_job()).unstated, "--recompute");
    for (const OtherSetting& other : recompute.others) {
        JobDraft stated = small_job();
        say(stated, *job_field("--recompute"), other.value, "--recompute");
        const EstimateAnswer answer = answer_to(stated);
        CHECK(answer.estimate.step.total.value() == other.step.value());
        CHECK(setting_of(answer.unstated, "--recompute") == nullptr);
    }
}

TEST_CASE("stating the widest setting narrows the range, stating all leaves none", "[unstated]") {
    const UnstatedRange open = answer_to(small_job()).unstated;
    JobDraft stated = small_job();
    say(stated, *job_field("--recompute"), "none", "--recompute");
    const UnstatedRange narrower = answer_to(stated).unstated;
    CHECK(narrower.step_high / narrower.step_low < open.step_high / open.step_low);
    for (const auto& [flag, text] :
         std::initializer_list<std::pair<const char*, const char*>>{{"--attention", "flash"},
                                                                    {"--compile", "off"},
                                                                    {"--precision", "bf16-amp"},
                                                                    {"--host-speed", "1"}})
        say(stated, *job_field(flag), text, flag);
    const EstimateAnswer all = answer_to(stated);
    CHECK(all.unstated.settings.empty());
    CHECK(all.unstated.step_low.value() == all.estimate.step.total.value());
    CHECK(advice(all.unstated).empty());
}

TEST_CASE("what does not fit is no part of the range of a job that does", "[unstated]") {
    JobDraft draft = small_job();
    say(draft, *job_field("--seq"), "4096", "--seq");
    say(draft, *job_field("--micro-batch"), "8", "--micro-batch");
    say(draft, *job_field("--recompute"), "full", "--recompute");
    const EstimateAnswer answer = answer_to(draft);
    REQUIRE(answer.estimate.fits);
    CHECK(answer.unstated.device_high <= answer.estimate.capacity);
}

TEST_CASE("samples of tuning may be shorter than the longest", "[unstated]") {
    JobDraft draft = draft_of({{"--model", "llama-2-7b"},
                               {"--gpu", "a100"},
                               {"--gpus", "1"},
                               {"--tuning", "lora"},
                               {"--seq", "2048"}});
    const UnstatedSetting* lengths = nullptr;
    const UnstatedRange range = answer_to(draft).unstated;
    lengths = setting_of(range, "--padded-length");
    REQUIRE(lengths != nullptr);
    CHECK(lengths->others.front().value == "1024");
    CHECK(lengths->others.front().step < answer_to(draft).estimate.step.total);
    CHECK(setting_of(answer_to(small_job()).unstated, "--padded-length") == nullptr);
}

TEST_CASE("what nobody states spreads the interval of an unfamiliar job, and no other", "[unstated]") {
    JobDraft unfamiliar = draft_of({{"--model", "llama-3.2-1b"},
                                    {"--gpu", "mi300x"},
                                    {"--gpus", "8"},
                                    {"--stack", "olmo-core"},
                                    {"--seq", "4096"},
                                    {"--global-batch", "64"}});
    const auto width = [](const EstimateAnswer& answer) {
        return answer.sure.step_time_s->high / answer.sure.step_time_s->low;
    };
    static const Sources sources;
    const EstimateAnswer open = answer_to(unfamiliar);
    const EstimateAnswer unweighed = ask(EstimateQuestion{unfamiliar, {}, false}, sources);
    CHECK(width(open) > 1.02 * width(unweighed));
    CHECK(open.sure.device_bytes->low < unweighed.sure.device_bytes->low);
    for (const auto& [flag, text] : {std::pair{"--recompute", "none"},
                                     {"--attention", "flash"},
                                     {"--compile", "off"},
                                     {"--precision", "bf16-mixed"},
                                     {"--host-speed", "1"}})
        say(unfamiliar, *job_field(flag), text, flag);
    const EstimateAnswer stated = answer_to(unfamiliar);
    CHECK(stated.unstated.settings.empty());
    CHECK(width(stated) < width(open));
}

TEST_CASE("the probability of fitting is the mean over what nobody states", "[unstated]") {
    // Does not fit where nothing is run again; where everything is, it does.
    JobDraft unfamiliar = draft_of({{"--model", "llama-3.1-8b"},
                                    {"--gpu", "b200"},
                                    {"--gpus", "8"},
                                    {"--stack", "olmo-core"},
                                    {"--seq", "8192"},
                                    {"--micro-batch", "4"},
                                    {"--global-batch", "64"}});
    const double open = *answer_to(unfamiliar).sure.probability_of_fitting;
    const auto with = [&](const char* recompute) {
        JobDraft stated = unfamiliar;
        say(stated, *job_field("--recompute"), recompute, "--recompute");
        return *answer_to(stated).sure.probability_of_fitting;
    };
    CHECK(open > with("none") + 0.1);
    CHECK(open < with("full"));
}

TEST_CASE("settings of no consequence spread nothing", "[unstated]") {
    ResidualQuantiles quantiles;
    for (std::size_t i = 0; i < quantiles.at.size(); ++i)
        quantiles.at[i] = 0.02 * (static_cast<double>(i) - 10.0);
    quantiles.low = -0.17;
    quantiles.high = 0.17;
    const std::vector<SettingOdds> same = {{{0.4, 0.0, 0.0}}};
    CHECK(spread(quantiles, {}, &OtherOdds::log_time).low == Approx(-0.17));
    CHECK(spread(quantiles, same, &OtherOdds::log_time).high == Approx(0.17));
    // Four of ten runs take twice as long: the 90 % point is that of three quarters of those.
    const std::vector<SettingOdds> slower = {{{0.4, std::log(2.0), std::log(0.5)}}};
    const ResidualQuantiles later = spread(quantiles, slower, &OtherOdds::log_time);
    CHECK(later.high == Approx(std::log(2.0) + 0.1).margin(0.03));
    CHECK(later.low > quantiles.low - 1e-9);
    CHECK(spread(quantiles, slower, &OtherOdds::log_memory).low < -0.6);
}

TEST_CASE("states offloaded to the host of a part of a node leave that host's speed open", "[unstated]") {
    auto offloaded = [](const char* gpus) {
        return answer_to(draft_of({{"--model", "llama-3.1-8b"},
                                   {"--gpu", "h200"},
                                   {"--gpus", gpus},
                                   {"--seq", "2048"},
                                   {"--micro-batch", "2"},
                                   {"--global-batch", "16"},
                                   {"--stack", "pytorch"},
                                   {"--offload-optimizer", "cpu"}}));
    };
    const EstimateAnswer part = offloaded("1");
    const UnstatedSetting* host = setting_of(part.unstated, "--host-speed");
    REQUIRE(host != nullptr);
    CHECK(host->others.front().value == "0.25");
    CHECK(part.unstated.step_high > part.estimate.step.total);
    CHECK(setting_of(offloaded("8").unstated, "--host-speed") == nullptr);
}
