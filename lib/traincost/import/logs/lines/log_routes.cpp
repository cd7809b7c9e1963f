#include "traincost/import/logs/lines/log_routes.hpp"

#include <algorithm>

namespace traincost {

void LogTrace::begin() {
    reading_ = 0;
    doubtful_ = false;
    if (shape_ == nullptr) {
        values_.clear();
        rules_.clear();
        readings_.clear();
    }
}

void LogTrace::follow(const LogShape& shape) {
    shape_ = &shape;
}

bool LogTrace::read(std::string_view line, LogFacts& facts) {
    if (shape_ == nullptr || reading_ == readings_.size()) {
        return false;
    }
    const char* const end = line.data() + line.size();
    for (std::size_t i = reading_ == 0 ? 0 : readings_[reading_ - 1]; i < readings_[reading_]; ++i) {
        const char* const value = shape_->value(i).data();
        read_fact({value, static_cast<std::size_t>(end - value)}, *rules_[i], facts);
    }
    ++reading_;
    return true;
}

LogRoute* LogRoutes::follow(std::size_t i) {
    constexpr int most_worth = 256;
    worth_ = std::min(worth_ + 1, most_worth);
    known_[last_].next = i;
    last_ = i;
    Known& known = known_[i];
    known.route.trace.follow(known.shape);
    return &known.route;
}

LogRoute* LogRoutes::find(std::string_view line, std::size_t state) {
    if (state != state_) {
        known_.clear();
        last_ = 0;
        oldest_ = 0;
        state_ = state;
    }
    if (known_.empty()) {
        return nullptr;
    }
    const std::size_t expected = known_[last_].next;
    const auto fits = [&](std::size_t i) {
        return known_[i].shape.fits(line) && !known_[i].shape.has_huge_number();
    };
    if (expected < known_.size() && fits(expected)) {
        return follow(expected);
    }
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (i != expected && fits(i)) {
            return follow(i);
        }
    }
    return nullptr;
}

void LogRoutes::learn(std::string_view line, const LogRoute& route) {
    constexpr int cost = 8;
    if (worth_ < cost) {
        return;
    }
    worth_ -= cost;
    LogShape shape;
    if (!shape.learn(line, route.trace.values()) || !shape.fits(line) || shape.has_huge_number()) {
        return;
    }
    if (known_.size() < most) {
        known_.push_back({shape, route, known_.size() + 1});
        return;
    }
    known_[oldest_] = {shape, route, 0};
    oldest_ = (oldest_ + 1) % most;
}

}  // namespace traincost
