#include "traincost/import/process_flags.hpp"

#include "traincost/base/text.hpp"
#include "traincost/import/launch_flags.hpp"
#include "traincost/import/launch_words.hpp"

namespace traincost {

namespace {

/// Whether a launcher's own flags end here.
bool starts_program(const std::string& word) {
    const std::string base = base_of(word);
    return is_python(base) || is_one_of(base, {"torchrun", "bash", "sh", "deepspeed", "accelerate"});
}

}  // namespace

Setting word_setting(const std::string& text, ShellPlace place,
                     const std::vector<const std::string*>& files) {
    Setting setting;
    setting.file = files.at(place.file);
    setting.line = static_cast<int>(place.line);
    return scalar_setting(text, setting);
}

void read_srun(const Words& words, std::size_t at, Setting& launcher,
               const std::vector<const std::string*>& files) {
    const std::string program = base_of(words[at - 1].chars);
    for (; at < words.size() && (words[at].chars.starts_with('-') || !words[at - 1].chars.ends_with(".py"));
         ++at) {
        const std::string& word = words[at].chars;
        if (starts_program(word)) {
            return;
        }
        const std::size_t equals = word.find('=');
        std::string name = word.substr(0, equals);
        std::string value = equals != std::string::npos ? word.substr(equals + 1)
                            : at + 1 < words.size()     ? words[at + 1].chars
                                                        : std::string();
        if (word.size() > 2 && word.starts_with("-N")) {  // -N8
            value = word.substr(2);
            name = "-N";
        }
        name = name == "-N"                 ? "--nodes"
               : name == "-G"               ? "--gpus"
               : name == "-n"               ? "--ntasks"
               : name == "--tasks-per-node" ? "--ntasks-per-node"
                                            : name;
        if (is_one_of(name, {"--nodes", "--gpus", "--gpus-per-node", "--gres", "--ntasks-per-node",
                             "--gpus-per-task", "--ntasks"})) {
            Setting setting = word_setting(value, words[at].place(), files);
            setting.name = program + " " + name;
            place_at(launcher, "srun_flags." + key_of(name)) = std::move(setting);
        }
    }
}

void read_mpirun(const Words& words, std::size_t at, Setting& launcher,
                 const std::vector<const std::string*>& files) {
    for (; at + 1 < words.size(); ++at) {
        const std::string& word = words[at].chars;
        if (starts_program(word) || word.ends_with(".py")) {
            return;
        }
        std::string value = words[at + 1].chars;
        std::string_view key;
        if (is_one_of(word, {"-np", "--np", "-n"})) {
            key = "processes";
        } else if (is_one_of(word, {"--npernode", "-npernode", "-N", "-ppn", "--ppn"})) {
            key = "of_node";
        } else if (is_one_of(word, {"--map-by", "-map-by"}) && value.starts_with("ppr:")) {  // ppr:8:node
            key = value.find(":node") != std::string::npos ? "of_node" : "";
            value = value.substr(4, value.find(':', 4) - 4);
        }
        if (!key.empty()) {
            Setting setting = word_setting(value, words[at].place(), files);
            setting.name = "mpirun " + word;
            place_at(launcher, "mpirun_flags." + std::string(key)) = std::move(setting);
        }
    }
}

}  // namespace traincost
