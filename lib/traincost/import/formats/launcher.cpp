// GPUs and nodes, as torchrun, deepspeed, srun and Slurm's header state them.

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_launcher(const Setting& root) {
    return root.has("$launcher") ? 100 : 0;
}

namespace {

/// "8", "a100:8", "gpu:a100:8": the number behind the last colon.
std::optional<std::int64_t> last_number(const Setting& setting) {
    const std::size_t colon = setting.text.rfind(':');
    return as_whole(
        scalar_setting(colon == std::string::npos ? setting.text : setting.text.substr(colon + 1), setting));
}

void state_number(Fact fact, const Setting& at, FactSheet& sheet) {
    if (const auto x = last_number(at); x && *x > 0) {
        sheet.state(fact, *x, at);
    } else {
        sheet.unknown(fact, at, "no number is known for it");
    }
}

void read_flags(const Setting& root, FactSheet& sheet) {
    if (const Setting* at = first_of(
            root, {"nproc_per_node", "num_gpus", "num_accelerators", "nproc", "n", "local_worker_num"})) {
        if (at->text == "gpu" || at->text == "auto") {
            at->read = true;
        } else {
            state_number(Fact::gpus_per_node, *at, sheet);
        }
    }
    if (const Setting* at = first_of(root, {"worker_num", "world_size"})) {  // msrun and composer count all
        state_number(Fact::gpus, *at, sheet);
    }
    if (const Setting* at = first_of(root, {"gpus", "devices"});  // Paddle's launcher lists a node's
        at != nullptr && !sheet.has(Fact::gpus_per_node) && at->is_scalar() && as_word(*at)) {
        sheet.state(Fact::gpus_per_node, std::int64_t{1 + std::count(at->text.begin(), at->text.end(), ',')},
                    *at);
    }
    if (const Setting* at = first_of(root, {"nnodes", "num_nodes"})) {
        if (at->text.find(':') != std::string::npos) {
            sheet.unknown(Fact::nodes, *at, "an elastic range");
        } else {
            state_number(Fact::nodes, *at, sheet);
        }
    } else if (const Setting* hosts = first_of(root, {"host", "H"});
               hosts != nullptr && hosts->text.find(',') != std::string::npos) {
        sheet.state(Fact::nodes, std::int64_t{1 + std::count(hosts->text.begin(), hosts->text.end(), ',')},
                    *hosts);
    } else if (const Setting* alone = root.at("standalone")) {
        sheet.state(Fact::nodes, std::int64_t{1}, *alone);
    }
    // "localhost:0,1,2,3", one node
    if (const Setting* at = first_of(root, {"include", "i"});
        at != nullptr && at->text.find('@') == std::string::npos) {
        const std::size_t colon = at->text.find(':');
        if (colon != std::string::npos) {
            const std::string list = at->text.substr(colon + 1);
            sheet.state(Fact::gpus_per_node, std::int64_t{1 + std::count(list.begin(), list.end(), ',')},
                        *at);
            if (!sheet.has(Fact::nodes)) {
                sheet.state(Fact::nodes, std::int64_t{1}, *at);
            }
        }
    }
}

/// A program that starts the command on each of its nodes.
void read_submitter(const Setting& root, FactSheet& sheet) {
    const Setting* submitter = root.at("submitter");
    if (submitter == nullptr) {
        return;
    }
    const Setting* nodes = first_of(*submitter, {"num_nodes", "nnodes", "nodes", "replicas"});
    const Setting* gpus = first_of(*submitter, {"gpus", "gpus_per_node", "num_gpus"});
    if (nodes != nullptr && !sheet.has(Fact::nodes)) {
        state_number(Fact::nodes, *nodes, sheet);
    }
    if (gpus != nullptr && !sheet.has(Fact::gpus_per_node)) {
        state_number(Fact::gpus_per_node, *gpus, sheet);
    }
    if (nodes == nullptr && gpus != nullptr) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "the submitter's number of nodes");
    }
    mark_read(*submitter);
}

void read_environment(const Setting& root, FactSheet& sheet) {
    const Setting* env = root.at("env");
    if (env == nullptr) {
        return;
    }
    if (const Setting* at = first_of(*env, {"NNODES", "NNODE"})) {
        state_number(Fact::nodes, *at, sheet);
    }
    for (const std::string_view key : {"NPROC_PER_NODE", "NGPU", "NPROC"}) {
        if (const Setting* at = env->at(key); at != nullptr && !sheet.has(Fact::gpus_per_node)) {
            state_number(Fact::gpus_per_node, *at, sheet);
        }
    }
    const Setting* devices =
        first_of(*env, {"CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"});
    if (devices != nullptr && !sheet.has(Fact::gpus_per_node) && as_word(*devices)) {
        sheet.state(Fact::gpus_per_node,
                    std::int64_t{1 + std::count(devices->text.begin(), devices->text.end(), ',')}, *devices);
    }
    if (const Setting* at = env->at("WORLD_SIZE");
        at != nullptr && root.has("alone") && !sheet.has(Fact::gpus_per_node)) {
        state_number(Fact::gpus, *at, sheet);
    }
}

/// One process of mpirun drives one GPU, where no other launcher stands behind it.
void read_mpirun_processes(const Setting& flags, FactSheet& sheet) {
    if (const Setting* at = first_of(flags, {"of_node"})) {
        state_number(Fact::gpus_per_node, *at, sheet);
    }
    if (const Setting* at = first_of(flags, {"processes"})) {
        state_number(Fact::gpus, *at, sheet);
    }
}

void read_header(const Setting& slurm, FactSheet& sheet, bool launched_by_task) {
    if (const Setting* at = first_of(slurm, {"nodes"}); at != nullptr && !sheet.has(Fact::nodes)) {
        state_number(Fact::nodes, *at, sheet);
    }
    const Setting* per_node = first_of(slurm, {"gpus_per_node"});
    const Setting* gres = first_of(slurm, {"gres"});
    const Setting* total = first_of(slurm, {"gpus"});
    const Setting* tasks = first_of(slurm, {"ntasks_per_node"});
    const Setting* of_task = first_of(slurm, {"gpus_per_task"});
    if (!sheet.has(Fact::gpus_per_node)) {
        if (per_node != nullptr) {
            state_number(Fact::gpus_per_node, *per_node, sheet);
        } else if (gres != nullptr && gres->text.starts_with("gpu")) {
            if (gres->text.find(':') == std::string::npos) {
                sheet.state(Fact::gpus_per_node, std::int64_t{1}, *gres);
            } else {
                state_number(Fact::gpus_per_node, *gres, sheet);
            }
        } else if (of_task != nullptr && tasks != nullptr && last_number(*of_task) && last_number(*tasks)) {
            sheet.state(Fact::gpus_per_node, times(*last_number(*of_task), *last_number(*tasks)), *of_task);
        } else if (tasks != nullptr && launched_by_task && as_whole(*tasks).value_or(0) > 1) {
            state_number(Fact::gpus_per_node, *tasks, sheet);
        }
    }
    const Setting* all_tasks = first_of(slurm, {"ntasks"});
    const std::int64_t all = all_tasks == nullptr ? 0 : last_number(*all_tasks).value_or(0);
    if (total != nullptr) {
        state_number(Fact::gpus, *total, sheet);
    } else if (launched_by_task && of_task != nullptr && all > 1 && last_number(*of_task)) {
        sheet.state(Fact::gpus, times(*last_number(*of_task), all), *all_tasks);
    }
    const bool one_task = all_tasks == nullptr || as_whole(*all_tasks) == 1;
    if (!slurm.has("nodes") && one_task && (per_node != nullptr || gres != nullptr)) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "sbatch's number of nodes");
    }
}

}  // namespace

void read_launcher(const Setting& root, FactSheet& sheet) {
    const Setting& launcher = *root.at("$launcher");
    read_flags(launcher, sheet);
    read_environment(launcher, sheet);
    read_submitter(launcher, sheet);
    const bool by_task = launcher.at("srun") != nullptr && !launcher.has("nproc_per_node");
    launcher.at("mpirun");
    if (const Setting* mpirun = launcher.at("mpirun_flags");
        mpirun != nullptr && !launcher.has("nproc_per_node") && !launcher.has("num_gpus")) {
        read_mpirun_processes(*mpirun, sheet);
    }
    launcher.at("deepspeed");
    if (const Setting* srun = launcher.at("srun_flags")) {
        read_header(*srun, sheet, by_task);
    }
    if (const Setting* slurm = launcher.at("slurm")) {
        read_header(*slurm, sheet, by_task);
    }
    if (launcher.has("deepspeed") && !launcher.has_any({"hostfile", "num_nodes", "include", "i"}) &&
        launcher.has("env.CUDA_VISIBLE_DEVICES")) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "deepspeed's hosts beside CUDA_VISIBLE_DEVICES");
    }
    if (launcher.at("alone") != nullptr && sheet.count(Fact::gpus_per_node) == 1) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "a program that no launcher starts");
    }
    if (launcher.has_any({"nproc_per_node", "num_gpus", "gpus", "devices", "n", "nproc"}) &&
        !launcher.has_any({"hostfile", "world_size", "node_rank"})) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "the launcher's number of nodes");
    }
}

}  // namespace traincost
