// The functions and names of a Python file, and what its expressions say. Nothing is run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/settings/python/python_given.hpp"
#include "traincost/import/settings/python/python_statement.hpp"
#include "traincost/import/settings/python/python_trainer.hpp"
#include "traincost/import/settings/setting.hpp"

namespace traincost {

struct PythonFunction {
    const PythonStatement* header = nullptr;
    std::vector<const PythonStatement*> body;
    std::vector<const PythonStatement*> inner{};  ///< of the functions and classes it defines
    bool returns = false;
    bool called = false;   ///< by another function of the file
    bool started = false;  ///< named by the file's top, or by a function that returns nothing
};

/// The place where a function is called.
struct PythonSite {
    const PythonStatement* statement = nullptr;
    std::size_t at = 0;    ///< of its bracket
    std::string caller{};  ///< empty at the top
};

/// Whether a statement is run.
enum class PythonReach : std::uint8_t { never, perhaps, surely };

/// Reads one expression of a statement. It never stands behind the end, where every character is '\0'.
class PythonCursor {
public:
    PythonCursor(const PythonStatement& statement, std::size_t at, std::map<std::string, Setting>& known)
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

class PythonRegistry {
public:
    /// `given` must outlive it.
    PythonRegistry(std::string_view text, const std::string& file, const GivenSettings& given);

    std::vector<std::string> names() const;
    /// The one function that no other calls, where the others are its parts: private, or of another type.
    std::string outermost() const;
    /// The values of the file's top, and of each function's body where its parameters are unknown.
    std::vector<PythonScope> scopes();
    bool has(const std::string& name) const;
    /// Whether the function begins with a "return" at the end of its body.
    bool returns(const std::string& name) const;
    /// Whether what runs by itself names the function.
    bool starts(const std::string& name) const;
    /// "main(model_config_builder=build_model, global_batch_size=8)": the parts that the named functions
    /// build, each told as "common" what else the call says. Nothing where no call names builders.
    std::optional<Setting> built();
    Setting call(const std::string& name, const std::map<std::string, Setting>& arguments = {},
                 const std::vector<Setting>& positional = {});
    Setting globals();
    /// What stands at the top of each class.
    const std::map<std::string, Setting>& classes() const {
        return classes_;
    }
    /// The given files that it loads.
    const std::set<std::string>& loaded() const {
        return loaded_;
    }

private:
    /// What the parameters of "def NAME(a, b: int = 8):" are where a call does not say.
    std::map<std::string, Setting> parameters(const PythonStatement& header, std::vector<std::string>& order,
                                              std::map<std::string, Setting>& known);
    /// Marks the functions that others call, and those that what runs by itself names.
    void mark_called();
    void collect();
    /// "AdamW" of the statement in a module's own "configure_optimizers" that makes it.
    static std::string made_optimizer(const PythonStatement& statement);
    /// What stands at the top of a class: its members and what its "__init__" gives them.
    void collect_member(const PythonStatement& statement, const PythonStatement& header);
    /// Whether what stands in the block of that header is run, as far as its condition is known.
    PythonReach entered(const PythonStatement& header, std::map<std::string, Setting>& locals);
    PythonReach reach_of(const PythonStatement& statement) const;
    /// Whether it is run where every loop is.
    bool is_done(const PythonStatement& statement) const;
    Setting empty(int line) const;
    /// What nobody can know without running it: a placeholder, so that no default follows it.
    static Setting unknown(std::string said, const Setting& place);
    /// The name that stands there.
    static std::string word_at(const std::string& text, std::size_t at);
    /// "rows" of "settings['rows']" in front of what is assigned to it, where the settings are known.
    static std::string part_at(const std::string& text, std::size_t at,
                               const std::map<std::string, Setting>& locals);
    // NAME = expression, NAME.attribute.other = expression
    void assign(const PythonStatement& statement, std::map<std::string, Setting>& locals);

    /// "rows, length = 8, 1024": each name its value. Whether there are as many of these as names;
    /// `first` is the first of them, which is evaluated once.
    bool assign_several(const PythonStatement& statement, std::size_t equals,
                        std::map<std::string, Setting>& locals, Setting& first);
    /// "model_args, args = parser.parse_args_into_dataclasses()": the members of the classes that the parser
    /// was made of, as options. Whether the statement is one.
    bool assign_dataclasses(const PythonStatement& statement, std::size_t equals,
                            std::map<std::string, Setting>& locals);
    /// The parameters of a function as they are given in one place, where its caller's names are `known`.
    void bind_called(const PythonSite& site, const std::vector<std::string>& order,
                     std::map<std::string, Setting>& known, std::map<std::string, Setting>& names);
    /// Whether every call of the function stands where nothing is run.
    bool is_never_called(const std::string& name) const;
    /// The names of a function's body, those of its only caller first.
    const PythonScope& scope_of(const std::string& name, std::map<std::string, PythonScope>& all);
    /// What the functions inside of a function make, where its own names are `outer`.
    void note_inner(const PythonFunction& function, PythonScope& inner,
                    const std::map<std::string, Setting>& outer);
    /// Keeps what a statement makes, where its function runs by itself.
    void note_statement(const PythonStatement& statement, std::map<std::string, Setting>& names);
    /// What the methods of classes make, of whose objects nothing is known.
    void add_methods(std::vector<PythonScope>& all);
    /// What an object of a class of the file holds, of those settings that its "__init__" gives it.
    void construct(Setting& object, const std::string& name, const std::map<std::string, Setting>& keywords,
                   const std::vector<Setting>& positional);
    /// Keeps a call whose doing says something: "fully_shard(model)", and what a "with" enters.
    void note_doing(const PythonStatement& statement, std::map<std::string, Setting>& locals);
    /// "train(model=..., trainer=Trainer(...))": what is made where it is handed over has the names it is
    /// handed under.
    static void note_handed(const Setting& call, std::map<std::string, Setting>& locals);
    /// "with open(path) as f:": the name stands for the path.
    void note_opened(const PythonStatement& statement, std::map<std::string, Setting>& locals);
    /// The settings of a given file that the call loads.
    std::optional<Setting> loaded_by(const std::string& name, const std::vector<Setting>& positional,
                                     const std::map<std::string, Setting>& keywords);
    /// Gives an object of settings what the command line says of its members, by their paths.
    void tell(Setting& object, const std::string& path) const;
    /// The same for the parameters of a function that the command line calls, as Fire's.
    void tell_parameters(const std::vector<std::string>& order, std::map<std::string, Setting>& values) const;
    /// What a decorator hands to the function's first parameter: Hydra's settings, an object of options.
    void hand_settings(const Setting& decoration, const std::vector<std::string>& order,
                       std::map<std::string, Setting>& values);
    /// Adds the classes whose members the program names without making an object: "Config.rows".
    void add_namespaces(std::vector<PythonScope>& all) const;
    /// Steps over "a, b:" of "lambda a, b: c".
    static void skip_parameters(PythonCursor& cursor);
    /// Steps over what is done with a call's result, and keeps what is made for it.
    void follow_result(PythonCursor& cursor, Setting& made);
    /// The functions that a command line calls: "fire.Fire(train)".
    void mark_told(const PythonStatement& statement);
    /// What "from config import settings" brings from a module that is given.
    void import_given(const PythonStatement& statement);
    /// "from transformers import AutoModelForCausalLM as Model": the class as its library calls it.
    std::string library_name(const std::string& path) const;
    /// An object made within a branch: in one of a loop's rounds, or perhaps not at all.
    static void note_made(const std::string& path, const Setting& object, bool surely,
                          std::map<std::string, Setting>& locals);
    /// "@click.option(...)": what the function below it is told where nobody says more.
    void decorate(const PythonStatement& statement);
    /// Whether the value is what a method of the settings of that name returns: those, changed by arguments.
    static bool is_changed_copy(const Setting& value, const std::string& name,
                                const std::map<std::string, Setting>& locals);
    /// Whether each round of a loop gives a name that is new the same number or text.
    bool repeats(const PythonStatement& statement, const std::string& path, const Setting& value,
                 const std::map<std::string, Setting>& locals) const;
    /// Gives the value to a name, or to a part of what it holds; nobody knows it where the statement may not
    /// be reached.
    void store(const std::string& path, Setting value, bool conditional,
               std::map<std::string, Setting>& locals);

    Setting expression(const PythonStatement& statement, std::size_t at,
                       std::map<std::string, Setting>& locals);
    /// What holds a condition's value; nothing where it depends on what nobody knows.
    static std::optional<bool> truth_of(const Setting& value);
    /// "8 if condition else 16", where the condition is known or both are the same.
    Setting choice(PythonCursor& cursor);
    /// "unknown or 8" is 8, "8 or 16" is 8.
    Setting either(PythonCursor& cursor);
    Setting compared(PythonCursor& cursor);
    /// Steps over a word that stands there.
    static bool takes(PythonCursor& cursor, std::string_view word);
    static char now(PythonCursor& cursor);
    Setting computed(char sign, const Setting& a, const Setting& b) const;
    Setting sum(PythonCursor& cursor);
    Setting product(PythonCursor& cursor);
    Setting value(PythonCursor& cursor);
    Setting primary(PythonCursor& cursor);
    /// The string whose quote stands there.
    Setting literal(PythonCursor& cursor) const;
    /// f"{organisation}/{name}", where both are known.
    Setting filled(const PythonCursor& cursor, const Setting& text) const;
    /// "settings['rows']", "sizes[0]".
    static Setting part_of(Setting whole, const Setting& keys);
    /// "args.batch_size", where the name holds an object whose parts are known.
    const Setting* attribute(const PythonCursor& cursor, const std::string& word) const;
    /// Values that hold each other, again and again, grow without end.
    void count_copy(const Setting& value);
    /// What a name stands for: a local, a name of the file, a class.
    const Setting* named(const PythonCursor& cursor, const std::string& word) const;
    Setting bracket(PythonCursor& cursor, char close);
    /// settings.get("rows", 4): the member of an object that is known, or what stands in for it.
    Setting looked_up(PythonCursor& cursor, const std::string& object, std::vector<Setting> arguments);
    /// The arguments of a call, behind its bracket.
    void read_arguments(PythonCursor& cursor, std::vector<Setting>& positional,
                        std::map<std::string, Setting>& keywords);
    /// The few calls whose result is plain: a number made of a number, a dictionary, what stands in for an
    /// OmegaConf's settings: of the command line, laid over each other, of a map.
    std::optional<Setting> settings_call(const std::string& name,
                                         const std::vector<Setting>& positional) const;
    /// unset variable of the environment, a copy with some members replaced.
    std::optional<Setting> known_call(const std::string& name, const std::vector<Setting>& positional,
                                      const std::map<std::string, Setting>& keywords);
    /// add_argument("-b", "--batch-size", default=8): what the option is where nobody gives it.
    void add_option(Setting& options, const std::vector<Setting>& positional,
                    const std::map<std::string, Setting>& keywords) const;
    /// The options that an argument parser was told so far, of the call that adds one or parses them.
    std::optional<Setting> parser_call(PythonCursor& cursor, const std::string& name,
                                       const std::vector<Setting>& positional,
                                       const std::map<std::string, Setting>& keywords);
    /// "plan.startswith('zero')" of a text that is known.
    std::optional<Setting> asked_text(const PythonCursor& cursor, const std::string& name,
                                      const std::vector<Setting>& positional) const;
    /// "fabric.setup_module(model)": the one object that it is given.
    static const Setting* prepared_object(const std::string& name, const std::vector<Setting>& given);
    /// The format of ".to(torch.bfloat16)", ".half()".
    static void put_cast(Setting& object, const std::string& name, const std::vector<Setting>& positional,
                         const std::map<std::string, Setting>& keywords);
    /// The object, and the format that "model.to(torch.bfloat16)" stores it in.
    static Setting cast_object(const Setting& object, const std::string& name,
                               const std::vector<Setting>& positional,
                               const std::map<std::string, Setting>& keywords);
    /// "model.to(device)": the object itself, of whose methods nothing is followed.
    const Setting* returned_object(const PythonCursor& cursor, const std::string& name) const;
    Setting called(PythonCursor& cursor, const std::string& name, const Setting& place);

    const std::string& file_;
    const GivenSettings& given_;
    std::set<std::string> loaded_;
    std::map<std::string, std::string> renamed_;  ///< of what is imported "as" another name
    std::vector<PythonStatement> statements_;
    std::vector<const PythonStatement*> top_;  ///< outside of functions and classes
    std::map<std::string, PythonFunction> functions_;
    std::map<std::string, Setting> globals_;
    std::map<std::string, Setting> classes_;                                         ///< their members
    std::map<const PythonStatement*, std::vector<const PythonStatement*>> methods_;  ///< their bodies
    std::map<const PythonStatement*, PythonReach> entered_;
    std::map<std::string, std::vector<PythonSite>> sites_;
    std::set<std::string> imported_;
    std::map<std::string, const PythonStatement*> makers_;  ///< of classes: "def __init__(self, ...):"
    Setting decoration_;                                    ///< of the function that follows
    std::map<const PythonStatement*, Setting> decorated_;
    Setting made_options_;  ///< of the parser that a function made last
    int depth_ = 0;
    std::set<const PythonStatement*> told_by_line_;  ///< headers of functions that a command line calls
    int objects_ = 0;
    std::int64_t copied_ = 0;
    int calls_ = 0;
};

}  // namespace traincost
