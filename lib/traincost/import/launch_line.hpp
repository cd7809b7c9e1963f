// Command lines that start a training: the launcher (torchrun, accelerate, deepspeed, srun), the program and
// its flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/launch_document.hpp"
#include "traincost/import/shell/shell.hpp"

namespace traincost {

/// The documents of one command: the flags of the program it starts, and those of its launchers. None where
/// it starts no program that is known to take flags.
///
///     $program      "pretrain_gpt.py"; "accelerate launch"
///     $positional   words that are no flags
///     $launcher     nodes, gpus_per_node, gpus as launchers spell them
std::vector<LaunchDocument> documents_of(const StartedCommand& command,
                                         const std::vector<const std::string*>& files);

}  // namespace traincost
