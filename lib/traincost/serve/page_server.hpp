// The calculator in the browser, served with this library as its engine.
#pragma once

#include "traincost/capi/served_question.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace traincost {

/// GET / is the page, POST /ask is traincost_ask. Whose `Host` is a name that is not the server's, or whose
/// `Origin` is another site, is refused.
class PageServer {
public:
    /// `Error` where the address cannot be had. Port 0 is any free one.
    PageServer(const std::string& host, int port, std::string_view page, const std::string& data_folder,
               const ServerLimits& limits = {});
    PageServer(const PageServer&) = delete;
    PageServer& operator=(const PageServer&) = delete;
    /// Waits for what is being computed.
    ~PageServer();

    int port() const;
    /// Serves in threads of its own until it is stopped.
    void start();
    /// Takes no more requests. Whether all that were there are answered within `grace`.
    bool stop(std::chrono::milliseconds grace);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace traincost
