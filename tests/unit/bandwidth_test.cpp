#include <traincost/cost/kernels/bandwidth.hpp>

#include <catch2/catch.hpp>

#include <traincost/io/bench/accelerator_kernels.hpp>
#include <traincost/io/catalogue.hpp>

using namespace traincost;
using namespace traincost::literals;

namespace {

BandwidthModel toy() {
    BandwidthModel model{.bandwidth = 1_TBps,
                         .l2 = 100_MB,
                         .fit = {.efficiency = {}, .latency = {}, .cached_speedup = 2, .cache_share = 0.5}};
    model.fit.efficiency.fill(0.8);
    model.fit.latency.fill(2_us);
    model.fit.efficiency[static_cast<std::size_t>(MemoryAccess::norm)] = 0.4;
    return model;
}

}  // namespace

TEST_CASE("a large tensor moves at its share of the bandwidth", "[bandwidth]") {
    CHECK(memory_time(8_GB, MemoryAccess::stream, toy()).value() == Approx(10e-3).epsilon(1e-3));
    CHECK(memory_time(8_GB, MemoryAccess::norm, toy()).value() == Approx(20e-3).epsilon(1e-3));
}

TEST_CASE("a small one moves at the cache's rate and no faster than its launch", "[bandwidth]") {
    CHECK(memory_time(8_MB, MemoryAccess::stream, toy()).value() == Approx(2e-6 + 10e-6 / 2).epsilon(1e-3));
    CHECK(memory_time(1_B, MemoryAccess::stream, toy()).value() == Approx(2e-6).epsilon(1e-3));
    CHECK(memory_time(0_B, MemoryAccess::stream, toy()) == 0_s);
}

TEST_CASE("half of the cache's gain is left where the tensor has the size of its share", "[bandwidth]") {
    CHECK(memory_time(50_MB, MemoryAccess::stream, toy()).value() == Approx(2e-6 + 62.5e-6 * 0.75));
}

TEST_CASE("more bytes take longer", "[bandwidth]") {
    Seconds last{};
    for (double bytes = 1e3; bytes < 1e11; bytes *= 1.1) {
        const Seconds time = memory_time(Bytes(bytes), MemoryAccess::stream, toy());
        CHECK(time > last);
        last = time;
    }
}

TEST_CASE("walks that multiprocessors hold up stream where memory is slower than they are", "[bandwidth]") {
    const Catalogue catalogue;
    const auto share = [&](const char* id, MemoryAccess access) {
        const AcceleratorSpec card = catalogue.accelerator(id);
        return kernel_models_of(card, catalogue.bench()).memory->efficiency[static_cast<std::size_t>(access)];
    };
    for (const MemoryAccess access : {MemoryAccess::gelu, MemoryAccess::norm, MemoryAccess::transpose}) {
        for (const char* id : {"l40s", "rtx-4090", "rtx-5090", "rtx-pro-6000-blackwell-server", "rtx-4060"})
            CHECK(share(id, access) == share(id, MemoryAccess::stream));
        CHECK(share("h200-sxm-141gb", access) < 0.8 * share("h200-sxm-141gb", MemoryAccess::stream));
    }
    // A gradient added by index takes a multiprocessor as long, whatever its memory.
    const auto rate = [&](const char* id) {
        const AcceleratorSpec card = catalogue.accelerator(id);
        return share(id, MemoryAccess::scatter_add) * card.memory_bandwidth.value() /
               (static_cast<double>(card.compute_units) * *card.clock_hz);
    };
    for (const char* id : {"l40s", "rtx-5090", "b200-sxm-180gb", "a100-sxm4-80gb"})
        CHECK(rate(id) == Approx(rate("h200-sxm-141gb")).epsilon(0.01));
}
