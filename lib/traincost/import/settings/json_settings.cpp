// JSON through nlohmann's events, with lines. Of equal keys the last wins, as in Python's reader.

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "traincost/base/error.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

/// Reads a text and counts its lines.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, int* line) : at_(at), line_(line) {
    }
    reference operator*() const {
        return *at_;
    }
    CountingIterator& operator++() {
        if (*at_ == '\n') {
            ++*line_;
        }
        ++at_;
        return *this;
    }
    bool operator==(const CountingIterator& other) const {
        return at_ == other.at_;
    }
    bool operator!=(const CountingIterator& other) const {
        return at_ != other.at_;
    }

private:
    const char* at_;
    int* line_;
};

class JsonTreeBuilder {
public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    JsonTreeBuilder(std::string_view text, const std::string& file, const int& line)
        : text_(text), file_(file), line_(line) {
    }

    Setting root;

    bool null() {
        return add(made(Setting::Kind::null));
    }
    bool boolean(bool x) {
        return scalar(x ? "true" : "false", false);
    }
    bool number_integer(number_integer_t x) {
        return scalar(std::to_string(x), false);
    }
    bool number_unsigned(number_unsigned_t x) {
        return scalar(std::to_string(x), false);
    }
    bool number_float(number_float_t, const string_t& text) {
        return scalar(text, false);
    }
    bool string(string_t& x) {
        return scalar(std::move(x), true);
    }
    bool binary(binary_t&) {
        return false;
    }
    bool start_object(std::size_t) {
        return open(Setting::Kind::map);
    }
    bool key(string_t& name) {
        keys_.back() = std::move(name);
        return true;
    }
    bool end_object() {
        return close();
    }
    bool start_array(std::size_t) {
        return open(Setting::Kind::list);
    }
    bool end_array() {
        return close();
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
        if (position > text_.size() || text_.empty()) {
            fail_at_line(file_, line_, "not valid JSON: the text ends too early");
        }
        const char c = text_[std::min(position, text_.size()) - 1];
        fail_at_line(file_, c == '\n' ? std::max(line_ - 1, 1) : line_,
                     std::string("not valid JSON: unexpected ") +
                         (c == '\n' ? "end of line" : "'" + std::string(1, c) + "'"));
    }

private:
    Setting made(Setting::Kind kind) {
        if (++count_ > most_settings) {
            fail_at_line(file_, line_, "more than " + std::to_string(most_settings) + " values");
        }
        Setting setting;
        setting.kind = kind;
        setting.line = line_;
        setting.file = &file_;
        return setting;
    }
    // The reader has seen the character after a number: a line's end there is counted already.
    bool scalar(std::string text, bool quoted) {
        Setting setting = made(Setting::Kind::scalar);
        setting.text = std::move(text);
        setting.quoted = quoted;
        return add(std::move(setting));
    }
    bool open(Setting::Kind kind) {
        if (stack_.size() >= static_cast<std::size_t>(deepest_setting)) {
            fail_at_line(file_, line_, "nested more than " + std::to_string(deepest_setting) + " deep");
        }
        stack_.push_back(made(kind));
        keys_.emplace_back();
        return true;
    }
    bool close() {
        Setting value = std::move(stack_.back());
        stack_.pop_back();
        keys_.pop_back();
        return add(std::move(value));
    }
    bool add(Setting&& value) {
        if (stack_.empty()) {
            root = std::move(value);
        } else if (stack_.back().is_list()) {
            stack_.back().items.push_back(std::move(value));
        } else {
            stack_.back().members.push_back({.key = keys_.back(), .value = std::move(value)});
        }
        return true;
    }

    std::string_view text_;
    const std::string& file_;
    const int& line_;
    std::size_t count_ = 0;
    std::vector<Setting> stack_;
    std::vector<std::string> keys_;
};

}  // namespace

Setting read_json_settings(std::string_view text, const std::string& file, int first_line) {
    int line = first_line;
    JsonTreeBuilder builder(text, file, line);
    const CountingIterator begin(text.data(), &line);
    const CountingIterator end(text.data() + text.size(), &line);
    nlohmann::json::sax_parse(begin, end, &builder);
    name_settings(builder.root);
    return std::move(builder.root);
}

}  // namespace traincost
