#include "traincost/import/recognise.hpp"

#include "traincost/base/name_letter.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace traincost {

namespace {

constexpr std::size_t lines_looked_at = 400;

std::string_view trimmed(std::string_view line) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) {
        line.remove_prefix(1);
    }
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
        line.remove_suffix(1);
    }
    return line;
}

/// How many characters at the start of `line` make a name; dots and hyphens count inside it.
std::size_t name_length(std::string_view line) {
    std::size_t n = 0;
    while (n < line.size() && (is_name_letter(line[n]) || ((line[n] == '.' || line[n] == '-') && n > 0))) {
        ++n;
    }
    return n;
}

bool starts_with_any(std::string_view line, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return line.starts_with(w); });
}

/// Votes of one line for each syntax.
struct Votes {
    int toml = 0, yaml = 0, python = 0, shell = 0, log = 0;
};

bool looks_like_step(std::string_view line) {
    const auto holds = [&](std::string_view part) { return line.find(part) != line.npos; };
    return (holds("iteration ") && holds("elapsed time per iteration")) ||
           (holds("step:") && holds("loss:") && holds("tps:")) || (holds("{'loss':") && holds("'epoch':")) ||
           (holds("completed step:") && holds("seconds:"));
}

/// Whether " = name(" begins `rest`, which is Python's alone.
bool assigns_call(std::string_view rest) {
    std::string_view value = trimmed(trimmed(rest).substr(1));
    const std::size_t n = name_length(value);
    return n > 0 && n < value.size() && value[n] == '(';
}

/// Whether " = value" is of Python alone: True, a product, a dictionary with its first key.
bool assigns_python(std::string_view rest) {
    const std::string_view value = trimmed(trimmed(rest).substr(1));
    if (starts_with_any(value, {"True", "False", "None"})) {
        return true;
    }
    if (value == "{") {  // a table of TOML stands on one line
        return true;
    }
    if (value.starts_with("{")) {
        const std::string_view key = trimmed(value.substr(1));
        const std::size_t end = key.empty() ? key.npos : key.find(key.front(), 1);
        return (key.starts_with("'") || key.starts_with("\"")) && end != key.npos &&
               trimmed(key.substr(end + 1)).starts_with(":");
    }
    const std::size_t sign = value.find_first_of("*/");
    return sign != value.npos && value.find_first_of("\"'#") > sign && std::isdigit(value.front()) != 0;
}

/// Whether a line is a parameter of a function of Python: "rows: int = 4,", of which `rest` follows the name.
bool is_parameter(std::string_view line, std::string_view rest) {
    return line.back() == ',' &&
           starts_with_any(rest, {": int", ": str", ": float", ": bool", ": list", ": dict", ": Optional[",
                                  ": Path", ": List[", ": Literal["});
}

void vote(std::string_view raw, Votes& votes) {
    const std::string_view line = trimmed(raw);
    if (line.empty()) {
        return;
    }
    if (looks_like_step(line)) {
        votes.log += 20;
        return;
    }
    if (starts_with_any(line, {"#SBATCH", "#PBS", "#BSUB"})) {
        votes.shell += 5;
        return;
    }
    if (line.front() == '#') {
        return;
    }
    const bool indented = raw.front() == ' ' || raw.front() == '\t';
    if (!indented && starts_with_any(line, {"def ", "import ", "from ", "class ", "@"})) {
        votes.python += 5;
        return;
    }
    if (starts_with_any(line, {"export ",    "torchrun ",   "python",      "srun ",       "accelerate launch",
                               "deepspeed ", "if [",        "then",        "fi",          "source ",
                               "echo ",      "module load", "set -",       "cd ",         "bash ",
                               "--",         "litgpt ",     "tune run",    "axolotl ",    "llamafactory-cli",
                               "composer ",  "CUDA_",       "mpirun ",     "for ",        "done",
                               "./",         "sbatch ",     "msrun ",      "colossalai ", "ft_launcher ",
                               "aprun ",     "gcloud ",     "lightning ",  "fabric ",     "poetry ",
                               "nohup ",     "sudo ",       "docker run ", "mpiexec ",    "swift ",
                               "megatron ",  "nemo llm",    "xtuner ",     "trl ",        "fast-llm "}) ||
        line.ends_with("; then") || line.ends_with("; do") || line.ends_with("\\")) {
        votes.shell += line.ends_with("\\") ? 3 : 2;
    }
    if (line.front() == '[' && line.back() == ']' && line.find_first_of("=,{\"") == line.npos && !indented &&
        line.size() > 2) {
        votes.toml += 5;
        return;
    }
    if (line == "-" || line.starts_with("- ")) {
        votes.yaml += 1;
        return;
    }
    const std::size_t begin = line.front() == '"' || line.front() == '\'' ? 1 : 0;
    const std::size_t n = name_length(line.substr(begin));
    std::string_view rest = line.substr(begin + n);
    if (n == 0) {
        return;
    }
    if (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) {
        rest.remove_prefix(1);
    }
    if (is_parameter(line, rest)) {
        votes.python += 2;
        return;
    }
    if (rest == ":" || rest.starts_with(": ") || rest.starts_with(" :")) {
        const bool in_braces =
            begin > 0 && (line.ends_with(",") || line.ends_with("{"));  // of JSON, of Python
        votes.yaml += in_braces ? 0 : 2;
    } else if (rest.starts_with(" =") || (rest.starts_with("  ") && trimmed(rest).starts_with("="))) {
        votes.toml += 1;
        votes.python += indented ? 1 : assigns_python(rest) ? 60 : assigns_call(rest) ? 5 : 1;
    } else if (indented && rest.starts_with("=") && line.ends_with(",")) {
        votes.python += 2;  // an argument of a call
    } else if (rest.starts_with("=") || rest.starts_with("+=(") || rest.starts_with("()")) {
        votes.shell += 2;
        if (indented) {
            votes.python += 1;
        }
    }
}

/// "EOF" of "cat > config.yaml << 'EOF'"; empty where the line begins no here-document.
std::string_view end_of_written(std::string_view line) {
    line = trimmed(line);
    const std::size_t at = line.find("<<");
    if (at == line.npos || !starts_with_any(line, {"cat ", "tee ", "sudo tee "}) ||
        line.substr(at).starts_with("<<<")) {
        return {};
    }
    std::string_view word = trimmed(line.substr(at + 2));
    while (!word.empty() &&
           (word.front() == '-' || word.front() == '\'' || word.front() == '"' || word.front() == ' ')) {
        word.remove_prefix(1);
    }
    return word.substr(0, name_length(word));
}

char first_character(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        if (!line.empty() && line.front() != '#') {
            return line.front();
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return '\0';
}

}  // namespace

/// Whether the first line that is no comment imports something, or begins the text of what a module is.
bool begins_as_module(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        if (!line.empty() && line.front() != '#') {
            return starts_with_any(line, {"\"\"\"", "'''", "r\"\"\""}) ||
                   (starts_with_any(line, {"import ", "from "}) && line.find(':') == line.npos);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

Content recognise(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) {
        text.remove_prefix(3);
    }
    if (text.starts_with("#!")) {
        const std::string_view line = text.substr(0, text.find('\n'));
        return line.find("python") != line.npos ? Content::python : Content::shell;
    }
    Votes votes{.python = begins_as_module(text) ? 60 : 0};
    std::string_view rest = text;
    std::string_view written_until;  // the word that ends a here-document, which is another file's text
    for (std::size_t i = 0; i < lines_looked_at && !rest.empty(); ++i) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        if (!written_until.empty()) {
            written_until = trimmed(line) == written_until ? std::string_view() : written_until;
        } else if (end > 0) {
            vote(line, votes);
            written_until = end_of_written(line);
            votes.shell += written_until.empty() ? 0 : 5;
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (votes.log >= 20 && votes.log > votes.yaml + votes.shell) {
        return Content::log;
    }
    if (first_character(text) == '{') {
        return Content::json;
    }
    const bool assigns = votes.python > 2 && votes.python >= votes.toml && votes.python > votes.shell;
    if (assigns && votes.python > votes.yaml && (votes.python >= 5 || votes.toml == votes.python)) {
        return Content::python;
    }
    if (votes.shell > votes.yaml && votes.shell > votes.toml) {
        return Content::shell;
    }
    return votes.toml > votes.yaml ? Content::toml : Content::yaml;
}

}  // namespace traincost
