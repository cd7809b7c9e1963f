// The script that starts a job: Slurm's header, torchrun or another launcher, the program and its arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/export/job_words.hpp"

namespace traincost {

/// Arguments of a program: "--tp 4" is one of them, "--bf16" another.
class ArgumentWords {
public:
    void flag(std::string_view name);
    void word(std::string_view name, std::string_view value);
    void number(std::string_view name, std::int64_t value);
    void plain(std::string_view word);

    const std::vector<std::string>& lines() const {
        return lines_;
    }

private:
    std::vector<std::string> lines_{};
};

/// "#!/bin/bash", Slurm's header for the job's nodes, and `command` with its arguments, one a line.
std::string script_text(const JobWords& words, const std::string& command, const ArgumentWords& arguments);

/// "torchrun --standalone --nproc-per-node 8", or with all nodes and their rendezvous.
std::string torchrun(const JobWords& words);

/// The same for `accelerate launch`, which counts processes of all nodes.
std::string accelerate_launch(const JobWords& words);

/// GPUs, nodes and what follows from them: said by every launcher.
void say_machines(JobWords& words);

/// `word` so that a shell reads it back.
std::string shell_word(std::string_view word);

}  // namespace traincost
