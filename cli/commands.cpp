#include <cli/commands.hpp>
#include <cli/commands/commands.hpp>

namespace traincost::cli {

// One declaration and one row a command, in the order of the help.

namespace {

// clang-format off
constexpr Command table[] = {
    {"plan", add_plan},
    {"estimate", add_estimate},
    {"explain", add_explain},
    {"timeline", add_timeline},
    {"achieved", add_achieved},
    {"recommend", add_recommend},
    {"merge", add_merge},
    {"sweep", add_sweep},
    {"compare", add_compare},
    {"scale", add_scale},
    {"params", add_params},
    {"method", add_method},
    {"list", add_list},
    {"show", add_show},
    {"read", add_read},
    {"check", add_check},
    {"validate", add_validate},
    {"calibrate", add_calibrate},
};
// clang-format on

}  // namespace

std::span<const Command> commands() {
    return table;
}

}  // namespace traincost::cli
