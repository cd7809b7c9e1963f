#include "traincost/import/slurm.hpp"

#include <algorithm>
#include <vector>

#include "traincost/base/text.hpp"
#include "traincost/import/launch_flags.hpp"
#include "traincost/import/shell/shell.hpp"

namespace traincost {

namespace {

/// "#PBS -l select=4:ngpus=8", "#PBS -l nodes=4:ppn=8", "#BSUB -nnodes 4", "#$ -l rt_F=4": nodes, and GPUs of
/// one where said.
void note_nodes(std::string_view row, int line, Setting& root) {
    const auto number_after = [&](std::string_view word) -> std::string {
        const std::size_t at = row.find(word);
        if (at == row.npos) {
            return {};
        }
        std::string_view rest = row.substr(at + word.size());
        return std::string(rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size())));
    };
    const auto note = [&](const std::string& key, const std::string& value) {
        if (!value.empty() && !root.has(key)) {
            Setting setting;
            setting.file = root.file;
            setting.line = line;
            setting.name = std::string(row.substr(0, row.find(' ')));
            place_at(root, key) = scalar_setting(value, setting);
        }
    };
    // Grid Engine's whole nodes have the names of their machines: ABCI's, TSUBAME's.
    for (const std::string_view word : {"select=", "nodes=", "-nnodes ", "rt_F=", "node_f="}) {
        note("nodes", number_after(word));
    }
    note("gpus_per_node", number_after(":ngpus="));
}

}  // namespace

Setting slurm_header(std::string_view text, const std::string& file) {
    Setting root;
    root.kind = Setting::Kind::map;
    root.file = &file;
    int number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view row = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (row.starts_with("#PBS") || row.starts_with("#BSUB") || row.starts_with("#$ -l")) {
            note_nodes(row, number, root);
        }
        if (!row.starts_with("#SBATCH")) {
            continue;
        }
        row.remove_prefix(7);
        if (const std::size_t comment = row.find(" #"); comment != row.npos) {
            row = row.substr(0, comment);
        }
        std::vector<std::string> words;
        for (const std::string& word : split(row, ' ')) {
            for (const std::string& piece : split(word, '\t')) {
                if (!piece.empty() && piece != "\r") {
                    words.push_back(piece.ends_with('\r') ? piece.substr(0, piece.size() - 1) : piece);
                }
            }
        }
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (!words[i].starts_with('-')) {
                continue;
            }
            const std::size_t equals = words[i].find('=');
            std::string name = words[i].substr(0, equals);
            std::string value = equals != std::string::npos ? words[i].substr(equals + 1)
                                : i + 1 < words.size() && !words[i + 1].starts_with('-') ? words[i + 1]
                                                                                         : std::string();
            if (name.size() > 2 && !name.starts_with("--") && value.empty()) {  // -N4
                value = name.substr(2);
                name.resize(2);
            }
            Setting setting;
            setting.file = &file;
            setting.line = number;
            setting.name = "#SBATCH " + name;
            const std::string key = name == "-N"                 ? "nodes"
                                    : name == "-G"               ? "gpus"
                                    : name == "-n"               ? "ntasks"
                                    : name == "--tasks-per-node" ? "ntasks_per_node"
                                                                 : key_of(name);
            place_at(root, key) = scalar_setting(value, setting);
        }
    }
    return root;
}

std::map<std::string, std::string> slurm_variables(const Setting& header) {
    std::map<std::string, std::string> variables;
    const auto count = [&](std::string_view key) -> std::string {
        const Setting* at = header.peek(key);
        if (at == nullptr) {
            return {};
        }
        const std::size_t colon = at->text.rfind(':');
        const std::string number = colon == std::string::npos ? at->text : at->text.substr(colon + 1);
        return as_whole(scalar_setting(number, *at)) ? number : std::string();
    };
    const auto set = [&](const std::string& name, const std::string& value) {
        if (!value.empty()) {
            variables[name] = value;
        }
    };
    const std::string nodes = count("nodes");
    std::string gpus = count("gpus_per_node");
    if (gpus.empty()) {
        gpus = count("gres");
    }
    set("SLURM_NNODES", nodes);
    set("SLURM_JOB_NUM_NODES", nodes);
    set("SLURM_GPUS_PER_NODE", gpus);
    set("SLURM_GPUS_ON_NODE", gpus);
    set("SLURM_GPUS", count("gpus"));
    const std::string tasks = count("ntasks_per_node");
    set("SLURM_NTASKS_PER_NODE", tasks);
    std::string all = count("ntasks");
    if (all.empty() && !tasks.empty() && !nodes.empty()) {
        all = std::to_string(parse_count(tasks) * parse_count(nodes));
    }
    set("SLURM_NTASKS", all);
    if (!header.members.empty()) {  // a header is read by a job, whose number nobody knows
        set("SLURM_JOB_ID", std::string("1") + unknown_mark);
        set("SLURM_JOBID", std::string("1") + unknown_mark);
    }
    set("SLURM_NPROCS", all);
    return variables;
}

}  // namespace traincost
