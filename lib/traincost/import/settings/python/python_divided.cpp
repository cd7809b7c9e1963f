// What a program divides: a step's batch by a rank's, by a length, by its processes.

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "traincost/base/contains_any.hpp"
#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_batch_names.hpp"
#include "traincost/import/settings/python/python_loop.hpp"
#include "traincost/import/settings/python/python_model.hpp"
#include "traincost/import/settings/python/python_told.hpp"

namespace traincost {

namespace {

/// Where the line ends, which goes on within brackets.
std::size_t end_of_line(std::string_view text) {
    int depth = 0;
    std::size_t at = 0;
    for (; at < text.size() && (text[at] != '\n' || depth > 0); ++at) {
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    }
    return at;
}

/// Whether what stands behind a `name` in its line, blanks apart and so far, passes the test.
template <class Test>
bool is_followed(std::string_view text, std::string_view name, std::size_t reach, Test test) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const std::size_t sign = text.find_first_not_of(' ', at + name.size());
        const std::string_view rest = sign == text.npos ? std::string_view() : text.substr(sign, reach);
        if (test(rest.substr(0, end_of_line(rest)))) {
            return true;
        }
    }
    return false;
}

/// Whether the program divides a step's batch by a length: "total_batch_size // (micro_batch * seq_len)".
bool divides_by_length(std::string_view text, std::string_view batch) {
    constexpr std::array<std::string_view, 9> lengths = {"seq",   "block_size", "context", "* t)",   "*t)",
                                                         "* t *", "ctx",        "length",  "max_len"};
    constexpr std::size_t reach = 120;
    return is_followed(text, batch, reach, [&](std::string_view rest) {
        return (rest.starts_with('/') || rest.starts_with('%')) && contains_any(rest, lengths);
    });
}

/// A step's batch that is divided by a length counts tokens, however few.
void name_tokens(Setting& root, std::string_view text) {
    const bool counts_tokens =
        std::any_of(total_names.begin(), total_names.end(),
                    [&](std::string_view name) { return divides_by_length(text, name); });
    for (SettingMember& m : root.members) {
        if (counts_tokens && m.key == "total_batch_size") {
            m.key = "total_batch_tokens";
        }
    }
}

/// Whether the program divides what it calls `name` among its processes.
bool divides_by_world(std::string_view text, std::string_view name) {
    constexpr std::array<std::string_view, 5> worlds = {"world", "num_processes", "gpus", "n_gpu",
                                                        "num_devices"};
    constexpr std::size_t reach = 40;
    return is_followed(text, name, reach, [&](std::string_view rest) {
        return (rest.starts_with("//") || rest.starts_with("/ ")) && contains_any(rest, worlds);
    });
}

/// "batch_size" of "accumulation_steps = batch_size // micro_batch_size".
std::string divided_into(std::string_view text, std::string_view steps) {
    for (std::size_t at = text.find(steps); at != text.npos; at = text.find(steps, at + 1)) {
        const std::string_view rest = text.substr(at + steps.size(), 80);
        if (rest.starts_with(" = ") && (at == 0 || std::isspace(static_cast<unsigned char>(text[at - 1])))) {
            const std::size_t sign = rest.find(" // ");
            std::string name(rest.substr(3, sign == rest.npos ? 0 : sign - 3));
            if (!name.empty() && name != steps && std::all_of(name.begin(), name.end(), is_name_letter)) {
                return name;
            }
        }
    }
    return {};
}

}  // namespace

void put_step_tokens(Setting& root, const std::vector<PythonScope>& scopes, std::string_view said) {
    const std::string text = lower(said);
    for (const std::string_view name : step_token_names) {
        const std::array<std::string_view, 1> names = {name};
        const Setting* tokens = divides_by_length(text, name) ? told(scopes, names, is_count) : nullptr;
        if (tokens != nullptr && !root.has_any({"total_batch_size", "total_batch_tokens"})) {
            put(root, "total_batch_tokens", tokens);
        }
    }
}

void put_rank_batches(Setting& root, const std::vector<PythonScope>& scopes, std::string_view said) {
    static constexpr std::array<std::string_view, 1> names = {"batch_size"};
    const Setting* rank = root.peek("batch_size_per_device");
    const Setting* whole = told(scopes, names, is_count);
    if (rank != nullptr && whole != nullptr && whole->text != rank->text &&
        !root.has_any({"total_batch_size", "total_batch_tokens"}) &&
        divides_by_world(lower(said), "batch_size")) {
        put(root, "total_batch_size", whole);
    }
}

void drop_divided_steps(Setting& root, std::string_view said) {
    const std::string text = lower(said);
    name_tokens(root, text);
    const bool whole = text.find("import jax") != text.npos;
    for (SettingMember& m : root.members) {
        if (whole && m.key == "batch_size" && !root.has("total_batch_size")) {
            m.key = "total_batch_size";  // JAX divides an array among its devices
        }
    }
    if (std::any_of(step_names.begin(), step_names.end(),
                    [&](std::string_view name) { return divides_by_world(text, name); })) {
        std::erase_if(root.members,
                      [](const SettingMember& m) { return m.key == "gradient_accumulation_steps"; });
    }
}

void put_divided_batch(Setting& root, const std::vector<PythonScope>& scopes, std::string_view text) {
    const Setting* known = root.peek("gradient_accumulation_steps");
    if (known == nullptr || as_whole(*known)) {
        return;
    }
    for (const std::string_view steps : step_names) {
        const std::string whole = divides_by_world(text, steps) ? divided_into(text, steps) : std::string();
        if (!whole.empty()) {
            const std::array<std::string_view, 1> name = {whole};
            put(root, "total_batch_size", told(scopes, name, is_count));
            return;
        }
    }
}

}  // namespace traincost
