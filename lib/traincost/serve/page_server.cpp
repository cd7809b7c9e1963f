#include "traincost/serve/page_server.hpp"

#include "traincost/base/error.hpp"
#include "traincost/base/version.hpp"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <future>
#include <thread>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace traincost {

namespace {

using std::chrono::steady_clock;

constexpr int forbidden = 403;
constexpr int method_not_allowed = 405;
constexpr int wrong_media = 415;
constexpr const char* json_type = "application/json";

/// A connection that has until a moment to be read from and written to, or until the server stops.
class TimedStream final : public httplib::Stream {
public:
    TimedStream(int socket, std::chrono::milliseconds limit, const std::atomic<bool>& stopping)
        : socket_(socket), limit_(limit), read_until_(steady_clock::now() + limit), stopping_(stopping) {
    }

    bool is_readable() const override {
        return ready(POLLIN, read_until_, true);
    }
    bool is_writable() const override {
        return ready(POLLOUT, write_until_, false);
    }
    ssize_t read(char* to, size_t size) override {
        return is_readable() ? ::recv(socket_, to, size, 0) : -1;
    }
    ssize_t write(const char* from, size_t size) override {
        if (write_until_ == steady_clock::time_point{}) {
            write_until_ = steady_clock::now() + limit_;  // what was computed in between does not count
        }
        return is_writable() ? ::send(socket_, from, size, MSG_NOSIGNAL) : -1;
    }
    void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {
    }
    void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {
    }
    socket_t socket() const override {
        return socket_;
    }

private:
    bool ready(short event, steady_clock::time_point until, bool until_stop) const {
        constexpr std::chrono::milliseconds slice{200};
        while (!(until_stop && stopping_)) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
            if (left.count() <= 0) {
                return false;
            }
            pollfd wanted{.fd = socket_, .events = event, .revents = 0};
            const int found = ::poll(&wanted, 1, static_cast<int>(std::min(left, slice).count()));
            if (found != 0 && !(found < 0 && errno == EINTR)) {
                return found > 0;
            }
        }
        return false;
    }

    int socket_;
    std::chrono::milliseconds limit_;
    steady_clock::time_point read_until_;
    steady_clock::time_point write_until_{};
    const std::atomic<bool>& stopping_;
};

/// Threads for so many connections; what comes beyond waits in the kernel's queue.
class BoundedThreads final : public httplib::TaskQueue {
public:
    explicit BoundedThreads(std::size_t n) : free_(n), threads_(n) {
    }

    void enqueue(std::function<void()> task) override {
        std::unique_lock lock(mutex_);
        left_.wait(lock, [this] { return free_ > 0; });
        --free_;
        lock.unlock();
        threads_.enqueue([this, task = std::move(task)] {
            task();
            const std::scoped_lock inside(mutex_);
            ++free_;
            left_.notify_one();
        });
    }
    void shutdown() override {
        threads_.shutdown();
    }

private:
    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t free_;
    httplib::ThreadPool threads_;
};

/// Reads what a client still sends after its answer, a little: closing before would take the answer from it.
void close_gently(int socket) {
    constexpr std::size_t most = std::size_t{1} << 20;
    constexpr int patience_ms = 300;
    ::shutdown(socket, SHUT_WR);
    std::array<char, 16384> bytes{};
    for (std::size_t all = 0; all < most;) {
        pollfd wanted{.fd = socket, .events = POLLIN, .revents = 0};
        const ssize_t n =
            ::poll(&wanted, 1, patience_ms) > 0 ? ::recv(socket, bytes.data(), bytes.size(), 0) : 0;
        if (n <= 0) {
            break;
        }
        all += static_cast<std::size_t>(n);
    }
    ::close(socket);
}

/// One request a connection, each in its time.
class TimedServer final : public httplib::Server {
public:
    explicit TimedServer(const ServerLimits& limits) : limits_(limits) {
        new_task_queue = [n = limits.connections] { return new BoundedThreads(n); };
        set_payload_max_length(limits.body_bytes);
        set_keep_alive_max_count(1);
        // Without SO_REUSEPORT, which would share a port that another program serves.
        set_socket_options([](socket_t socket) {
            const int yes = 1;
            ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        });
    }

    /// The library's own queue of connections is of five.
    bool lengthen_queue() {
        return ::listen(svr_sock_, SOMAXCONN) == 0;
    }

    std::atomic<bool> stopping{false};

private:
    bool process_and_close_socket(socket_t socket) override {
        bool closed = false;
        bool done = false;
        try {
            TimedStream stream(socket, limits_.transfer, stopping);
            done = process_request(stream, true, closed, nullptr);
        } catch (const std::exception&) {
            done = false;  // out of memory: this connection ends, the others go on
        }
        close_gently(socket);
        return done;
    }

    ServerLimits limits_;
};

/// "localhost" of "localhost:8321", "::1" of "[::1]:8321".
std::string host_name(const std::string& field) {
    if (field.starts_with('[')) {
        return field.substr(1, field.find(']') - 1);
    }
    return field.substr(0, field.rfind(':'));
}

bool is_address(const std::string& name) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
           ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

/// Names can be made to lead here by another site's owner; addresses cannot.
bool own_host(const std::string& field, const std::string& own) {
    const std::string name = host_name(field);
    return name == "localhost" || name == own || is_address(name);
}

/// What is wrong with where a request comes from; empty: nothing.
std::string stranger(const httplib::Request& request, const std::string& own) {
    const std::string host = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 || !own_host(host, own)) {
        return "Host: '" + host.substr(0, 100) + "' is not this server; allowed: an address, localhost" +
               (is_address(own) ? "" : ", " + own);
    }
    const std::string origin = request.get_header_value("Origin");
    if (request.has_header("Origin") && origin != "http://" + host) {
        return "Origin: '" + origin.substr(0, 100) + "' is another site; allowed: http://" + host;
    }
    return {};
}

/// The page may ask this server, and nobody else: its own policy says so, and the page reads it.
std::string served_page(std::string_view page) {
    constexpr std::string_view nobody = "connect-src 'none'";
    std::string served(page);
    if (const std::size_t at = served.find(nobody); at != served.npos) {
        served.replace(at, nobody.size(), "connect-src 'self'");
    }
    return served;
}

constexpr const char* no_page =
    "<!doctype html><title>traincost</title><p>This program was built without the page: run "
    "<code>./bootstrap page</code>, then build it again. <code>POST /ask</code> answers all the same.\n";

void refuse(httplib::Response& response, int status, std::string_view message) {
    response.status = status;
    response.set_content(error_answer("refused", message), json_type);
}

}  // namespace

struct PageServer::State {
    State(const ServerLimits& limits, const std::string& data, std::string_view page, std::string host_)
        : http(limits),
          questions(limits, data),
          html(page.empty() ? no_page : served_page(page)),
          host(std::move(host_)) {
    }

    void route();

    TimedServer http;
    ServedQuestions questions;
    std::string html;
    std::string host;
    int port = 0;
    std::thread listener{};
    std::promise<void> over{};
    std::future<void> ended = over.get_future();
};

void PageServer::State::route() {
    http.set_default_headers({{"Server", "traincost/" + std::string(version())},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Cache-Control", "no-store"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cross-Origin-Resource-Policy", "same-origin"},
                              {"Content-Security-Policy", "frame-ancestors 'none'"}});
    http.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
        const std::string wrong = stranger(request, host);
        if (!wrong.empty()) {
            refuse(response, forbidden, wrong);
        } else if (request.path == "/ask" && request.method != "POST") {
            refuse(response, method_not_allowed, "/ask: questions are sent with POST");
        } else if (request.path == "/ask" &&
                   !request.get_header_value("Content-Type").starts_with(json_type)) {
            refuse(response, wrong_media, "/ask: the Content-Type of a question is application/json");
        } else {
            return httplib::Server::HandlerResponse::Unhandled;
        }
        return httplib::Server::HandlerResponse::Handled;
    });
    http.Get("/", [this](const httplib::Request&, httplib::Response& response) {
        response.set_content(html, "text/html; charset=utf-8");
    });
    http.Post("/ask", [this](const httplib::Request& request, httplib::Response& response) {
        const ServedAnswer answer = questions.answer(request.body);
        response.status = answer.status;
        response.set_content(answer.json, json_type);
    });
    http.set_error_handler([](const httplib::Request&, httplib::Response& response) {
        if (response.body.empty()) {
            constexpr int too_large = 413;
            refuse(response, response.status,
                   response.status == too_large ? "the request is too large"
                                                : "the server has GET / and POST /ask");
        }
    });
}

PageServer::PageServer(const std::string& host, int port, std::string_view page,
                       const std::string& data_folder, const ServerLimits& limits)
    : state_(std::make_unique<State>(limits, data_folder, page, host)) {
    state_->route();
    if (port == 0) {
        state_->port = state_->http.bind_to_any_port(host);
    } else if (state_->http.bind_to_port(host, port)) {
        state_->port = port;
    }
    if (state_->port <= 0 || !state_->http.lengthen_queue()) {
        throw Error(ErrorKind::usage, "--host " + host + " --port " + std::to_string(port) +
                                          ": cannot listen there: " +
                                          (port == 0 ? "the address is not this machine's"
                                                     : "the port is taken, or the address is not this "
                                                       "machine's; --port 0 takes any free port"));
    }
}

PageServer::~PageServer() {
    stop(std::chrono::milliseconds::zero());
    if (state_->listener.joinable()) {
        state_->listener.join();
    }
}

int PageServer::port() const {
    return state_->port;
}

void PageServer::start() {
    state_->listener = std::thread([state = state_.get()] {
        state->http.listen_after_bind();
        state->over.set_value();
    });
    while (!state_->http.is_running() &&
           state_->ended.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    }
}

bool PageServer::stop(std::chrono::milliseconds grace) {
    state_->http.stopping = true;
    state_->questions.stop();
    state_->http.stop();
    return !state_->listener.joinable() || state_->ended.wait_for(grace) == std::future_status::ready;
}

}  // namespace traincost
