// `traincost serve`: the calculator in the browser, with this program as its engine.

#include <cli/commands/commands.hpp>
#include <cli/embedded_page.hpp>
#include <cli/options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/json.hpp>
#include <traincost/serve/page_server.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

constexpr std::int64_t last_port = 65535;

struct ServeFlags {
    std::string host = "127.0.0.1";
    std::int64_t port = 8321;
    std::string page;
};

std::int64_t port_from(const std::string& text) {
    const std::int64_t port = parse_count(text, Range::not_negative);
    if (port > last_port) {
        throw Error(ErrorKind::usage, "'" + text + "' is no port; allowed: 0 (any free one) to 65535");
    }
    return port;
}

/// Serves until SIGINT or SIGTERM; a question that is computed then has `grace` to end, or until a second
/// signal: then the process ends without it.
void serve_until_signal(const std::string& host, int port, std::string_view page, Context& context,
                        std::chrono::milliseconds grace = std::chrono::seconds(10)) {
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
        context.err
            << "traincost: this program was built without the page; './bootstrap page' builds it, then "
               "build the program again. POST /ask answers all the same\n";
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
        context.err << "traincost: stopped; a question that was being computed has no answer\n" << std::flush;
        std::_Exit(exit_yes);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("serve", "The calculator in the browser, and the JSON interface");
    const auto flags = std::make_shared<ServeFlags>();
    command
        ->add_option(
            "--host", flags->host,
            "Address to listen on; others than 127.0.0.1 are open to the network. Default: 127.0.0.1")
        ->type_name("ADDRESS");
    add_parsed(*command, "--port", flags->port, "PORT", port_from,
               "Port to listen on; 0: any free one. Default: 8321");
    command->add_option("--page", flags->page, "Page to serve. Default: the one this program was built with")
        ->type_name("FILE");
    name_group(*command, own_group);
    command->callback([flags, &context] {
        const std::string page =
            flags->page.empty() ? std::string(embedded_page()) : read_text_file(flags->page);
        serve_until_signal(flags->host, static_cast<int>(flags->port), page, context);
    });
}

}  // namespace traincost::cli
