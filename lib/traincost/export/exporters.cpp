#include "traincost/export/exporters.hpp"

#include <algorithm>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/export/formats.hpp"

namespace traincost {

namespace {

/// `read_as` is the name by which readers find their stack; `degrees` are those of tp, pp and cp that it has.
struct Exporter {
    ExportFormat format;
    std::string_view read_as;
    std::string_view degrees;
    LaunchTexts (*write)(JobWords& words);
};

// clang-format off
constexpr Exporter exporters[] = {
    {{"megatron", "Megatron-LM arguments in a shell script"}, "megatron", "tp pp cp", write_megatron},
    {{"deepspeed", "DeepSpeed JSON, and a script that starts a Hugging Face trainer with it"}, "hf-arguments-deepspeed", "", write_deepspeed},
    {{"torchtitan", "torchtitan TOML, and a script"}, "torchtitan", "tp pp cp", write_torchtitan},
    {{"accelerate", "Accelerate YAML with FSDP, and a script that starts a Hugging Face trainer with it"}, "hf-arguments", "tp cp", write_accelerate},
    {{"nanotron", "nanotron YAML, and a script"}, "nanotron", "tp pp cp", write_nanotron},
    {{"axolotl", "axolotl YAML, and a script"}, "axolotl", "tp cp", write_axolotl},
    {{"llama-factory", "LLaMA-Factory YAML with DeepSpeed JSON, and a script"}, "llama-factory-deepspeed", "", write_llama_factory},
    {{"nemo", "NeMo 1 YAML, and a script"}, "nemo", "tp pp cp", write_nemo},
    {{"torchtune", "torchtune YAML, and a script"}, "torchtune", "tp cp", write_torchtune},
    {{"maxtext", "MaxText YAML over base.yml, and a script"}, "maxtext", "tp pp cp", write_maxtext},
};
// clang-format on

/// "16 x h100-sxm5-80gb" and what is not said, as lines of comments.
std::string notes_of(const Job& job, const std::vector<UnsaidField>& unsaid) {
    std::string text = "# " + job.model.name + " on " + std::to_string(job.cluster.accelerators) + " x " +
                       job.cluster.accelerator.id +
                       ".\n"
                       "# To be added: data, tokenizer or weights, learning rate, length of the\n"
                       "# training.\n";
    if (!unsaid.empty())
        text += "# Not stated by these files:\n";
    for (const UnsaidField& each : unsaid)
        text += "#   " + to_text(each) + "\n";
    return text;
}

/// Comments stand behind "#!/bin/bash", where Slurm's header may follow.
void insert_notes(const std::string& notes, LaunchText& file) {
    const std::size_t begin = file.text.starts_with("#!") ? file.text.find('\n') + 1 : 0;
    file.text.insert(begin, notes);
}

}  // namespace

std::string one_script(const LaunchExport& launch) {
    std::string text = launch.files.back().text;
    std::string others;
    for (const LaunchText& file : launch.files) {
        if (&file != &launch.files.back())
            others += "cat > " + file.name + " <<'END_OF_FILE'\n" + file.text + "END_OF_FILE\n";
    }
    std::size_t begin = 0;  // behind the comments, where Slurm's header is one of them
    while (begin < text.size() && text[begin] == '#')
        begin = text.find('\n', begin) + 1;
    return text.insert(begin, others);
}

std::vector<ExportFormat> export_formats() {
    std::vector<ExportFormat> formats;
    for (const Exporter& exporter : exporters)
        formats.push_back(exporter.format);
    return formats;
}

LaunchExport export_launch(std::string_view format, const Job& job, std::string_view checkpoint) {
    std::vector<std::string> names;
    for (const Exporter& exporter : exporters) {
        names.emplace_back(exporter.format.name);
        if (exporter.format.name != format)
            continue;
        JobWords words({exporter.format.name, exporter.read_as, exporter.degrees}, job, checkpoint);
        LaunchExport out{exporter.write(words), words.left_out()};
        const std::string notes = notes_of(job, out.unsaid);
        const auto commented = std::find_if(out.files.begin(), out.files.end(), [](const LaunchText& file) {
            return !file.name.ends_with(".json");
        });
        if (commented != out.files.end())
            insert_notes(notes, *commented);
        return out;
    }
    std::string allowed;
    for (const std::string& name : names)
        allowed += (allowed.empty() ? "" : ", ") + name;
    throw Error(ErrorKind::usage, "--to: unknown value '" + std::string(format) + "'; allowed: " + allowed +
                                      did_you_mean(format, names));
}

}  // namespace traincost
