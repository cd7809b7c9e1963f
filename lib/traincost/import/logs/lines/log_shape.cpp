#include "traincost/import/logs/lines/log_shape.hpp"

#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

constexpr std::size_t longest_shape = 4096;
constexpr std::size_t most_whole_digits = 15;

/// Whether digits behind `c` belong to a name: "l1_loss", "top_5".
bool joins_digits(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

bool LogShape::learn(std::string_view line, const std::vector<std::string_view>& values) {
    text_.clear();
    parts_.clear();
    bounds_.clear();
    places_.clear();
    if (line.size() > longest_shape) {
        return false;
    }
    for (const std::string_view value : values) {
        const auto begin = static_cast<std::size_t>(value.data() - line.data());
        if (begin < (places_.empty() ? 0 : places_.back()) || begin + value.size() > line.size()) {
            return false;
        }
        places_.push_back(begin);
        places_.push_back(begin + value.size());
    }
    std::size_t part = 0;  // where the current one begins in `text_`
    const auto mark = [&](std::size_t at) {
        while (bounds_.size() < places_.size() && places_[bounds_.size()] == at) {
            bounds_.push_back({parts_.size(), text_.size() - part});
        }
    };
    for (std::size_t i = 0; i < line.size();) {
        mark(i);
        const bool number = is_decimal_digit(line[i]) && (i == 0 || !joins_digits(line[i - 1]));
        if (!number) {
            do {
                text_ += line[i++];
                mark(i);
            } while (i < line.size() && is_decimal_digit(line[i]) && is_decimal_digit(line[i - 1]));
            continue;
        }
        parts_.push_back(text_.size() - part);
        part = text_.size();
        while (i < line.size() && is_decimal_digit(line[i])) {
            ++i;
        }
    }
    mark(line.size());
    parts_.push_back(text_.size() - part);
    if (bounds_.size() < places_.size()) {
        parts_.clear();
    }
    return !parts_.empty();
}

bool LogShape::fits(std::string_view line) {
    std::size_t bound = 0;
    std::size_t i = 0;
    const char* text = text_.data();
    if (parts_.empty() || line.size() < text_.size()) {
        return false;
    }
    huge_ = false;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        const std::size_t length = parts_[part];
        if (line.size() - i < length || !same_bytes(line.data() + i, text, length)) {
            return false;
        }
        while (bound < bounds_.size() && bounds_[bound].part == part) {
            places_[bound] = i + bounds_[bound].offset;
            ++bound;
        }
        i += length;
        text += length;
        const std::size_t number = i;
        while (i < line.size() && is_decimal_digit(line[i])) {
            ++i;
        }
        if ((i == number) != (part + 1 == parts_.size())) {
            return false;
        }
        huge_ |= i - number > most_whole_digits && (number == 0 || line[number - 1] != '.');
    }
    line_ = line.data();
    return i == line.size();
}

}  // namespace traincost
