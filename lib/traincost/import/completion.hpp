// Facts that follow from others, and facts that contradict each other.
#pragma once

#include "traincost/import/fact_sheet.hpp"

namespace traincost {

/// Adds what `more` knows: a stated fact replaces a default, two different stated ones are a contradiction.
void merge_into(FactSheet& sheet, const FactSheet& more);

/// Accelerate's mixed precision is that of a trainer which names none, whose own overrules it.
void settle_precision(FactSheet& trainer, FactSheet& launcher);

/// Keeps what two jobs of one script agree in; what they differ in becomes unknown, and is named.
void keep_common(FactSheet& sheet, const FactSheet& other);

/// Derives GPUs, nodes, data-parallel size and the batch from the others where they determine it, and reports
/// what cannot be true together. Nothing is assumed: without a count of GPUs there is no data-parallel size.
void complete(FactSheet& sheet);

/// What is not known of a word is shown as "?".
void show_unknown(LaunchReading& reading);

}  // namespace traincost
