// What commands print and write.
#pragma once

#include <cli/context.hpp>
#include <traincost/ask/measured/data_record.hpp>
#include <traincost/ask/measured/remark.hpp>
#include <traincost/ask/sources.hpp>
#include <traincost/report/printed_answer.hpp>
#include <traincost/spec/job.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace traincost::cli {

/// Prints the answer in the form that is wished for; a page goes to its file.
void print(const PrintedAnswer& answer, const OutputWish& wish, Context& context);

/// A line on the error stream.
void say(Context& context, std::string_view line);
/// Each of the lines, behind `what`.
void say_all(Context& context, const std::string& what, const std::vector<std::string>& lines);
/// That training never ends, where it does not, and why.
void say_never_ends(Context& context, const std::optional<std::string>& why);
/// What is told of files. The context must outlive it.
TakeRemark remarks_to(Context& context);

/// `Error` of kind input, behind `what`, where the file cannot be written.
void write_file(const std::string& path, const std::string& text, const std::string& what = {});
/// To the file, whose name and size are said on the output, or to the output where it is "-" or none.
void write_or_print(const std::string& path, const std::string& text, const std::string& what,
                    Context& context, const std::string& note = {});
/// Writes each record below `folder`, and says so on the error stream.
void write_data_records(const std::string& folder, const std::vector<DataRecord>& records, Context& context);
/// Launch files that are asked for.
struct LaunchWish {
    std::string format{};
    std::string folder{};  ///< "-" or none: one script on the output
    bool json = false;
};
/// Writes the job's launch files; what they do not say goes to the error stream.
void write_launch(const LaunchWish& wish, const Job& job, const Sources& sources, Context& context);

}  // namespace traincost::cli
