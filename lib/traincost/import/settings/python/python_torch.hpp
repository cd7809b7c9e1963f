// What a Python program calls of PyTorch, and of what is built on it, says of its training.
#pragma once

#include <vector>

#include "traincost/import/settings/python/python_trainer.hpp"
#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// The model that is made anew, the optimizer, the format that is computed in, the sharding and the degrees,
/// by the names of a trainer's command line. What is called in several ways is unknown.
void put_torch(Setting& root, const std::vector<PythonScope>& scopes);

}  // namespace traincost
