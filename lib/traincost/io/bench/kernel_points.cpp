#include "traincost/io/bench/kernel_points.hpp"

#include <array>
#include <filesystem>
#include <map>

#include "traincost/io/json.hpp"

namespace traincost {

namespace {

constexpr std::array<std::pair<std::string_view, GemmFormat>, 7> formats = {
    {{"bf16", GemmFormat::bf16},
     {"bfloat16", GemmFormat::bf16},
     {"fp16", GemmFormat::bf16},
     {"fp8", GemmFormat::fp8},
     {"fp8_block", GemmFormat::fp8_block},
     {"fp4", GemmFormat::fp4},
     {"nvfp4", GemmFormat::fp4}}};
constexpr std::array<std::pair<std::string_view, Collective>, 7> collectives = {
    {{"all_reduce", Collective::all_reduce},
     {"all_gather", Collective::all_gather},
     {"reduce_scatter", Collective::reduce_scatter},
     {"all_to_all", Collective::all_to_all},
     {"alltoall", Collective::all_to_all},
     {"broadcast", Collective::broadcast},
     {"send_recv", Collective::send_recv}}};

template <class T, std::size_t n>
std::optional<T> named(std::string_view name, const std::array<std::pair<std::string_view, T>, n>& known) {
    for (const auto& [key, value] : known) {
        if (key == name)
            return value;
    }
    return std::nullopt;
}

double positive_number(const JsonNode& node) {
    const double x = node.number();
    if (!(x > 0.0))
        node.fail("must be more than 0");
    return x;
}

/// Counts what is passed over, by what it is called.
class Unused {
public:
    void add(const std::string& what) {
        ++counts_[what];
    }
    void remark(const std::string& file, std::vector<std::string>& remarks) const {
        std::string text;
        for (const auto& [what, n] : counts_)
            text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + what;
        if (!text.empty())
            remarks.push_back(file + ": not used: " + text);
    }

private:
    std::map<std::string, int> counts_;
};

class Lines {
public:
    explicit Lines(KernelFile& file) : file_(file) {
    }

    void read(const JsonDocument& document) {
        const JsonNode node(document);
        JsonObject line(node);
        const auto kind = line.find("kind");
        const std::string what = kind                                  ? kind->string()
                                 : document.root.find("op") != nullptr ? "nccl"
                                                                       : "gemm";
        const auto accelerator = line.find("accelerator");
        const std::string chip = accelerator ? accelerator->string() : "";
        if (what == "device")
            device(line);
        else if (what == "gemm")
            gemm(line, chip);
        else if (what == "gemm_square")
            square(line, chip);
        else if (what == "nccl")
            nccl(line, chip);
        else
            unused_.add(what);
    }

    /// Gives points that named no accelerator the file's.
    void finish(const std::string& path) {
        for (MeasuredGemm& point : file_.gemms)
            point.accelerator = point.accelerator.empty() ? device_ : point.accelerator;
        for (MeasuredCollective& point : file_.collectives)
            point.accelerator = point.accelerator.empty() ? device_ : point.accelerator;
        unused_.remark(path, file_.remarks);
    }

private:
    void device(JsonObject& line) {
        const JsonNode name = line.at("name");
        if (!device_.empty() && device_ != name.string())
            name.fail("'" + name.string() + "', but earlier lines are for '" + device_ +
                      "'; a file holds one accelerator");
        device_ = name.string();
        if (const auto torch = line.find("torch"))
            file_.software = "PyTorch " + torch->string();
    }

    std::optional<GemmFormat> format(JsonObject& line, const std::string& what) {
        auto name = line.find("format");
        // A plain product of 8-bit inputs is not the quantising kernel that "fp8" stands for.
        const bool plain = !name;
        if (!name)
            name = line.at("dtype");
        const auto known = named(name->string(), formats);
        if (!known && !plain) {
            name->fail("'" + name->string() + "'; must be bf16, fp8, fp8_block or fp4");
        }
        if (!known || (plain && *known != GemmFormat::bf16)) {
            unused_.add(what + " in " + name->string());
            return std::nullopt;
        }
        return known;
    }

    void gemm(JsonObject& line, const std::string& chip) {
        const auto kind = format(line, "gemm");
        if (!kind)
            return;
        const auto tokens = line.find("tokens");
        const double m = positive_number(tokens ? *tokens : line.at("m"));
        const double n = positive_number(line.at("n"));
        const double k = positive_number(line.at("k"));
        const auto add = [&](GemmPass pass, const JsonNode& us) {
            file_.gemms.push_back({chip, *kind, pass, m, n, k, positive_number(us), us.document().file});
        };
        const auto us = line.find("us");
        add(GemmPass::forward, us ? *us : line.at("fwd_us"));
        if (const auto dgrad = line.find("dgrad_us"))
            add(GemmPass::dgrad, *dgrad);
        if (const auto wgrad = line.find("wgrad_us"))
            add(GemmPass::wgrad, *wgrad);
    }

    void square(JsonObject& line, const std::string& chip) {
        const auto kind = format(line, "gemm_square");
        if (!kind)
            return;
        const double n = positive_number(line.at("n"));
        const JsonNode us = line.at("us");
        file_.gemms.push_back(
            {chip, *kind, GemmPass::forward, n, n, n, positive_number(us), us.document().file});
    }

    void nccl(JsonObject& line, const std::string& chip) {
        const JsonNode op = line.at("op");
        const auto collective = named(op.string(), collectives);
        if (!collective) {
            unused_.add("nccl " + op.string());
            return;
        }
        const JsonNode us = line.at("us");
        file_.collectives.push_back({chip, *collective, line.at("gpus").integer(2),
                                     positive_number(line.at("bytes")), positive_number(us),
                                     us.document().file});
    }

    KernelFile& file_;
    std::string device_;
    Unused unused_;
};

/// The numbers of a row of a table.
template <std::size_t n>
std::array<double, n> row(const JsonNode& node) {
    const std::vector<JsonNode> items = node.items();
    if (items.size() != n)
        node.fail("has " + std::to_string(items.size()) + " numbers; must have " + std::to_string(n));
    std::array<double, n> xs{};
    for (std::size_t i = 0; i < n; ++i)
        xs[i] = positive_number(items[i]);
    return xs;
}

JsonNode child(const JsonDocument& document, const JsonMember& member) {
    return JsonNode(document, member.value);
}

const JsonValue::Object& members(const JsonNode& node) {
    if (!node.is_object())
        node.fail("must be an object");
    return *node.value().object();
}

void read_gemm_tables(const JsonDocument& document, KernelFile& file, Unused& unused) {
    for (const JsonMember& accelerator : members(JsonNode(document, *document.root.find("tables")))) {
        for (const JsonMember& format : members(child(document, accelerator))) {
            const auto known = named(format.key, formats);
            if (!known) {
                unused.add("table of " + format.key);
                continue;
            }
            const std::string table = document.file + ":/tables/" + accelerator.key + "/" + format.key + "/";
            for (const JsonNode& item : child(document, format).items()) {
                const auto [m, n, k, us] = row<4>(item);
                const std::string where =
                    table + std::to_string(&item.value() - &*format.value.array()->begin());
                file.gemms.push_back({accelerator.key, *known, GemmPass::forward, m, n, k, us, where});
            }
        }
    }
}

std::int64_t rank_count(const JsonDocument& document, const JsonMember& ranks) {
    std::int64_t n = 0;
    for (const char c : ranks.key)
        n = c >= '0' && c <= '9' && n < 1'000'000 ? 10 * n + (c - '0') : -1'000'000;
    if (n < 2)
        child(document, ranks).fail("'" + ranks.key + "' must be a number of ranks, 2 or more");
    return n;
}

void read_collective_tables(const JsonDocument& document, KernelFile& file, Unused& unused) {
    for (const JsonMember& system : members(JsonNode(document, *document.root.find("systems")))) {
        for (const JsonMember& op : members(child(document, system))) {
            const auto known = named(op.key, collectives);
            if (!known) {
                unused.add("table of " + op.key);
                continue;
            }
            for (const JsonMember& ranks : members(child(document, op))) {
                const std::int64_t n = rank_count(document, ranks);
                const std::string table =
                    document.file + ":/systems/" + system.key + "/" + op.key + "/" + ranks.key + "/";
                for (const JsonNode& item : child(document, ranks).items()) {
                    const auto [bytes, us] = row<2>(item);
                    const std::string where =
                        table + std::to_string(&item.value() - &*ranks.value.array()->begin());
                    file.collectives.push_back({system.key, *known, n, bytes, us, where});
                }
            }
        }
    }
}

/// The first line as JSON, or the whole text; nothing where neither is.
std::optional<JsonDocument> beginning(const std::string& path, const std::string& text) {
    for (const std::string_view part :
         {std::string_view(text).substr(0, text.find('\n')), std::string_view(text)}) {
        try {
            return parse_json(part, path);
        } catch (const Error&) {
            continue;
        }
    }
    return std::nullopt;
}

bool is_table(const JsonValue& root) {
    return root.object() != nullptr && (root.find("tables") != nullptr || root.find("systems") != nullptr);
}

}  // namespace

bool is_kernel_file(const std::string& path) {
    std::string text;
    try {
        text = read_text_file(path);
    } catch (const Error&) {
        return false;
    }
    const auto first = beginning(path, text);
    if (!first || first->root.object() == nullptr)
        return false;
    return is_table(first->root) || first->root.find("kind") != nullptr ||
           (first->root.find("us") != nullptr && first->root.find("accelerator") != nullptr);
}

KernelFile read_kernel_file(const std::string& path) {
    return kernel_file_from_text(read_text_file(path), path);
}

KernelFile kernel_file_from_text(const std::string& text, const std::string& path) {
    KernelFile file;
    file.name = std::filesystem::path(path).stem().string();
    const auto first = beginning(path, text);
    if (first && is_table(first->root)) {
        const JsonDocument document = parse_json(text, path);
        Unused unused;
        if (const JsonValue* source = document.root.find("source"))
            file.source = JsonNode(document, *source).string();
        if (document.root.find("tables") != nullptr)
            read_gemm_tables(document, file, unused);
        if (document.root.find("systems") != nullptr)
            read_collective_tables(document, file, unused);
        unused.remark(path, file.remarks);
    } else {
        Lines lines(file);
        int number = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string_view line = std::string_view(text).substr(at, end - at);
            at = end + 1;
            ++number;
            if (line.find_first_not_of(" \t\r") != std::string_view::npos)
                lines.read(parse_json(line, path + ":" + std::to_string(number)));
        }
        lines.finish(path);
    }
    if (file.gemms.empty() && file.collectives.empty()) {
        std::string remark =
            path + ": contains no measured matrix product (bf16, fp8, fp8_block, fp4) and no collective";
        if (!file.remarks.empty())
            remark += "; " + file.remarks.front().substr(path.size() + 2);
        throw Error(ErrorKind::input, remark);
    }
    return file;
}

}  // namespace traincost
