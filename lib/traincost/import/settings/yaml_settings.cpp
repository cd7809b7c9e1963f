// YAML through yaml-cpp's events, so that aliases are counted before they are copied, equal keys are both
// seen, and quotes are known.

#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

std::size_t size_of(const Setting& setting) {
    std::size_t count = 1;
    for (const Setting& item : setting.items) {
        count += size_of(item);
    }
    for (const SettingMember& m : setting.members) {
        count += size_of(m.value);
    }
    return count;
}

class YamlTreeBuilder : public YAML::EventHandler {
public:
    YamlTreeBuilder(const std::string& file, int first_line) : file_(file), first_line_(first_line) {
    }

    Setting root;
    bool started = false;

    void OnDocumentStart(const YAML::Mark&) override {
    }
    void OnDocumentEnd() override {
    }
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add(made(Setting::Kind::null, mark), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            fail_at_line(file_, line_of(mark), "an alias of a value that is not complete");
        }
        count_ += found->second.second;
        check_count(mark);
        Setting copy = found->second.first;
        add(std::move(copy), 0);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        Setting setting = made(Setting::Kind::scalar, mark);
        setting.text = value;
        setting.quoted = tag == "!";
        if (!setting.quoted &&
            (value == "~" || value == "null" || value == "Null" || value == "NULL" || value.empty())) {
            setting.kind = Setting::Kind::null;
        }
        add(std::move(setting), anchor);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(Setting::Kind::list, mark, anchor);
    }
    void OnSequenceEnd() override {
        close();
    }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(Setting::Kind::map, mark, anchor);
    }
    void OnMapEnd() override {
        close();
    }

private:
    /// A container that is not complete, and its next key where it is a map.
    struct Level {
        Setting value;
        YAML::anchor_t anchor = 0;
        std::string key;
        bool has_key = false;
    };

    int line_of(const YAML::Mark& mark) const {
        return mark.line + first_line_;
    }
    Setting made(Setting::Kind kind, const YAML::Mark& mark) {
        ++count_;
        check_count(mark);
        Setting setting;
        setting.kind = kind;
        setting.line = line_of(mark);
        setting.file = &file_;
        return setting;
    }
    void check_count(const YAML::Mark& mark) const {
        if (count_ > most_settings) {
            fail_at_line(file_, line_of(mark),
                         "more than " + std::to_string(most_settings) + " values, aliases expanded");
        }
    }
    void open(Setting::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (stack_.size() >= static_cast<std::size_t>(deepest_setting)) {
            fail_at_line(file_, line_of(mark),
                         "nested more than " + std::to_string(deepest_setting) + " deep");
        }
        stack_.push_back({.value = made(kind, mark), .anchor = anchor, .key = {}, .has_key = false});
    }
    void close() {
        Level level = std::move(stack_.back());
        stack_.pop_back();
        add(std::move(level.value), level.anchor);
    }
    void add(Setting&& value, YAML::anchor_t anchor) {
        if (anchor != 0) {
            anchors_[anchor] = {value, size_of(value)};
        }
        if (stack_.empty()) {
            root = std::move(value);
            started = true;
            return;
        }
        Level& level = stack_.back();
        if (level.value.is_list()) {
            level.value.items.push_back(std::move(value));
        } else if (!level.has_key) {
            level.key = value.text;
            level.has_key = true;
        } else {
            level.has_key = false;
            if (level.key == "<<") {
                merge(level.value, value);
            } else {
                level.value.members.push_back({.key = std::move(level.key), .value = std::move(value)});
            }
        }
    }
    // "<<: *base": the base's members stand where the map has none of its own.
    static void merge(Setting& map, const Setting& base) {
        for (const Setting& each : base.items) {
            merge(map, each);
        }
        for (const SettingMember& m : base.members) {
            if (map.member(m.key) == nullptr) {
                map.members.insert(map.members.begin(), m);
            }
        }
    }

    const std::string& file_;
    int first_line_;
    std::size_t count_ = 0;
    std::vector<Level> stack_;
    std::map<YAML::anchor_t, std::pair<Setting, std::size_t>> anchors_;
};

}  // namespace

void fail_at_line(const std::string& file, int line, const std::string& message) {
    throw Error(ErrorKind::input,
                std::vector<Problem>{{.path = file + ":" + std::to_string(line), .message = message}});
}

namespace {

/// "path: {data_path:??}", which YAML 1.1 takes and this parser does not, with the braces between quotes:
/// what they hold is no value. Nothing where no line has any.
std::optional<std::string> with_quoted_braces(std::string_view text) {
    std::string out;
    bool any = false;
    for (const std::string& line : split(text, '\n')) {
        const std::size_t open = line.find(": {");
        const std::size_t close = line.find('}', open == line.npos ? 0 : open);
        const bool holds =
            open != line.npos && close != line.npos && line.find_first_of("{\"', ", open + 3) >= close &&
            line.find(':', open + 3) < close && line.find_first_not_of(" \r", close + 1) == line.npos;
        any = any || holds;
        out += holds ? line.substr(0, open + 2) + '"' + line.substr(open + 2, close - open - 1) + '"' : line;
        out += '\n';
    }
    return any ? std::optional(out) : std::nullopt;
}

}  // namespace

Setting read_yaml(std::string_view text, const std::string& file, int first_line) {
    std::istringstream stream{std::string(text)};
    YamlTreeBuilder builder(file, first_line);
    try {
        YAML::Parser parser(stream);
        while (!builder.started && parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& error) {
        if (const auto quoted = with_quoted_braces(text)) {
            return read_yaml(*quoted, file, first_line);
        }
        fail_at_line(file, std::max(error.mark.line, 0) + first_line, "not valid YAML: " + error.msg);
    }
    name_settings(builder.root);
    return std::move(builder.root);
}

}  // namespace traincost
