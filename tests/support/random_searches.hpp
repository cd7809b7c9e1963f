// Random questions to a search, of the catalogue's models, clusters and stacks.
#pragma once

#include <traincost/io/catalogue.hpp>
#include <traincost/plan/search.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace random_searches {

/// What a question is made of. Same generator, same question, on every machine.
class Generator {
public:
    explicit Generator(std::uint32_t seed) : random_(seed) {
    }
    /// From 0 to `n` - 1.
    std::size_t below(std::size_t n) {
        return random_() % n;
    }
    template <class Values>
    auto one_of(const Values& values) {
        return values[below(std::size(values))];
    }
    bool once_in(std::size_t n) {
        return below(n) == 0;
    }

private:
    std::mt19937 random_;
};

/// One site under `stack`: its model, cluster, batch and precision are random, its space what the stack has,
/// at times with more. Nothing where the random parts don't go together, or make more than 10,000
/// configurations.
std::optional<traincost::SearchRequest> request(Generator& random, const traincost::Catalogue& catalogue,
                                                const std::string& stack);

/// A random layout of the request's only site, in what `estimate` accepts: no search has a part in it.
/// Nothing where the random degrees are not valid.
std::optional<traincost::Job> layout(Generator& random, const traincost::SearchRequest& request);

/// Calls `test(random, request)` for random requests of every stack of the catalogue, so many of each.
template <class Test>
void for_random_requests(int of_each, std::uint32_t seed, Test test) {
    const traincost::Catalogue catalogue;
    for (const traincost::CatalogueEntry& stack : catalogue.entries(traincost::Room::stacks)) {
        Generator random(seed++);
        int tried = 0;
        for (int i = 0; i < of_each && tried < 40 * of_each; ++tried) {
            std::optional<traincost::SearchRequest> request =
                random_searches::request(random, catalogue, stack.id);
            if (!request)
                continue;
            ++i;
            CAPTURE(stack.id, tried, request->model.name, request->sites[0].cluster.id,
                    request->sites[0].cluster.accelerators, request->run.precision_name,
                    request->run.sequence, request->run.global_batch);
            test(random, *request);
        }
    }
}

/// So many repetitions of a random test: the number in the environment variable, or `usual`.
int repetitions(const char* variable, int usual);

}  // namespace random_searches
