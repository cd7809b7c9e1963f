#include "traincost/import/python_config.hpp"

#include <cctype>
#include <map>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/setting_files.hpp"

namespace traincost {

namespace {

constexpr int deepest_python_call = 20;

/// A statement: its text without comments, brackets joined over lines, and how far it is indented.
struct Statement {
    std::string text;
    std::vector<int> lines;  ///< of each character
    std::size_t indent = 0;
};

struct Function {
    std::vector<const Statement*> body;
    bool returns = false;
};

std::vector<Statement> statements_of(std::string_view text, const std::string& file) {
    std::vector<Statement> all;
    Statement now;
    int line = 1, depth = 0;
    bool begun = false;
    const auto finish = [&] {
        while (!now.text.empty() && std::isspace(static_cast<unsigned char>(now.text.back())) != 0) {
            now.text.pop_back();
        }
        if (!now.text.empty()) {
            all.push_back(std::move(now));
        }
        now = {};
        begun = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '#') {
            while (i + 1 < text.size() && text[i + 1] != '\n') {
                ++i;
            }
            continue;
        }
        if (c == '"' || c == '\'') {
            const std::string quote =
                text.substr(i, 3) == std::string(3, c) ? std::string(3, c) : std::string(1, c);
            std::size_t end = i + quote.size();
            while (end < text.size() && text.compare(end, quote.size(), quote) != 0 &&
                   (quote.size() == 3 || text[end] != '\n')) {
                end += text[end] == '\\' ? 2 : 1;
            }
            if (end >= text.size() || text.compare(end, quote.size(), quote) != 0) {
                fail_at_line(file, line, "the quote " + quote + " is not closed");
            }
            begun = true;
            now.text += quote.size() == 3 ? '"' : c;
            now.lines.push_back(line);
            for (std::size_t k = i + quote.size(); k < end; ++k) {
                now.text += text[k] == '\n' || (quote.size() == 3 && text[k] == '"') ? ' ' : text[k];
                now.lines.push_back(line);
                line += text[k] == '\n' ? 1 : 0;
            }
            now.text += quote.size() == 3 ? '"' : c;
            now.lines.push_back(line);
            i = end + quote.size() - 1;
            continue;
        }
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        if (c == '\n') {
            ++line;
            if (depth <= 0) {
                depth = 0;
                finish();
            } else {
                now.text += ' ';
                now.lines.push_back(line);
            }
        } else if (c == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
            ++i;
            ++line;
        } else if (!begun && (c == ' ' || c == '\t')) {
            now.indent += c == '\t' ? 8 : 1;
        } else {
            begun = true;
            now.text += c;
            now.lines.push_back(line);
        }
    }
    if (depth > 0) {
        fail_at_line(file, line, "a bracket is not closed");
    }
    finish();
    return all;
}

class Registry {
public:
    Registry(std::string_view text, const std::string& file)
        : file_(file), statements_(statements_of(text, file)) {
        collect();
    }

    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& [name, function] : functions_) {
            if (function.returns) {
                names.push_back(name);
            }
        }
        return names;
    }
    bool has(const std::string& name) const {
        return functions_.contains(name);
    }
    Setting call(const std::string& name) {
        Setting result;
        if (++depth_ <= deepest_python_call) {
            std::map<std::string, Setting> locals;
            for (const Statement* statement : functions_.at(name).body) {
                if (statement->text.starts_with("return ")) {
                    result = expression(*statement, 7, locals);
                    break;
                }
                assign(*statement, locals);
            }
        }
        --depth_;
        return result;
    }
    Setting globals() {
        Setting root = empty(1);
        root.kind = Setting::Kind::map;
        for (const auto& [name, value] : globals_) {
            root.members.push_back({.key = name, .value = value});
        }
        return root;
    }

private:
    void collect() {
        Function* open = nullptr;
        for (const Statement& statement : statements_) {
            if (statement.indent == 0) {
                open = nullptr;
                if (statement.text.starts_with("def ")) {
                    const std::size_t bracket = statement.text.find('(');
                    open = &functions_[statement.text.substr(4, bracket - 4)];
                    *open = {};
                } else {
                    assign(statement, globals_);
                }
            } else if (open != nullptr &&
                       (open->body.empty() || statement.indent == open->body.front()->indent)) {
                open->body.push_back(&statement);
                open->returns = open->returns || statement.text.starts_with("return ");
            }
        }
    }
    Setting empty(int line) const {
        Setting setting;
        setting.file = &file_;
        setting.line = line;
        return setting;
    }
    static bool is_name(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    }

    // NAME = expression, NAME.attribute.other = expression
    void assign(const Statement& statement, std::map<std::string, Setting>& locals) {
        const std::string& text = statement.text;
        std::size_t end = 0;
        while (end < text.size() && (is_name(text[end]) || text[end] == '.')) {
            ++end;
        }
        std::size_t equals = end;
        while (equals < text.size() && text[equals] == ' ') {
            ++equals;
        }
        if (end == 0 || equals >= text.size() || text[equals] != '=' || text.compare(equals, 2, "==") == 0) {
            return;  // nothing that sets a value
        }
        Setting value = expression(statement, equals + 1, locals);
        const std::string path = text.substr(0, end);
        const std::size_t dot = path.find('.');
        Setting& target = locals[path.substr(0, dot)];
        if (dot == std::string::npos) {
            target = std::move(value);
        } else {
            target.file = &file_;
            place_at(target, path.substr(dot + 1)) = std::move(value);
        }
    }

    /// Reads one expression of a statement.
    struct Cursor {
        const Statement& statement;
        std::size_t at;
        std::map<std::string, Setting>& locals;
        int depth = 0;
    };
    Setting expression(const Statement& statement, std::size_t at, std::map<std::string, Setting>& locals) {
        Cursor cursor{statement, at, locals};
        return sum(cursor);
    }
    static char now(Cursor& cursor) {
        const std::string& text = cursor.statement.text;
        while (cursor.at < text.size() && text[cursor.at] == ' ') {
            ++cursor.at;
        }
        return cursor.at < text.size() ? text[cursor.at] : '\0';
    }
    int line(const Cursor& cursor) const {
        const auto& lines = cursor.statement.lines;
        return lines.empty() ? 1 : lines[std::min(cursor.at, lines.size() - 1)];
    }
    Setting computed(char sign, const Setting& a, const Setting& b) const {
        const auto x = as_number(a);
        const auto y = as_number(b);
        if (!x || !y) {
            return empty(a.line);
        }
        const double out = sign == '+' ? *x + *y : sign == '-' ? *x - *y : sign == '*' ? *x * *y : *x / *y;
        return scalar_setting(to_exact(out), a);
    }
    Setting sum(Cursor& cursor) {
        Setting left = product(cursor);
        for (char sign = now(cursor); sign == '+' || sign == '-'; sign = now(cursor)) {
            ++cursor.at;
            left = computed(sign, left, product(cursor));
        }
        return left;
    }
    Setting product(Cursor& cursor) {
        Setting left = value(cursor);
        for (char sign = now(cursor); sign == '*' || sign == '/'; sign = now(cursor)) {
            ++cursor.at;
            if (now(cursor) == sign) {
                ++cursor.at;
            }
            left = computed(sign, left, value(cursor));
        }
        return left;
    }
    Setting value(Cursor& cursor) {
        if (++cursor.depth > deepest_setting) {
            fail_at_line(file_, line(cursor),
                         "nested more than " + std::to_string(deepest_setting) + " deep");
        }
        Setting out = primary(cursor);
        --cursor.depth;
        return out;
    }
    Setting primary(Cursor& cursor) {
        const std::string& text = cursor.statement.text;
        const char c = now(cursor);
        Setting out = empty(line(cursor));
        if (c == '"' || c == '\'') {
            std::size_t end = cursor.at + 1;
            while (end < text.size() && text[end] != c) {
                end += text[end] == '\\' ? 2 : 1;
            }
            out = scalar_setting(text.substr(cursor.at + 1, std::min(end, text.size()) - cursor.at - 1), out,
                                 true);
            cursor.at = std::min(end + 1, text.size());
            return out;
        }
        if (c == '[' || c == '(' || c == '{') {
            return bracket(cursor, c == '[' ? ']' : c == '(' ? ')' : '}');
        }
        if (c == '-') {
            ++cursor.at;
            const Setting inner = value(cursor);
            return scalar_setting("-" + inner.text, out);
        }
        std::size_t end = cursor.at;
        while (end < text.size() &&
               (is_name(text[end]) || text[end] == '.' ||
                ((text[end] == '-' || text[end] == '+') && end > cursor.at && text[end - 1] == 'e' &&
                 std::isdigit(static_cast<unsigned char>(text[cursor.at])) != 0))) {
            ++end;
        }
        const std::string word = text.substr(cursor.at, end - cursor.at);
        if (word.empty()) {
            ++cursor.at;
            return out;
        }
        cursor.at = end;
        if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word == "True" || word == "False") {
            return scalar_setting(lower(word), out);
        }
        if (word == "None") {
            return out;
        }
        if (now(cursor) == '(') {
            return called(cursor, word, out);
        }
        if (const auto local = cursor.locals.find(word); local != cursor.locals.end()) {
            return local->second;
        }
        if (const auto global = globals_.find(word); global != globals_.end()) {
            return global->second;
        }
        return scalar_setting(word, out);
    }
    Setting bracket(Cursor& cursor, char close) {
        Setting list = empty(line(cursor));
        list.kind = close == '}' ? Setting::Kind::map : Setting::Kind::list;
        ++cursor.at;
        bool tuple = false;
        while (now(cursor) != close && now(cursor) != '\0') {
            if (now(cursor) == ',') {
                tuple = true;
                ++cursor.at;
                continue;
            }
            Setting item = sum(cursor);
            if (now(cursor) == ':' && list.is_map()) {
                ++cursor.at;
                list.members.push_back({.key = item.text, .value = sum(cursor)});
            } else if (!list.is_map()) {
                list.items.push_back(std::move(item));
            }
        }
        ++cursor.at;
        if (close == ')' && !tuple && list.items.size() == 1) {
            return Setting(list.items.front());
        }
        return list;
    }
    Setting called(Cursor& cursor, const std::string& name, const Setting& place) {
        const std::string& text = cursor.statement.text;
        Setting map = place;
        map.kind = Setting::Kind::map;
        if (has(name)) {
            map = call(name);
        }
        place_at(map, "$class") = scalar_setting(name, place);
        std::vector<Setting> positional;
        ++cursor.at;
        while (now(cursor) != ')' && now(cursor) != '\0') {
            if (now(cursor) == ',') {
                ++cursor.at;
                continue;
            }
            while (now(cursor) == '*') {
                ++cursor.at;
            }
            std::size_t end = cursor.at;
            while (end < text.size() && is_name(text[end])) {
                ++end;
            }
            std::size_t equals = end;
            while (equals < text.size() && text[equals] == ' ') {
                ++equals;
            }
            if (end > cursor.at && equals < text.size() && text[equals] == '=' &&
                text.compare(equals, 2, "==") != 0) {
                const std::string key = text.substr(cursor.at, end - cursor.at);
                cursor.at = equals + 1;
                place_at(map, key) = sum(cursor);
            } else {
                const std::size_t before = cursor.at;
                positional.push_back(sum(cursor));
                cursor.at += cursor.at == before ? 1 : 0;
            }
        }
        ++cursor.at;
        if (!positional.empty()) {
            Setting& rest = place_at(map, "$arguments");
            rest.kind = Setting::Kind::list;
            rest.items = std::move(positional);
        }
        // What is read from a call's result is not followed.
        while (cursor.at < text.size() && (text[cursor.at] == '.' || is_name(text[cursor.at]))) {
            ++cursor.at;
        }
        return map;
    }

    const std::string& file_;
    std::vector<Statement> statements_;
    std::map<std::string, Function> functions_;
    std::map<std::string, Setting> globals_;
    int depth_ = 0;
};

}  // namespace

Setting read_python_config(std::string_view text, const std::string& file, std::string_view select) {
    Registry registry(text, file);
    const std::vector<std::string> names = registry.names();
    std::string name(select);
    if (name.empty() && names.size() == 1) {
        name = names.front();
    }
    if (names.empty()) {
        Setting root = registry.globals();
        name_settings(root);
        return root;
    }
    std::string list;
    for (const std::string& each : names) {
        list += (list.empty() ? "" : ", ") + each;
    }
    if (name.empty()) {
        throw Error(
            ErrorKind::input,
            std::vector<Problem>{
                {.path = file, .message = "has several configurations; choose one with --select: " + list}});
    }
    if (!registry.has(name)) {
        throw Error(ErrorKind::input,
                    std::vector<Problem>{
                        {.path = file,
                         .message = "has no configuration '" + name + "'" + did_you_mean(name, names) +
                                    (did_you_mean(name, names).empty() ? "; it has " + list : "")}});
    }
    Setting root = registry.call(name);
    root.file = &file;
    name_settings(root);
    return root;
}

}  // namespace traincost
