#include "traincost/spec/operation.hpp"

#include <array>

#include "traincost/spec/check.hpp"

namespace traincost {

namespace {

/// A quantity in the unit of its key.
template <class T>
std::optional<double> in(const std::optional<T>& x, double unit) {
    return x ? std::optional(x->value() / unit) : std::nullopt;
}

}  // namespace

std::span<const std::string_view> price_kinds() {
    static constexpr std::array<std::string_view, 5> kinds = {"on-demand", "reserved", "spot", "market",
                                                              "own"};
    return kinds;
}

void validate(const Operation& o, std::vector<Problem>& problems) {
    constexpr double hour = 3600.0;
    constexpr double year = 365.25 * 24.0 * hour;
    constexpr double most = 1e12;  // dollars, bytes a second and seconds alike: far above any
    constexpr double least_share = 1e-6;
    Checker check(problems, "operation.");
    check.in_range("accelerator_hours_per_failure", in(o.between_failures, hour), 1e-6, most);
    check.in_range("storage_GBps", in(o.storage, 1e9), 1e-9, most);
    check.in_range("restart_s", o.restart, 0.0, most);
    check.in_range("usd_per_gpu_hour", o.gpu_hour, 0.0, most);
    check.positive("usd_per_gpu_purchase", o.gpu_purchase, most);
    check.in_range("usd_per_kWh", o.kwh, 0.0, most);
    check.in_range("life_years", in(o.life, year), 1e-6, most);
    check.in_range("utilization", o.utilization, least_share, 1.0);
    check.in_range("power_share", o.power_share, least_share, 1.0);
    check.in_range("pue", o.pue, 1.0, 100.0);
    check.in_range("power_limit_W", o.power_limit_w, 1e-3, 1e7);
    check.in_range("g_CO2e_per_kWh", o.grid_grams_per_kwh, 0.0, 1e6);
}

}  // namespace traincost
