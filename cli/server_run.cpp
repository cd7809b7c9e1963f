#include <cli/server_run.hpp>

#include <traincost/serve/page_server.hpp>

#include <csignal>
#include <cstdlib>
#include <ostream>

namespace traincost::cli {

void serve_until_signal(const std::string& host, int port, std::string_view page, Context& context,
                        std::chrono::milliseconds grace) {
    sigset_t ends;
    sigset_t before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, &before);  // of the threads to come too
    PageServer server(host, port, page, context.data_folder);
    server.start();
    const bool six = host.find(':') != host.npos;
    context.out << "http://" << (six ? "[" + host + "]" : host) << ':' << server.port() << "/\n"
                << std::flush;
    if (page.empty()) {
        context.err << "traincost: this program was built without the page: run './bootstrap page', then "
                       "build the program again. POST /ask works without it\n";
    }
    int signal = 0;
    sigwait(&ends, &signal);
    bool ended = server.stop(std::chrono::milliseconds::zero());
    for (const auto until = std::chrono::steady_clock::now() + grace;
         !ended && std::chrono::steady_clock::now() < until;) {
        ended = server.stop(std::chrono::milliseconds(100));
        const timespec now{.tv_sec = 0, .tv_nsec = 0};
        if (sigtimedwait(&ends, nullptr, &now) > 0) {
            break;
        }
    }
    if (!ended) {
        context.err << "traincost: stopped; questions still in progress were not answered\n" << std::flush;
        std::_Exit(exit_yes);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace traincost::cli
