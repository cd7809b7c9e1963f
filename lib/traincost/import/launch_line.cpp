#include "traincost/import/launch_line.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/launch_words.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

using Words = std::vector<ShellText>;

/// Builds settings from flags.
class Flags {
public:
    Flags(Setting& root, const std::vector<const std::string*>& files) : root_(root), files_(files) {
        root_.kind = Setting::Kind::map;
    }

    void put(const std::string& key, const std::string& name, const std::vector<ShellText>& values,
             ShellPlace place) {
        Setting value;
        value.file = files_.at(place.file);
        value.line = static_cast<int>(place.line);
        value.name = name;
        if (values.size() == 1) {
            value = value_of(values[0].chars, value);
        } else if (values.empty()) {
            value = scalar_setting("true", value);
        } else {
            value.kind = Setting::Kind::list;
            for (const ShellText& each : values) {
                value.items.push_back(scalar_setting(each.chars, value));
            }
        }
        if (value.is_map()) {
            overlay(place_at(root_, key), value);
        } else if (key.find('.') == std::string::npos) {
            root_.members.push_back(
                {.key = key, .value = std::move(value)});  // of equal flags the last counts
        } else {
            keep_group(key.substr(0, key.find('.')));
            place_at(root_, key) = std::move(value);
        }
    }
    void put_override(const ShellText& word) {
        const std::size_t equals = word.chars.find('=');
        const std::string key = key_of(word.chars.substr(0, equals));
        put(key, word.chars.substr(0, equals), {word.part(equals + 1)}, word.place());
    }

private:
    /// "optimizer=adamw optimizer.lr=1": the word stays beside what is set below it.
    void keep_group(const std::string& head) {
        Setting* word = root_.member(head);
        if (word != nullptr && word->is_scalar()) {
            Setting group = *word;
            word->text.clear();
            place_at(*word, "$group") = std::move(group);
        }
    }
    static Setting value_of(const std::string& text, const Setting& place) {
        if (text.size() > 1 && (text.front() == '[' || text.front() == '{')) {
            try {
                Setting value = read_yaml(text, *place.file, place.line);
                value.name = place.name;
                return value;
            } catch (const Error&) {
                // a word that only looks like a list
            }
        }
        return scalar_setting(text, place);
    }

    Setting& root_;
    const std::vector<const std::string*>& files_;
};

/// Reads the flags in `words` from `at`; with `bare` given, until a word that is no flag and no value.
std::size_t read_flags(const Words& words, std::size_t at, Flags& flags, Words* positional,
                       std::initializer_list<std::string_view> switches) {
    for (; at < words.size(); ++at) {
        const std::string& word = words[at].chars;
        if (!is_flag(word)) {
            if (positional == nullptr) {
                return at;
            }
            if (is_override(word)) {
                flags.put_override(words[at]);
            } else {
                positional->push_back(words[at]);
            }
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const std::string key = key_of(name);
        const ShellPlace place = words[at].place();
        Words values;
        if (equals != word.npos) {
            values.push_back(words[at].part(equals + 1));
        } else if (!is_one_of(name, switches)) {
            const std::size_t most = positional == nullptr ? 1 : words.size();
            while (at + 1 < words.size() && values.size() < most && !is_flag(words[at + 1].chars) &&
                   !(positional != nullptr && !values.empty() && is_override(words[at + 1].chars))) {
                values.push_back(words[++at]);
            }
        }
        flags.put(key, name, values, place);
    }
    return at;
}

Setting word_setting(const std::string& text, ShellPlace place,
                     const std::vector<const std::string*>& files) {
    Setting setting;
    setting.file = files.at(place.file);
    setting.line = static_cast<int>(place.line);
    return scalar_setting(text, setting);
}

/// The parts of a command line as it is walked.
struct Line {
    LaunchDocument program;
    LaunchDocument launcher;  ///< torchrun, deepspeed, srun
    LaunchDocument accelerate;
    std::string name;
    bool has_launcher = false, has_accelerate = false;
};

/// The flags of torchrun, deepspeed and accelerate that take no value.
const std::initializer_list<std::string_view> launcher_switches = {"--standalone",
                                                                   "--no-python",
                                                                   "--no_python",
                                                                   "--use-env",
                                                                   "--use_env",
                                                                   "-m",
                                                                   "--module",
                                                                   "--no_local_rank",
                                                                   "--force_multi",
                                                                   "--save_pid",
                                                                   "--no_ssh",
                                                                   "--bind_cores_to_rank",
                                                                   "--multi_gpu",
                                                                   "--multi-gpu",
                                                                   "--use_fsdp",
                                                                   "--use_deepspeed",
                                                                   "--cpu",
                                                                   "--tpu",
                                                                   "--debug",
                                                                   "--quiet",
                                                                   "-q",
                                                                   "--same_network",
                                                                   "--use_megatron_lm"};

/// Whether sbatch starts the command behind its flags: its --wrap is the last of them, without what it wraps.
bool is_wrapping(const Words& words, std::size_t sbatch) {
    return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(sbatch), words.end(),
                       [](const ShellText& word) { return word.chars == "--wrap"; });
}

/// The flags of srun, or of sbatch, that count nodes and GPUs, up to the program it starts.
void read_srun(const Words& words, std::size_t at, Setting& launcher,
               const std::vector<const std::string*>& files) {
    const std::string program = base_of(words[at - 1].chars);
    for (; at < words.size() && (words[at].chars.starts_with('-') || !words[at - 1].chars.ends_with(".py"));
         ++at) {
        const std::string& word = words[at].chars;
        if (is_python(base_of(word)) ||
            is_one_of(base_of(word), {"torchrun", "bash", "sh", "deepspeed", "accelerate"})) {
            return;
        }
        const std::size_t equals = word.find('=');
        std::string name = word.substr(0, equals);
        std::string value = equals != std::string::npos ? word.substr(equals + 1)
                            : at + 1 < words.size()     ? words[at + 1].chars
                                                        : std::string();
        if (word.size() > 2 && word.starts_with("-N")) {  // -N8
            value = word.substr(2);
            name = "-N";
        }
        name = name == "-N" ? "--nodes" : name == "-G" ? "--gpus" : name;
        if (is_one_of(name, {"--nodes", "--gpus", "--gpus-per-node", "--gres", "--ntasks-per-node",
                             "--gpus-per-task"})) {
            Setting setting = word_setting(value, words[at].place(), files);
            setting.name = program + " " + name;
            place_at(launcher, "srun_flags." + key_of(name)) = std::move(setting);
        }
    }
}

std::size_t walk_launchers(const Words& words, Line& line, const std::vector<const std::string*>& files) {
    Flags launcher(place_at(line.launcher.root, "$launcher"), files);
    Flags accelerate(line.accelerate.root, files);
    std::size_t unknown_program = 0;  // a launcher's program whose name nobody knows
    bool module = false;              // whether the launcher starts one
    for (std::size_t i = 0; i < words.size();) {
        if (std::exchange(module, false) && words[i - 1].chars != "-m") {  // "torchrun -m --nnodes 1 a.b"
            line.name = words[i].chars;
            return i + 1;
        }
        if (unknown_program == 0 && i > 0 && (line.has_launcher || line.has_accelerate) &&
            words[i].chars == std::string(1, unknown_mark)) {
            unknown_program = i;
        }
        const std::string base = base_of(words[i].chars);
        const std::string next = i + 1 < words.size() ? words[i + 1].chars : std::string();
        if (base == "torchrun" || base == "torch.distributed.run" || base == "torch.distributed.launch" ||
            base == "deepspeed" || base == "deepspeed.launcher.runner") {
            line.has_launcher = true;
            i = read_flags(words, i + 1, launcher, nullptr, launcher_switches);
            module = line.launcher.root.has("$launcher.m");
            if (base.starts_with("deepspeed")) {
                place_at(line.launcher.root, "$launcher.deepspeed") =
                    word_setting("true", words[0].place(), files);
            }
        } else if (base == "accelerate" && next == "launch") {
            line.has_accelerate = true;
            place_at(line.accelerate.root, "$program") =
                word_setting("accelerate launch", words[i].place(), files);
            i = read_flags(words, i + 2, accelerate, nullptr, launcher_switches);
            module = line.accelerate.root.has("m");
        } else if (base == "srun" || base == "mpirun" || base == "mpiexec" ||
                   (base == "sbatch" && is_wrapping(words, i))) {
            const bool slurm = base == "srun" || base == "sbatch";
            place_at(line.launcher.root, "$launcher." + std::string(slurm ? "srun" : "mpirun")) =
                word_setting("true", words[i].place(), files);
            line.has_launcher = true;
            ++i;
            if (slurm) {
                read_srun(words, i, place_at(line.launcher.root, "$launcher"), files);
            }
        } else if (is_python(base)) {
            ++i;
            while (i < words.size() && words[i].chars.starts_with('-') && words[i].chars != "-m" &&
                   words[i].chars != "-c") {
                i += is_one_of(words[i].chars, {"-W", "-X"}) ? 2 : 1;
            }
            if (i < words.size() && words[i].chars == "-c") {
                return words.size();
            }
            if (i < words.size() && words[i].chars == "-m") {
                ++i;
            }
            const std::string started = i < words.size() ? base_of(words[i].chars) : std::string();
            if (started == "accelerate.commands.launch") {
                Words renamed = words;
                return walk_launchers({renamed.begin() + static_cast<std::ptrdiff_t>(i), renamed.end()}, line,
                                      files),
                       words.size();
            }
            if (started != "torch.distributed.run" && started != "torch.distributed.launch" &&
                started != "deepspeed.launcher.runner") {
                line.name = i < words.size() ? words[i].chars : std::string();
                return i + 1;
            }
        } else if (is_framework_program(base) && (i == 0 || !words[i - 1].chars.starts_with('-'))) {
            line.name = base;
            ++i;
            while (i < words.size() && !is_flag(words[i].chars) && line.name.size() < 60 &&
                   (base != "litgpt" || is_litgpt_task(line.name, words[i].chars)) &&
                   words[i].chars.find_first_of("./=") == std::string::npos) {
                line.name += " " + words[i].chars;
                ++i;
            }
            if (base == "composer" || (base == "tune" && line.name.starts_with("tune run"))) {
                line.has_launcher = true;
                i = read_flags(words, i, launcher, nullptr, {"--standalone"});
                line.name += i < words.size() ? " " + words[i].chars : "";
                ++i;
            }
            return i;
        } else if (base.ends_with(".py") || base == "run_train.sh" || base == "multinode_trainer.slurm" ||
                   (base.ends_with(".sh") && next.starts_with("--job.")) ||
                   ((line.has_launcher || line.has_accelerate) && !words[i].chars.starts_with('-') && i > 0 &&
                    base.find(unknown_mark) == std::string::npos &&
                    is_one_of(words[i - 1].chars, {"-m", "--module"}))) {
            line.name = words[i].chars;
            return i + 1;
        } else {
            ++i;
        }
    }
    if (unknown_program > 0 && line.name.empty()) {
        line.name = words[unknown_program].chars;
        return unknown_program + 1;
    }
    return words.size();
}

using Variables = std::vector<std::pair<std::string, ShellText>>;

void note_environment(const Variables& variables, Line& line, const std::vector<const std::string*>& files) {
    Setting& root = place_at(line.launcher.root, "$launcher");
    root.kind = Setting::Kind::map;
    for (const auto& [name, value] : variables) {
        if (is_one_of(name, {"CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                             "NNODES", "NNODE", "NPROC_PER_NODE", "NGPU", "NPROC"})) {
            Setting setting = word_setting(value.chars, value.place(), files);
            setting.name = name;
            place_at(root, "env." + name) = std::move(setting);
            line.has_launcher = true;
        }
    }
}

}  // namespace

std::string key_of(std::string_view flag) {
    while (!flag.empty() && (flag.front() == '-' || flag.front() == '+' || flag.front() == '~')) {
        flag.remove_prefix(1);
    }
    std::string key(flag);
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

std::vector<LaunchDocument> documents_of(const StartedCommand& command,
                                         const std::vector<const std::string*>& files) {
    Line line;
    if (command.words.empty() || is_one_of(base_of(command.words.front().chars), {"echo", "printf"})) {
        return {};  // nothing, or words that are only shown
    }
    const std::size_t at = walk_launchers(command.words, line, files);
    if (line.name.empty()) {
        return {};
    }
    const auto counts = [](const Variables& variables) {
        return std::any_of(variables.begin(), variables.end(), [](const auto& variable) {
            return is_one_of(variable.first, {"NPROC_PER_NODE", "NGPU", "NPROC"});
        });
    };
    const bool launched = line.has_launcher || line.has_accelerate;
    const bool counts_processes = launched || counts(command.environment) || counts(command.exported);
    if (!launched) {  // a launcher says itself how many processes there are
        note_environment(command.exported, line, files);
    }
    note_environment(command.environment, line, files);
    if (!counts_processes) {
        place_at(line.launcher.root, "$launcher.alone") =
            word_setting("true", command.words[0].place(), files);
    }
    Setting& root = line.program.root;
    Flags flags(root, files);
    Words positional;
    read_flags(command.words, at, flags, &positional, {});
    place_at(root, "$program") = word_setting(line.name, command.words[0].place(), files);
    if (!counts_processes) {
        place_at(root, "$one_process") = word_setting("true", command.words[0].place(), files);
    }
    Setting& rest = place_at(root, "$positional");
    rest.kind = Setting::Kind::list;
    for (const ShellText& word : positional) {
        rest.items.push_back(word_setting(word.chars, word.place(), files));
    }
    line.program.is_command = true;
    std::vector<LaunchDocument> documents;
    documents.push_back(std::move(line.program));
    for (auto* more :
         {line.has_launcher ? &line.launcher : nullptr, line.has_accelerate ? &line.accelerate : nullptr}) {
        if (more != nullptr) {
            more->is_command = true;
            documents.push_back(std::move(*more));
        }
    }
    return documents;
}

}  // namespace traincost
