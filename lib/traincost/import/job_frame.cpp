#include "traincost/import/job_frame.hpp"

#include <algorithm>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

/// Whether a line of the file begins with one of `keys`, where only keys of the outermost level stand.
bool has_key(std::string_view text, std::initializer_list<std::string_view> keys) {
    return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
        const std::size_t at = text.find("\n" + std::string(key));
        return text.starts_with(key) || at != std::string_view::npos;
    });
}

std::string_view first_line(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
    return text.substr(begin, text.find('\n', begin) - begin);
}

/// The script `said`, moved down to the line of `text` where it begins.
std::string at_its_lines(const Setting& said, std::string_view text) {
    const std::string_view first = first_line(said.text);
    int line = 1;
    for (std::size_t at = 0; at < text.size() && !first.empty();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (line >= said.line && text.substr(at, end - at).find(first) != std::string_view::npos) {
            break;
        }
        at = end + 1;
        ++line;
    }
    const std::size_t above = static_cast<std::size_t>(std::count(
        said.text.begin(), said.text.begin() + (first.empty() ? 0 : first.data() - said.text.data()), '\n'));
    const std::size_t lines = static_cast<std::size_t>(std::max(line - 1, 0));
    return std::string(lines > above ? lines - above : 0, '\n') + said.text;
}

void note(JobFrame& frame, std::string_view key, const std::string& value, const Setting& by) {
    Setting setting = by;
    setting.items.clear();
    setting.members.clear();
    setting.kind = Setting::Kind::null;
    place_at(frame.machines, key) = scalar_setting(value, setting);
}

void set_variables(JobFrame& frame, const Setting* variables) {
    if (variables == nullptr) {
        return;
    }
    for (const SettingMember& m : variables->members) {
        if (m.value.is_scalar()) {
            frame.known[m.key] = m.value.text;
        }
    }
    for (const Setting& item : variables->items) {  // {name: N, value: V}, {key: N, value: V}
        const Setting* name = item.peek("name") != nullptr ? item.peek("name") : item.peek("key");
        const Setting* value = item.peek("value");
        if (name != nullptr && value != nullptr && value->is_scalar()) {
            frame.known[name->text] = value->text;
        }
    }
}

/// "H100:8", {H100: 8}; of a choice the number that all have.
std::optional<std::string> accelerator_count(const Setting& said) {
    if (said.is_scalar()) {
        const std::size_t colon = said.text.rfind(':');
        const std::string number = colon == std::string::npos ? "1" : said.text.substr(colon + 1);
        return as_whole(scalar_setting(number, said)) ? std::optional(number) : std::nullopt;
    }
    std::optional<std::string> common;
    const auto take = [&](const std::optional<std::string>& one) {
        const bool same = one && (!common || *common == *one);
        common = same ? one : std::optional(std::string());
    };
    for (const SettingMember& m : said.members) {
        take(m.value.is_scalar() && as_whole(m.value) ? std::optional(m.value.text) : std::nullopt);
    }
    for (const Setting& item : said.items) {
        take(accelerator_count(item));
    }
    return common && !common->empty() ? common : std::nullopt;
}

JobFrame sky_task(const Setting& root, std::string_view text) {
    JobFrame frame;
    frame.script = at_its_lines(*root.peek("run"), text);
    frame.known["SKYPILOT_NUM_NODES"] = "1";
    if (const Setting* nodes = root.peek("num_nodes"); nodes != nullptr && as_whole(*nodes)) {
        frame.known["SKYPILOT_NUM_NODES"] = nodes->text;
        note(frame, "nodes", nodes->text, *nodes);
    }
    if (const Setting* gpus = root.peek("resources.accelerators")) {
        if (const auto count = accelerator_count(*gpus)) {
            frame.known["SKYPILOT_NUM_GPUS_PER_NODE"] = *count;
            note(frame, "gpus_per_node", *count, *gpus);
        }
    }
    set_variables(frame, root.peek("envs"));
    return frame;
}

JobFrame mosaic_run(const Setting& root, std::string_view text) {
    JobFrame frame;
    frame.script = at_its_lines(*root.peek("command"), text);
    for (const std::string_view key : {"compute.gpus", "gpu_num"}) {
        if (const Setting* gpus = root.peek(key); gpus != nullptr && gpus->is_scalar()) {
            note(frame, "gpus", gpus->text, *gpus);
        }
    }
    set_variables(frame, root.peek("env_variables"));
    if (const Setting* parameters = root.peek("parameters"); parameters != nullptr && parameters->is_map()) {
        frame.parameters = *parameters;
    }
    return frame;
}

/// The first list of containers below `setting`, and the number of replicas of what holds it.
const Setting* first_containers(const Setting& setting) {
    if (const Setting* found = setting.peek("containers"); found != nullptr && found->is_list()) {
        return found;
    }
    for (const SettingMember& m : setting.members) {
        if (const Setting* found = first_containers(m.value)) {
            return found;
        }
    }
    for (const Setting& item : setting.items) {
        if (const Setting* found = first_containers(item)) {
            return found;
        }
    }
    return nullptr;
}

bool is_shell(std::string_view word) {
    return word.ends_with("sh") && (word.size() < 3 || word == "bash" || word.ends_with("/sh") ||
                                    word.ends_with("/bash") || word == "zsh");
}

/// What a container starts, whose words stand under `keys`: the text behind "bash -c", or its words, each
/// quoted and on its line.
std::string started_by(const Setting& container, std::string_view text) {
    std::vector<const Setting*> words;
    for (const std::string_view key : {"command", "args", "arguments"}) {
        if (const Setting* list = container.peek(key)) {
            for (const Setting& item : list->items) {
                words.push_back(&item);
            }
        }
    }
    const auto quoted = [](const Setting* word) {
        return word->text.size() > 1 && word->text.front() == '-' && word->text.ends_with('c');
    };
    if (words.size() > 2 && is_shell(words[0]->text) &&
        std::any_of(words.begin() + 1, words.end() - 1, quoted)) {
        return at_its_lines(*words.back(), text);
    }
    std::string script;
    int line = 1;
    for (const Setting* word : words) {
        for (; line < word->line; ++line) {
            script += script.find_first_not_of('\n') == std::string::npos ? "\n" : " \\\n";
        }
        const bool plain =
            word->text.find('\'') == std::string::npos && word->text.find('$') == std::string::npos;
        script += plain ? " '" + word->text + "'" : " \"" + word->text + "\"";
        line += static_cast<int>(std::count(word->text.begin(), word->text.end(), '\n'));
    }
    return script;
}

/// How many pods train: replicas of a training operator's job, or what runs at once.
std::optional<std::int64_t> pods_of(const Setting& spec, const Setting*& by) {
    for (const std::string_view kind : {"pytorchReplicaSpecs", "mpiReplicaSpecs"}) {
        const Setting* all = spec.peek(kind);
        std::int64_t sum = 0;
        for (std::size_t i = 0; all != nullptr && i < all->members.size(); ++i) {
            const Setting* replicas = all->members[i].value.peek("replicas");
            const bool launches = all->members[i].key == "Launcher";
            by = replicas != nullptr ? replicas : &all->members[i].value;
            const auto count = replicas == nullptr ? std::optional<std::int64_t>(1) : as_whole(*replicas);
            if (!count) {
                return std::nullopt;
            }
            sum += launches ? 0 : *count;
        }
        if (sum > 0) {
            return sum;
        }
    }
    for (const std::string_view key : {"trainer.numNodes", "parallelism", "completions"}) {
        if (const Setting* at = spec.peek(key)) {
            by = at;
            return as_whole(*at);
        }
    }
    return std::nullopt;
}

std::optional<JobFrame> kubernetes_job(const Setting& root, std::string_view text) {
    const Setting* containers = first_containers(*root.peek("spec"));
    if (containers == nullptr || containers->items.empty()) {
        return std::nullopt;
    }
    const Setting& container = containers->items.front();
    JobFrame frame;
    frame.script = started_by(container, text);
    for (const std::string_view block : {"resources.limits", "resources.requests"}) {
        const Setting* limits = container.peek(block);
        for (std::size_t i = 0; limits != nullptr && i < limits->members.size(); ++i) {
            const SettingMember& m = limits->members[i];
            if (m.key.ends_with("/gpu") && m.value.is_scalar() && !frame.machines.has("gpus_per_node")) {
                note(frame, "gpus_per_node", m.value.text, m.value);
            }
        }
    }
    const Setting* by = nullptr;
    if (const auto pods = pods_of(*root.peek("spec"), by)) {
        note(frame, "nodes", std::to_string(*pods), *by);
    }
    set_variables(frame, container.peek("env"));
    return frame.script.find_first_not_of(" \n") == std::string::npos ? std::nullopt : std::optional(frame);
}

/// The first task of Beaker's experiments.
const Setting* first_beaker_task(const Setting& root) {
    const Setting* tasks = root.peek("tasks");
    if (tasks == nullptr || !tasks->is_list() || tasks->items.empty() || !tasks->items.front().is_map()) {
        return nullptr;
    }
    const Setting& task = tasks->items.front();
    return root.has_any({"version", "budget", "description"}) ||
                   task.has_any({"image.beaker", "image.docker", "resources.gpuCount"})
               ? &task
               : nullptr;
}

/// Beaker: the first of its tasks, with as many replicas as it has nodes.
std::optional<JobFrame> beaker_task(const Setting& task, std::string_view text) {
    JobFrame frame;
    frame.script = started_by(task, text);
    if (const Setting* gpus = task.peek("resources.gpuCount"); gpus != nullptr && gpus->is_scalar()) {
        note(frame, "gpus_per_node", gpus->text, *gpus);
    }
    if (const Setting* replicas = task.peek("replicas"); replicas != nullptr && replicas->is_scalar()) {
        note(frame, "nodes", replicas->text, *replicas);
    }
    set_variables(frame, task.peek("envVars"));
    return frame.script.find_first_not_of(" \n") == std::string::npos ? std::nullopt : std::optional(frame);
}

/// "H100:8", "A100:80GB:4", "2"; nothing where no number of GPUs stands last.
std::optional<std::string> last_count(const Setting& gpus) {
    const std::size_t colon = gpus.text.rfind(':');
    const std::string count = colon == std::string::npos ? gpus.text : gpus.text.substr(colon + 1);
    return as_whole(scalar_setting(count, gpus)) ? std::optional(count) : std::nullopt;
}

/// dstack's task: a list of commands, each on its line.
JobFrame dstack_task(const Setting& root, std::string_view text) {
    JobFrame frame;
    int line = 1;
    for (const Setting& command : root.peek("commands")->items) {
        if (!command.is_scalar()) {
            continue;
        }
        const std::string placed = at_its_lines(command, text);
        const std::size_t first = std::min(placed.find_first_not_of('\n'), placed.size());
        const int above = static_cast<int>(first) + 1 - line;
        frame.script +=
            std::string(static_cast<std::size_t>(std::max(above, 1)), '\n') + placed.substr(first);
        line = 1 + static_cast<int>(std::count(frame.script.begin(), frame.script.end(), '\n'));
    }
    if (const Setting* nodes = root.peek("nodes"); nodes != nullptr && as_whole(*nodes)) {
        frame.known["DSTACK_NODES_NUM"] = nodes->text;
        note(frame, "nodes", nodes->text, *nodes);
    }
    const Setting* gpus = root.peek("resources.gpu.count");
    if (gpus == nullptr) {
        gpus = root.peek("resources.gpu");
    }
    if (gpus != nullptr && gpus->is_scalar()) {
        if (const auto count = last_count(*gpus)) {
            frame.known["DSTACK_GPUS_PER_NODE"] = *count;
            note(frame, "gpus_per_node", *count, *gpus);
        }
    }
    set_variables(frame, root.peek("env"));
    return frame;
}

}  // namespace

std::optional<JobFrame> job_frame(std::string_view text, const std::string& file) {
    if (text.starts_with("#!") ||
        !has_key(text, {"run:", "command:", "commands:", "tasks:", "apiVersion:"})) {
        return std::nullopt;
    }
    Setting root;
    try {
        root = read_yaml(text, file);
    } catch (const Error&) {
        return std::nullopt;  // its own reader says what is wrong with it
    }
    const Setting* run = root.peek("run");
    const Setting* command = root.peek("command");
    if (run != nullptr && run->is_scalar() &&
        root.has_any({"resources", "setup", "num_nodes", "file_mounts", "workdir"})) {
        return sky_task(root, text);
    }
    if (command != nullptr && command->is_scalar() &&
        root.has_any({"image", "compute", "gpu_num", "integrations"})) {
        return mosaic_run(root, text);
    }
    if (const Setting* commands = root.peek("commands");
        commands != nullptr && commands->is_list() && root.has("type")) {
        return dstack_task(root, text);
    }
    if (const Setting* task = first_beaker_task(root)) {
        return beaker_task(*task, text);
    }
    if (root.has("apiVersion") && root.has("kind") && root.has("spec")) {
        return kubernetes_job(root, text);
    }
    return std::nullopt;
}

}  // namespace traincost
