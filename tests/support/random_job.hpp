// Random valid jobs over the whole catalogue: every model, cluster, stack and precision. The same seed draws
// the same jobs with every compiler.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <traincost/io/catalogue.hpp>
#include <traincost/spec/job.hpp>

namespace random_job {

/// The catalogue that jobs are drawn from; its parsed records are kept between calls.
const traincost::Catalogue& catalogue();

/// Ids of all records of a room, in order.
std::vector<std::string> ids(traincost::Room room);

/// What to draw from; an empty list means every record of the catalogue.
struct Choices {
    std::vector<std::string> models{};
    std::vector<std::string> clusters{};
    std::vector<std::string> stacks{};
    std::vector<std::string> precisions{};
    std::int64_t most_accelerators = 1024;  ///< a power of two is drawn up to this
};

/// An endless row of valid jobs.
class Jobs {
public:
    explicit Jobs(std::uint64_t seed, Choices choices = {});

    /// A job that `validate` accepts.
    traincost::Job next();

    /// A whole number from 0 to n - 1.
    std::int64_t below(std::int64_t n);
    /// One of the items.
    template <class Range>
    auto one_of(const Range& items) {
        return *(std::begin(items) + below(std::ssize(items)));
    }

private:
    /// A job that may break rules between its parts.
    traincost::Job draw();

    std::mt19937_64 random_;
    Choices choices_;
};

/// One line that names the job: what a failed check prints (`INFO(text(job))`).
std::string text(const traincost::Job& job);

}  // namespace random_job
