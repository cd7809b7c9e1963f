// The flags that say how a run is operated: failures, price, power, carbon.
#pragma once

#include <traincost/io/catalogue.hpp>
#include <traincost/plan/operation.hpp>

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace traincost::cli {

/// The flags as given.
struct OperationFlags {
    Operation given{};                  ///< what needs no catalogue
    bool whole_nodes = false;           ///< --whole-nodes
    std::optional<std::string> mtbf{};  ///< accelerator-time, or the id of a measured rate
    std::optional<std::string> grid{};  ///< grams a kWh, or the id of a grid
};

void add_operation_options(CLI::App& app, OperationFlags& flags);

/// The operation of flags over file, its ids looked up; the job's cluster gets its price and power. Lines say
/// what was looked up, what nobody said, and what is not counted. `Error` where something is unknown, is
/// missing, or has no effect.
Operation resolve_operation(const OperationFlags& flags, const Operation& file, const Catalogue& catalogue,
                            Job& job, std::vector<std::string>& assumptions);

}  // namespace traincost::cli
