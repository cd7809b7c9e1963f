// What srun, sbatch and mpirun are told of processes, nodes and GPUs.
#pragma once

#include <string>
#include <vector>

#include "traincost/import/settings/setting.hpp"
#include "traincost/import/shell/shell.hpp"

namespace traincost {

using Words = std::vector<ShellText>;

Setting word_setting(const std::string& text, ShellPlace place, const std::vector<const std::string*>& files);

/// The flags of srun, or of sbatch, that count nodes and GPUs, up to the program it starts.
void read_srun(const Words& words, std::size_t at, Setting& launcher,
               const std::vector<const std::string*>& files);
/// The processes that mpirun starts, and those of a node, up to the program.
void read_mpirun(const Words& words, std::size_t at, Setting& launcher,
                 const std::vector<const std::string*>& files);

}  // namespace traincost
