#include "traincost/import/launch_document.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/given_files.hpp"
#include "traincost/import/job_frame.hpp"
#include "traincost/import/launch_line.hpp"
#include "traincost/import/python_commands.hpp"
#include "traincost/import/recognise.hpp"
#include "traincost/import/settings/python/python_config.hpp"
#include "traincost/import/settings/setting_files.hpp"
#include "traincost/import/shell/interpolation.hpp"
#include "traincost/import/shell/shell.hpp"
#include "traincost/import/slurm.hpp"

namespace traincost {

namespace {

// Python's YAML reader takes what looks like JSON with comments, trailing commas and True.
Setting read_braces(std::string_view text, const std::string& file, int first_line) {
    try {
        return read_json_settings(text, file, first_line);
    } catch (const Error&) {
        try {
            Setting root = read_yaml(text, file, first_line);
            // A trailing comma is an error in JSON; only formats of YAML may have it.
            const bool named_yaml = file.ends_with(".yml") || file.ends_with(".yaml");
            if (root.is_map() && (named_yaml || text.find('#') != text.npos)) {
                return root;
            }
        } catch (const Error&) {
            // the first complaint stands
        }
        throw;
    }
}

Setting read_configuration(std::string_view text, const std::string& file, int first_line) {
    switch (recognise(text)) {
        case Content::json:
            return read_braces(text, file, first_line);
        case Content::toml:
            return read_toml(text, file);
        default:
            return read_yaml(text, file, first_line);
    }
}

// A file that the script writes, where it is a configuration: values that nobody knows are placeholders.
void add_written(const WrittenFile& written, const std::vector<const std::string*>& names,
                 LaunchDocuments& documents, std::size_t file) {
    if (written.text.empty()) {
        return;
    }
    std::string text;
    bool quoted = false;
    for (const char c : written.text.chars) {
        quoted = c == '"' ? !quoted : c == '\n' ? false : quoted;
        if (c == unknown_mark) {
            text += quoted ? "<?>" : "\"<?>\"";
        } else {
            text += c;
        }
    }
    const ShellPlace place = written.text.place();
    LaunchDocument document;
    document.file = file;
    try {
        document.root = read_configuration(text, *names.at(place.file), static_cast<int>(place.line));
    } catch (const Error&) {
        return;  // a program, a host list, a message
    }
    if (document.root.is_map()) {
        place_at(document.root, "$written") = scalar_setting(written.name, document.root);
        documents.names.push_back(written.name);
        documents.all.push_back(std::move(document));
    }
}

void refuse_too_large(std::span<const LaunchFile> files) {
    for (const LaunchFile& file : files) {
        if (file.text.size() > largest_launch_file) {
            throw Error(
                ErrorKind::input,
                std::vector<Problem>{{.path = file.name,
                                      .message = "has " + std::to_string(file.text.size() >> 20) +
                                                 " MiB; a launch file may have at most " +
                                                 std::to_string(largest_launch_file >> 20) + " MiB"}});
        }
    }
}

/// Texts have no NUL bytes; what has some is another kind of file, or of another encoding.
void refuse_binary(std::span<const LaunchFile> files) {
    for (const LaunchFile& file : files) {
        if (file.text.starts_with("\x1f\x8b")) {
            fail_at_line(file.name, 1, "is compressed with gzip; unpack it first: gunzip " + file.name);
        }
        const std::size_t at = file.text.find('\0');
        if (at != std::string::npos) {
            const auto end = file.text.begin() + static_cast<std::ptrdiff_t>(at);
            fail_at_line(file.name, static_cast<int>(1 + std::count(file.text.begin(), end, '\n')),
                         "has a NUL byte and is not UTF-8 text");
        }
    }
}

/// A script that only sets variables holds the arguments of another, which is not given.
void add_options(const std::vector<ShellText>& options, const std::vector<const std::string*>& names,
                 std::size_t index, LaunchDocuments& documents) {
    StartedCommand command;
    for (const std::string_view word : {"python", "another"}) {
        ShellText text;
        text.add(word, options.front().place());
        command.words.push_back(std::move(text));
    }
    command.words.insert(command.words.end(), options.begin(), options.end());
    for (LaunchDocument& document : documents_of(command, names)) {
        document.file = index;
        document.is_command = false;
        documents.all.push_back(std::move(document));
    }
}

/// What the header of a script says; where it has none, that of a given one which it submits.
Setting header_of(std::span<const ShellFile> files, std::size_t index) {
    Setting header = slurm_header(files[index].text, *files[index].name);
    const std::string_view text = files[index].text;
    for (std::size_t at = text.find("sbatch "); header.members.empty() && at != text.npos;
         at = text.find("sbatch ", at + 1)) {
        const std::string_view line = text.substr(at, text.find('\n', at) - at);
        for (const ShellFile& file : files) {
            if (header.members.empty() && line.find(base_of(*file.name)) != line.npos) {
                header = slurm_header(file.text, *file.name);
            }
        }
    }
    return header;
}

void add_script(std::span<const ShellFile> files, std::size_t index, std::string_view select,
                const JobFrame* frame, LaunchDocuments& documents) {
    std::vector<const std::string*> names;
    for (const ShellFile& file : files) {
        names.push_back(file.name);
    }
    Setting header = header_of(files, index);
    if (frame != nullptr && !frame->machines.members.empty()) {
        header = frame->machines;
    }
    const ShellOutcome outcome =
        follow_shell(files, index, frame != nullptr ? frame->known : slurm_variables(header), select);
    for (const std::string& name : outcome.sourced) {
        for (std::size_t i = 0; i < files.size(); ++i) {
            documents.is_part[i] = documents.is_part[i] || *files[i].name == name;
        }
    }
    for (const WrittenFile& written : outcome.written) {
        add_written(written, names, documents, index);
    }
    bool has_launcher = false;
    for (const StartedCommand& command : outcome.commands) {
        for (LaunchDocument& document : documents_of(command, names)) {
            document.file = index;
            if (!outcome.remarks.empty() && document.root.has("$positional")) {
                place_at(document.root, "$sourced") = scalar_setting("true", document.root);
            }
            if (document.root.has("$launcher")) {
                has_launcher = true;
                if (!header.members.empty()) {
                    place_at(document.root, "$launcher.slurm") = header;
                }
            }
            documents.all.push_back(std::move(document));
        }
    }
    if (documents.all.empty() && !outcome.options.empty()) {
        add_options(outcome.options, names, index, documents);
    }
    if (!has_launcher && !header.members.empty()) {
        LaunchDocument document;
        document.is_command = true;
        document.file = index;
        place_at(document.root, "$launcher.slurm") = std::move(header);
        documents.all.push_back(std::move(document));
    }
    if (frame != nullptr && frame->parameters) {
        LaunchDocument document;
        document.file = index;
        document.root = *frame->parameters;
        interpolate(document.root);
        documents.names.push_back("parameters.yaml");
        documents.all.push_back(std::move(document));
    }
    for (const ShellRemark& remark : outcome.remarks) {
        documents.unread.push_back(
            {.where = *names.at(remark.place.file) + ":" + std::to_string(remark.place.line),
             .key = remark.key,
             .matters = true,
             .why = remark.why});
    }
}

/// The commands by which a program of Python that holds no settings starts what trains.
std::optional<std::string> commands_alone(std::string_view text, const std::string& file,
                                          const KnowsSettings& knows) {
    const bool imports = text.starts_with("import ") || text.starts_with("from ") ||
                         text.find("\nimport ") != text.npos || text.find("\nfrom ") != text.npos;
    if (!imports || text.starts_with("#!/bin/")) {
        return std::nullopt;
    }
    std::optional<std::string> commands = python_commands(text);
    if (!commands) {
        return std::nullopt;
    }
    try {
        std::set<std::string> loaded;
        const Setting root = read_python_config(text, file, {}, knows, {}, loaded);
        if (root.has_any({"$trains", "$adapted"}) || knows(root)) {
            return std::nullopt;
        }
    } catch (const Error&) {
        return commands;  // it is no configuration that can be read
    }
    return commands;
}

std::string_view without_mark(std::string_view text) {
    return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

/// What stands in the files that are neither scripts nor programs.
std::vector<Setting> configurations(const std::vector<ShellFile>& texts,
                                    const std::vector<Content>& contents) {
    std::vector<Setting> all(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (contents[i] != Content::shell && contents[i] != Content::python)
            all[i] = read_configuration(texts[i].text, *texts[i].name, 1);
    }
    return all;
}

/// Adds what a script starts to what the files say.
void take_script(LaunchDocuments& script, LaunchDocuments& documents) {
    std::move(script.all.begin(), script.all.end(), std::back_inserter(documents.all));
    std::move(script.unread.begin(), script.unread.end(), std::back_inserter(documents.unread));
    std::move(script.names.begin(), script.names.end(), std::back_inserter(documents.names));
}

/// Which files others start or source; of two that start each other it is the later.
std::vector<bool> parts_among(const std::vector<LaunchDocuments>& scripts) {
    const std::size_t count = scripts.size();
    std::vector<bool> is_part(count, false);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count && !scripts[i].is_part.empty(); ++j) {
            const bool held = j < i && !scripts[j].is_part.empty() && scripts[j].is_part[i];
            is_part[j] = is_part[j] || (scripts[i].is_part[j] && i != j && !held);
        }
    }
    if (count > 0 && std::find(is_part.begin(), is_part.end(), false) == is_part.end()) {
        is_part.front() = false;  // they start each other in a circle
    }
    return is_part;
}

/// What is chosen of a program, and whether no file stands beside it.
struct ProgramChoice {
    std::string_view select;
    bool alone = false;
};

/// What a program of Python says, and the files that `held` it; nothing where it stands beside the files that
/// start it and is no configuration.
std::optional<Setting> program_settings(const ShellFile& program, const ProgramChoice& choice,
                                        const KnowsSettings& knows, const GivenSettings& given,
                                        std::set<std::string>& held, LaunchDocuments& documents) {
    try {
        std::set<std::string> loaded;
        Setting root = read_python_config(program.text, *program.name, choice.select, knows, given, loaded);
        if (root.has_any({"$trains", "$adapted"})) {
            std::copy_if(loaded.begin(), loaded.end(), std::inserter(held, held.end()),
                         [&](const std::string& name) { return given.is_job(name); });
        }
        return root;
    } catch (const Error& error) {
        if (choice.alone || program.text.find("__main__") == std::string_view::npos) {
            throw;
        }
        documents.unread.push_back({.where = *program.name + ":1",
                                    .key = "",
                                    .matters = true,
                                    .why = error.problems().front().message});
        return std::nullopt;
    }
}

/// What stands around the commands of a job's file, or of commands alone in a file of another kind.
std::optional<JobFrame> frame_of(std::string_view text, const std::string& name, const KnowsSettings& knows) {
    std::optional<JobFrame> frame = job_frame(text, name);
    if (frame)
        return frame;
    if (auto commands = commands_alone(text, name, knows)) {
        frame.emplace();
        frame->script = std::move(*commands);
    }
    return frame;
}

}  // namespace

LaunchDocuments parse_documents(std::span<const LaunchFile> files, std::string_view select,
                                const KnowsSettings& knows) {
    refuse_too_large(files);
    refuse_binary(files);
    LaunchDocuments documents;
    std::vector<ShellFile> texts;
    std::vector<Content> contents;
    std::vector<std::optional<JobFrame>> frames(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        documents.names.push_back(files[i].name);
        texts.push_back({&files[i].name, without_mark(files[i].text)});
        frames[i] = frame_of(texts.back().text, files[i].name, knows);
        if (frames[i]) {
            texts.back().text = frames[i]->script;
        }
        contents.push_back(frames[i] ? Content::shell : recognise(texts.back().text));
    }
    // Scripts that others source are followed there; which they are is known once all are followed.
    std::vector<LaunchDocuments> of_scripts(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (contents[i] == Content::shell) {
            of_scripts[i].is_part.assign(files.size(), false);
            add_script(texts, i, select, frames[i] ? &*frames[i] : nullptr, of_scripts[i]);
        }
    }
    documents.is_part = parts_among(of_scripts);
    std::vector<Setting> parsed = configurations(texts, contents);
    const bool has_program = std::find(contents.begin(), contents.end(), Content::python) != contents.end();
    GivenSettings given =
        has_program && files.size() > 1 ? given_settings(texts, contents, parsed) : GivenSettings{};
    std::vector<std::map<std::string, Setting>> said(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        said[i] = said_options(of_scripts, base_of(files[i].name));
    }
    std::set<std::string> held;  // by what a program trains with
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (contents[i] == Content::shell) {
            if (!documents.is_part[i]) {
                take_script(of_scripts[i], documents);
            }
            continue;
        }
        LaunchDocument document;
        document.file = i;
        if (contents[i] == Content::python) {
            given.said = std::move(said[i]);
            auto root =
                program_settings(texts[i], {select, files.size() == 1}, knows, given, held, documents);
            if (!root) {
                continue;
            }
            document.root = std::move(*root);
        } else {
            document.root = std::move(parsed[i]);
        }
        interpolate(document.root);
        documents.all.push_back(std::move(document));
    }
    for (LaunchDocument& document : documents.all) {  // "model=large" chooses a file, and names no model
        std::erase_if(document.root.members, [&](const SettingMember& m) {
            return document.is_command && m.value.is_scalar() && given.groups.contains(m.key);
        });
    }
    // What a program has taken from a file, it says itself.
    std::erase_if(documents.all, [&](const LaunchDocument& document) {
        const bool drops = !document.is_command && contents[document.file] != Content::shell &&
                           held.contains(base_of(files[document.file].name));
        documents.is_part[document.file] = documents.is_part[document.file] || drops;
        return drops;
    });
    return documents;
}

}  // namespace traincost
