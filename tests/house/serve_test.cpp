// The server of the page, spoken to through sockets.

#include "support/temporary.hpp"

#include <traincost/serve/page_server.hpp>

#include <traincost/base/error.hpp>
#include <traincost/capi/answer.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace traincost;
using std::chrono::milliseconds;

const std::string page = "<!doctype html><meta content=\"connect-src 'none'\"><p>page";

/// A server on a free port; none where this build has none.
std::unique_ptr<PageServer> started(const ServerLimits& limits = {}, std::string_view shown = page) {
    try {
        auto server = std::make_unique<PageServer>("127.0.0.1", 0, shown, "", limits);
        server->start();
        return server;
    } catch (const traincost::Error& error) {
        CHECK(std::string(error.what()).find("no server") != std::string::npos);
        return nullptr;
    }
}

class Client {
public:
    explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
        connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client() {
        ::close(socket_);
    }
    bool connected() const {
        return connected_;
    }
    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) {
                return;
            }
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    /// Everything until the server closes.
    std::string answer() const {
        std::string all;
        char bytes[16384];
        for (ssize_t n = 0; (n = ::recv(socket_, bytes, sizeof bytes, 0)) > 0;) {
            all.append(bytes, static_cast<std::size_t>(n));
        }
        return all;
    }

private:
    int socket_;
    bool connected_ = false;
};

std::string said(const PageServer& server, std::string_view bytes) {
    const Client client(server.port());
    client.send(bytes);
    return client.answer();
}

std::string get(const std::string& path, const std::string& headers = "Host: localhost\r\n") {
    return "GET " + path + " HTTP/1.1\r\n" + headers + "\r\n";
}

std::string post(const std::string& body, const std::string& headers = "Host: 127.0.0.1\r\n") {
    return "POST /ask HTTP/1.1\r\n" + headers +
           "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

std::string status(const std::string& answer) {
    return answer.substr(0, answer.find('\r'));
}

std::string body(const std::string& answer) {
    const auto end = answer.find("\r\n\r\n");
    return end == answer.npos ? "" : answer.substr(end + 4);
}

std::string estimate(int tp) {
    return R"({"command": "estimate", "model": "llama-3.1-8b", "gpu": "h100", "gpus": 8, "tp": )" +
           std::to_string(tp) + "}";
}

std::size_t open_files() {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        ++n;
    }
    return n;
}

}  // namespace

TEST_CASE("the served page may ask its server and nobody else", "[serve]") {
    if (const auto server = started()) {
        const std::string answer = said(*server, get("/"));
        CHECK(status(answer) == "HTTP/1.1 200 OK");
        CHECK(body(answer) == "<!doctype html><meta content=\"connect-src 'self'\"><p>page");
        CHECK(answer.find("frame-ancestors 'none'") != answer.npos);
    }
    if (const auto server = started({}, "")) {
        CHECK(body(said(*server, get("/"))).find("./bootstrap page") != std::string::npos);
    }
}

TEST_CASE("fifty clients at once have the answers of traincost_ask", "[serve]") {
    const auto server = started();
    if (!server) {
        return;
    }
    const std::vector<std::string> expected = {traincost::answer_json(estimate(1)),
                                               traincost::answer_json(estimate(2))};
    constexpr std::size_t clients = 50;
    std::vector<std::string> answers(clients);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < clients; ++i) {
        threads.emplace_back(
            [&, i] { answers[i] = said(*server, post(estimate(static_cast<int>(i % 2) + 1))); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t i = 0; i < clients; ++i) {
        INFO(i << ": " << status(answers[i]));
        CHECK(body(answers[i]) == expected[i % 2]);
    }
}

TEST_CASE("another host's name and another site's page are refused", "[serve]") {
    const auto server = started();
    if (!server) {
        return;
    }
    for (const char* host : {"localhost", "localhost:8321", "127.0.0.1:1", "[::1]:8321", "192.168.0.7"}) {
        INFO(host);
        CHECK(status(said(*server, post(estimate(1), "Host: " + std::string(host) + "\r\n"))) ==
              "HTTP/1.1 200 OK");
    }
    for (const char* headers :
         {"Host: evil.example\r\n", "Host: localhost.evil.example\r\n", "Host: [evil.example]:1\r\n",
          "Host: \r\n", "", "Host: localhost\r\nHost: evil.example\r\n",
          "Host: localhost\r\nOrigin: http://evil.example\r\n", "Host: localhost\r\nOrigin: null\r\n",
          "Host: localhost\r\nOrigin: https://localhost\r\n"}) {
        INFO(headers);
        CHECK(status(said(*server, post(estimate(1), headers))) == "HTTP/1.1 403 Forbidden");
    }
    CHECK(status(said(*server, post(estimate(1), "Host: localhost:5\r\nOrigin: http://localhost:5\r\n"))) ==
          "HTTP/1.1 200 OK");
}

TEST_CASE("a client cannot name a file or a folder of the server", "[serve]") {
    const auto server = started();
    if (!server) {
        return;
    }
    const std::string file = traincost::test::temporary("traincost-secret.json").string();
    std::ofstream(file) << "{\"secret\": 1}";
    const std::vector<std::string> questions = {
        R"({"command": "estimate", "model": ")" + file + "\"}",
        R"({"command": "read", "files": [")" + file + "\"]}",
        R"({"command": "fields", "data": "/tmp"})",
        R"({"command": "achieved", "log": ")" + file + "\"}",
        R"({"command": "sweep", "vary": ["model=gpt2,)" + file + "\"]}",
        R"({"command": "compare", "jobs": [{"model": ")" + file + "\"}]}"};
    for (const std::string& question : questions) {
        INFO(question);
        const std::string answer = said(*server, post(question));
        CHECK(status(answer) == "HTTP/1.1 400 Bad Request");
        CHECK(answer.find("the server") != answer.npos);
    }
    const std::string inlined = said(
        *server,
        post(
            R"({"command": "read", "files": [{"name": "a.sh", "text": "torchrun --nproc_per_node 8 x.py"}]})"));
    CHECK(status(inlined) == "HTTP/1.1 200 OK");
    std::filesystem::remove(file);
}

TEST_CASE("requests that are none have one error each, and the server goes on", "[serve]") {
    const auto server = started({.transfer = milliseconds(500)});
    if (!server) {
        return;
    }
    const std::string host = "Host: localhost\r\n";
    const std::vector<std::string> bad = {
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "nonsense\r\n\r\n",
        std::string(9000, 'a') + "\r\n\r\n",
        "GET / HTTP/1.1\r\n" + std::string(9000, 'h') + ": 1\r\n\r\n",
        "POST /ask HTTP/1.1\r\n" + host + "Content-Type: application/json\r\nContent-Length: -5\r\n\r\n{}",
        "POST /ask HTTP/1.1\r\n" + host +
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        std::string("GET /\0 HTTP/1.1\r\n\r\n", 19),
        "\x16\x03\x01\x02",
        get("/../../etc/passwd"),
        get("/ask"),
        "POST /ask HTTP/1.1\r\n" + host + "Content-Length: 2\r\n\r\n{}",
        "DELETE / HTTP/1.1\r\n" + host + "\r\n",
        post("{"),
        post("[]"),
        post("{}"),
        post("{\"command\": 1}"),
        post("{\"command\": \"destroy\"}"),
        post(std::string(1000, '['))};
    for (const std::string& bytes : bad) {
        const Client client(server->port());
        client.send(bytes);
        INFO(bytes.substr(0, 60));
        const std::string answer = bytes == "\x16\x03\x01\x02" ? "" : client.answer();
        CHECK((answer.empty() || !answer.starts_with("HTTP/1.1 200") ||
               answer.find("\"error\"") != answer.npos));
    }
    CHECK(body(said(*server, post(estimate(1)))) == traincost::answer_json(estimate(1)));
}

TEST_CASE("a request that is too large is refused before it is read", "[serve]") {
    const auto server = started({.body_bytes = 1000});
    if (!server) {
        return;
    }
    const std::string large = said(*server, post("{\"command\": \"" + std::string(2000, 'x') + "\"}"));
    CHECK(status(large) == "HTTP/1.1 413 Payload Too Large");
    CHECK(large.find("too large") != large.npos);
}

TEST_CASE("a slow client loses its place, and the others are served meanwhile", "[serve]") {
    const auto server = started({.connections = 4, .transfer = milliseconds(300)});
    if (!server) {
        return;
    }
    std::vector<std::unique_ptr<Client>> slow;
    for (int i = 0; i < 12; ++i) {
        slow.push_back(std::make_unique<Client>(server->port()));
        slow.back()->send("POST /ask HTTP/1.1\r\nHost: loc");
    }
    CHECK(status(said(*server, post(estimate(1)))) == "HTTP/1.1 200 OK");
    for (const auto& client : slow) {
        CHECK(client->answer().find("200 OK") == std::string::npos);  // which ends, as the server closes
    }
}

TEST_CASE("where as many searches run as may, another is told so", "[serve]") {
    ServedQuestions questions({.searches = 0, .wait = milliseconds(10)}, "");
    const ServedAnswer search =
        questions.answer(R"({"command": "recommend", "model": "gpt2", "gpu": "h100", "gpus": 1})");
    CHECK(search.status == 503);
    CHECK(search.json.find("\"busy\"") != search.json.npos);
    CHECK(questions.answer(estimate(1)).status == 200);
    questions.stop();
    CHECK(questions.answer(estimate(1)).status == 503);
}

TEST_CASE("a search that takes too long is ended, and its place is free again", "[serve]") {
    ServedQuestions questions({.searches = 1, .wait = milliseconds(10), .compute = milliseconds(0)}, "");
    const std::string search = R"({"command": "plan", "model": "gpt3-175b", "gpu": "a100", "gpus": 1024})";
    for (int i = 0; i < 2; ++i) {
        const ServedAnswer answer = questions.answer(search);
        CHECK(answer.status == 503);
        CHECK(answer.json.find("takes longer than 0 s") != answer.json.npos);
    }
    CHECK(questions.answer(estimate(1)).status == 200);
    CHECK(ServedQuestions({}, "").answer(search).status == 200);
}

TEST_CASE("a question of more jobs than a server computes is refused before any is", "[serve]") {
    ServedQuestions questions({.jobs = 4}, "");
    const std::string job = R"({"model": "gpt2", "gpu": "h100", "gpus": 8})";
    const auto sweep = [](const std::string& axes) {
        return R"({"command": "sweep", "model": "gpt2", "gpu": "h100", "gpus": 8, "vary": [)" + axes + "]}";
    };
    CHECK(questions.answer(sweep(R"("tp=1,2", "zero=0,1")")).status == 200);
    const ServedAnswer refused = questions.answer(sweep(R"("tp=1,2", "zero=0,1,2")"));
    CHECK(refused.status == 400);
    CHECK(refused.json.find("at most 4 jobs") != refused.json.npos);
    CHECK(questions.answer(sweep(R"("micro-batch=1..10000")")).status == 400);
    const auto compared = [&](const std::string& jobs) {
        return questions.answer(R"({"command": "compare", "jobs": [)" + jobs + "]}").status;
    };
    CHECK(compared(job + "," + job) == 200);
    CHECK(compared(job + "," + job + "," + job + "," + job + "," + job) == 400);
}

TEST_CASE("a server stops while clients are busy, and its port is free again", "[serve]") {
    int port = 0;
    {
        const auto server = started();
        if (!server) {
            return;
        }
        port = server->port();
        std::vector<std::unique_ptr<Client>> clients;
        for (int i = 0; i < 8; ++i) {
            clients.push_back(std::make_unique<Client>(port));
            clients.back()->send(i % 2 == 0 ? "POST /ask HT" : post(estimate(1)));
        }
        CHECK(server->stop(std::chrono::seconds(30)));
    }
    PageServer again("127.0.0.1", port, page, "");
    again.start();
    CHECK(status(said(again, get("/"))) == "HTTP/1.1 200 OK");
}

TEST_CASE("a port that is taken is an error", "[serve]") {
    if (const auto server = started()) {
        CHECK_THROWS_WITH(PageServer("127.0.0.1", server->port(), page, ""),
                          Catch::Contains("cannot listen"));
    }
}

TEST_CASE("an address of another machine is an error that blames no port where any would do", "[serve]") {
    if (started()) {
        CHECK_THROWS_WITH(PageServer("192.0.2.1", 0, page, ""),
                          !Catch::Contains("port is taken") && Catch::Contains("is not this machine's"));
    }
}

TEST_CASE("connections that are over leave nothing open", "[serve]") {
    const auto server = started();
    if (!server || !std::filesystem::exists("/proc/self/fd")) {
        return;
    }
    said(*server, post(estimate(1)));
    const std::size_t before = open_files();
    for (int i = 0; i < 200; ++i) {
        const Client client(server->port());
        client.send(i % 2 == 0 ? get("/") : "GE");
    }
    server->stop(std::chrono::seconds(30));
    CHECK(open_files() <= before);
}
