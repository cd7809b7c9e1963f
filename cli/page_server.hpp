// The calculator in the browser, served with this program as its engine.
#pragma once

#include <cli/context.hpp>
#include <cli/served_question.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace traincost::cli {

/// The page that was embedded when the program was built; empty: none was.
std::string_view embedded_page();

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

/// Serves until SIGINT or SIGTERM; a question that is computed then has `grace` to end, or until a second
/// signal: then the process ends without it.
void serve_until_signal(const std::string& host, int port, std::string_view page, Context& context,
                        std::chrono::milliseconds grace = std::chrono::seconds(10));

}  // namespace traincost::cli
