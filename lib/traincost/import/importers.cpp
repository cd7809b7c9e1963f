#include "traincost/import/importers.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/aside_commands.hpp"
#include "traincost/import/completion.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"
#include "traincost/import/formats/transformers/trainer_names.hpp"
#include "traincost/import/launch_document.hpp"
#include "traincost/import/launch_references.hpp"
#include "traincost/import/nested_arguments.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

/// How the settings of one framework are recognised and read. A companion holds the part of a job whose rest
/// stands in another file.
struct Importer {
    std::string_view name;
    int (*recognise)(const Setting& root);
    void (*read)(const Setting& root, FactSheet& sheet);
    bool companion = false;
};

// clang-format off
constexpr Importer importers[] = {
    {"megatron", recognise_megatron, read_megatron},
    {"megatron-deepspeed", recognise_megatron_deepspeed, read_megatron_deepspeed},
    {"torchtitan", recognise_torchtitan, read_torchtitan},
    {"nanotron", recognise_nanotron, read_nanotron},
    {"nemo", recognise_nemo, read_nemo},
    {"nemo-2", recognise_nemo_recipe, read_nemo_recipe},
    {"nemo-automodel", recognise_automodel, read_automodel},
    {"megatron-bridge", recognise_megatron_bridge, read_megatron_bridge},
    {"torchtune", recognise_torchtune, read_torchtune},
    {"litgpt", recognise_litgpt, read_litgpt},
    {"llm-foundry", recognise_llm_foundry, read_llm_foundry},
    {"maxtext", recognise_maxtext, read_maxtext},
    {"gpt-neox", recognise_gpt_neox, read_gpt_neox},
    {"olmo", recognise_olmo, read_olmo},
    {"olmo-core", recognise_olmo_core, read_olmo_core},
    {"fast-llm", recognise_fast_llm, read_fast_llm},
    {"primus", recognise_primus, read_primus},
    {"flagscale", recognise_flagscale, read_flagscale},
    {"axolotl", recognise_axolotl, read_axolotl},
    {"llama-factory", recognise_llama_factory, read_llama_factory},
    {"ms-swift", recognise_swift, read_swift},
    {"verl", recognise_verl, read_verl},
    {"veomni", recognise_veomni, read_veomni},
    {"xtuner", recognise_xtuner, read_xtuner},
    {"levanter", recognise_levanter, read_levanter},
    {"easylm", recognise_easylm, read_easylm},
    {"internevo", recognise_internevo, read_internevo},
    {"colossalai", recognise_colossalai, read_colossalai},
    {"lightning", recognise_lightning, read_lightning},
    {"nanogpt", recognise_nanogpt, read_nanogpt},
    {"nanochat", recognise_nanochat, read_nanochat},
    {"paddlenlp", recognise_paddlenlp, read_paddlenlp},
    {"hf-arguments", recognise_hf_arguments, read_hf_arguments},
    {"accelerate", recognise_accelerate, read_accelerate, true},
    {"deepspeed", recognise_deepspeed, read_deepspeed, true},
    {"launcher", recognise_launcher, read_launcher, true},
};
// clang-format on

/// Fewer points than these are a coincidence.
constexpr int enough = 30;

const Importer* importer_of(const Setting& root) {
    if (root.has("architectures") && root.has("model_type")) {
        return nullptr;  // a model's config.json, whose names are Megatron's and nanoGPT's too
    }
    const Importer* best = nullptr;
    int most = enough - 1;
    for (const Importer& importer : importers) {
        if (const int score = importer.recognise(root); score > most) {
            most = score;
            best = &importer;
        }
    }
    return best;
}

/// Whether a framework's reader knows these as a job's settings. A trainer's arguments are known by any of
/// their names, which programs give to many things.
bool is_configuration(const Setting& root) {
    const Importer* importer = importer_of(root);
    return importer != nullptr && !importer->companion && importer->name != "hf-arguments";
}

/// The one table of `root` that an importer of a trainer, or of a companion, knows; of several, none is the
/// job.
Setting* known_table(Setting& root, bool companion) {
    Setting* found = nullptr;
    for (SettingMember& m : root.members) {
        const Importer* importer = m.value.is_map() ? importer_of(m.value) : nullptr;
        if (importer == nullptr || importer->companion != companion) {
            continue;
        }
        if (found != nullptr) {
            return nullptr;
        }
        found = &m.value;
    }
    return found;
}

/// The importer of a document: of its settings as they stand, of those a table of it holds, or of a
/// trainer's arguments in several tables. The settings that were recognised stay in the document.
const Importer* importer_within(LaunchDocument& document) {
    if (const Importer* importer = importer_of(document.root)) {
        return importer;
    }
    auto flat = nested_arguments(document.root);
    if (!flat && document.is_command) {
        flat = told_arguments(document.root);
    }
    Setting* table = document.is_command ? nullptr : known_table(document.root, false);
    Setting* companion = document.is_command ? nullptr : known_table(document.root, true);
    if (table != nullptr && (!flat || importer_of(*table)->name != "hf-arguments")) {
        document.root = Setting(*table);
    } else if (flat) {
        document.root = std::move(*flat);
    } else if (companion != nullptr) {
        document.root = Setting(*companion);
    } else {
        return nullptr;
    }
    return importer_of(document.root);
}

/// What the files say in one format: its configurations laid over each other in their order, and the commands
/// that overrule them.
struct FilePart {
    const Importer* importer;
    Setting base{};
    bool has_base = false;
    std::vector<Setting> commands{};
};

/// Whether the format's name is that of another with a word after it: nemo-2, megatron-bridge.
bool is_variant(std::string_view name) {
    return std::any_of(std::begin(importers), std::end(importers), [&](const Importer& other) {
        return name.size() > other.name.size() && name.starts_with(other.name) &&
               name[other.name.size()] == '-';
    });
}

[[noreturn]] void fail_unknown(const LaunchFile& file) {
    std::string known;
    for (const Importer& importer : importers) {
        if (!is_variant(importer.name))
            known += (known.empty() ? "" : ", ") + std::string(importer.name);
    }
    throw Error(ErrorKind::input,
                std::vector<Problem>{
                    {.path = file.name, .message = "not a launch file of a known format; known: " + known}});
}

/// Leaves of a launcher only the header of the script; whether it has one.
bool keep_header(Setting& root) {
    Setting* launcher = root.member("$launcher");
    if (launcher == nullptr) {
        return false;
    }
    std::erase_if(launcher->members, [](const SettingMember& m) { return m.key != "slurm"; });
    return !launcher->members.empty();
}

/// The importer of a file of settings that a command names, of which its words overrule some.
const Importer* importer_of_named(const Setting& command, const LaunchDocuments& documents,
                                  const std::vector<const Importer*>& found) {
    for (std::size_t i = 0; i < found.size(); ++i) {
        const LaunchDocument& document = documents.all[i];
        if (!document.is_command && found[i] != nullptr && !found[i]->companion &&
            document.root.file != nullptr && names_file(command, base_of(*document.root.file))) {
            return found[i];
        }
    }
    return nullptr;
}

/// The importer of each document, null where no format knows it. A program that none knows may stand beside
/// one that trains: its launcher counts nothing, and is left out.
std::vector<const Importer*> importers_of(LaunchDocuments& documents) {
    std::vector<const Importer*> found;
    std::set<std::size_t> trains;  // files that start a program whose arguments a format knows
    std::map<std::string, const Importer*> programs;
    for (LaunchDocument& document : documents.all) {
        if (document.root.has_any({"$trains", "$adapted"}) && document.root.file != nullptr) {
            programs[base_of(*document.root.file)] = importer_of(document.root);
        }
    }
    for (LaunchDocument& document : documents.all) {
        found.push_back(importer_within(document));
        const Setting* program = document.root.peek("$program");
        const auto given = program == nullptr ? programs.end() : programs.find(base_of(program->text));
        if (found.back() == nullptr && given != programs.end()) {
            found.back() = given->second;  // what a program that is given is told
        }
        if (document.root.has("$positional") && found.back() != nullptr) {
            trains.insert(document.file);
        }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] == nullptr && documents.all[i].is_command && documents.all[i].root.has("$program")) {
            found[i] = importer_of_named(documents.all[i].root, documents, found);
            if (found[i] != nullptr) {
                trains.insert(documents.all[i].file);
            }
        }
    }
    std::set<std::size_t> counted;  // files whose header stands beside the launcher of what trains
    bool beside = false;
    for (const bool is_counting : {true, false}) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            LaunchDocument& document = documents.all[i];
            if (document.root.has("$positional")) {
                beside = found[i] == nullptr && trains.contains(document.file);
            } else if (is_counting && !beside && document.root.has("$launcher.slurm")) {
                counted.insert(document.file);
            } else if (!is_counting && beside && document.is_command &&
                       (counted.contains(document.file) || !keep_header(document.root))) {
                found[i] = nullptr;
            }
        }
    }
    return found;
}

std::vector<FilePart> parts_of(std::span<const LaunchFile> files, LaunchDocuments& documents) {
    std::vector<FilePart> parts;
    std::vector<bool> known = documents.is_part;
    std::vector<UnreadSetting> strangers;  // started by a launcher, with arguments that no format knows
    const std::vector<const Importer*> importers_found = importers_of(documents);
    for (std::size_t i = 0; i < documents.all.size(); ++i) {
        LaunchDocument& document = documents.all[i];
        const Importer* importer = importers_found[i];
        if (importer == nullptr) {
            const LaunchDocument* next = i + 1 < documents.all.size() ? &documents.all[i + 1] : nullptr;
            const Setting* program = document.root.peek("$program");
            if (next != nullptr && next->is_command && next->file == document.file && program != nullptr &&
                !next->root.has("$positional")) {
                strangers.push_back({.where = program->place(),
                                     .key = program->text,
                                     .matters = true,
                                     .why = "the arguments of this program have no known format"});
            }
            continue;
        }
        known[document.file] = true;
        auto part = std::find_if(parts.begin(), parts.end(),
                                 [&](const FilePart& each) { return each.importer == importer; });
        if (part == parts.end()) {
            part = parts.insert(parts.end(), FilePart{.importer = importer});
        }
        if (document.is_command) {
            part->commands.push_back(std::move(document.root));
        } else {
            lay_over(part->base, document.root);
            part->has_base = true;
        }
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (known[i]) {
            continue;
        }
        if (parts.empty()) {
            fail_unknown(files[i]);
        }
        const std::string where = files[i].name + ":1";
        if (std::any_of(documents.unread.begin(), documents.unread.end(), [&](const UnreadSetting& unread) {
                return unread.where == where && unread.key.empty();
            })) {
            continue;  // why is known
        }
        documents.unread.push_back({.where = where,
                                    .key = "",
                                    .matters = true,
                                    .why = "this file starts or configures nothing known"});
    }
    if (std::all_of(parts.begin(), parts.end(),
                    [](const FilePart& part) { return part.importer->companion; })) {
        documents.unread.insert(documents.unread.end(), strangers.begin(), strangers.end());
    }
    // The format is the training program's; launchers only count GPUs.
    const auto rank = [](const FilePart& part) {
        return part.importer->companion ? part.importer->name == "launcher" ? 2 : 1 : 0;
    };
    std::stable_sort(parts.begin(), parts.end(),
                     [&](const FilePart& a, const FilePart& b) { return rank(a) < rank(b); });
    return parts;
}

FactSheet read_root(const Importer& importer, const Setting& root, const Setting* unseen = nullptr) {
    FactSheet sheet;
    if (unseen != nullptr) {
        sheet.assumes = false;
        refer_to_file(*unseen, sheet);
    }
    if (root.at("$script") != nullptr) {
        sheet.assumes = false;  // it decides the rest
    }
    sheet.assumes = sheet.assumes && !hides_arguments(root);
    importer.read(root, sheet);
    sheet.reading.deepspeed = importer.name == "deepspeed" || names_deepspeed(root);
    refer_to_defaults(root, sheet);
    refer_to_arguments(root, sheet);
    list_unread(root, sheet.reading.unread);
    return sheet;
}

/// Several commands of one script may start jobs that differ: what they differ in is no fact of one job.
FactSheet read_part(const FilePart& part) {
    if (part.commands.empty()) {
        return read_root(*part.importer, part.base);
    }
    FactSheet first;
    const std::vector<const Setting*> jobs = training_commands(part.commands);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Setting root = part.base;
        overlay(root, *jobs[i]);
        const Setting* unseen = part.has_base ? nullptr : unseen_configuration(*jobs[i]);
        FactSheet sheet = read_root(*part.importer, root, unseen);
        if (i == 0) {
            first = std::move(sheet);
        } else {
            keep_common(first, sheet);
        }
    }
    return first;
}

}  // namespace

int named(const Setting& root, Paths names, int score) {
    const Setting* program = root.peek("$program");
    const bool found =
        program != nullptr && std::any_of(names.begin(), names.end(), [&](std::string_view name) {
            return program->text.find(name) != std::string::npos;
        });
    return found ? score : 0;
}

int points(const Setting& root, Paths paths, int each) {
    int sum = 0;
    for (const std::string_view path : paths) {
        sum += root.has(path) ? each : 0;
    }
    return sum;
}

std::vector<std::string_view> launch_formats() {
    std::vector<std::string_view> names;
    for (const Importer& importer : importers) {
        names.push_back(importer.name);
    }
    return names;
}

LaunchReading read_launch_files(std::span<const LaunchFile> files, std::string_view select) {
    LaunchDocuments documents = parse_documents(files, select, is_configuration);
    std::vector<FilePart> parts = parts_of(files, documents);
    FactSheet all;
    all.reading.format = parts.front().importer->name;
    if (all.reading.format == "megatron-deepspeed") {  // its JSON decides
        std::stable_partition(parts.begin(), parts.end(),
                              [](const FilePart& part) { return part.importer->name == "deepspeed"; });
    }
    for (const FilePart& part : parts) {
        FactSheet sheet = read_part(part);
        if (part.importer->name == "accelerate") {
            settle_precision(all, sheet);
        }
        merge_into(all, sheet);
    }
    if (all.reading.format == "megatron-deepspeed" && all.count(Fact::zero) == 0 &&
        all.word(Fact::precision) == "bf16") {
        const std::string where = all.reading.facts.at(Fact::zero).where;
        all.reading.facts.at(Fact::zero) = {
            .value = std::int64_t{1},
            .where = where + ": stage 0, and bf16's optimizer shards its states",
            .how = How::derived};
    }
    all.reading.unread.insert(all.reading.unread.begin(), documents.unread.begin(), documents.unread.end());
    drop_answered(all.reading, documents.names);
    complete(all);
    show_unknown(all.reading);
    return std::move(all.reading);
}

}  // namespace traincost
