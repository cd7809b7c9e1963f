#include "traincost/report/printed_answer.hpp"

#include "traincost/base/error.hpp"

namespace traincost {

std::string printed(const PrintedAnswer& answer, const OutputWish& wish, const TextStyle& style) {
    if (!wish.html && !wish.file.empty()) {
        throw Error(ErrorKind::usage, "--output: needs --format html; write other formats with '> FILE'");
    }
    if (wish.json) {
        return answer.json();
    }
    if (wish.html) {
        return to_html(answer.page());
    }
    if (wish.svg) {
        return answer.svg();
    }
    return render(answer.tables(), wish.format, style);
}

}  // namespace traincost
