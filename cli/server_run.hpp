// The page's server as it runs in a terminal.
#pragma once

#include <cli/context.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace traincost::cli {

/// Serves until SIGINT or SIGTERM; a question that is computed then has `grace` to end, or until a second
/// signal: then the process ends without it.
void serve_until_signal(const std::string& host, int port, std::string_view page, Context& context,
                        std::chrono::milliseconds grace = std::chrono::seconds(10));

}  // namespace traincost::cli
