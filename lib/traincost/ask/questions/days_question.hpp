// `days`: how long a run takes, from its size and a rate that is known or modelled.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "traincost/ask/sources.hpp"
#include "traincost/base/quantity.hpp"
#include "traincost/plan/search.hpp"

namespace traincost {

struct DaysQuestion {
    std::optional<double> parameters{};
    std::optional<double> tokens{};
    std::optional<double> tflops{};  ///< TFLOP/s that one accelerator reaches, by 6ND
    std::optional<double> mfu{};     ///< share of the 16-bit peak, instead
    std::optional<std::int64_t> gpus{};
    std::optional<std::string> gpu{};
    std::int64_t sequence = 4096;      ///< of the modelled rate, tokens
    std::int64_t global_batch = 1024;  ///< of the modelled rate, sequences
    /// How a request is searched; empty: `search`.
    std::function<SearchResult(SearchRequest&)> run{};
};

/// A rate of one accelerator by 6ND, and where it is from.
struct DaysRate {
    FlopRate each{};
    std::string from{};
    std::string step{};  ///< of a modelled rate: its batch and stack
};

struct DaysAnswer {
    DaysQuestion question{};
    std::string accelerator{};       ///< id
    std::optional<DaysRate> rate{};  ///< nothing: it is not given, and no layout fits
    FlopRate peak{};                 ///< of 16-bit products
    // Without a rate, none of these.
    Flops compute{};
    double tokens_per_s = 0.0;
    Seconds time{};
    double gpu_hours = 0.0;
    std::optional<Dollars> cost{};
    std::string price{};  ///< of an accelerator-hour: amount, kind, provider

    bool yes() const {
        return rate.has_value();
    }
};

/// `Error` of kind usage that names what is missing or cannot be given together.
DaysAnswer ask(const DaysQuestion& question, const Sources& sources);

/// Why there is no rate: nothing fits.
std::string no_layout_text(const DaysAnswer& answer);

}  // namespace traincost
