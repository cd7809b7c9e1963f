// A job written as launch files and read back is the same job: what the files do not say is named, and all
// else comes back.

#include "support/random_job.hpp"

#include <traincost/base/error.hpp>
#include <traincost/export/exporters.hpp>
#include <traincost/export/job_words.hpp>
#include <traincost/import/importers.hpp>
#include <traincost/import/launch_draft.hpp>
#include <traincost/spec/draft/everyday_names.hpp>
#include <traincost/spec/draft/job_fields.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace traincost;
using random_job::catalogue;

namespace {

/// Jobs of each format: more with TRAINCOST_JOBS=10000.
int rounds() {
    const char* text = std::getenv("TRAINCOST_JOBS");
    return text != nullptr ? std::atoi(text) : 300;
}

std::vector<LaunchFile> files_of(const LaunchExport& out) {
    std::vector<LaunchFile> files;
    for (const LaunchText& file : out.files)
        files.push_back({file.name, file.text});
    return files;
}

std::string shown(const LaunchExport& out) {
    std::string text;
    for (const LaunchText& file : out.files)
        text += "--- " + file.name + "\n" + file.text;
    return text;
}

/// What the files say, and over it what they are said to leave out.
JobDraft completed(const Job& job, const LaunchExport& out, JobDraft draft) {
    const JobDraft all = draft_of(job);
    JobDraft rest;
    for (const UnsaidField& unsaid : out.unsaid) {
        const JobField* field = job_field(unsaid.field);
        REQUIRE(field != nullptr);
        if (unsaid.field == "precision")
            rest.recipe = all.recipe;
        if (unsaid.field == "schedule")
            rest.schedule = schedule_of(job);
        if (unsaid.field == "compile" && !job.run.compiled_parts)
            rest.compile = job.run.compile.value_or(job.stack.layer.compile);
        if (unsaid.field == "attention")
            rest.attention = job.run.attention.value_or(job.stack.attention.kernel);
        if (unsaid.field == "sequence-parallel")
            rest.sequence_parallel =
                job.run.parallel.sequence_parallel.value_or(job.stack.layer.sequence_parallel);
        field->copy(rest, all);
    }
    return overlaid(std::move(draft), rest);
}

/// The job with what its stack decides written out.
RunSpec in_force(const Job& job) {
    RunSpec run = job.run;
    run.schedule = run.parallel.pp > 1 ? std::optional(schedule_of(job)) : std::nullopt;
    run.attention = run.attention.value_or(job.stack.attention.kernel);
    run.compile = run.compile.value_or(job.stack.layer.compile);
    run.dropout = run.dropout.value_or(job.stack.layer.dropout);
    Parallelism& p = run.parallel;
    p.sequence_parallel = p.tp > 1 && p.sequence_parallel.value_or(job.stack.layer.sequence_parallel);
    if (!job.model.moe)
        p.etp.reset();
    if (run.tuning == Tuning::full)
        run.adapter = AdapterSpec{};
    return run;
}

/// The run of a draft that says everything.
Job job_of(const JobDraft& d, const Job& original) {
    Job job = original;
    job.run = RunSpec{};
    job.run.parallel.zero = d.recompute ? -1 : -2;  // what the framework does without a word must be said
    apply(d, job.run);
    if (!d.recipe) {
        const std::string name =
            d.precision ? precision_meant_by(*d.precision, job.stack, job.run.tuning)
                        : (job.run.tuning == Tuning::qlora ? std::string("nf4-base") : std::string("none"));
        const auto recipe = precision_from(name);
        if (recipe)
            job.run.precision = stack_precision(job.stack.states, *recipe);
        job.run.precision_name = name;
    }
    Parallelism& p = job.run.parallel;
    job.cluster.accelerators = d.gpus ? *d.gpus : p.dp * p.tp * p.pp * p.cp;
    p.dp = job.cluster.accelerators / (p.tp * p.pp * p.cp);
    if (d.accumulation)
        job.run.global_batch = *d.accumulation * job.run.micro_batch * p.dp;
    if (d.per_node)
        job.cluster.per_node = *d.per_node;
    return job;
}

std::string checkpoint_of(const Job& job) {
    return catalogue().model_record(job.model.name).hf_repo.value_or("");
}

/// One line a difference: "tp: 2, was 4"; empty where the job comes back.
std::string differences(std::string_view format, const Job& job) {
    const LaunchExport out = export_launch(format, job, checkpoint_of(job));
    const LaunchDraft read = launch_draft(read_launch_files(files_of(out)), catalogue());
    const JobDraft draft = completed(job, out, read.draft);
    Job back = job_of(draft, job);
    Job was = job;
    was.run = in_force(job);
    back.run = in_force(back);
    std::string text;
    const auto compare = [&](std::string_view what, const std::string& is, const std::string& should) {
        if (is != should)
            text += std::string(what) + ": " + is + ", was " + should + "\n";
    };
    for (const std::string& line : read.contradictions)
        text += line + "\n";
    compare("model", draft.model.value.value_or("none: " + read.model_hint), job.model.name);
    compare("stack", draft.stack.value.value_or("none"), job.stack.id);
    const JobDraft a = draft_of(back), b = draft_of(was);
    for (const JobField& field : job_fields())
        compare(field.key, field.print(a).value_or("-"), field.print(b).value_or("-"));
    if (text.empty() && !(back.run == was.run))
        text = "the runs differ\n";
    return text.empty() ? text
                        : std::string(format) + ": " + random_job::text(job) + "\n" + text + shown(out);
}

}  // namespace

TEST_CASE("what is said of a run makes the same run", "[export]") {
    random_job::Jobs jobs(140);
    for (int i = 0; i < 500; ++i) {
        const Job job = jobs.next();
        RunSpec run{};
        apply(draft_of(job), run);
        INFO(random_job::text(job));
        CHECK(run == job.run);
    }
}

TEST_CASE("a job exported and read back is the same job", "[export]") {
    random_job::Jobs jobs(141);
    int failures = 0;
    for (int i = 0; i < rounds() && failures < 10; ++i) {
        Job job = jobs.next();
        if (i % 4 == 0)
            job.run.dropout = 0.05 * (i % 3);
        for (const ExportFormat& format : export_formats()) {
            const std::string text = differences(format.name, job);
            CHECK(text == "");
            failures += text.empty() ? 0 : 1;
        }
    }
}
