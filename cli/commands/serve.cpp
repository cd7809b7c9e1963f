// `traincost serve`: the calculator in the browser, with this program as its engine.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/embedded_page.hpp>
#include <cli/server_run.hpp>
#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/json.hpp>
#include <traincost/report/commands/command_tree.hpp>

namespace traincost::cli {

namespace {

struct ServeFlags {
    std::string host = "127.0.0.1";
    int port = 8321;
    std::string page{};
};

int port_from(const std::string& text) {
    constexpr std::int64_t last_port = 65535;
    const std::int64_t port = parse_count(text, Range::not_negative);
    if (port > last_port) {
        throw Error(ErrorKind::usage, "'" + text + "' is not a port; allowed: 0 (any free port) to 65535");
    }
    return static_cast<int>(port);
}

CommandFields fields(ServeFlags& flags) {
    CommandFields fields;
    fields.text("--host", flags.host, "ADDRESS",
                "Address to listen on; any but 127.0.0.1 is open to the network; default: 127.0.0.1");
    fields.value("--port", flags.port, "PORT", port_from,
                 "Port to listen on (0: any free port); default: 8321");
    fields.text("--page", flags.page, "FILE", "Page to serve; default: the built-in page");
    return CommandFields().add(fields, own_group);
}

void run(ServeFlags& flags, Context& context) {
    serve_until_signal(flags.host, flags.port,
                       flags.page.empty() ? std::string(embedded_page()) : read_text_file(flags.page),
                       context);
}

}  // namespace

void add_serve(CLI::App& command, Context& context) {
    declare<ServeFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
