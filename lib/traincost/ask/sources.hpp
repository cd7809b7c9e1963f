// What questions are answered from: the catalogue, the table of residuals, and the standard input.
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traincost/fit/uncertainty.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"
#include "traincost/spec/launch_rules.hpp"

namespace traincost {

/// Safe to use from several threads, the standard input apart.
class Sources {
public:
    /// The built-in data, overridden by `folder` where it is not empty. `input` is what the file "-" means;
    /// null: nothing. It must outlive the sources.
    explicit Sources(std::string folder = {}, std::istream* input = nullptr);
    /// The same with records over the folder's.
    Sources(std::string folder, const std::vector<RecordText>& records);
    /// The same of a catalogue that is there already, which must outlive the sources.
    Sources(const Catalogue& catalogue, std::string folder, std::istream* input);
    ~Sources();

    const Catalogue& catalogue() const {
        return *catalogue_;
    }
    const std::string& folder() const {
        return folder_;
    }
    /// Read when first asked for.
    const Residuals& residuals() const;
    /// Stacks that say where they are usual, and their rules. Read when first asked for.
    const std::vector<std::pair<std::string, LaunchRules>>& usual_stacks() const;
    /// How a model of the catalogue was trained by those who published it, if its record says.
    std::optional<PublishedRecipe> recipe_of(const std::string& model) const;
    /// What the stack's launcher does when nobody says.
    LaunchRules launch_rules_of(const std::string& stack) const;
    /// The bytes of a file, or of the standard input ("-"). `Error` where it cannot be read.
    std::string text_of(const std::string& name) const;
    /// The JSON of a file, or of the standard input ("-"). `Error` where it cannot be read.
    JsonDocument json_file(const std::string& name) const;

private:
    std::string folder_;
    std::istream* input_;
    std::unique_ptr<const Catalogue> own_;
    const Catalogue* catalogue_;
    mutable std::once_flag usual_read_;
    mutable std::vector<std::pair<std::string, LaunchRules>> usual_{};
    mutable std::mutex launch_mutex_;
    mutable std::map<std::string, LaunchRules> launch_{};
    mutable std::map<std::string, std::optional<PublishedRecipe>> recipes_{};
    mutable std::once_flag residuals_read_;
    mutable Residuals residuals_{};
};

}  // namespace traincost
