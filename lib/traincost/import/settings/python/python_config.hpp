// Configurations written as Python functions (torchtitan's registry): assignments of constants, calls with
// keywords, attributes set afterwards, one function that begins with another's result. Nothing is run.
#pragma once

#include <string>
#include <string_view>

#include "traincost/import/settings/python/python_given.hpp"
#include "traincost/import/settings/python/python_program.hpp"
#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// The configuration that the function `select` returns, calls as maps with "$class" for what is called.
/// Without `select` what a program itself trains with, or the file's only function that returns one; `Error`
/// of kind input that names the functions where there are several. `given` are files of settings beside it;
/// `loaded` are those of them that what is returned was made of.
Setting read_python_config(std::string_view text, const std::string& file, std::string_view select,
                           const KnowsSettings& knows, const GivenSettings& given,
                           std::set<std::string>& loaded);

}  // namespace traincost
