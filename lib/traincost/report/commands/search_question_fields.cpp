#include <memory>

#include "traincost/base/flag_values.hpp"
#include "traincost/io/answers/shard_json.hpp"
#include "traincost/report/commands/question_fields.hpp"
#include "traincost/spec/draft/job_values.hpp"

namespace traincost {

CommandField allow_risky_field(bool& target) {
    return CommandFields().toggle(
        "--allow-risky", target,
        "Also rank plans with a probability of fitting below 80%; default: left out");
}

CommandFields fields_of(SearchQuestion& question, SaidJob& job) {
    CommandFields fields = fields_of(job);
    for (const DimensionField& field : dimension_fields()) {
        fields.add({std::string(field.flag), std::string(field.type), std::string(field.help),
                    [&question, &field](const std::string& text) { field.say(question.dimensions, text); }});
    }
    fields.value("--clusters", question.clusters, "ID,ID...", names_of,
                 "Node types to search; all: the whole catalogue");
    fields.value("--stacks", question.stacks, "ID,ID...", names_of, "Software stacks to search");
    fields.value("--min-gpus", question.min_gpus, "COUNT", positive_count,
                 "Smallest number of accelerators to search");
    fields.value("--max-gpus", question.max_gpus, "COUNT", positive_count,
                 "Largest number of accelerators to search");
    fields.value(
        "--deadline", question.deadline, "TIME",
        [](const std::string& text) { return parse_duration(text, Range::positive); },
        "Longest training time, as in 60d (needs --tokens)");
    fields.value(
        "--budget", question.budget, "DOLLARS",
        [](const std::string& text) { return parse_dollars(text, Range::positive); },
        "Highest training cost, as in $20M (needs --tokens)");
    fields.value("--objective", question.objective, "time|cost|memory|energy", objective_from,
                 "What to minimise, or a weighted mix such as time=1,cost=0.5 (a product of powers)");
    fields.toggle("--full-space", question.full_space,
                  "Search every valid configuration, not only those the stack implements");
    fields.add(allow_risky_field(question.allow_risky));
    fields.toggle("--exhaustive", question.exhaustive, "Disable pruning: same answer, slower");
    fields.value("--top", question.top, "N", positive_count, "Number of plans to print");
    fields.value("--shard", question.shard, "I/N", shard_from,
                 "Search only shard I of N, and print it as JSON for 'traincost merge'");
    fields.value("--threads", question.threads, "N", positive_count, "Number of threads; default: all cores");
    return fields;
}

CommandFields fields_of(RecommendQuestion& question, SaidJob& job, RecommendView& view) {
    CommandFields fields = fields_of(question.search, job);
    fields.value(
        "--tie", question.tie, "FRACTION", [](const std::string& text) { return parse_fraction(text); },
        "Differences below this are ties; default: the measured error of predicted differences");
    fields.toggle("--each-cluster", question.each_cluster,
                  "Also print the best plan for each cluster and stack, or why there is none");
    fields.value(
        "--why", view.why, "N", [](const std::string& text) { return parse_count(text); },
        "Number of plans to compare with their neighbours; default: 1; --json: all");
    // Of merge: the files of the shards.
    const auto add_shard = [&question,
                            files = std::make_shared<std::vector<std::string>>()](const std::string& file) {
        files->push_back(file);
        question.found_elsewhere = [files](const SearchRequest& request) {
            return read_shards(*files, request);
        };
    };
    CommandField& shards = fields.add({"--from-shard", "FILE", {}, add_shard});
    shards.several = true;
    shards.hidden = true;
    return fields.add(fields_of(view.output, Charts::no, Pages::yes));
}

CommandFields fields_of(GuideAnswers& said) {
    CommandFields fields;
    for (const GuideStep& step : guide_steps()) {
        if (step.help.empty()) {
            continue;
        }
        const auto take = [&said, &step](const std::string& text) {
            if (step.check == GuideCheck::count) {
                parse_count(text, Range::positive);
            }
            said[step.flag] = text;
        };
        fields.add({step.flag, step.type, step.help, take});
    }
    return fields;
}

}  // namespace traincost
