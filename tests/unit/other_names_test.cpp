#include <traincost/report/commands/command_words.hpp>
#include <traincost/report/commands/other_names.hpp>

#include <catch2/catch.hpp>

using namespace traincost;

TEST_CASE("an option by the name it has elsewhere is suggested by its name here", "[usage]") {
    CHECK(option_meant_by("--batch-size") == "--global-batch");
    CHECK(option_meant_by("--per_device_train_batch_size=4") == "--micro-batch");
    CHECK(option_meant_by("--FSDP") == "--zero 3");
    CHECK(option_meant_by("-n") == "--gpus");
    CHECK(option_meant_by("--banana").empty());
    CHECK(option_meant_by("seq-len").empty());
    CHECK(option_meant_by("--").empty());
    CHECK(unplaced_text("--bs", "estimate", {"--global-batch", "--tp"}, {}) ==
          "unknown option '--bs' of 'estimate'; did you mean '--global-batch'?");
    // Of a command that has no such option the nearest.
    CHECK(unplaced_text("--batch-size", "days", {"--params"}, {}) ==
          "unknown option '--batch-size' of 'days'; see 'traincost days --help'");
}
