// What a word of a command line is, by itself.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace traincost {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all);

/// "key=value" as Hydra, MaxText and torchtune take it.
bool is_override(std::string_view word);

/// "--name", "-n"; no negative number.
bool is_flag(std::string_view word);

bool is_python(std::string_view base);

/// A program by itself: its name with a subcommand.
bool is_framework_program(std::string_view base);

/// LitGPT's subcommand, in two words in its first versions ("finetune lora"); a model may follow.
bool is_litgpt_task(std::string_view program, std::string_view word);

}  // namespace traincost
