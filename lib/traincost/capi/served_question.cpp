#include "traincost/capi/served_question.hpp"

#include "traincost/ask/questions/sweep_question.hpp"
#include "traincost/base/error.hpp"
#include "traincost/base/time_limit.hpp"
#include "traincost/capi/answer.hpp"
#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"

#include <filesystem>
#include <utility>

namespace traincost {

namespace {

constexpr int ok = 200;
constexpr int bad_request = 400;
constexpr int unavailable = 503;

/// Whether a word could make the library read a file: "model", a sweep's "model=NAME", one of a list.
bool names_file(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = text.find_first_of("=,");
        const std::string_view word = text.substr(0, end);
        std::error_code ignored;
        if (!word.empty() && (word.front() == '/' || word.front() == '.' || word.front() == '~' ||
                              word == "-" || std::filesystem::exists(word, ignored))) {
            return true;
        }
        if (end == text.npos) {
            break;
        }
        text.remove_prefix(end + 1);
    }
    return false;
}

/// Throws where a value names a file of the server. The text of a file that was sent is not looked at.
void refuse_files(const JsonValue& value, std::string_view key) {
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        if (key != "text" && key != "name" && names_file(*text)) {
            throw Error(ErrorKind::usage,
                        std::string(key) + ": '" + text->substr(0, 100) +
                            "' may be a file on the server, which clients cannot name; send "
                            "{\"name\": ..., \"text\": ...} in \"files\"");
        }
    } else if (const JsonValue::Array* items = value.array()) {
        for (const JsonValue& item : *items) {
            if (key == "files" && !item.object()) {
                throw Error(ErrorKind::usage,
                            "files: clients cannot name files on the server; send "
                            "{\"name\": ..., \"text\": ...}");
            }
            refuse_files(item, key);
        }
    } else if (const JsonValue::Object* members = value.object()) {
        for (const JsonMember& member : *members) {
            if (member.key == "data") {
                throw Error(ErrorKind::usage, "data: clients cannot name folders on the server");
            }
            refuse_files(member.value, member.key);
        }
    }
}

/// How many jobs the question asks of: points of a sweep, jobs compared. What is wrong with an axis is the
/// sweep's to say.
std::size_t jobs_asked(const JsonValue& question, std::size_t most) {
    std::size_t jobs = 1;
    if (const JsonValue* compared = question.find("jobs");
        compared != nullptr && compared->array() != nullptr)
        jobs = compared->array()->size();
    const JsonValue* axes = question.find("vary");
    if (axes == nullptr || axes->array() == nullptr)
        return jobs;
    for (const JsonValue& axis : *axes->array()) {
        const auto* text = std::get_if<std::string>(&axis.data);
        if (text == nullptr)
            return 1;
        try {
            jobs *= sweep_axes({*text}).front().values.size();
        } catch (const Error&) {
            return 1;
        }
        if (jobs > most)
            break;
    }
    return jobs;
}

/// The command of a question that a client may ask; `Error` where it may not.
std::string checked_command(const std::string& text, std::size_t most_jobs) {
    const JsonDocument document = parse_json(text, "question");
    refuse_files(document.root, "question");
    if (jobs_asked(document.root, most_jobs) > most_jobs)
        throw Error(ErrorKind::usage, "a question to this server is of at most " + std::to_string(most_jobs) +
                                          " jobs; ask for parts of it, or use the command line");
    const JsonValue* command = document.root.find("command");
    const auto* name = command != nullptr ? std::get_if<std::string>(&command->data) : nullptr;
    if (name == nullptr) {
        throw Error(ErrorKind::usage, "command: a question is a JSON object with a \"command\"");
    }
    return *name;
}

/// The question with the folder of the server's own records, where it has one.
std::string with_data(const std::string& text, const std::string& folder) {
    if (folder.empty()) {
        return text;
    }
    JsonWriter quoted;
    quoted.begin_object().member("data", folder).end_object();
    std::string head = quoted.text();
    head.erase(head.rfind('}'));
    const std::string rest = text.substr(text.find('{') + 1);
    return head + (rest.find_first_not_of(" \t\r\n") == rest.rfind('}') ? "" : ",") + rest;
}

/// Whether an answer is {"error": ...}, as the writer of answers lays it out.
bool is_error(std::string_view json) {
    const std::size_t name = json.find('"');
    return name != json.npos && json.substr(name).starts_with("\"error\"");
}

}  // namespace

std::string error_answer(std::string_view kind, std::string_view message) {
    JsonWriter out;
    out.begin_object().key("error").begin_object().member("kind", kind).key("problems").begin_array();
    out.begin_object().member("path", "").member("message", message).end_object();
    return out.end_array().end_object().end_object().text();
}

ServedQuestions::ServedQuestions(const ServerLimits& limits, std::string data_folder)
    : limits_(limits), data_folder_(std::move(data_folder)) {
}

bool ServedQuestions::enter(bool search) {
    std::unique_lock lock(mutex_);
    const bool free = left_.wait_for(lock, limits_.wait, [&] {
        return stopped_ || (questions_ < limits_.questions && (!search || searches_ < limits_.searches));
    });
    if (!free || stopped_) {
        return false;
    }
    ++questions_;
    searches_ += search ? 1 : 0;
    return true;
}

void ServedQuestions::leave(bool search) {
    {
        const std::scoped_lock lock(mutex_);
        --questions_;
        searches_ -= search ? 1 : 0;
    }
    left_.notify_all();
}

void ServedQuestions::stop() {
    {
        const std::scoped_lock lock(mutex_);
        stopped_ = true;
    }
    left_.notify_all();
}

/// A place that was entered, until it is left.
class ServedQuestions::Place {
public:
    Place(ServedQuestions& of, bool search) : of_(of), search_(search) {
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
        of_.leave(search_);
    }

private:
    ServedQuestions& of_;
    bool search_;
};

ServedAnswer ServedQuestions::answer(const std::string& text) {
    bool search = false;
    try {
        const std::string command = checked_command(text, limits_.jobs);
        search = command == "plan" || command == "recommend" || command == "sweep";
    } catch (const std::exception& error) {
        return {bad_request, error_answer("usage", error.what())};
    }
    if (!enter(search)) {
        return {unavailable, error_answer("busy", "the server is busy; ask again later")};
    }
    const Place place(*this, search);
    const TimeLimit::Clock::time_point until = TimeLimit::Clock::now() + limits_.compute;
    const TimeLimit limit(until);
    ServedAnswer served{ok, answer_json(with_data(text, data_folder_))};
    if (TimeLimit::Clock::now() > until && is_error(served.json)) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limits_.compute).count();
        return {unavailable, error_answer("busy", "the answer takes longer than " + std::to_string(seconds) +
                                                      " s; ask for less, or use the command line")};
    }
    return served;
}

}  // namespace traincost
