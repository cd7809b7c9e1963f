// The kernel models of an accelerator: its own measurements, else its family's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "traincost/io/bench/kernel_data.hpp"
#include "traincost/io/embedded.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/kernels/kernel_models.hpp"

namespace traincost {

/// Adds what a file holds to the models of an accelerator, replacing what was there.
void add(const GemmData& data, KernelModels& models);
void add(const AttentionData& data, KernelModels& models);
void add(const BandwidthData& data, KernelModels& models);

/// The family ("hopper", "cdna3" …) whose kernels an architecture ("Hopper GH100") runs; "generic" for an
/// unknown one.
std::string kernel_family(std::string_view architecture,
                          std::span<const EmbeddedFile> files = embedded_files());

/// The matrix-product data of an accelerator: measured on it where there is that, else its family's. Nothing
/// where the family has none.
std::optional<GemmData> find_gemm_data(const AcceleratorSpec& accelerator,
                                       std::span<const EmbeddedFile> files = embedded_files());

/// Kernel models of an accelerator from `files`, the built-in ones or a catalogue's with its overrides:
/// measured on it where there is that, else its family's.
KernelModels kernel_models_of(const AcceleratorSpec& accelerator,
                              std::span<const EmbeddedFile> files = embedded_files());

}  // namespace traincost
