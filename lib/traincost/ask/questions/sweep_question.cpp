#include "traincost/ask/questions/sweep_question.hpp"

#include <algorithm>
#include <map>

#include "traincost/ask/sureness.hpp"
#include "traincost/base/parallel.hpp"
#include "traincost/base/text.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

namespace {

constexpr std::string_view job_axis = "job";

[[noreturn]] void fail_axis(const std::string& why) {
    throw Error(ErrorKind::usage, "--vary: " + why);
}

/// Every axis must be a field of a job, once.
void check_axes(const std::vector<SweepAxis>& axes) {
    std::vector<std::string> known{std::string(job_axis)};
    for (const JobField& field : job_fields()) {
        if (field.sweepable)
            known.emplace_back(field.flag.substr(2));
    }
    for (const SweepAxis& axis : axes) {
        if (std::find(known.begin(), known.end(), axis.flag) == known.end())
            fail_axis("'" + axis.flag + "' is not a job flag" + did_you_mean(axis.flag, known));
        const auto same = std::count_if(axes.begin(), axes.end(),
                                        [&](const SweepAxis& other) { return other.flag == axis.flag; });
        if (same > 1)
            fail_axis("'" + axis.flag + "' is varied twice");
    }
}

std::vector<std::vector<std::string>> combinations_of(const std::vector<SweepAxis>& axes) {
    try {
        return sweep_combinations(axes);
    } catch (const Error& error) {
        fail_axis(error.what());
    }
}

/// What makes the draft of a point: the axes' fields, and the job files read once each.
class Drafts {
public:
    Drafts(const SweepQuestion& question, const Sources& sources) : question_(question) {
        for (const SweepAxis& axis : question.axes) {
            fields_.push_back(axis.flag == job_axis ? nullptr : job_field(axis.flag));
            if (fields_.back() == nullptr) {
                for (const std::string& file : axis.values)
                    files_.emplace(file, draft_from_file(file, sources));
            }
        }
    }

    /// Values are read exactly as the command line reads them.
    JobDraft draft_of(const std::vector<std::string>& values) const {
        JobDraft said = question_.said;
        const JobDraft* file = &question_.file;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (fields_[i] == nullptr) {
                file = &files_.at(values[i]);
                continue;
            }
            const std::string flag(fields_[i]->flag);
            if (flag == "--gpus")
                said.gpus.reset();  // a count beside another is a contradiction, here it takes its place
            say(said, *fields_[i], values[i], flag);
        }
        return overlaid(*file, said);
    }

private:
    const SweepQuestion& question_;
    std::vector<const JobField*> fields_;
    std::map<std::string, JobDraft> files_;
};

SweepPoint point_of(const JobDraft& draft, std::vector<std::string> values, const Sources& sources) {
    SweepPoint point{std::move(values)};
    try {
        ResolvedJob resolved = resolve(draft, sources);
        point.job = std::move(resolved.job);
        point.operation = std::move(resolved.operation);
        point.assumptions = to_text(resolved.assumptions);
    } catch (const Error& error) {
        // A combination that cannot be is a row of the table; a name that nobody knows is a mistake.
        if (error.kind() == ErrorKind::not_found)
            throw;
        point.problem = to_string(error.problems().front());
        return point;
    }
    point.estimate = estimate(*point.job);
    point.bill = bill(*point.job, *point.estimate, point.operation);
    return point;
}

}  // namespace

bool SweepAnswer::yes() const {
    return points.empty() || std::any_of(points.begin(), points.end(),
                                         [](const SweepPoint& p) { return p.estimate && p.estimate->fits; });
}

std::vector<SweepAxis> sweep_axes(const std::vector<std::string>& texts) {
    if (texts.empty())
        fail_axis("missing; give FLAG=a,b,c, as in --vary tp=1,2,4,8");
    std::vector<SweepAxis> axes;
    for (const std::string& text : texts) {
        try {
            axes.push_back(sweep_axis(text));
        } catch (const Error& error) {
            fail_axis(error.what());
        }
    }
    check_axes(axes);
    return axes;
}

SweepAnswer ask(const SweepQuestion& question, const Sources& sources) {
    std::vector<std::vector<std::string>> all = combinations_of(question.axes);
    const auto first = static_cast<std::size_t>(question.shard);
    const auto every = static_cast<std::size_t>(question.shards);
    const Drafts drafts(question, sources);
    SweepAnswer answer{question.axes, {}, static_cast<std::int64_t>(all.size())};
    answer.points.resize(all.size() > first ? (all.size() - first + every - 1) / every : 0);
    if (question.weighs_unstated)
        answer.sure.resize(answer.points.size());
    parallel_for(answer.points.size(), [&](std::size_t i) {
        std::vector<std::string>& values = all[first + i * every];
        const JobDraft draft = drafts.draft_of(values);
        SweepPoint& point = answer.points[i];
        point = point_of(draft, std::move(values), sources);
        if (question.weighs_unstated && point.estimate)
            answer.sure[i] = sureness(draft, *point.job, *point.estimate, sources.residuals());
    });
    const auto& points = answer.points;
    const bool any =
        std::any_of(points.begin(), points.end(), [](const SweepPoint& p) { return p.estimate; });
    if (!any && !points.empty())
        throw Error(ErrorKind::input,
                    "no point of the sweep is valid; the first one: " + points.front().problem);
    return answer;
}

SweepQuestion sweep_question(const std::vector<std::string>& axes, const SaidJob& job,
                             const std::optional<Shard>& shard, const Sources& sources) {
    SweepQuestion question{.file = {}, .said = job.said, .axes = sweep_axes(axes)};
    if (job.file == "-" || job.said.model.value == "-") {
        throw Error(ErrorKind::usage, "sweep: standard input can be read only once; give a file");
    }
    if (job.file) {
        question.file = draft_from_file(*job.file, sources);
    }
    if (shard) {
        question.shard = shard->shard;
        question.shards = shard->shards;
    }
    return question;
}

}  // namespace traincost
