// What a job takes from habit because nobody said it.
#pragma once

#include <cli/job_options.hpp>
#include <traincost/io/job_json.hpp>

#include <string>
#include <vector>

namespace traincost::cli {

/// Adds a line for everything about the run that neither flags nor file say, in the words of its flag.
void state_run_defaults(const JobFlags& f, const JobFile& file, const JobNeeds& needs, const Job& job,
                        std::vector<std::string>& out);

}  // namespace traincost::cli
