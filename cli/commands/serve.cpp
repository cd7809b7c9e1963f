// `traincost serve`: the calculator in the browser, with this program as its engine.

#include <cli/commands/commands.hpp>
#include <cli/options.hpp>
#include <cli/page_server.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/json.hpp>

#include <CLI/CLI.hpp>

#include <memory>

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
