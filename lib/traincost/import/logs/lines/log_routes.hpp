// How lines of one shape were read before: by which form, and where their values stand. Most lines of a log
// have the shape of an earlier one, and need no search then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "traincost/import/logs/lines/log_facts.hpp"
#include "traincost/import/logs/lines/log_shape.hpp"

namespace traincost {

/// The values that rules found in a line, in the order in which they were found.
class LogTrace {
public:
    void note(const char* value, const LogRule& rule) {
        values_.emplace_back(value, 0);
        rules_.push_back(&rule);
    }
    /// Ends a reading; one line may be read by the rules of several lists.
    void close() {
        readings_.push_back(rules_.size());
    }
    /// Before a line is read: forgets what another said, unless the trace follows a shape.
    void begin();
    /// What the numbers of the line are has a say in whether it is of the form.
    void doubt() {
        doubtful_ = true;
    }
    bool is_doubtful() const {
        return doubtful_;
    }
    const std::vector<std::string_view>& values() const {
        return values_;
    }

    /// From now on values stand where `shape` found them in another line.
    void follow(const LogShape& shape);
    /// Reads the values of the next reading, parts of `line`; false where the trace follows no shape.
    bool read(std::string_view line, LogFacts& facts);

private:
    std::vector<std::string_view> values_;  ///< empty, in front of the value
    std::vector<const LogRule*> rules_;
    std::vector<std::size_t> readings_;  ///< the end of each
    const LogShape* shape_ = nullptr;
    std::size_t reading_ = 0;  ///< the next
    bool doubtful_ = false;
};

/// The way of a line.
struct LogRoute {
    std::optional<std::size_t> form{};  ///< that read it; nothing where all failed whose anchor it holds
    bool step = false;                  ///< it was a step; or it was beside the steps
    bool searched = false;              ///< the form was found by its anchor, not tried first
    std::uint64_t words = 0;            ///< of `LogWord`, where they were looked at
    LogTrace trace{};
};

/// The ways of the shapes that were read last.
class LogRoutes {
public:
    /// The way of the line; null where none of its shape is known. Routes that were learned under another
    /// `state` of the reader are forgotten.
    LogRoute* find(std::string_view line, std::size_t state);
    void learn(std::string_view line, const LogRoute& route);

private:
    struct Known {
        LogShape shape{};
        LogRoute route{};
        std::size_t next = 0;  ///< which followed it last
    };
    static constexpr std::size_t most = 48;

    LogRoute* follow(std::size_t i);

    std::vector<Known> known_;
    std::size_t last_ = 0;
    std::size_t oldest_ = 0;
    std::size_t state_ = 0;
    int worth_ = 256;  ///< of learning: it falls with what is learned, and rises with what is found
};

}  // namespace traincost
