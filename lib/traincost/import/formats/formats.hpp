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
int recognise_torchtitan(const Setting& root); void read_torchtitan(const Setting& root, FactSheet& sheet);
int recognise_nanotron(const Setting& root); void read_nanotron(const Setting& root, FactSheet& sheet);
int recognise_nemo(const Setting& root); void read_nemo(const Setting& root, FactSheet& sheet);
int recognise_nemo_recipe(const Setting& root); void read_nemo_recipe(const Setting& root, FactSheet& sheet);
int recognise_automodel(const Setting& root); void read_automodel(const Setting& root, FactSheet& sheet);
int recognise_megatron_bridge(const Setting& root); void read_megatron_bridge(const Setting& root, FactSheet& sheet);
int recognise_torchtune(const Setting& root); void read_torchtune(const Setting& root, FactSheet& sheet);
int recognise_litgpt(const Setting& root); void read_litgpt(const Setting& root, FactSheet& sheet);
int recognise_llm_foundry(const Setting& root); void read_llm_foundry(const Setting& root, FactSheet& sheet);
int recognise_maxtext(const Setting& root); void read_maxtext(const Setting& root, FactSheet& sheet);
int recognise_gpt_neox(const Setting& root); void read_gpt_neox(const Setting& root, FactSheet& sheet);
int recognise_olmo(const Setting& root); void read_olmo(const Setting& root, FactSheet& sheet);
int recognise_olmo_core(const Setting& root); void read_olmo_core(const Setting& root, FactSheet& sheet);
int recognise_swift(const Setting& root); void read_swift(const Setting& root, FactSheet& sheet);
int recognise_verl(const Setting& root); void read_verl(const Setting& root, FactSheet& sheet);
int recognise_xtuner(const Setting& root); void read_xtuner(const Setting& root, FactSheet& sheet);
int recognise_fast_llm(const Setting& root); void read_fast_llm(const Setting& root, FactSheet& sheet);
int recognise_paddlenlp(const Setting& root); void read_paddlenlp(const Setting& root, FactSheet& sheet);
int recognise_primus(const Setting& root); void read_primus(const Setting& root, FactSheet& sheet);
int recognise_levanter(const Setting& root); void read_levanter(const Setting& root, FactSheet& sheet);
int recognise_easylm(const Setting& root); void read_easylm(const Setting& root, FactSheet& sheet);
int recognise_lightning(const Setting& root); void read_lightning(const Setting& root, FactSheet& sheet);
int recognise_nanogpt(const Setting& root); void read_nanogpt(const Setting& root, FactSheet& sheet);
int recognise_nanochat(const Setting& root); void read_nanochat(const Setting& root, FactSheet& sheet);
int recognise_internevo(const Setting& root); void read_internevo(const Setting& root, FactSheet& sheet);
int recognise_colossalai(const Setting& root); void read_colossalai(const Setting& root, FactSheet& sheet);
int recognise_veomni(const Setting& root); void read_veomni(const Setting& root, FactSheet& sheet);
int recognise_flagscale(const Setting& root); void read_flagscale(const Setting& root, FactSheet& sheet);
// clang-format on

/// Points where the program that is started has one of `names` in its name.
int named(const Setting& root, Paths names, int score);

/// Points for each of `paths` that `root` has.
int points(const Setting& root, Paths paths, int each);

}  // namespace traincost
