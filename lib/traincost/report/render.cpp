#include "traincost/report/render.hpp"

#include "traincost/report/csv.hpp"
#include "traincost/report/markdown.hpp"

namespace traincost {

std::string render(std::span<const Table> tables, Format format, const TextStyle& style) {
    switch (format) {
        case Format::csv:
            return to_csv(tables);
        case Format::markdown:
            return to_markdown(tables);
        case Format::table:
            break;
    }
    return to_text(tables, style);
}

}  // namespace traincost
