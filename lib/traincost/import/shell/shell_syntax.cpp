#include "traincost/import/shell/shell_syntax.hpp"

#include <algorithm>
#include <initializer_list>

#include "traincost/base/name_letter.hpp"
#include "traincost/import/shell/shell_simple.hpp"

namespace traincost {

namespace {

class Parser : private SimpleCommands {
public:
    using SimpleCommands::SimpleCommands;

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
            command.name = peek_word();
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
        while (i < size() && (is_name_letter(text_.chars[i]) || text_.chars[i] == '-')) {
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
};

}  // namespace

bool is_declaration(std::string_view word) {
    return word == "export" || word == "local" || word == "declare" || word == "readonly" ||
           word == "typeset";
}

std::vector<ShellCommand> parse_shell(const ShellText& text, const std::vector<const std::string*>& files) {
    return Parser(text, files).script();
}

}  // namespace traincost
