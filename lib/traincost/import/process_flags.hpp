// What srun, sbatch and mpirun are told of processes, nodes and GPUs, and what a word of a command is.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/settings/setting.hpp"
#include "traincost/import/shell/shell.hpp"

namespace traincost {

using Words = std::vector<ShellText>;

/// "train.py" of "examples/train.py".
std::string base_of(std::string_view path);
bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all);
bool is_python(std::string_view base);
Setting word_setting(const std::string& text, ShellPlace place, const std::vector<const std::string*>& files);

/// The flags of srun, or of sbatch, that count nodes and GPUs, up to the program it starts.
void read_srun(const Words& words, std::size_t at, Setting& launcher,
               const std::vector<const std::string*>& files);
/// The processes that mpirun starts, and those of a node, up to the program.
void read_mpirun(const Words& words, std::size_t at, Setting& launcher,
                 const std::vector<const std::string*>& files);

}  // namespace traincost
