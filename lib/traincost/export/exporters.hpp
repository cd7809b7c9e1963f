// A job as the launch files of other frameworks: one private file a format, one row each in exporters.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/spec/job.hpp"

namespace traincost {

/// One file of a launch: the name it is given, and its bytes.
struct LaunchText {
    std::string name;
    std::string text;
};

/// Something of the job that the files do not say.
struct UnsaidField {
    std::string field;  ///< its flag or key, without dashes: "packed-length"
    std::string value;
    std::string why;
    bool operator==(const UnsaidField&) const = default;
};

/// The files of a job, the one that starts it last, and what they leave out. Every field of the job is said
/// by the files, or is among `unsaid`, which stands in the files as comments too.
struct LaunchExport {
    std::vector<LaunchText> files;
    std::vector<UnsaidField> unsaid;
};

/// A format, in words.
struct ExportFormat {
    std::string_view name;  ///< "megatron"
    std::string_view what;  ///< "Megatron-LM arguments in a shell script"
};

/// The formats that are written, in the order of the table.
std::vector<ExportFormat> export_formats();

/// The launch files of `job`. `checkpoint` is what a model hub calls its model; empty: the job's own name.
/// `Error` of kind usage where no format has the name.
LaunchExport export_launch(std::string_view format, const Job& job, std::string_view checkpoint = {});

/// One script that writes the other files beside it and starts the job.
std::string one_script(const LaunchExport& launch);

/// "packed-length 512: no such setting (--packed-length)".
std::string to_text(const UnsaidField& unsaid);

}  // namespace traincost
