#include "traincost/import/shell/shell_syntax.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

ShellText ShellText::part(std::size_t begin, std::size_t length) const {
    ShellText text;
    begin = std::min(begin, chars.size());
    length = std::min(length, chars.size() - begin);
    text.chars = chars.substr(begin, length);
    text.places.assign(places.begin() + static_cast<std::ptrdiff_t>(begin),
                       places.begin() + static_cast<std::ptrdiff_t>(begin + length));
    return text;
}

ShellText shell_text(std::string_view text, std::uint32_t file) {
    ShellText out;
    out.chars.reserve(text.size());
    out.places.reserve(text.size());
    std::uint32_t line = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            continue;
        }
        out.add(text[i] == '\x01' ? '?' : text[i], {file, line});
        line += text[i] == '\n' ? 1 : 0;
    }
    return out;
}

namespace {

constexpr int deepest_block = 60;

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Parser {
public:
    Parser(const ShellText& text, const std::vector<const std::string*>& files) : text_(text), files_(files) {
    }

    std::vector<ShellCommand> script() {
        std::vector<ShellCommand> all;
        while (at_ < size()) {
            std::vector<ShellCommand> more = list({});
            all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
            if (at_ < size()) {
                ++at_;  // a word or bracket that closes nothing
            }
        }
        return all;
    }

private:
    std::size_t size() const {
        return text_.chars.size();
    }
    char now() const {
        return at_ < size() ? text_.chars[at_] : '\0';
    }
    char after(std::size_t n = 1) const {
        return at_ + n < size() ? text_.chars[at_ + n] : '\0';
    }
    ShellPlace place(std::size_t at) const {
        return text_.places.empty() ? ShellPlace{} : text_.places[std::min(at, size() - 1)];
    }
    [[noreturn]] void fail(std::size_t at, const std::string& message) const {
        const ShellPlace p = place(at);
        fail_at_line(*files_.at(p.file), static_cast<int>(p.line), message);
    }

    // Blanks, comments and continued lines.
    void skip_blanks() {
        while (at_ < size()) {
            if (is_blank(now())) {
                ++at_;
            } else if (now() == '\\' && after() == '\n') {
                at_ += 2;
            } else if (now() == '\\' && is_blank(after()) && blank_to_line_end(at_ + 1)) {
                at_ = std::min(text_.chars.find('\n', at_), size() - 1) + 1;  // a blank after the backslash
            } else if (now() == '#') {
                at_ = std::min(text_.chars.find('\n', at_), size());
            } else {
                return;
            }
        }
    }
    bool blank_to_line_end(std::size_t i) const {
        while (i < size() && is_blank(text_.chars[i])) {
            ++i;
        }
        return i < size() && text_.chars[i] == '\n';
    }
    void skip_separators() {
        while (true) {
            skip_blanks();
            if (now() != '\n' && (now() != ';' || after() == ';')) {
                return;
            }
            ++at_;
        }
    }

    void read_here_document(ShellCommand& command, std::size_t index) {
        ShellRedirect& redirect = command.redirects[index];
        const bool strip = redirect.sign == "<<-";
        std::string end;
        for (const char c : redirect.target.chars) {
            if (c == '\'' || c == '"' || c == '\\') {
                redirect.literal = true;
            } else {
                end += c;
            }
        }
        ShellText body;
        while (at_ < size()) {
            const std::size_t line_end = std::min(text_.chars.find('\n', at_), size());
            std::size_t begin = at_;
            while (strip && begin < line_end && text_.chars[begin] == '\t') {
                ++begin;
            }
            const std::string_view line = std::string_view(text_.chars).substr(begin, line_end - begin);
            at_ = std::min(line_end + 1, size());
            if (line == end) {
                break;
            }
            body.add(text_.part(begin, std::min(line_end + 1, size()) - begin));
        }
        redirect.sign = "<<";
        redirect.target = std::move(body);
    }

    // Past what is quoted or in brackets, from the opening character.
    void skip_single_quotes() {
        const std::size_t begin = at_;
        at_ = text_.chars.find('\'', at_ + 1);
        if (at_ == std::string::npos) {
            at_ = size();
            fail(begin, "the quote ' is not closed");
        }
        ++at_;
    }
    void skip_double_quotes() {
        const std::size_t begin = at_++;
        while (at_ < size() && now() != '"') {
            skip_inside_quotes();
        }
        if (at_ >= size()) {
            fail(begin, "the quote \" is not closed");
        }
        ++at_;
    }
    void skip_inside_quotes() {
        if (now() == '\\') {
            at_ += 2;
        } else if (now() == '$' && (after() == '(' || after() == '{')) {
            ++at_;
            skip_brackets();
        } else if (now() == '`') {
            skip_backticks();
        } else {
            ++at_;
        }
    }
    void skip_backticks() {
        const std::size_t begin = at_++;
        while (at_ < size() && now() != '`') {
            at_ += now() == '\\' ? 2 : 1;
        }
        if (at_ >= size()) {
            fail(begin, "the quote ` is not closed");
        }
        ++at_;
    }
    /// Past what is quoted here: a character behind a backslash, quotes or backticks. False where nothing is.
    bool skip_quoted() {
        switch (now()) {
            case '\\':
                at_ += 2;
                return true;
            case '\'':
                skip_single_quotes();
                return true;
            case '"':
                skip_double_quotes();
                return true;
            case '`':
                skip_backticks();
                return true;
            default:
                return false;
        }
    }
    // From "(" or "{" past its partner.
    void skip_brackets() {
        const std::size_t begin = at_;
        const char open = now();
        const char close = open == '(' ? ')' : '}';
        if (++depth_ > deepest_block) {
            fail(begin, "nested more than " + std::to_string(deepest_block) + " deep");
        }
        ++at_;
        while (at_ < size() && now() != close) {
            const char c = now();
            if (skip_quoted()) {
                continue;
            }
            if (c == open || (c == '$' && (after() == '(' || after() == '{'))) {
                at_ += c == '$' ? 1 : 0;
                skip_brackets();
            } else {
                ++at_;
            }
        }
        if (at_ >= size()) {
            fail(begin, std::string("the bracket ") + open + " is not closed");
        }
        ++at_;
        --depth_;
    }

    /// How long "<what is to be filled in>" is that begins here; 0 where a redirection does.
    std::size_t placeholder_length() const {
        std::size_t i = at_ + 1;
        const auto fits = [](unsigned char c) {
            return std::isalnum(c) != 0 ||
                   std::string_view("_-./: ").find(static_cast<char>(c)) != std::string_view::npos;
        };
        if (now() != '<' || i >= size() || std::isalpha(static_cast<unsigned char>(text_.chars[i])) == 0) {
            return 0;
        }
        while (i < size() && fits(static_cast<unsigned char>(text_.chars[i]))) {
            ++i;
        }
        const bool closed = i < size() && text_.chars[i] == '>' && !is_blank(text_.chars[i - 1]);
        const char next = closed && i + 1 < size() ? text_.chars[i + 1] : '\n';
        return closed && (is_blank(next) || next == '\n' || next == '/') ? i + 1 - at_ : 0;
    }

    /// The raw word that begins here; empty where none does.
    ShellText word() {
        const std::size_t begin = at_;
        while (at_ < size()) {
            const char c = now();
            if (skip_quoted()) {
                continue;
            }
            if (c == '$' && (after() == '(' || after() == '{')) {
                ++at_;
                skip_brackets();
            } else if (const std::size_t length = placeholder_length(); length > 0) {
                at_ += length;
            } else if (is_blank(c) || c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')' ||
                       c == '<' || c == '>') {
                break;
            } else {
                ++at_;
            }
        }
        at_ = std::min(at_, size());
        return text_.part(begin, at_ - begin);
    }

    /// Where a word may be an assignment: NAME=, NAME+=, NAME[index]=; the characters up to the value, or 0.
    std::size_t assignment_length(ShellAssignment& assignment) const {
        std::size_t i = at_;
        while (i < size() && is_name_character(text_.chars[i])) {
            ++i;
        }
        if (i == at_ || std::isdigit(static_cast<unsigned char>(now())) != 0) {
            return 0;
        }
        assignment.name = text_.chars.substr(at_, i - at_);
        if (i < size() && text_.chars[i] == '[') {
            const std::size_t end = text_.chars.find(']', i);
            if (end == std::string::npos) {
                return 0;
            }
            assignment.index = text_.part(i + 1, end - i - 1);
            i = end + 1;
        }
        if (i + 1 < size() && text_.chars[i] == '+' && text_.chars[i + 1] == '=') {
            assignment.append = true;
            ++i;
        }
        return i < size() && text_.chars[i] == '=' ? i + 1 - at_ : 0;
    }
    void array_elements(std::vector<ShellText>& words) {
        const std::size_t begin = at_++;
        while (true) {
            skip_blanks();
            if (at_ >= size()) {
                fail(begin, "the array's ( is not closed");
            }
            if (now() == '\n') {
                ++at_;
            } else if (now() == ')') {
                ++at_;
                return;
            } else {
                const std::size_t before = at_;
                words.push_back(word());
                if (at_ == before) {
                    ++at_;
                    words.pop_back();
                }
            }
        }
    }
    bool assignment(ShellCommand& command) {
        ShellAssignment found;
        const std::size_t length = assignment_length(found);
        if (length == 0) {
            return false;
        }
        at_ += length;
        if (now() == '(') {
            found.array = true;
            array_elements(found.words);
        } else {
            const std::size_t before = at_;
            ShellText value = word();
            if (at_ == before) {
                value.places.clear();
            }
            found.words.push_back(std::move(value));
        }
        command.assignments.push_back(std::move(found));
        return true;
    }

    void redirect(ShellCommand& command) {
        ShellRedirect found;
        while (now() == '<' || now() == '>' || now() == '&') {
            found.sign += now();
            ++at_;
        }
        if (now() == '(' && (found.sign == "<" || found.sign == ">")) {
            skip_brackets();
            return;
        }
        if (found.sign == "<<" && now() == '-') {
            found.sign += '-';
            ++at_;
        }
        skip_blanks();
        found.target = word();
        command.redirects.push_back(found);
        if (found.sign == "<<" || found.sign == "<<-") {
            here_.push_back(command.redirects.size() - 1);
        }
    }

    // The words of [[ ]] are split at blanks only.
    void double_brackets(ShellCommand& command) {
        while (at_ < size()) {
            skip_blanks();
            if (now() == '\n') {
                ++at_;
                continue;
            }
            ShellText next = word();
            if (next.empty()) {
                const std::size_t begin = at_;
                while (at_ < size() && std::string_view("<>()&|;").find(now()) != std::string_view::npos) {
                    ++at_;
                }
                next = text_.part(begin, std::max<std::size_t>(at_ - begin, 1));
                at_ = std::max(at_, begin + 1);
            }
            command.words.push_back(next);
            if (next.chars == "]]") {
                return;
            }
        }
    }

    ShellCommand simple() {
        ShellCommand command;
        command.place = place(at_);
        while (true) {
            skip_blanks();
            const char c = now();
            if (at_ >= size() || c == '\n' || c == ';' || c == '|' || c == ')' ||
                (c == '&' && after() != '>')) {
                break;
            }
            if ((c == '<' && placeholder_length() == 0) || c == '>' || c == '&') {
                redirect(command);
                continue;
            }
            if (c == '(') {
                skip_brackets();
                continue;
            }
            const bool names = command.words.empty() || is_declaration(command.words.front().chars);
            if (names && assignment(command)) {
                continue;
            }
            ShellText next = word();
            const bool descriptor = (now() == '<' || now() == '>') && next.chars.size() == 1 &&
                                    std::isdigit(static_cast<unsigned char>(next.chars[0])) != 0;
            if (descriptor) {
                continue;
            }
            command.words.push_back(std::move(next));
            if (command.words.size() == 1 && command.words[0].chars == "[[") {
                double_brackets(command);
            }
        }
        return command;
    }
    static bool is_declaration(std::string_view word) {
        return word == "export" || word == "local" || word == "declare" || word == "readonly" ||
               word == "typeset";
    }

    std::string_view peek_word() const {
        std::size_t i = at_;
        while (i < size() && (is_name_character(text_.chars[i]) || text_.chars[i] == '-')) {
            ++i;
        }
        if (i == at_ && i < size() &&
            (text_.chars[i] == '{' || text_.chars[i] == '}' || text_.chars[i] == '!')) {
            ++i;
        }
        const bool ends = i >= size() || is_blank(text_.chars[i]) || text_.chars[i] == '\n' ||
                          text_.chars[i] == ';' || text_.chars[i] == ')' || text_.chars[i] == '(' ||
                          text_.chars[i] == '&' || text_.chars[i] == '|' || text_.chars[i] == '#';
        return ends ? std::string_view(text_.chars).substr(at_, i - at_) : std::string_view();
    }
    void expect(std::string_view wanted, std::size_t begin) {
        skip_separators();
        if (peek_word() != wanted) {
            fail(begin, "the block that begins here has no '" + std::string(wanted) + "'");
        }
        at_ += wanted.size();
    }

    ShellCommand conditional() {
        ShellCommand command;
        command.kind = ShellCommand::Kind::condition;
        command.place = place(at_);
        const std::size_t begin = at_;
        at_ += 2;
        while (true) {
            command.bodies.push_back(list({"then"}));
            expect("then", begin);
            command.bodies.push_back(list({"elif", "else", "fi"}));
            skip_separators();
            const std::string_view next = peek_word();
            if (next == "elif") {
                at_ += 4;
                continue;
            }
            if (next == "else") {
                at_ += 4;
                command.bodies.push_back(list({"fi"}));
            }
            expect("fi", begin);
            return command;
        }
    }
    ShellCommand loop() {
        ShellCommand command;
        command.place = place(at_);
        const std::size_t begin = at_;
        if (peek_word() == "for" || peek_word() == "select") {
            command.kind = ShellCommand::Kind::loop_for;
            at_ += peek_word().size();
            skip_blanks();
            if (now() == '(') {
                skip_brackets();
            } else {
                command.name = word().chars;
                skip_separators();
                if (peek_word() == "in") {
                    at_ += 2;
                    ShellCommand values = simple();
                    command.words = std::move(values.words);
                }
            }
        } else {
            command.kind = ShellCommand::Kind::loop_while;
            at_ += 5;
            command.bodies.push_back(list({"do"}));
        }
        expect("do", begin);
        command.bodies.push_back(list({"done"}));
        expect("done", begin);
        return command;
    }
    ShellCommand choice() {
        ShellCommand command;
        command.kind = ShellCommand::Kind::choice;
        command.place = place(at_);
        const std::size_t begin = at_;
        at_ += 4;
        skip_blanks();
        command.words.push_back(word());
        expect("in", begin);
        while (true) {
            skip_separators();
            if (at_ >= size()) {
                fail(begin, "the block that begins here has no 'esac'");
            }
            if (peek_word() == "esac") {
                at_ += 4;
                return command;
            }
            std::vector<ShellText> patterns;
            while (at_ < size() && now() != ')') {
                skip_blanks();
                const std::size_t before = at_;
                ShellText pattern = word();
                if (!pattern.empty()) {
                    patterns.push_back(std::move(pattern));
                }
                if (at_ == before && now() != ')') {
                    ++at_;
                }
            }
            ++at_;
            command.patterns.push_back(std::move(patterns));
            command.bodies.push_back(list({"esac"}));
            skip_blanks();
            if (now() == ';' && after() == ';') {
                at_ += 2;
                at_ += now() == '&' ? 1 : 0;
            }
        }
    }
    ShellCommand block(char open, char close) {
        ShellCommand command;
        command.kind = ShellCommand::Kind::group;
        command.place = place(at_);
        const std::size_t begin = at_++;
        if (open == '(' && now() == '(') {  // (( an arithmetic command ))
            at_ = begin;
            skip_brackets();
            command.kind = ShellCommand::Kind::simple;
            ShellText word;
            word.add("((", command.place);
            command.words = {word, text_.part(begin + 2, at_ - begin - 4)};
            return command;
        }
        command.bodies.push_back(list({"}"}));
        skip_separators();
        if (now() != close) {
            fail(begin, std::string("the bracket ") + open + " is not closed");
        }
        ++at_;
        return command;
    }
    bool begins_function() const {
        std::size_t i = at_;
        while (i < size() && (is_name_character(text_.chars[i]) || text_.chars[i] == '-')) {
            ++i;
        }
        std::size_t j = i;
        while (j < size() && is_blank(text_.chars[j])) {
            ++j;
        }
        return i > at_ && j + 1 < size() && text_.chars[j] == '(' && text_.chars[j + 1] == ')';
    }
    ShellCommand function() {
        ShellCommand command;
        command.kind = ShellCommand::Kind::function;
        command.place = place(at_);
        const std::size_t begin = at_;
        if (peek_word() == "function") {
            at_ += 8;
            skip_blanks();
        }
        command.name = word().chars;
        skip_blanks();
        if (now() == '(') {
            skip_brackets();
        }
        skip_separators();
        if (now() != '{' && now() != '(') {
            fail(begin, "the function that begins here has no body");
        }
        ShellCommand body = now() == '{' ? block('{', '}') : block('(', ')');
        command.bodies = std::move(body.bodies);
        return command;
    }

    ShellCommand command() {
        if (++depth_ > deepest_block) {
            fail(at_, "nested more than " + std::to_string(deepest_block) + " deep");
        }
        const std::string_view next = peek_word();
        ShellCommand result;
        if (next == "if") {
            result = conditional();
        } else if (next == "for" || next == "while" || next == "until" || next == "select") {
            result = loop();
        } else if (next == "case") {
            result = choice();
        } else if (next == "{") {
            result = block('{', '}');
        } else if (now() == '(') {
            result = block('(', ')');
        } else if (next == "function" || begins_function()) {
            result = function();
        } else {
            result = simple();
        }
        // What follows a block: redirections.
        skip_blanks();
        while (result.kind != ShellCommand::Kind::simple &&
               (now() == '<' || now() == '>' || (now() == '&' && after() == '>'))) {
            redirect(result);
            skip_blanks();
        }
        --depth_;
        return result;
    }

    std::vector<ShellCommand> list(std::initializer_list<std::string_view> ends) {
        std::vector<ShellCommand> commands;
        while (true) {
            skip_separators();
            if (at_ >= size() || now() == ')' || (now() == ';' && after() == ';')) {
                return commands;
            }
            const std::string_view next = peek_word();
            if (std::find(ends.begin(), ends.end(), next) != ends.end() && !next.empty()) {
                return commands;
            }
            const std::size_t before = at_;
            ShellCommand one = command();
            const std::vector<std::size_t> here = std::move(here_);
            here_.clear();
            skip_blanks();
            if (now() == '&' || now() == '|') {
                while (now() == '&' || now() == '|') {
                    one.sign += now();
                    ++at_;
                }
                skip_blanks();
            }
            if (at_ == before) {
                ++at_;  // a character that begins no command
                continue;
            }
            commands.push_back(std::move(one));
            if (!here.empty()) {
                finish_here_documents(commands.back(), here);
            }
            if (!commands.back().sign.empty()) {
                skip_separators();
            }
        }
    }
    // What follows on the line ("cat <<EOF | tee x") is passed over.
    void finish_here_documents(ShellCommand& command, const std::vector<std::size_t>& here) {
        const std::size_t line_end = text_.chars.find('\n', at_);
        if (line_end == std::string::npos) {
            at_ = size();
            return;
        }
        at_ = line_end + 1;
        for (const std::size_t index : here) {
            read_here_document(command, index);
        }
    }

    const ShellText& text_;
    const std::vector<const std::string*>& files_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::vector<std::size_t> here_;
};

}  // namespace

std::vector<ShellCommand> parse_shell(const ShellText& text, const std::vector<const std::string*>& files) {
    return Parser(text, files).script();
}

}  // namespace traincost
