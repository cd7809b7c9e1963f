#include "traincost/export/launch_script.hpp"

namespace traincost {

void ArgumentWords::flag(std::string_view name) {
    lines_.emplace_back(name);
}

void ArgumentWords::word(std::string_view name, std::string_view value) {
    lines_.push_back(std::string(name) + " " + shell_word(value));
}

void ArgumentWords::number(std::string_view name, std::int64_t value) {
    lines_.push_back(std::string(name) + " " + std::to_string(value));
}

void ArgumentWords::plain(std::string_view word) {
    lines_.push_back(shell_word(word));
}

std::string shell_word(std::string_view word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+%";
    if (!word.empty() && word.find_first_not_of(plain) == word.npos)
        return std::string(word);
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string script_text(const JobWords& words, const std::string& command, const ArgumentWords& arguments) {
    const std::int64_t nodes = words.nodes();
    std::string text = "#!/bin/bash\n";
    if (nodes > 1) {
        text += "#SBATCH --nodes=" + std::to_string(nodes) +
                "\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=" +
                std::to_string(words.processes_per_node()) +
                "\nMASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n\nsrun ";
    }
    text += command;
    for (const std::string& line : arguments.lines())
        text += " \\\n    " + line;
    return text + "\n";
}

std::string torchrun(const JobWords& words) {
    const std::string here = "--nproc-per-node " + std::to_string(words.processes_per_node());
    if (words.nodes() == 1)
        return "torchrun --standalone " + here;
    return "torchrun --nnodes " + std::to_string(words.nodes()) + " " + here +
           " --rdzv-id \"$SLURM_JOB_ID\" --rdzv-backend c10d --rdzv-endpoint \"$MASTER_ADDR:29500\"";
}

std::string accelerate_launch(const JobWords& words) {
    std::string text = "accelerate launch --config_file accelerate.yaml";
    if (words.nodes() > 1)
        text += " --main_process_ip \"$MASTER_ADDR\" --main_process_port 29500";
    return text;
}

void say_machines(JobWords& words) {
    words.said({"gpus"});
    words.fixed(
        "per-node", words.processes_per_node() == words.job().cluster.per_node,
        "a launcher starts as many processes on each node: " + std::to_string(words.processes_per_node()));
}

}  // namespace traincost
