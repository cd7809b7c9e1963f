#include "traincost/import/launch_document.hpp"

#include "traincost/base/error.hpp"
#include "traincost/import/recognise.hpp"
#include "traincost/import/setting_files.hpp"

namespace traincost {

namespace {

// Python's YAML reader takes what looks like JSON with comments, trailing commas and True.
Setting read_braces(std::string_view text, const std::string& file) {
    try {
        return read_json_settings(text, file);
    } catch (const Error&) {
        try {
            Setting root = read_yaml(text, file);
            // A trailing comma is an error in JSON; only formats of YAML may have it.
            if (root.is_map() && (root.has("pipe_parallel_size") || root.has("model_parallel_size") ||
                                  text.find('#') != text.npos)) {
                return root;
            }
        } catch (const Error&) {
            // the first complaint stands
        }
        throw;
    }
}

}  // namespace

std::vector<LaunchDocument> parse_documents(const std::string& file, std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) {
        text.remove_prefix(3);
    }
    std::vector<LaunchDocument> documents(1);
    switch (recognise(text)) {
        case Content::json:
            documents[0].root = read_braces(text, file);
            break;
        case Content::toml:
            documents[0].root = read_toml(text, file);
            break;
        default:
            documents[0].root = read_yaml(text, file);
            break;
    }
    return documents;
}

}  // namespace traincost
