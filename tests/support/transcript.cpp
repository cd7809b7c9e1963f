#include "transcript.hpp"

#include <cli/app.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace traincost::test {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

Transcript parse_transcript(std::string_view text, int first_line) {
    Transcript transcript;
    const std::vector<std::string> lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].starts_with("$ ")) {
            (transcript.exchanges.empty() ? transcript.preamble : transcript.exchanges.back().expected) +=
                lines[i] + '\n';
            continue;
        }
        Exchange exchange{.line = first_line + static_cast<int>(i),
                          .command = lines[i].substr(2),
                          .source = lines[i] + '\n',
                          .expected = ""};
        while (exchange.command.ends_with('\\') && i + 1 < lines.size()) {
            ++i;
            exchange.command.pop_back();
            exchange.command += lines[i];
            exchange.source += lines[i] + '\n';
        }
        transcript.exchanges.push_back(exchange);
    }
    return transcript;
}

std::vector<std::string> split_words(std::string_view command) {
    std::vector<std::string> words;
    std::string word;
    bool in_word = false;
    char quote = 0;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (quote != 0 && c == quote) {
            quote = 0;
        } else if (quote == '\'') {
            word += c;
        } else if (c == '\\' && i + 1 < command.size()) {
            word += command[++i];
            in_word = true;
        } else if (quote != 0) {
            word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            in_word = true;
        } else if (c == ' ' || c == '\t') {
            if (in_word) {
                words.push_back(word);
            }
            word.clear();
            in_word = false;
        } else {
            word += c;
            in_word = true;
        }
    }
    if (in_word) {
        words.push_back(word);
    }
    return words;
}

std::string run_in_process(const std::string& command, const TextStyle& style) {
    std::vector<std::string> words = split_words(command);
    if (words.empty() || words.front() != "traincost") {
        throw std::runtime_error("not a traincost command: " + command);
    }
    words.erase(words.begin());
    std::istringstream in;
    if (words.size() >= 2 && words[words.size() - 2] == "<") {
        in.str(read_file(words.back()));
        words.resize(words.size() - 2);
    }
    std::ostringstream out, err;
    const int exit_code = cli::run(words, in, out, err, style);
    std::string text = out.str();
    if (!text.empty() && !text.ends_with('\n')) {
        text += "\n[no end of line]\n";
    }
    for (const std::string& line : lines_of(err.str())) {
        text += "! " + line + '\n';
    }
    return text + (exit_code == 0 ? "" : "[exit " + std::to_string(exit_code) + "]\n");
}

bool matches(std::string_view expected, std::string_view actual) {
    const auto wildcard = expected.find("...");
    if (wildcard == expected.npos) {
        return expected == actual;
    }
    if (actual.substr(0, wildcard) != expected.substr(0, wildcard)) {
        return false;
    }
    // The part up to the next wildcard may stand anywhere in the rest: the first place is as good as any,
    // except that the last part must stand at the end.
    expected.remove_prefix(wildcard + 3);
    actual.remove_prefix(wildcard);
    const auto next = expected.find("...");
    if (next == expected.npos) {
        return actual.ends_with(expected);
    }
    const auto found = actual.find(expected.substr(0, next));
    return found != actual.npos && matches(expected, actual.substr(found));
}

bool update_wanted() {
    const char* value = std::getenv("UPDATE_GOLDEN");
    return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

}  // namespace traincost::test
