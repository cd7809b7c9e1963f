#include "traincost/import/settings/python_config.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python_statement.hpp"
#include "traincost/import/settings/python_trainer.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

constexpr int deepest_python_call = 20;
constexpr int most_calls = 10'000;

struct Function {
    const PythonStatement* header = nullptr;
    std::vector<const PythonStatement*> body;
    bool returns = false;
    bool called = false;  ///< by another function of the file
};

class Registry {
public:
    Registry(std::string_view text, const std::string& file)
        : file_(file), statements_(python_statements(text, file)) {
        collect();
        mark_called();
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
    /// The one function that no other calls, where the others are its parts: private, or of another type.
    std::string outermost() const {
        const auto type_of = [](const Function& function) {
            const std::string& text = function.header->text;
            const std::size_t arrow = text.rfind("->");
            return arrow == std::string::npos ? std::string() : text.substr(arrow);
        };
        const std::pair<const std::string, Function>* found = nullptr;
        for (const auto& each : functions_) {
            if (each.second.returns && !each.second.called) {
                if (found != nullptr) {
                    return {};
                }
                found = &each;
            }
        }
        for (const auto& [name, function] : functions_) {
            if (found != nullptr && function.returns && function.called && !name.starts_with("_") &&
                type_of(function) == type_of(found->second)) {
                return {};
            }
        }
        return found == nullptr ? std::string() : found->first;
    }
    /// The values of the file's top, and of each function's body where its parameters are unknown.
    std::vector<PythonScope> scopes() {
        std::vector<PythonScope> all = {{.function = "", .names = globals_}};
        for (const auto& [name, function] : functions_) {
            std::vector<std::string> order;
            PythonScope scope{.function = name, .names = parameters(*function.header, order)};
            for (const PythonStatement* statement : function.body) {
                assign(*statement, scope.names);
            }
            all.push_back(std::move(scope));
        }
        return all;
    }
    bool has(const std::string& name) const {
        return functions_.contains(name);
    }
    /// "main(model_config_builder=build_model, global_batch_size=8)": the parts that the named functions
    /// build, each told as "common" what else the call says. Nothing where no call names builders.
    std::optional<Setting> built() {
        constexpr std::string_view suffix = "_config_builder";
        for (const PythonStatement& statement : statements_) {
            const std::string& text = statement.text;
            std::size_t begin = text.find(std::string(suffix) + "=");
            for (int open = 0; begin != std::string::npos && begin > 0 && open == 0;) {
                --begin;
                open += text[begin] == '(' ? 1 : text[begin] == ')' ? -1 : 0;
            }
            while (begin != std::string::npos && begin > 0 &&
                   (is_name(text[begin - 1]) || text[begin - 1] == '.')) {
                --begin;
            }
            if (begin == std::string::npos || statement.text.starts_with("def ")) {
                continue;
            }
            const Setting said = expression(statement, begin, globals_);
            std::map<std::string, Setting> common;
            Setting root = empty(said.line);
            root.kind = Setting::Kind::map;
            for (const SettingMember& m : said.members) {
                if (!m.key.ends_with(suffix) && !m.key.starts_with("$")) {
                    common["common." + m.key] = m.value;
                }
            }
            for (const SettingMember& m : said.members) {
                if (!m.key.ends_with(suffix) || !has(m.value.text)) {
                    continue;
                }
                const std::string part = m.key.substr(0, m.key.size() - suffix.size());
                Setting value = call(m.value.text, common);
                if (part == "data") {  // a data set and what loads it
                    overlay(root, value);
                } else {
                    place_at(root, part) = std::move(value);
                }
            }
            if (!root.members.empty()) {
                return root;
            }
        }
        return std::nullopt;
    }
    Setting call(const std::string& name, const std::map<std::string, Setting>& arguments = {},
                 const std::vector<Setting>& positional = {}) {
        Setting result;
        if (++calls_ > most_calls) {
            throw Error(ErrorKind::input,
                        std::vector<Problem>{{.path = file_,
                                              .message = "its functions call each other more than " +
                                                         std::to_string(most_calls) + " times"}});
        }
        if (++depth_ <= deepest_python_call) {
            std::vector<std::string> order;
            std::map<std::string, Setting> locals = parameters(*functions_.at(name).header, order);
            for (std::size_t i = 0; i < std::min(order.size(), positional.size()); ++i) {
                locals[order[i]] = positional[i];
            }
            for (auto& [key, value] : arguments) {
                locals[key] = value;
            }
            for (const PythonStatement* statement : functions_.at(name).body) {
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
    /// What the parameters of "def NAME(a, b: int = 8):" are where a call does not say.
    std::map<std::string, Setting> parameters(const PythonStatement& header,
                                              std::vector<std::string>& order) {
        std::map<std::string, Setting> values;
        const std::string& text = header.text;
        std::size_t at = text.find('(');
        while (at != std::string::npos && at < text.size() && text[at] != ')') {
            ++at;
            while (at < text.size() && (text[at] == ' ' || text[at] == '*')) {
                ++at;
            }
            std::size_t end = at;
            while (end < text.size() && is_name(text[end])) {
                ++end;
            }
            const std::string name = text.substr(at, end - at);
            if (!name.empty()) {
                order.push_back(name);
            }
            int depth = 0;
            for (at = end; at < text.size() && (depth > 0 || (text[at] != ',' && text[at] != ')')); ++at) {
                depth += text[at] == '[' || text[at] == '(' ? 1 : text[at] == ']' || text[at] == ')' ? -1 : 0;
                if (depth == 0 && text[at] == '=') {
                    values[name] = expression(header, at + 1, globals_);
                }
            }
            if (!name.empty() && !values.contains(name)) {
                values[name] = unknown(name, empty(header.lines.empty() ? 1 : header.lines.front()));
            }
        }
        return values;
    }
    /// Marks the functions that others call.
    void mark_called() {
        for (const auto& [caller, function] : functions_) {
            for (const PythonStatement* statement : function.body) {
                const std::string& text = statement->text;
                for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
                    std::size_t begin = at;
                    while (begin > 0 && is_name(text[begin - 1])) {
                        --begin;
                    }
                    const auto found = functions_.find(text.substr(begin, at - begin));
                    if (found != functions_.end() && found->first != caller) {
                        found->second.called = true;
                    }
                }
            }
        }
    }
    void collect() {
        Function* open = nullptr;
        Region global, local;
        for (PythonStatement& statement : statements_) {
            if (statement.indent == 0) {
                open = nullptr;
                global = region_of(statement);
                if (statement.text.starts_with("def ")) {
                    const std::size_t bracket = statement.text.find('(');
                    open = &functions_[statement.text.substr(4, bracket - 4)];
                    *open = {.header = &statement, .body = {}};
                } else {
                    assign(statement, globals_);
                }
            } else if (open == nullptr) {
                if (reaches(global, statement)) {
                    assign(statement, globals_);
                }
            } else if (open->body.empty() || statement.indent == open->body.front()->indent) {
                local = region_of(statement);
                open->body.push_back(&statement);
                open->returns = open->returns || statement.text.starts_with("return ");
            } else if (reaches(local, statement) && !statement.text.starts_with("return ")) {
                open->body.push_back(&statement);
            }
        }
    }
    /// What follows a statement, indented deeper.
    struct Region {
        bool is_other = false;     ///< a function or a class: its names are its own
        bool conditional = false;  ///< if, for, while, try
        std::size_t below = 0;     ///< a function or class within: how far its header is indented
    };
    static bool begins_with(const std::string& text, std::initializer_list<std::string_view> words) {
        return std::any_of(words.begin(), words.end(),
                           [&](std::string_view w) { return text.starts_with(w); });
    }
    static Region region_of(const PythonStatement& header) {
        const std::string& text = header.text;
        const bool other = begins_with(text, {"def ", "class ", "async def "});
        const bool certain = begins_with(text, {"with ", "try:"}) ||
                             (text.starts_with("if __name__") && text.find("__main__") != std::string::npos);
        return {.is_other = other, .conditional = !certain, .below = 0};
    }
    /// Whether a deeper statement belongs to the names of its region; it knows then whether it is
    /// conditional.
    static bool reaches(Region& region, PythonStatement& statement) {
        if (region.below > 0 && statement.indent > region.below) {
            return false;
        }
        region.below = begins_with(statement.text, {"def ", "class ", "async def "}) ? statement.indent : 0;
        statement.conditional = region.conditional;
        return !region.is_other && region.below == 0;
    }
    Setting empty(int line) const {
        Setting setting;
        setting.file = &file_;
        setting.line = line;
        return setting;
    }
    /// What nobody can know without running it: a placeholder, so that no default follows it.
    static Setting unknown(std::string said, const Setting& place) {
        said.erase(std::remove_if(said.begin(), said.end(), [](char c) { return c == '<' || c == '>'; }),
                   said.end());
        return scalar_setting("<" + said + ">", place);
    }
    static bool is_name(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    }

    // NAME = expression, NAME.attribute.other = expression
    void assign(const PythonStatement& statement, std::map<std::string, Setting>& locals) {
        const std::string& text = statement.text;
        std::size_t end = 0;
        while (end < text.size() && (is_name(text[end]) || text[end] == '.')) {
            ++end;
        }
        std::size_t equals = end;
        while (equals < text.size() && text[equals] == ' ') {
            ++equals;
        }
        const bool several = equals < text.size() && text[equals] == ',';
        while (several && equals < text.size() &&
               (is_name(text[equals]) || text[equals] == ',' || text[equals] == ' ')) {
            ++equals;  // NAME, NAME = call(...)
        }
        const char sign = equals + 1 < text.size() && text[equals + 1] == '=' ? text[equals] : '=';
        if (sign == '+' || sign == '-' || sign == '*' || sign == '/') {
            ++equals;  // NAME *= expression
        }
        if (end == 0 || equals >= text.size() || text[equals] != '=' || text.compare(equals, 2, "==") == 0) {
            const std::string called = text.substr(0, end);
            if (called.ends_with(".add_argument")) {
                expression(statement, 0, locals);
            } else if (called.ends_with("Trainer") && !statement.conditional) {  // "SFTTrainer(...).train()"
                locals["$trainer"] = expression(statement, 0, locals);
            }
            return;  // nothing that sets a value
        }
        Setting value = expression(statement, equals + 1, locals);
        if (several && value.is_list() && !value.items.empty() && !statement.conditional) {
            value = Setting(value.items.front());  // what a function returns for "model, tokenizer"
        }
        if (several && !(value.is_map() && value.has("$class"))) {
            return;  // which part of it is whose, nobody follows
        }
        const std::string path = text.substr(0, end);
        if (sign != '=') {
            const auto before = locals.find(path);
            value = before == locals.end() ? unknown(path, value) : computed(sign, before->second, value);
        }
        const std::size_t dot = path.find('.');
        if (statement.conditional) {
            const auto before = locals.find(path.substr(0, dot));
            const Setting* stands = before == locals.end()     ? nullptr
                                    : dot == std::string::npos ? &before->second
                                                               : before->second.peek(path.substr(dot + 1));
            const Setting* given = value.peek("$arguments");
            const bool wraps = stands != nullptr && stands->is_map() && given != nullptr &&
                               given->is_list() && !given->items.empty() &&
                               given->items.front().line == stands->line && given->items.front().is_map();
            if (wraps || (stands != nullptr && stands->is_scalar() && value.is_scalar() &&
                          stands->text == value.text)) {
                return;  // the same either way, or "model = adapted(model, ...)"
            }
            value = unknown(path, value);
        }
        Setting& target = locals[path.substr(0, dot)];
        if (dot == std::string::npos) {
            target = std::move(value);
        } else {
            target.file = &file_;
            place_at(target, path.substr(dot + 1)) = std::move(value);
        }
    }

    /// Reads one expression of a statement. It never stands behind the end, where every character is '\0'.
    class Cursor {
    public:
        Cursor(const PythonStatement& statement, std::size_t at, std::map<std::string, Setting>& known)
            : locals(known), statement_(statement) {
            go_to(at);
        }
        std::size_t at() const {
            return at_;
        }
        void go_to(std::size_t at) {
            at_ = std::min(at, statement_.text.size());
        }
        void step() {
            go_to(at_ + 1);
        }
        char character(std::size_t at) const {
            return at < statement_.text.size() ? statement_.text[at] : '\0';
        }
        /// From where it stands to `end`.
        std::string until(std::size_t end) const {
            return statement_.text.substr(at_, std::max(end, at_) - at_);
        }
        int line() const {
            const auto& lines = statement_.lines;
            return lines.empty() ? 1 : lines[std::min(at_, lines.size() - 1)];
        }

        std::map<std::string, Setting>& locals;
        int depth = 0;

    private:
        const PythonStatement& statement_;
        std::size_t at_ = 0;
    };
    Setting expression(const PythonStatement& statement, std::size_t at,
                       std::map<std::string, Setting>& locals) {
        Cursor cursor(statement, at, locals);
        return choice(cursor);
    }
    /// "unknown or 8" is 8, "8 or 16" is 8; what "8 if condition else 16" is, nobody knows.
    Setting choice(Cursor& cursor) {
        Setting left = sum(cursor);
        for (;;) {
            now(cursor);
            if (takes(cursor, "or")) {
                const Setting right = sum(cursor);
                const bool known = left.quoted || as_number(left) || left.is_map() || left.is_list();
                left = known ? left : right;
            } else if (takes(cursor, "if")) {
                Setting other = empty(left.line);
                while (now(cursor) != '\0' && now(cursor) != ',' && now(cursor) != ')' &&
                       !takes(cursor, "else")) {
                    const std::size_t before = cursor.at();
                    sum(cursor);
                    if (cursor.at() == before) {
                        cursor.step();
                    }
                }
                other = sum(cursor);
                left = left.text == other.text && left.kind == other.kind && left.is_scalar()
                           ? left
                           : unknown(left.text + " if ... else " + other.text, empty(left.line));
            } else {
                return left;
            }
        }
    }
    /// Steps over a word that stands there.
    static bool takes(Cursor& cursor, std::string_view word) {
        for (std::size_t i = 0; i < word.size(); ++i) {
            if (cursor.character(cursor.at() + i) != word[i]) {
                return false;
            }
        }
        if (is_name(cursor.character(cursor.at() + word.size()))) {
            return false;
        }
        cursor.go_to(cursor.at() + word.size());
        return true;
    }
    static char now(Cursor& cursor) {
        while (cursor.character(cursor.at()) == ' ') {
            cursor.step();
        }
        return cursor.character(cursor.at());
    }
    Setting computed(char sign, const Setting& a, const Setting& b) const {
        const auto x = as_number(a);
        const auto y = as_number(b);
        if (!x || !y) {
            return unknown(a.text + " " + sign + " " + b.text, empty(a.line));
        }
        const double out = sign == '+'   ? *x + *y
                           : sign == '-' ? *x - *y
                           : sign == '*' ? *x * *y
                           : sign == '^' ? std::pow(*x, *y)
                           : sign == '|' ? std::floor(*x / *y)
                                         : *x / *y;
        return std::isfinite(out) ? scalar_setting(to_exact(out), a) : unknown(a.text, a);
    }
    Setting sum(Cursor& cursor) {
        Setting left = product(cursor);
        for (char sign = now(cursor); sign == '+' || sign == '-'; sign = now(cursor)) {
            cursor.step();
            left = computed(sign, left, product(cursor));
        }
        return left;
    }
    Setting product(Cursor& cursor) {
        Setting left = value(cursor);
        for (char sign = now(cursor); sign == '*' || sign == '/'; sign = now(cursor)) {
            cursor.step();
            const bool doubled = cursor.character(cursor.at()) == sign;  // ** is a power, // a whole quotient
            if (doubled) {
                cursor.step();
            }
            const char what = !doubled ? sign : sign == '*' ? '^' : '|';
            left = computed(what, left, value(cursor));
        }
        return left;
    }
    Setting value(Cursor& cursor) {
        if (++cursor.depth > deepest_setting) {
            fail_at_line(file_, cursor.line(),
                         "nested more than " + std::to_string(deepest_setting) + " deep");
        }
        Setting out = primary(cursor);
        --cursor.depth;
        return out;
    }
    Setting primary(Cursor& cursor) {
        const char c = now(cursor);
        Setting out = empty(cursor.line());
        if (c == '"' || c == '\'') {
            cursor.step();
            std::size_t end = cursor.at();
            while (cursor.character(end) != c && cursor.character(end) != '\0') {
                end += cursor.character(end) == '\\' ? 2 : 1;
            }
            out = scalar_setting(cursor.until(end), out, true);
            cursor.go_to(end + 1);
            return out;
        }
        if (c == '[' || c == '(' || c == '{') {
            return bracket(cursor, c == '[' ? ']' : c == '(' ? ')' : '}');
        }
        if (c == '-') {
            cursor.step();
            const Setting inner = value(cursor);
            return scalar_setting("-" + inner.text, out);
        }
        std::size_t end = cursor.at();
        const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
        for (char next = c; is_name(next) || next == '.' ||
                            (number && (next == '-' || next == '+') && cursor.character(end - 1) == 'e');
             next = cursor.character(end)) {
            ++end;
        }
        const std::string word = cursor.until(end);
        if (word.empty()) {
            cursor.step();
            return out;
        }
        cursor.go_to(end);
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
        if (const Setting* member = attribute(cursor, word)) {
            return *member;
        }
        return scalar_setting(word, out);
    }
    /// "args.batch_size", where the name holds an object whose parts are known.
    const Setting* attribute(const Cursor& cursor, const std::string& word) const {
        const std::size_t dot = word.find('.');
        if (dot == std::string::npos) {
            return nullptr;
        }
        const std::string head = word.substr(0, dot);
        const auto local = cursor.locals.find(head);
        const auto global = globals_.find(head);
        const Setting* object = local != cursor.locals.end() ? &local->second
                                : global != globals_.end()   ? &global->second
                                                             : nullptr;
        return object == nullptr || !object->is_map() ? nullptr : object->peek(word.substr(dot + 1));
    }
    Setting bracket(Cursor& cursor, char close) {
        Setting list = empty(cursor.line());
        list.kind = close == '}' ? Setting::Kind::map : Setting::Kind::list;
        cursor.step();
        bool tuple = false;
        while (now(cursor) != close && now(cursor) != '\0') {
            if (now(cursor) == ',') {
                tuple = true;
                cursor.step();
                continue;
            }
            Setting item = choice(cursor);
            if (now(cursor) == ':' && list.is_map()) {
                cursor.step();
                list.members.push_back({.key = item.text, .value = choice(cursor)});
            } else if (!list.is_map()) {
                list.items.push_back(std::move(item));
            }
        }
        cursor.step();
        if (close == ')' && !tuple && list.items.size() == 1) {
            return Setting(list.items.front());
        }
        return list;
    }
    /// The few calls whose result is plain: a number made of a number, a dictionary, what stands in for an
    /// unset variable of the environment, a copy with some members replaced.
    static std::optional<Setting> known_call(const std::string& name, const std::vector<Setting>& positional,
                                             const std::map<std::string, Setting>& keywords) {
        if ((name == "int" || name == "float" || name == "str" || name == "bool") && positional.size() == 1 &&
            positional.front().is_scalar() && keywords.empty()) {
            Setting plain = positional.front();
            plain.quoted = name == "str";
            return plain;
        }
        if ((name == "os.environ.get" || name == "os.getenv") && positional.size() == 2) {
            return positional.back();
        }
        const bool copies = name == "copy.deepcopy" || name == "deepcopy" || name == "copy.copy" ||
                            name == "replace" || name == "dataclasses.replace";
        if (copies && positional.size() == 1 && positional.front().is_map()) {
            Setting copy = positional.front();
            for (const auto& [key, value] : keywords) {
                place_at(copy, key) = value;
            }
            return copy;
        }
        return std::nullopt;
    }
    /// add_argument("-b", "--batch-size", default=8): what the option is where nobody gives it.
    static void add_option(Setting& options, const std::vector<Setting>& positional,
                           const std::map<std::string, Setting>& keywords) {
        options.kind = Setting::Kind::map;
        const auto said = keywords.find("default");
        const auto flag = std::find_if(positional.begin(), positional.end(),
                                       [](const Setting& name) { return name.text.starts_with("--"); });
        if (said == keywords.end() || flag == positional.end() || !said->second.is_scalar()) {
            return;
        }
        std::string key = flag->text.substr(2);
        std::replace(key.begin(), key.end(), '-', '_');
        Setting& option = place_at(options, key);
        option = said->second;
        option.is_default = true;
        option.name = flag->text;
    }
    /// The options that an argument parser was told so far, of the call that adds one or parses them.
    static std::optional<Setting> parser_call(Cursor& cursor, const std::string& name,
                                              const std::vector<Setting>& positional,
                                              const std::map<std::string, Setting>& keywords) {
        if (name.ends_with(".add_argument")) {
            add_option(cursor.locals[std::string(options_of_parser)], positional, keywords);
        } else if (!name.ends_with(".parse_args") && !name.ends_with(".parse_known_args")) {
            return std::nullopt;
        }
        return cursor.locals[std::string(options_of_parser)];
    }
    Setting called(Cursor& cursor, const std::string& name, const Setting& place) {
        std::vector<Setting> positional;
        std::map<std::string, Setting> keywords;
        cursor.step();
        while (now(cursor) != ')' && now(cursor) != '\0') {
            if (now(cursor) == ',') {
                cursor.step();
                continue;
            }
            int stars = 0;
            for (; now(cursor) == '*'; ++stars) {
                cursor.step();
            }
            std::size_t end = cursor.at();
            while (is_name(cursor.character(end))) {
                ++end;
            }
            std::size_t equals = end;
            while (cursor.character(equals) == ' ') {
                ++equals;
            }
            if (end > cursor.at() && cursor.character(equals) == '=' && cursor.character(equals + 1) != '=') {
                const std::string key = cursor.until(end);
                if (keywords.contains(key)) {
                    fail_at_line(file_, cursor.line(), "the argument " + key + " is given twice");
                }
                cursor.go_to(equals + 1);
                keywords[key] = choice(cursor);
            } else {
                const std::size_t before = cursor.at();
                Setting argument = choice(cursor);
                if (stars < 2) {
                    positional.push_back(std::move(argument));
                } else if (argument.is_map() && !argument.has("$class")) {
                    for (SettingMember& m : argument.members) {
                        keywords[m.key] = std::move(m.value);
                    }
                } else {
                    keywords["$unpacked"] = unknown("**" + argument.text, argument);
                    keywords["$unpacked"].name = "**" + argument.text;
                }
                if (cursor.at() == before) {
                    cursor.step();
                }
            }
        }
        cursor.step();
        if (const auto known = known_call(name, positional, keywords)) {
            return *known;
        }
        if (const auto options = parser_call(cursor, name, positional, keywords)) {
            return *options;
        }
        Setting map = place;
        map.kind = Setting::Kind::map;
        if (has(name)) {
            map = call(name, keywords, positional);
            if (!map.is_map()) {
                return map;
            }
        } else {
            for (auto& [key, value] : keywords) {
                place_at(map, key) = std::move(value);
            }
        }
        if (!has(name) || !map.has("$class")) {  // what a function of the file returns knows its class
            place_at(map, "$class") = scalar_setting(name, place);
        }
        if (!positional.empty() && !has(name)) {
            Setting& rest = place_at(map, "$arguments");
            rest.kind = Setting::Kind::list;
            rest.items = std::move(positional);
        }
        // What is read from a call's result is not followed.
        while (cursor.character(cursor.at()) == '.' || is_name(cursor.character(cursor.at()))) {
            cursor.step();
        }
        return map;
    }

    const std::string& file_;
    std::vector<PythonStatement> statements_;
    std::map<std::string, Function> functions_;
    std::map<std::string, Setting> globals_;
    int depth_ = 0;
    int calls_ = 0;
};

}  // namespace

Setting read_python_config(std::string_view text, const std::string& file, std::string_view select) {
    Registry registry(text, file);
    if (makes_trainer_arguments(text)) {
        if (auto root = trainer_arguments(registry.scopes(), file, select)) {
            root->file = &file;
            name_settings(*root);
            return std::move(*root);
        }
    }
    if (select.empty()) {
        if (auto root = registry.built()) {
            root->file = &file;
            name_settings(*root);
            return std::move(*root);
        }
    }
    const std::vector<std::string> names = registry.names();
    std::string name(select);
    if (name.empty()) {
        name = names.size() == 1 ? names.front() : registry.outermost();
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
    const bool options = std::any_of(root.members.begin(), root.members.end(),
                                     [](const SettingMember& m) { return m.value.is_default; });
    if (options && !root.has("$class")) {  // the program's own options, not a framework's configuration
        place_at(root, "$program") = scalar_setting(file.substr(file.rfind('/') + 1), root);
    }
    name_settings(root);
    return root;
}

}  // namespace traincost
