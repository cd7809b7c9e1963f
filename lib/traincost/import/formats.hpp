// The readers of launch formats: one file each, one row each in importers.cpp.
#pragma once

#include "traincost/import/fact_sheet.hpp"

namespace traincost {

// How sure the keys (and the program that is started, "$program") are of the format: 0 is not, 100 is.
// `read_X` writes the facts; what it did not ask for counts as unread.
// clang-format off
int recognise_accelerate(const Setting& root);      void read_accelerate(const Setting& root, FactSheet& sheet);
int recognise_axolotl(const Setting& root);         void read_axolotl(const Setting& root, FactSheet& sheet);
int recognise_deepspeed(const Setting& root);       void read_deepspeed(const Setting& root, FactSheet& sheet);
int recognise_hf_arguments(const Setting& root);    void read_hf_arguments(const Setting& root, FactSheet& sheet);
int recognise_llama_factory(const Setting& root);   void read_llama_factory(const Setting& root, FactSheet& sheet);
int recognise_launcher(const Setting& root);        void read_launcher(const Setting& root, FactSheet& sheet);
int recognise_megatron(const Setting& root);        void read_megatron(const Setting& root, FactSheet& sheet);
int recognise_megatron_deepspeed(const Setting& root); void read_megatron_deepspeed(const Setting& root, FactSheet& sheet);
// clang-format on

/// Points for each of `paths` that `root` has.
int points(const Setting& root, Paths paths, int each);

}  // namespace traincost
