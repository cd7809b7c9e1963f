#include <cli/job_flags.hpp>

#include <cli/options.hpp>
#include <traincost/ask/resolve.hpp>
#include <traincost/spec/job_fields.hpp>

namespace traincost::cli {

namespace {

/// The title of a group in the help.
const char* title_of(FieldGroup group) {
    switch (group) {
        case FieldGroup::job:
            return "Job";
        case FieldGroup::numerics:
            return "Numbers and kernels";
        case FieldGroup::parallelism:
            return "Parallelism";
        case FieldGroup::operation:
            break;
    }
    return "Operation";
}

void add_field(CLI::App& app, const JobField& field, JobDraft& draft) {
    const std::string flag(field.flag);
    const std::string help(field.help);
    CLI::Option* option = nullptr;
    if (field.type.empty()) {
        option = app.add_flag_callback(
            flag, [&draft, &field, flag] { say(draft, field, "on", flag); }, help);
    } else {
        option = app.add_option_function<std::string>(
            flag, [&draft, &field, flag](const std::string& text) { say(draft, field, text, flag); }, help);
        option->type_name(std::string(field.type));
    }
    option->group(title_of(field.group));
}

}  // namespace

void add_job_options(CLI::App& app, JobFlags& flags) {
    name_group(app, own_group);
    add_parsed(
        app, "--job", flags.job_file, "FILE|-", [](auto& t) { return t; },
        "Job file (JSON); other flags override it")
        ->group(title_of(FieldGroup::job));
    for (const JobField& field : job_fields()) {
        if (!field.flag.empty()) {
            add_field(app, field, flags.said);
        }
    }
}

void add_file_options(CLI::App& app, JobFlags& flags) {
    app.add_option(
        "FILE", flags.files,
        "Launch files of other frameworks, job files and models, in any order; flags override them");
    app.add_option("--select", flags.select,
                   "Name of one job where the files describe several: a function, a branch of a script")
        ->type_name("NAME");
    name_group(app, own_group);
}

ReadDraft read_draft_of(const JobFlags& flags, const Sources& sources) {
    if (flags.files.empty()) {
        return {draft_of(flags, sources), {}};
    }
    JobInput input{.files = flags.files, .select = flags.select, .said = flags.said};
    if (flags.job_file) {
        input.files.push_back(*flags.job_file);
    }
    return read_draft(input, sources);
}

JobDraft draft_of(const JobFlags& flags, const Sources& sources) {
    if (!flags.job_file) {
        return flags.said;
    }
    if (*flags.job_file == "-" && flags.said.model.value == "-") {
        throw Error(ErrorKind::usage, "--job: only one of --job and --model can be the standard input");
    }
    return overlaid(draft_from_file(*flags.job_file, sources), flags.said);
}

}  // namespace traincost::cli
