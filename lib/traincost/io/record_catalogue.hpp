// The catalogue as run records look things up in it.
#pragma once

#include "traincost/fit/records/record_job.hpp"
#include "traincost/io/catalogue.hpp"

namespace traincost {

/// Look-ups by `catalogue`, which must outlive the result. What was built once is kept: a file of a thousand
/// records names few clusters. Safe to use from several threads.
RecordCatalogue record_catalogue(const Catalogue& catalogue);

}  // namespace traincost
