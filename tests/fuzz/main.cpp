// libFuzzer's entry: fuzzer --target=NAME [CORPUS…] [-max_total_time=SECONDS …].

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "fuzz/targets.hpp"

namespace {

const fuzz::Target* chosen = nullptr;

[[noreturn]] void usage() {
    std::cerr << "usage: fuzzer --target=NAME [CORPUS...] [-max_total_time=SECONDS]; targets:";
    for (const fuzz::Target& target : fuzz::targets())
        std::cerr << ' ' << target.name;
    std::cerr << '\n';
    std::exit(2);
}

}  // namespace

// libFuzzer passes over options of two hyphens.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    constexpr std::string_view flag = "--target=";
    for (int i = 1; i < *argc; ++i) {
        const std::string_view argument = (*argv)[i];
        if (argument == "--targets") {
            for (const fuzz::Target& target : fuzz::targets())
                std::cout << target.name << '\n';
            std::exit(0);
        }
        for (const fuzz::Target& target : fuzz::targets()) {
            if (argument.starts_with(flag) && argument.substr(flag.size()) == target.name)
                chosen = &target;
        }
    }
    if (chosen == nullptr)
        usage();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        fuzz::run(*chosen, {reinterpret_cast<const char*>(data), size});
    } catch (const std::exception& defect) {
        std::cerr << chosen->name << ": " << defect.what() << '\n';
        std::abort();
    }
    return 0;
}
