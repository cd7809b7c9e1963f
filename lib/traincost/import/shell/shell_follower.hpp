// Follows a script through its branches, loops and functions, and collects what it would start.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/import/shell/shell_state.hpp"

namespace traincost {

/// How a list of commands ended.
enum class Flow : std::uint8_t { on, next_round, leave_loop, left };

class ShellFollower {
public:
    ShellFollower(std::span<const ShellFile> files, const std::map<std::string, std::string>& known,
                  std::string_view select);

    ShellOutcome follow(std::size_t first);

private:
    static constexpr int deepest_shell_call = 24;

    void file(std::size_t index);
    void text(ShellText script);
    Flow run(const std::vector<ShellCommand>& commands);
    static bool leaves(const ShellCommand& command);
    Answer one(const ShellCommand& command, Flow& flow);
    Flow condition(const ShellCommand& command);
    /// Whether one of the branches is for what was selected; the others of its chain are then not taken.
    bool asks_for_selected(const ShellCommand& command) const;
    // Nobody knows which branch is taken: what differs after them is unknown. A branch that ends the script
    // is not the one that trains.
    Flow branches(const std::vector<const std::vector<ShellCommand>*>& bodies);
    static void merge(std::optional<ShellVariable>& variable, const ShellVariable* other);
    static bool same(const ShellVariable& a, const ShellVariable& b);
    // Of lists the common beginning stays known.
    static void blur(ShellVariable& variable, const ShellVariable* other);
    // "--a 1" and "--a 1 --b 2" of one text: what both begin with stays, the flags behind it are unknown.
    static bool keep_beginning(ShellVariable& variable, const ShellVariable& other);
    static void add_flags(ShellText& options, const std::vector<ShellText>& items, std::size_t from);
    Flow choice(const ShellCommand& command);
    Flow loop(const ShellCommand& command);
    // while and until: loops over arguments that are known are followed; of others, which start again what
    // ends or read a file, one round is attempted.
    Flow repeat(const ShellCommand& command);
    // What a body starts counts; what it changes does not, as nobody knows how often it is run.
    void attempt(const std::vector<ShellCommand>& body);

    Answer simple(const ShellCommand& command, Flow& flow);
    void note_exported(const ShellCommand& command, const std::vector<ShellText>& words);
    Answer tested(const std::vector<ShellText>& words);
    bool changes_variables(const ShellCommand& command, const std::vector<ShellText>& words);
    Answer started(const ShellCommand& command, std::vector<ShellText> words, Flow& flow);
    // xpk workload create --command "python3 train.py ...", gcloud ... ssh --command="...": what another
    // machine is to start.
    bool carries(const std::vector<ShellText>& words);
    void add(const ShellCommand& command, std::vector<ShellText> words);
    // TP=2 bash train.sh 8, srun train.sh, sbatch --export=TP=2 train.sh: a given script that is started,
    // with what is set for it alone. Whether it is one.
    bool starts_file(const ShellCommand& command, const std::vector<ShellText>& words);
    bool is_given_script(std::string_view path) const;
    std::vector<std::pair<std::string, ShellText>> set_in_front(const ShellCommand& command);
    // sbatch --wrap="torchrun ...": the command in quotes, with sbatch's flags in front of it.
    bool wrap(const std::vector<ShellText>& words);
    static ShellText joined(const std::vector<ShellText>& words);
    void call(const ShellCommand& function, std::vector<ShellText> words);
    // A script that is sourced or started: followed where it was given.
    bool include(const std::vector<ShellText>& words, bool is_started);
    // read A B C <<< "$text", with IFS; read -r -d '' NAME <<EOF.
    void read_words(const ShellCommand& command, const std::vector<ShellText>& words);
    // cat > file <<EOF, cat <<EOF > file, echo '{...}' > file.
    void written(const ShellCommand& command, const std::vector<ShellText>& words);

    std::span<const ShellFile> files_;
    std::string_view select_;
    std::vector<const std::string*> names_;
    ShellState state_;
    std::vector<ShellText> around_{};  ///< the launcher of the shell whose commands are followed
    std::set<std::string> exported_{};
    ShellOutcome outcome_;
    std::set<std::size_t> followed_now_;  ///< files by their index
    std::map<std::string, const ShellCommand*, std::less<>> functions_;
    std::vector<std::unique_ptr<ShellText>> texts_;
    std::vector<std::unique_ptr<std::vector<ShellCommand>>> parsed_;
    Answer last_ = Answer::yes;
    bool selects_ = true;      ///< tests of what is unknown are of what was selected
    bool has_failed_ = false;  ///< the last exit says so
    int steps_ = 0;
    int depth_ = 0;
};

}  // namespace traincost
