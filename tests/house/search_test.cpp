// Searches by the built program: in shards, on several threads, interrupted.

#include "support/shell.hpp"

#include <catch2/catch.hpp>

#include <string>

using traincost::test::shell_output;

namespace {

/// Runs in an empty folder of its own; `search` is a search of a few thousand configurations.
std::string in_folder(const std::string& commands) {
    return shell_output(
        "d=$(mktemp -d) && cd \"$d\" && "
        "search() { traincost recommend --model llama-3-8b --cluster dgx-h100 --gpus 64 --seq 8192 "
        "--global-batch 256 --tokens 1T --full-space --max-cp 2 --max-pp 4 \"$@\"; }; "
        "timeless() { sed 's/\"seconds\": [0-9.e-]*/\"seconds\": 0/' \"$1\"; }; " +
        commands + "; rm -rf \"$d\"");
}

/// The shards of the search in part-1.json to part-3.json, before other commands.
std::string with_shards(const std::string& commands) {
    return in_folder("for i in 1 2 3; do search --json --shard $i/3 > part-$i.json || echo failed; done; " +
                     commands);
}

}  // namespace

TEST_CASE("the shards of a search merge to the bytes of the whole", "[search]") {
    CHECK(with_shards("search --json > whole.json; traincost merge part-*.json > merged.json; "
                      "timeless whole.json > a; timeless merged.json > b; "
                      "test -s a && cmp a b && grep -c '\"configuration\"' a | "
                      "awk '{ print ($1 > 5) ? \"same\" : \"empty\" }'") == "same\n");
}

TEST_CASE("the answer of a search has the same bytes on one thread and on several", "[search]") {
    CHECK(in_folder("search --json --threads 1 > one; search --json --threads 4 > four; "
                    "timeless one > a; timeless four > b; test -s a && cmp a b && echo same") == "same\n");
}

TEST_CASE("bounds change what is evaluated, not what is found", "[plans]") {
    // Everything but the counts and the time.
    CHECK(
        in_folder("search --json > cut; search --json --exhaustive > all; "
                  "for f in cut all; do grep -v -E '\"(seconds|enumerated|pruned|cut_by_memory|cut_by_plans|"
                  "evaluated|does_not_fit|feasible)\"' $f > $f.rest; done; "
                  "test -s cut.rest && cmp cut.rest all.rest && cmp -s cut all || echo same") == "same\n");
}

TEST_CASE("shards that are missing, doubled, damaged or of another search are refused", "[search]") {
    const auto merged = [](const std::string& before, const std::string& files) {
        return with_shards(before + "; traincost merge " + files + "; echo \"[exit $?]\"");
    };
    CHECK(merged(":", "part-1.json part-3.json") == "traincost: error: shard 2 of 3 is missing\n[exit 2]\n");
    CHECK(merged(":", "part-1.json part-2.json part-2.json") ==
          "traincost: error: part-2.json: is shard 2 of 3, as part-2.json is\n[exit 2]\n");
    CHECK(merged("sed -i 's/\"evaluated\": *[0-9]*/\"evaluated\":7/' part-2.json", "part-*.json") ==
          "traincost: error: part-2.json:/checksum: does not match the file's content, which was damaged "
          "or edited\n[exit 2]\n");
    CHECK(merged("truncate -s 100 part-3.json", "part-*.json").find("part-3.json") != std::string::npos);
    CHECK(merged("truncate -s 100 part-3.json", "part-*.json").ends_with("[exit 2]\n"));
    CHECK(merged("search --json --micro-batch 1 --shard 2/3 > part-2.json", "part-*.json")
              .ends_with("[exit 2]\n"));
}

TEST_CASE("a search that is interrupted or terminated prints the best so far and exits with 130",
          "[search]") {
    // Some hundred million configurations: minutes. --preserve-status: timeout exits as the program does.
    for (const std::string signal : {"INT", "TERM"}) {
        const std::string output = shell_output(
            "timeout --preserve-status -s " + signal +
            " 4 traincost recommend --model deepseek-v3 --gpu h800-80gb "
            "--gpus 2048 --seq 4096 --global-batch 15360 --full-space --exhaustive --json > "
            "/tmp/interrupted.$$; "
            "echo \"[exit $?]\"; grep -c '\"interrupted\": true' /tmp/interrupted.$$; "
            "grep -q '\"bound_by\"' /tmp/interrupted.$$ && echo plans; rm -f /tmp/interrupted.$$");
        CHECK(output == "[exit 130]\n1\nplans\n");
    }
}

TEST_CASE("plans run through estimate and timeline as they are printed", "[plans]") {
    // Schedules of every kind, stages of unequal length, virtual stages, experts, recompute by layers,
    // offload.
    for (const std::string question :
         {"--model deepseek-v3 --gpu h800-80gb --gpus 2048 --seq 4096 --global-batch 15360 --micro-batch 1 "
          "--ep 64",
          "--model gpt3-175b --gpu a100-80gb --gpus 1024 --seq 2048 --global-batch 1536 --full-space --tp 8 "
          "--cp 1",
          "--model llama-2-70b --gpu a100 --gpus 24 --per-node 4 --seq 4096 --global-batch 192",
          "--model mixtral-8x7b --gpu h100 --gpus 64 --seq 4096 --global-batch 256 --full-space --zero 3 "
          "--recompute full:layers=4,selective:core_attention,norm --offload-optimizer cpu --pp 4"}) {
        const std::string output = shell_output(
            "d=$(mktemp -d) && cd \"$d\" && job=$(echo '" + question +
            "' | grep -o -- '--\\(model\\|gpu\\|gpus\\|per-node\\|seq\\|global-batch\\) [^ ]*'); "
            "traincost recommend " +
            question +
            " --top 3 --json > plans; "
            "grep -m 3 -o '\"flags\": \"[^\"]*\"' plans | cut -d '\"' -f 4 > flags; "
            "grep -m 3 -o '\"step_s\": [^,]*' plans | cut -d ' ' -f 2 > steps; "
            "while read -r flags; do traincost timeline $job $flags > /dev/null || echo refused: $flags; "
            "traincost estimate $job $flags --json > answer || echo does not fit: $flags; "
            "grep -m 1 -o '\"time_s\": [^,]*' answer | cut -d ' ' -f 2 >> again; done < flags; "
            "cmp steps again && wc -l < flags; rm -rf \"$d\"");
        CAPTURE(question);
        CHECK(output == "3\n");
    }
}

TEST_CASE(
    "under every stack the printed flags give estimate the plan's time, memory, cost and certainty to the "
    "bit",
    "[plans]") {
    // By the program, so that what flags leave out, as a launcher's habits, is found. With tokens, and with
    // a goodput below 1.
    const std::string output = shell_output(R"sh(
        said() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p" | head -n 1; }
        sure() { tr -d ' \n' | grep -o -E '"(interval_80":.[^]]*|probability_of_fitting":[0-9.e+-]*)' | head -n 3; }
        for stack in $(traincost list stacks --json | sed -n 's/^ *"id": "\(.*\)",$/\1/p'); do
            job="--model qwen3-0.6b --gpu h100 --gpus 8 --seq 4096 --global-batch 64 --tokens 1B
                 --mtbf 1000h --storage-bandwidth 1GB/s --restart 5min --stack $stack"
            plan=$(traincost recommend $job --tp 1 --cp 1 --pp 1 --top 1 --json 2>&1) || continue
            flags=$(echo "$plan" | sed -n 's/^ *"flags": "\(.*\)",$/\1/p' | head -n 1)
            alone=$(traincost estimate $job $flags --json)
            for pair in step_s:time_s memory_bytes:device_bytes days:days; do
                of_plan=$(echo "$plan" | said ${pair%:*})
                of_job=$(echo "$alone" | said ${pair#*:})
                [ "$of_plan" = "$of_job" ] || echo "$stack $flags: $pair $of_plan $of_job"
            done
            of_plan=$(echo "$plan" | said usd)
            of_job=$(echo "$alone" | sed -n '/^ *"cost": {/,$p' | said usd)
            [ "$of_plan" = "$of_job" ] || echo "$stack $flags: usd $of_plan $of_job"
            of_plan=$(echo "$plan" | sure)
            of_job=$(echo "$alone" | sure)
            [ "$of_plan" = "$of_job" ] || echo "$stack $flags: sure" $of_plan $of_job
            count=$((${count:-0} + 1))
        done
        [ "$count" -gt 30 ] && echo compared)sh");
    CHECK(output == "compared\n");
}

TEST_CASE("a plan whose cluster has no known price costs nothing known, not nothing", "[plans]") {
    CHECK(shell_output(
              "traincost recommend --model qwen3-0.6b --gpu ascend-910b1 --gpus 8 --seq 2048 "
              "--global-batch 64 --tokens 1B --top 1 --json | grep -c -E '\"usd(_per_step)?\": 0'") == "0\n");
}
