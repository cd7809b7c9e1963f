#include "traincost/ask/sources.hpp"

#include <istream>

#include "traincost/io/bench/residuals_json.hpp"
#include "traincost/io/specs/launch_rules_json.hpp"

namespace traincost {

namespace {

std::string all_of(std::istream& in) {
    const JsonLimits limits{};
    std::string text;
    char block[65536];
    while (in.read(block, sizeof block) || in.gcount() > 0) {
        text.append(block, static_cast<std::size_t>(in.gcount()));
        if (text.size() > limits.bytes)
            break;  // the parser says that it is too large
    }
    return text;
}

}  // namespace

Sources::Sources(std::string folder, std::istream* input)
    : folder_(std::move(folder)),
      input_(input),
      own_(std::make_unique<const Catalogue>(folder_)),
      catalogue_(own_.get()) {
}

Sources::Sources(std::string folder, const std::vector<RecordText>& records)
    : folder_(std::move(folder)),
      input_(nullptr),
      own_(std::make_unique<const Catalogue>(folder_, records)),
      catalogue_(own_.get()) {
}

Sources::Sources(const Catalogue& catalogue, std::string folder, std::istream* input)
    : folder_(std::move(folder)), input_(input), own_(nullptr), catalogue_(&catalogue) {
}

Sources::~Sources() = default;

const Residuals& Sources::residuals() const {
    std::call_once(residuals_read_, [this] { residuals_ = read_residuals(folder_); });
    return residuals_;
}

const std::vector<std::pair<std::string, LaunchRules>>& Sources::usual_stacks() const {
    std::call_once(usual_read_, [this] { usual_ = usual_launch_rules(*catalogue_); });
    return usual_;
}

LaunchRules Sources::launch_rules_of(const std::string& stack) const {
    const std::lock_guard lock(launch_mutex_);
    const auto found = launch_.find(stack);
    return found != launch_.end() ? found->second
                                  : launch_.emplace(stack, launch_rules(*catalogue_, stack)).first->second;
}

std::optional<PublishedRecipe> Sources::recipe_of(const std::string& model) const {
    const std::lock_guard lock(launch_mutex_);
    const auto found = recipes_.find(model);
    return found != recipes_.end()
               ? found->second
               : recipes_.emplace(model, published_recipe(*catalogue_, model)).first->second;
}

std::string Sources::text_of(const std::string& name) const {
    if (name != "-")
        return read_text_file(name);
    if (input_ == nullptr)
        throw Error(ErrorKind::usage, "'-' is the standard input, which there is none of here; name a file");
    return all_of(*input_);
}

JsonDocument Sources::json_file(const std::string& name) const {
    return name == "-" ? parse_json(text_of(name), "standard input") : read_json_file(name);
}

}  // namespace traincost
