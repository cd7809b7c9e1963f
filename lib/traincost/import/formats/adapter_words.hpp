// What trainers say of low-rank adapters, and of how samples fill a sequence.
#pragma once

#include "traincost/import/fact_sheet.hpp"

namespace traincost {

/// Where a trainer says which matrices get adapters: by a list of names ("q_proj", "all-linear"), by a switch
/// for all of a block's, and what dropout stands before them.
struct AdapterKeys {
    Paths targets;
    Paths all{};
    Paths dropout{};
};

/// Matrices and dropout of adapters, where the sheet knows that there are some. The scale of their output
/// costs nothing and counts as read.
void read_adapter_words(const Setting& root, FactSheet& sheet, const AdapterKeys& keys);

/// Whether samples are packed into whole sequences, by switches of which one that is on goes first. One that
/// is off pads.
void read_packing(const Setting& root, FactSheet& sheet, Paths switches);

}  // namespace traincost
