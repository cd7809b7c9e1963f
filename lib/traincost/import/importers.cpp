#include "traincost/import/importers.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/error.hpp"
#include "traincost/import/completion.hpp"
#include "traincost/import/formats.hpp"
#include "traincost/import/launch_document.hpp"
#include "traincost/import/setting_files.hpp"

namespace traincost {

namespace {

/// How the settings of one framework are recognised and read. A companion holds the part of a job whose rest
/// stands in another file.
struct Importer {
    std::string_view name;
    int (*recognise)(const Setting& root);
    void (*read)(const Setting& root, FactSheet& sheet);
    bool companion = false;
};

// clang-format off
constexpr Importer importers[] = {
    {"axolotl", recognise_axolotl, read_axolotl},
    {"llama-factory", recognise_llama_factory, read_llama_factory},
    {"hf-arguments", recognise_hf_arguments, read_hf_arguments},
    {"accelerate", recognise_accelerate, read_accelerate, true},
    {"deepspeed", recognise_deepspeed, read_deepspeed, true},
};
// clang-format on

/// Fewer points than these are a coincidence.
constexpr int enough = 30;

const Importer* importer_of(const Setting& root) {
    const Importer* best = nullptr;
    int most = enough - 1;
    for (const Importer& importer : importers) {
        if (const int score = importer.recognise(root); score > most) {
            most = score;
            best = &importer;
        }
    }
    return best;
}

/// What the files say in one format: configurations in their order, then the commands that overrule them.
struct Part {
    const Importer* importer;
    Setting root;
};

[[noreturn]] void fail_unknown(const LaunchFile& file) {
    std::string known;
    for (const Importer& importer : importers) {
        known += (known.empty() ? "" : ", ") + std::string(importer.name);
    }
    throw Error(ErrorKind::input,
                std::vector<Problem>{
                    {.path = file.name, .message = "is no launch file of a format that is read: " + known}});
}

std::vector<Part> parts_of(std::span<const LaunchFile> files) {
    std::vector<Part> parts;
    for (const LaunchFile& file : files) {
        if (file.text.size() > largest_launch_file) {
            throw Error(
                ErrorKind::input,
                std::vector<Problem>{{.path = file.name,
                                      .message = "has " + std::to_string(file.text.size() >> 20) +
                                                 " MiB; a launch file may have at most " +
                                                 std::to_string(largest_launch_file >> 20) + " MiB"}});
        }
        bool known = false;
        for (LaunchDocument& document : parse_documents(file.name, file.text)) {
            const Importer* importer = importer_of(document.root);
            if (importer == nullptr) {
                continue;
            }
            known = true;
            const auto same = std::find_if(parts.begin(), parts.end(),
                                           [&](const Part& part) { return part.importer == importer; });
            if (same == parts.end()) {
                parts.push_back({importer, std::move(document.root)});
            } else {
                overlay(same->root, document.root);
            }
        }
        if (!known) {
            fail_unknown(file);
        }
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
        return !a.importer->companion && b.importer->companion;
    });
    return parts;
}

}  // namespace

int points(const Setting& root, Paths paths, int each) {
    int sum = 0;
    for (const std::string_view path : paths) {
        sum += root.has(path) ? each : 0;
    }
    return sum;
}

std::vector<std::string_view> launch_formats() {
    std::vector<std::string_view> names;
    for (const Importer& importer : importers) {
        names.push_back(importer.name);
    }
    return names;
}

LaunchReading read_launch_files(std::span<const LaunchFile> files, std::string_view) {
    FactSheet all;
    for (const Part& part : parts_of(files)) {
        FactSheet sheet;
        part.importer->read(part.root, sheet);
        if (all.reading.format.empty()) {
            all.reading.format = part.importer->name;
        }
        merge_into(all, sheet);
        list_unread(part.root, all.reading.unread);
    }
    complete(all);
    return std::move(all.reading);
}

}  // namespace traincost
