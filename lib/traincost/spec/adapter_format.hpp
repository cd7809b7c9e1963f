// Formats of low-rank pairs over a 16-bit base.
#pragma once

#include <cstdint>

#include "traincost/spec/run.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// Whether pairs are PEFT's layers around plain products: under the stacks that pay their host time. Kernels
/// that fuse a pair with its product cast the pair, not the input.
bool wraps_products(const StackSpec& stack);

/// Whether training in 16 bits stores the weights in 16 bits: where nothing is cast for each use, and those
/// of a frozen base under PEFT's layers, which is loaded in the format it is used in.
bool stores_weights_narrow(const StackSpec& stack, Tuning tuning);

/// How a product's low-rank pair is stored and multiplied.
enum class AdapterFormat : std::uint8_t {
    base,      ///< as the base's products are
    autocast,  ///< stored in fp32 and multiplied in the compute format, which each pair's input is cast to
    fp32,      ///< stored and multiplied in fp32, which each pair's input is cast to
};

/// Pairs of PEFT are fp32 over a 16-bit base where their gradients are: `.grad` has the parameter's format.
/// A recipe with fp32 states runs under autocast, which multiplies them in 16 bits.
AdapterFormat adapter_format(const RunSpec& run, const StackSpec& stack);

/// Formats of the pairs' weights and states: fp32 ones are their own masters.
Precision pair_precision(const RunSpec& run, const StackSpec& stack);

/// `stack_precision` of a run that trains adapters: from version 0.12 on PEFT makes pairs over a 16-bit base
/// in fp32 unless told otherwise (`autocast_adapter_dtype`), and so their gradients and states; trainers run
/// them under autocast.
Precision tuned_precision(const StackSpec& stack, const Precision& recipe, Tuning tuning);

}  // namespace traincost
