#include <cli/output.hpp>

#include <traincost/base/error.hpp>
#include <traincost/report/answers/launch_answer.hpp>

#include <filesystem>
#include <fstream>
#include <ostream>

namespace traincost::cli {

void print(const PrintedAnswer& answer, const OutputWish& wish, Context& context) {
    const std::string text = printed(answer, wish, context.style);
    write_or_print(wish.html ? wish.file : std::string(), text, "--output: ", context);
}

void say(Context& context, std::string_view line) {
    context.err << "traincost: " << line << '\n';
}

void say_all(Context& context, const std::string& what, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        say(context, what + line);
    }
}

void say_never_ends(Context& context, const std::optional<std::string>& why) {
    if (why) {
        say(context, "training never ends: " + *why);
    }
}

TakeRemark remarks_to(Context& context) {
    return [&context](const std::string& line) { say(context, line); };
}

void write_file(const std::string& path, const std::string& text, const std::string& what) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
        throw Error(ErrorKind::input, what + path + (what.empty() ? ": cannot" : " cannot") + " be written");
    }
}

void write_or_print(const std::string& path, const std::string& text, const std::string& what,
                    Context& context, const std::string& note) {
    if (path.empty() || path == "-") {
        context.out << text;
        return;
    }
    constexpr std::size_t kib = 1024;
    write_file(path, text, what);
    context.out << path << ": " << (text.size() + kib - 1) / kib << " KiB" << note << '\n';
}

void write_data_records(const std::string& folder, const std::vector<DataRecord>& records, Context& context) {
    for (const DataRecord& record : records) {
        const std::filesystem::path room = std::filesystem::path(folder) / record.room;
        std::error_code failure;
        std::filesystem::create_directories(room, failure);
        const std::string path = (room / (record.id + ".json")).string();
        write_file(path, record.text);
        say(context, path + " written");
    }
}

void write_launch(const LaunchWish& wish, const Job& job, const Sources& sources, Context& context) {
    const LaunchExport launch = launch_of(wish.format, job, sources.catalogue());
    const std::string& folder = wish.folder;
    for (const UnsaidField& unsaid : launch.unsaid) {
        say(context, "not stated by " + wish.format + ": " + to_text(unsaid));
    }
    if (wish.json || folder.empty() || folder == "-") {
        context.out << (wish.json ? json_text(std::string_view(wish.format), launch) : one_script(launch));
        return;
    }
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        throw Error(ErrorKind::input, "-o: the folder '" + folder + "' cannot be made: " + problem.message());
    }
    std::string names;
    for (const LaunchText& file : launch.files) {
        const std::string path = (std::filesystem::path(folder) / file.name).string();
        write_file(path, file.text);
        names += (names.empty() ? "" : ", ") + path;
    }
    context.out << names << '\n';
}

}  // namespace traincost::cli
