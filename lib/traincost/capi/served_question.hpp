// A question that came over the network: what it may say, and how many are computed at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace traincost {

/// What one client may take of the server.
struct ServerLimits {
    std::size_t body_bytes = std::size_t{64} << 20;
    std::size_t connections = 64;               ///< served at once; later ones wait to be accepted
    std::size_t questions = 8;                  ///< computed at once
    std::size_t searches = 2;                   ///< of them plan, recommend and sweep
    std::size_t jobs = 10000;                   ///< of one question: points of a sweep, jobs compared
    std::chrono::milliseconds transfer{20000};  ///< to send a request, and to take its answer
    std::chrono::milliseconds wait{30000};      ///< for one of the places above
    std::chrono::milliseconds compute{120000};  ///< to search, from the place on
};

/// An answer, and the HTTP status that it has.
struct ServedAnswer {
    int status;
    std::string json;
};

/// {"error": {"kind": ..., "problems": [{"path": "", "message": ...}]}}, as traincost_ask words errors.
std::string error_answer(std::string_view kind, std::string_view message);

/// Answers questions of clients. Safe to use from several threads.
class ServedQuestions {
public:
    /// `data_folder` overrides the built-in records where it is not empty.
    ServedQuestions(const ServerLimits& limits, std::string data_folder);

    /// 200 with what traincost_ask answers; 400 where the text is no question that a client may ask: files
    /// are sent as text, the server's own are not read, jobs are not without number; 503 where too many are
    /// being computed, where one takes too long, or where none is answered any more.
    ServedAnswer answer(const std::string& text);
    /// Those that wait, and those to come, get 503.
    void stop();

private:
    class Place;

    bool enter(bool search);
    void leave(bool search);

    ServerLimits limits_;
    std::string data_folder_;
    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t questions_ = 0;
    std::size_t searches_ = 0;
    bool stopped_ = false;
};

}  // namespace traincost
