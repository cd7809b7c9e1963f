#include "traincost/import/launch_line.hpp"

#include <algorithm>
#include <utility>

#include "traincost/base/text.hpp"
#include "traincost/import/launch_flags.hpp"
#include "traincost/import/launch_words.hpp"
#include "traincost/import/process_flags.hpp"
#include "traincost/import/script_settings.hpp"

namespace traincost {

namespace {

/// The parts of a command line as it is walked.
struct Line {
    LaunchDocument program;
    LaunchDocument launcher;  ///< torchrun, deepspeed, srun
    LaunchDocument accelerate;
    std::string name;
    bool has_launcher = false, has_accelerate = false;

    bool is_launched() const {
        return has_launcher || has_accelerate;
    }
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
                                                                   "--no_ssh_check",
                                                                   "--elastic_training",
                                                                   "--run-path",
                                                                   "--run_path",
                                                                   "--use_xla",
                                                                   "--use_cpu",
                                                                   "--use_parallelism_config",
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

bool runs_by_name(std::string_view base, std::string_view next) {
    return next == "run" && is_one_of(base, {"colossalai", "lightning", "fabric"});
}

/// Whether a launcher's flags between two words say that a module follows them: "-m --num_processes 2
/// a.train".
bool asks_for_module(const Words& words, std::size_t begin, std::size_t end) {
    bool asked = false;
    for (std::size_t i = begin; i + 1 < end; ++i) {
        asked = asked || is_one_of(words[i].chars, {"-m", "--module"});
    }
    return asked && end < words.size();
}

/// Whether a script is started whose content is not given: "sbatch --nodes 16 train.sh".
bool starts_script(const Words& words) {
    return std::any_of(words.begin(), words.end(),
                       [](const ShellText& word) { return word.chars.ends_with(".sh"); });
}

/// Whether a program whose name nobody knows is told settings: "$COMMAND data.rows=8 optim.lr=1e-4 ...".
bool is_told_settings(const Words& words) {
    constexpr int enough = 4;
    return words.front().chars.find(unknown_mark) != std::string::npos &&
           std::count_if(words.begin(), words.end(),
                         [](const ShellText& word) { return is_override(word.chars); }) >= enough;
}

bool is_process_launcher(std::string_view base, std::string_view next) {
    return is_one_of(base,
                     {"torchrun", "torch.distributed.run", "torch.distributed.launch", "deepspeed",
                      "deepspeed.launcher.runner", "paddle.distributed.launch", "msrun", "ft_launcher"}) ||
           runs_by_name(base, next);
}

/// Walks over the launchers of a command to the program that they start.
class LauncherWalk {
public:
    LauncherWalk(const Words& words, Line& line, const std::vector<const std::string*>& files)
        : words_(words),
          line_(line),
          files_(files),
          launcher_(place_at(line.launcher.root, "$launcher"), files),
          accelerate_(line.accelerate.root, files) {
    }

    /// Where the program's arguments begin. The line's name stays empty where no program is started.
    std::size_t to_program() {
        while (at_ < words_.size()) {
            if (unknown_program_ == 0 && at_ > 0 && line_.is_launched() &&
                words_[at_].chars == std::string(1, unknown_mark)) {
                unknown_program_ = at_;
            }
            if (step(base_of(words_[at_].chars))) {
                return at_;
            }
        }
        if (unknown_program_ > 0 || is_told_settings(words_)) {
            at_ = unknown_program_;
            start();
        }
        return at_;
    }

private:
    std::string word(std::size_t i) const {
        return i < words_.size() ? words_[i].chars : std::string();
    }
    void note(const std::string& key, ShellPlace place) {
        place_at(line_.launcher.root, "$launcher." + key) = word_setting("true", place, files_);
    }
    /// The program is the word that was reached.
    bool start() {
        line_.name = word(at_);
        at_ = std::min(at_ + 1, words_.size());
        return true;
    }

    /// Passes over what begins with the word that was reached; whether it is the program.
    bool step(const std::string& base) {
        const std::string next = word(at_ + 1);
        if (is_process_launcher(base, next)) {
            return pass_launcher(base, next);
        }
        if (base == "accelerate" && next == "launch") {
            return pass_accelerate(2);
        }
        if (is_one_of(base, {"srun", "mpirun", "mpiexec", "aprun"}) ||
            (base == "sbatch" && (is_wrapping(words_, at_) || starts_script(words_)))) {
            pass_scheduler(base);
            return false;
        }
        if (is_python(base)) {
            return pass_python();
        }
        const bool is_value = at_ > 0 && words_[at_ - 1].chars.starts_with('-') &&
                              words_[at_ - 1].chars.find('=') == std::string::npos;
        if (is_framework_program(base) && !is_value) {
            return pass_framework(base);
        }
        if (is_program(base, next)) {
            return start();
        }
        ++at_;
        return false;
    }

    bool is_program(const std::string& base, const std::string& next) const {
        return base.ends_with(".py") || base == "run_train.sh" || base == "multinode_trainer.slurm" ||
               (base.ends_with(".sh") && next.starts_with("--job.")) ||
               (line_.is_launched() && at_ > 0 && !words_[at_].chars.starts_with('-') &&
                base.find(unknown_mark) == std::string::npos &&
                is_one_of(words_[at_ - 1].chars, {"-m", "--module"}));
    }

    /// Reads the flags of a launcher of `length` words; whether its module stands behind them.
    bool pass_flags(Flags& flags, std::size_t length) {
        const std::size_t begin = at_ + length;
        at_ = read_flags(words_, begin, flags, nullptr, launcher_switches);
        return asks_for_module(words_, begin, at_) && start();
    }
    bool pass_launcher(const std::string& base, const std::string& next) {
        line_.has_launcher = true;
        if (base.starts_with("deepspeed")) {
            note("deepspeed", words_[0].place());
        }
        if (next != "run") {
            return pass_flags(launcher_, 1);
        }
        const bool lightning = base != "colossalai";  // "lightning run model"
        const bool found = pass_flags(launcher_, lightning ? 3 : 2);
        const Setting* devices = line_.launcher.root.peek("$launcher.devices");
        if (lightning && devices != nullptr) {
            place_at(line_.launcher.root, "$launcher.nproc_per_node") = Setting(*devices);
        }
        return found;
    }
    bool pass_accelerate(std::size_t length) {
        line_.has_accelerate = true;
        place_at(line_.accelerate.root, "$program") =
            word_setting("accelerate launch", words_[at_].place(), files_);
        return pass_flags(accelerate_, length);
    }
    void pass_scheduler(const std::string& base) {
        const bool slurm = base == "srun" || base == "sbatch";
        note(slurm ? "srun" : "mpirun", words_[at_].place());
        line_.has_launcher = true;
        ++at_;
        Setting& flags = place_at(line_.launcher.root, "$launcher");
        if (slurm) {
            read_srun(words_, at_, flags, files_);
        } else {
            read_mpirun(words_, at_, flags, files_);
        }
    }
    /// "python submit.py --num_nodes 4 --gpus 8 -- accelerate launch ...": a program that only starts a
    /// command on every node. Whether it was passed over.
    bool pass_submitter() {
        const auto behind = std::find_if(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end(),
                                         [](const ShellText& word) { return word.chars == "--"; });
        if (behind == words_.end() || behind + 1 == words_.end() || !word(at_).ends_with(".py")) {
            return false;
        }
        const std::string first = base_of((behind + 1)->chars);
        const std::string second = behind + 2 == words_.end() ? std::string() : (behind + 2)->chars;
        if (!is_process_launcher(first, second) && !is_python(first) &&
            !(first == "accelerate" && second == "launch")) {
            return false;
        }
        Setting& submitter = place_at(line_.launcher.root, "$launcher.submitter");
        Flags flags(submitter, files_);
        Words rest;
        read_flags(Words(words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, behind), 0, flags, &rest, {});
        line_.has_launcher = true;
        at_ = static_cast<std::size_t>(behind - words_.begin()) + 1;
        return true;
    }
    bool pass_python() {
        ++at_;
        while (word(at_).starts_with('-') && !is_one_of(word(at_), {"-m", "-c"})) {
            at_ += is_one_of(word(at_), {"-W", "-X"}) ? 2 : 1;
        }
        if (word(at_) == "-c") {
            at_ = words_.size();
            return true;
        }
        if (pass_submitter()) {
            return false;
        }
        at_ += word(at_) == "-m" ? 1 : 0;
        const std::string started = base_of(word(at_));
        if (started == "accelerate.commands.launch") {
            return pass_accelerate(1);
        }
        // a launcher's module is passed over next
        return !is_one_of(started, {"torch.distributed.run", "torch.distributed.launch",
                                    "deepspeed.launcher.runner", "paddle.distributed.launch"}) &&
               start();
    }
    bool pass_framework(const std::string& base) {
        line_.name = base;
        ++at_;
        while (at_ < words_.size() && !is_flag(words_[at_].chars) && line_.name.size() < 60 &&
               (base != "litgpt" || is_litgpt_task(line_.name, words_[at_].chars)) &&
               words_[at_].chars.find_first_of("./=") == std::string::npos) {
            line_.name += " " + words_[at_].chars;
            ++at_;
        }
        if (base == "composer" || line_.name == "tune run") {  // what it starts stands behind its flags
            line_.has_launcher = true;
            at_ = read_flags(words_, at_, launcher_, nullptr, {"--standalone"});
            line_.name += at_ < words_.size() ? " " + words_[at_].chars : "";
            ++at_;
        }
        return true;
    }

    const Words& words_;
    Line& line_;
    const std::vector<const std::string*>& files_;
    Flags launcher_;
    Flags accelerate_;
    std::size_t at_ = 0;
    std::size_t unknown_program_ = 0;  ///< a launcher's program whose name nobody knows
};

using Variables = std::vector<std::pair<std::string, ShellText>>;

bool is_device_list(std::string_view variable) {
    return is_one_of(variable, {"CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"});
}

bool counts_processes(std::string_view variable) {
    return is_one_of(variable, {"NPROC_PER_NODE", "NGPU", "NPROC"});
}

bool count_processes(const Variables& variables) {
    return std::any_of(variables.begin(), variables.end(),
                       [](const auto& variable) { return counts_processes(variable.first); });
}

/// `only_devices`: a launcher says itself how many processes there are.
void note_environment(const Variables& variables, bool only_devices, Line& line,
                      const std::vector<const std::string*>& files) {
    Setting& root = place_at(line.launcher.root, "$launcher");
    root.kind = Setting::Kind::map;
    for (const auto& [name, value] : variables) {
        if (is_device_list(name) || (!only_devices && (counts_processes(name) ||
                                                       is_one_of(name, {"NNODES", "NNODE", "WORLD_SIZE"})))) {
            Setting setting = word_setting(value.chars, value.place(), files);
            setting.name = name;
            place_at(root, "env." + name) = std::move(setting);
            line.has_launcher = true;
        }
    }
}

}  // namespace

std::vector<LaunchDocument> documents_of(const StartedCommand& command,
                                         const std::vector<const std::string*>& files) {
    Line line;
    if (command.words.empty() || is_one_of(base_of(command.words.front().chars), {"echo", "printf"})) {
        return {};  // nothing, or words that are only shown
    }
    const std::size_t at = LauncherWalk(command.words, line, files).to_program();
    if (line.name.empty()) {
        const bool counted = line.launcher.root.has("$launcher.srun_flags") && starts_script(command.words);
        line.launcher.is_command = true;
        return counted ? std::vector<LaunchDocument>{std::move(line.launcher)}
                       : script_settings(command, files);
    }
    const bool launched = line.is_launched();
    const bool counted =
        launched || count_processes(command.environment) || count_processes(command.exported);
    note_environment(command.exported, launched, line, files);
    note_environment(command.environment, false, line, files);
    if (!counted) {
        place_at(line.launcher.root, "$launcher.alone") =
            word_setting("true", command.words[0].place(), files);
    }
    if (line.launcher.root.has("$launcher.submitter.gpus") && !line.accelerate.root.has("num_machines")) {
        // what starts the command on each node counts for it
        std::erase_if(line.accelerate.root.members,
                      [](const SettingMember& m) { return m.key == "num_processes"; });
    }
    Setting& root = line.program.root;
    Flags flags(root, files);
    Words positional;
    read_flags(command.words, at, flags, &positional, {});
    place_at(root, "$program") = word_setting(line.name, command.words[0].place(), files);
    if (!counted) {
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
            place_at(more->root, "$starts") = word_setting(line.name, command.words[0].place(), files);
            more->is_command = true;
            documents.push_back(std::move(*more));
        }
    }
    return documents;
}

}  // namespace traincost
