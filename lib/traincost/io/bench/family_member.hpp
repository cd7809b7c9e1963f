// What a member of a family does otherwise than the member whose kernels were measured: its power limit and
// the rate of its matrix units beside everything else a compute unit does.
#pragma once

#include "traincost/io/bench/kernel_data.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/kernels/kernel_models.hpp"

namespace traincost {

/// A member of a family beside the one its kernels were measured on; 1 where nothing is known.
struct FamilyMember {
    double power;      ///< that its limit leaves for products, for each unit of its 16-bit peak
    double unit_rate;  ///< 16-bit FLOPs of a compute unit in a clock, where they are fewer
};
FamilyMember family_member(const AcceleratorSpec& accelerator, const GemmData& family);

/// What a chip under `power` of its rated limit has for products, over what it has for them at the whole:
/// part of the limit goes to leakage, memory and links whatever the clock.
double power_for_products(double power);

/// The family's matrix products as the member runs them. Gives the clock of its attention kernels over that
/// of the measured member's.
double adapt_products(KernelModels& models, const FamilyMember& member);

/// The family's attention kernels at `clock` and beside matrix units of `unit_rate`.
void adapt_attention(KernelModels& models, double clock, double unit_rate);

}  // namespace traincost
