// Records of software stacks: groups of choices with their reasons, bases, releases.

#include <traincost/io/catalogue.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/specs/stack_claim.hpp>
#include <traincost/io/specs/stack_json.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/override_folder.hpp"

using namespace traincost;

namespace {

/// The choices of a record's groups, "host.per_step_s".
std::vector<std::string> stated_choices(const JsonDocument& record) {
    std::vector<std::string> paths;
    for (const std::string& path : stack_choice_names()) {
        if (choice_at(record.root, path) != nullptr)
            paths.push_back(path);
    }
    return paths;
}

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("every stack reads whole, writes back the same, and says why for every choice it states",
          "[stack]") {
    const Catalogue catalogue;
    CHECK(stack_choice_names().size() > 35);
    for (const CatalogueEntry& entry : catalogue.entries(Room::stacks)) {
        INFO(entry.id);
        const StackSpec stack = catalogue.stack(entry.id);
        CHECK(stack.id == entry.id);
        JsonWriter out;
        write_json(out, stack);
        CHECK(stack_from_json(JsonNode(parse_json(out.text(), "again"))) == stack);
        const JsonDocument document = catalogue.stack_document(entry.id);
        for (const std::string& choice : stated_choices(document)) {
            INFO(choice);
            const auto claim = claim_of(document, choice);
            REQUIRE(claim);
            CHECK_FALSE(claim->why.empty());
        }
    }
}

TEST_CASE("a choice says its value and where it comes from together", "[stack]") {
    const auto stack = [](const std::string& members) {
        const JsonDocument record =
            parse_json(R"({"id": "ours", "title": "Ours", )" + members + "}", "ours.json");
        return stack_from_json(JsonNode(record));
    };
    CHECK(stack(R"("host": {"per_step_s": 0.25})").host.per_step.value() == 0.25);
    CHECK(stack(R"("host": {"per_step_s": {"value": 0.25, "kind": "estimate", "why": "a guess"}})")
              .host.per_step.value() == 0.25);
    CHECK(stack(R"("layer": {})").layer == StackLayer{});
    CHECK(
        error_of([&] { stack(R"("host": {"per_step_s": {"value": 0.25, "kind": "guess", "why": ""}})"); })
            .find("ours.json:/host/per_step_s/kind: unknown value 'guess'; allowed: code, measured, fitted, "
                  "estimate") != std::string::npos);
    CHECK(error_of([&] {
              stack(R"("host": {"per_step_s": {"value": 0.25, "kind": "code"}})");
          }).find("missing key 'why'") != std::string::npos);
    CHECK(error_of([&] {
              stack(R"("host": {"per_step_s": {"value": 1, "kind": "code", "why": "", "m": 1}})");
          }).find("unknown key 'm'") != std::string::npos);
    CHECK(error_of([&] { stack(R"("dropout": 0.1)"); })
              .find("ours.json:/dropout: unknown key 'dropout'; the choice belongs to a group, as "
                    "'layer.dropout'") != std::string::npos);
    CHECK(error_of([&] { stack(R"("host_per_step_s": 0.1)"); }).find("'host.per_step_s'") !=
          std::string::npos);
}

TEST_CASE("a stack's releases are stacks that say what each changed", "[stack]") {
    const Catalogue catalogue;
    CHECK(catalogue.id(Room::stacks, "torchtitan-2024") == "torchtitan@2024");
    CHECK(catalogue.id(Room::stacks, "TorchTitan@2024") == "torchtitan@2024");
    CHECK(catalogue.id(Room::stacks, "titan@2024") == "torchtitan@2024");
    const StackSpec now = catalogue.stack("torchtitan");
    const StackSpec before = catalogue.stack("torchtitan@2024");
    CHECK(before.head.loss != now.head.loss);
    CHECK(before.layer.selective == now.layer.selective);
    CHECK(before.aliases == std::vector<std::string>{"torchtitan-2024"});
    CHECK(catalogue.base_of_stack("torchtitan@2024")->id == "torchtitan@2025");
    CHECK(catalogue.base_of_stack("torchtitan@2025")->id == "torchtitan");
    CHECK(error_of([&] { catalogue.stack("torchtitan@1999"); }) ==
          "unknown release '1999' of torchtitan; allowed: 2024, 2025, 2026-03, deepep");
    CHECK(error_of([&] { catalogue.stack("litgpt@1.0"); }) ==
          "unknown release '1.0' of litgpt, which has none");
}

TEST_CASE("what a framework left behind stays with its older releases", "[stack]") {
    const Catalogue catalogue;
    CHECK(catalogue.stack("unsloth").head.loss == LossKernel::fused_linear);
    CHECK(catalogue.stack("unsloth").head.logits_copies_fp32 == 0.0);
    CHECK(catalogue.stack("unsloth@2024").head.loss == LossKernel::vocab_parallel);
    CHECK(catalogue.stack("unsloth@2024").head.logits_copies_fp32 == 1.0);
    CHECK_FALSE(catalogue.stack("torchtitan").pipeline.keeps_outputs);
    CHECK(catalogue.stack("torchtitan@2025").pipeline.keeps_outputs);
    CHECK(catalogue.stack("torchtitan@2024").pipeline.keeps_outputs);
    const StackSpec spring = catalogue.stack("torchtitan@2026-03");
    CHECK_FALSE(spring.pipeline.keeps_outputs);
    CHECK_FALSE(spring.experts.compiles_rows);
    CHECK(spring.head.loss == LossKernel::fp32_logits);
    const StackSpec recipes = catalogue.stack("megatron-bridge@recipes");
    CHECK(recipes.traffic.tp_overlap == 0.0);
    CHECK_FALSE(recipes.layer.sequence_parallel);
    CHECK(catalogue.stack("megatron-bridge").traffic.tp_overlap > 0.0);
}

TEST_CASE("releases of one's own join the built-in ones", "[stack]") {
    const OverrideFolder folder;
    folder.write("stacks/ours.json", R"({"id": "ours", "title": "Ours", "base": "torchtitan@2025",
        "releases": [{"release": "1.0", "aliases": ["ours-one"], "title": "First",
                      "layer": {"dropout": 0.25}}]})");
    folder.write("stacks/torchtitan@2024.json",
                 R"({"id": "torchtitan@2024", "title": "Refitted", "base": "torchtitan"})");
    const Catalogue catalogue(folder.path());
    CHECK(catalogue.id(Room::stacks, "ours-one") == "ours@1.0");
    CHECK(catalogue.stack("ours@1.0").layer.dropout == 0.25);
    CHECK(catalogue.stack("ours").layer.dropout == 0.0);
    CHECK(catalogue.stack("ours@1.0").head.loss == catalogue.stack("torchtitan@2025").head.loss);
    CHECK(catalogue.stack("torchtitan@2024").title == "Refitted");
    CHECK(catalogue.stack("torchtitan@2024").head.loss == catalogue.stack("torchtitan").head.loss);
}

TEST_CASE("a stack inherits what it does not say from its base", "[stack]") {
    const Catalogue catalogue;
    const StackSpec mcore = catalogue.stack("megatron-core");
    const StackSpec nemo = catalogue.stack("nemo");
    CHECK(nemo.head.vocab_multiple == mcore.head.vocab_multiple);
    CHECK(nemo.traffic.tp_overlap > mcore.traffic.tp_overlap);
    CHECK(std::find(nemo.aliases.begin(), nemo.aliases.end(), "megatron-lm") == nemo.aliases.end());
}

TEST_CASE("a new stack may stand on a built-in one", "[stack]") {
    const OverrideFolder folder;
    folder.write("stacks/ours.json",
                 R"({"id": "ours", "title": "Ours", "base": "megatron-core", "layer": {"dropout": 0.25}})");
    folder.write("stacks/loop.json", R"({"id": "loop", "title": "Loop", "base": "loop"})");
    folder.write("stacks/typo.json",
                 R"({"id": "typo", "title": "Typo", "base": "megatron-core", "layer": {"droput": 0.25}})");
    const Catalogue catalogue(folder.path());
    CHECK(catalogue.stack("ours").layer.dropout == 0.25);
    CHECK(catalogue.stack("ours").head.vocab_multiple == 128);
    CHECK(error_of([&] { catalogue.stack("loop"); }).find("or on itself") != std::string::npos);
    CHECK(error_of([&] { catalogue.stack("typo"); }).find("unknown key 'droput'; did you mean 'dropout'?") !=
          std::string::npos);
}
