// The constants of a job's stack that bear on its estimate, and where each comes from.
#pragma once

#include <string>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/specs/stack_claim.hpp"

namespace traincost {

struct StackConstant {
    std::string path;  ///< "host.per_step_s"
    std::string value;
    StackClaim claim;
};

/// The numbers of the stack's record whose change changes the estimate's step or memory, in the record's
/// order; none where the catalogue does not have the stack.
std::vector<StackConstant> constants_of(const Job& job, const Estimate& e, const Catalogue& catalogue);

/// "Of 9 constants of nemo that bear on this job 2 are fitted (on 1 and 2 sources), 4 measured, 2 estimated
/// and 1 stands in its code."
std::string constants_text(const std::vector<StackConstant>& constants, const std::string& stack);

}  // namespace traincost
