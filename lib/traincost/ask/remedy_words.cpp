#include "traincost/ask/remedy_words.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/ask/resolve.hpp"
#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/export/job_words.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

namespace {

/// What a remedy may leave to the job, and launchers or the job then say otherwise.
constexpr std::array<std::string_view, 13> remedy_flags = {"--global-batch",
                                                           "--tp",
                                                           "--pp",
                                                           "--vp",
                                                           "--cp",
                                                           "--ep",
                                                           "--etp",
                                                           "--zero",
                                                           "--schedule",
                                                           "--sequence-parallel",
                                                           "--offload-optimizer",
                                                           "--offload-parameters",
                                                           "--offload-activations"};

/// "--zero 3 --uneven-stages" as what is said.
JobDraft said_by(const std::string& flags) {
    const std::vector<std::string> words = split(flags, ' ');
    JobDraft draft{};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
        const std::string& flag = words[i];
        say(draft, *job_field(flag), has_value ? words[++i] : "", flag);
    }
    return draft;
}

/// Says a number in both, where it was said and is another now.
void say_anew(const Stated<std::int64_t>& before, std::int64_t now, std::string_view flag,
              Stated<std::int64_t>& said, std::string& words) {
    if (!before || *before == now)
        return;
    said = {now, std::string(flag)};
    words += " " + std::string(flag) + " " + std::to_string(now);
}

/// Says in both what the draft says otherwise and the words leave out: a degree of 1 is not among them.
void take_back(const JobDraft& draft, const JobDraft& want, JobDraft& said, std::string& words) {
    for (const std::string_view flag : remedy_flags) {
        const JobField& field = *job_field(flag);
        const std::optional<std::string> stated = field.print(draft);
        const std::optional<std::string> wanted = field.print(want);
        if (!stated || !wanted || *stated == *wanted || field.print(said))
            continue;
        say(said, field, *wanted, std::string(flag));
        words += " " + std::string(flag) + " " + *wanted;
    }
}

/// The job of the draft with what is said over it; nothing where that is no valid job.
std::optional<Job> job_said(const JobDraft& draft, const JobDraft& said, const ModelSpec& model,
                            const Sources& sources) {
    JobDraft changed = overlaid(draft, said);
    if (changed.model.value == "-")
        changed.model_spec = {model, changed.model.where};  // it can be read only once
    try {
        return resolve(changed, sources).job;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal)
            throw;
        return std::nullopt;
    }
}

}  // namespace

std::string words_in_full(const Remedy& remedy, const JobDraft& draft, const Sources& sources) {
    std::string words = remedy.change;
    JobDraft said = said_by(words);
    say_anew(draft.dp, remedy.job.run.parallel.dp, "--dp", said.dp, words);
    const Parallelism& p = remedy.job.run.parallel;
    say_anew(draft.hybrid_shard, p.hybrid_shard.value_or(p.dp * p.cp), "--hybrid-shard", said.hybrid_shard,
             words);
    say_anew(draft.accumulation, micro_batches(remedy.job.run), "--accumulation", said.accumulation, words);
    const JobDraft want = draft_of(remedy.job);
    take_back(draft, want, said, words);
    std::optional<Job> made = job_said(draft, said, remedy.job.model, sources);
    // What launchers and recipes would choose anew, the global batch first, may not go with the new layout.
    for (auto flag = remedy_flags.begin(); !made && flag != remedy_flags.end(); ++flag) {
        const JobField& field = *job_field(*flag);
        const std::optional<std::string> wanted = field.print(want);
        if (!wanted || field.print(said))
            continue;
        say(said, field, *wanted, std::string(*flag));
        words += " " + std::string(*flag) + " " + *wanted;
        made = job_said(draft, said, remedy.job.model, sources);
    }
    if (!made || made->run == remedy.job.run)
        return words;
    const JobDraft have = draft_of(*made);
    for (const std::string_view flag : remedy_flags) {
        const JobField& field = *job_field(flag);
        const std::optional<std::string> wanted = field.print(want);
        const std::optional<std::string> made_of_words = field.print(have);
        if (wanted && made_of_words && *wanted != *made_of_words)
            words += " " + std::string(flag) + " " + *wanted;
    }
    return words;
}

}  // namespace traincost
