// In place of page_server.cpp where cpp-httplib is not to be had.
#include "traincost/serve/page_server.hpp"

#include "traincost/base/error.hpp"

namespace traincost {

struct PageServer::State {};

PageServer::PageServer(const std::string& /*host*/, int /*port*/, std::string_view /*page*/,
                       const std::string& /*data_folder*/, const ServerLimits& /*limits*/) {
    throw Error(ErrorKind::usage,
                "serve: this build has no server; build with cpp-httplib (libcpp-httplib-dev) and "
                "-DTRAINCOST_SERVER=ON, or open traincost.html, which needs none");
}

PageServer::~PageServer() = default;

int PageServer::port() const {
    return 0;
}

void PageServer::start() {
}

bool PageServer::stop(std::chrono::milliseconds /*grace*/) {
    return true;
}

}  // namespace traincost
