// The arguments of a Hugging Face trainer that a Python program makes itself. Nothing is run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// The name that stands for the options a program's argument parser is told.
inline constexpr std::string_view options_of_parser = "$options";

/// The name that stands for the calls whose results nobody keeps.
inline constexpr std::string_view done_by_scope = "$done";

/// What begins the name that stands for a class of which an object is made where nobody knows whether it is
/// reached: "$perhaps.FSDP".
inline constexpr std::string_view perhaps_made = "$perhaps.";

/// The names that a file's top, or the body of one of its functions, gives values to.
struct PythonScope {
    std::string function{};  ///< empty at the top
    bool called = false;     ///< by another function
    bool is_told = true;     ///< its parameters are what the program gives them
    bool is_own = true;      ///< a function of the file, or its top; else one inside of others
    std::map<std::string, Setting> names{};
};

/// Whether the text makes TrainingArguments or one of TRL's configurations, by its words alone.
bool makes_trainer_arguments(std::string_view text);

/// The trainer's arguments by their names on a command line, with the model, the adapter and the
/// quantization that the same names hold. Nothing where none are made; `Error` of kind input where several
/// are and `select` names no function that makes one of them.
std::optional<Setting> trainer_arguments(const std::vector<PythonScope>& scopes, const std::string& file,
                                         std::string_view select);

}  // namespace traincost
