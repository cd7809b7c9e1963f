// ./bootstrap, run on a copy of itself with commands of our own in place of CMake and apt.

#include "support/shell.hpp"
#include "support/temporary.hpp"
#include "support/transcript.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

using namespace traincost::test;

namespace {

namespace fs = std::filesystem;

/// A checkout that holds nothing but `bootstrap`, and a folder of commands that stand in front of the
/// system's.
class Checkout {
public:
    explicit Checkout(const std::string& name) : root_(traincost::test::temporary("traincost-" + name)) {
        fs::remove_all(root_);
        fs::create_directories(root_ / "clone");
        fs::create_directories(root_ / "bin");
        fs::copy_file(fs::path(SOURCE_FOLDER) / "bootstrap", root_ / "clone/bootstrap");
        // Every package is installed; CMake makes what the program's answer is, and says that it was there.
        command("dpkg-query", R"(shift 3; for p in "$@"; do echo "ii $p"; done)");
        command("cmake", R"(echo "cmake $*" >>"$TEST_LOG"
case $1 in
    --preset)
        mkdir -p build/release/bin
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt
        touch build/release/build.ninja ;;
    --build)
        echo "[1/3] Building"; sleep "${TEST_BUILD_SECONDS:-0}"; echo "[3/3] Linking"
        printf '#!/bin/sh\necho "program $*"\n' >build/release/bin/traincost
        chmod +x build/release/bin/traincost ;;
esac)");
    }

    ~Checkout() {
        fs::remove_all(root_);
    }
    Checkout(const Checkout&) = delete;
    Checkout& operator=(const Checkout&) = delete;

    void command(const std::string& name, const std::string& script) {
        const fs::path path = root_ / "bin" / name;
        write_file(path.string(), "#!/bin/bash\n" + script + "\n");
        fs::permissions(path, fs::perms::owner_all);
    }

    /// Both streams, and the exit code in a last line; `before` is shell that runs first.
    std::string run(const std::string& arguments, const std::string& before = ":",
                    const std::string& clone = "clone") const {
        return shell_output("cd / && export PATH='" + (root_ / "bin").string() + "':$PATH TEST_LOG='" +
                            (root_ / "log").string() + "'; " + before + "; '" +
                            (root_ / clone / "bootstrap").string() + "' " + arguments + "; echo \"exit $?\"");
    }

    void move_clone(const std::string& to) const {
        fs::rename(root_ / "clone", root_ / to);
    }

    std::string log() const {
        return read_file((root_ / "log").string());
    }

private:
    fs::path root_;
};

}  // namespace

TEST_CASE("bootstrap: --help is an answer, an unknown action is not", "[bootstrap]") {
    const Checkout checkout("help");
    const std::string help = checkout.run("--help");
    CHECK_THAT(help, Catch::Contains("./bootstrap test") && Catch::EndsWith("exit 0\n"));
    CHECK_THAT(checkout.run("tset"), Catch::Contains("unknown action 'tset'") && Catch::EndsWith("exit 2\n"));
}

TEST_CASE("bootstrap: what is built runs from any folder", "[bootstrap]") {
    const Checkout checkout("run");
    CHECK_THAT(checkout.run("run list models"), Catch::EndsWith("program list models\nexit 0\n"));
    CHECK_THAT(checkout.log(), Catch::Contains("cmake --preset release"));
}

TEST_CASE("bootstrap: a checkout that was moved is built anew, once", "[bootstrap]") {
    const Checkout checkout("moved");
    CHECK_THAT(checkout.run("run"), Catch::EndsWith("exit 0\n"));
    checkout.move_clone("elsewhere");
    CHECK_THAT(checkout.run("run --version", ":", "elsewhere"),
               Catch::Contains("building anew") && Catch::EndsWith("program --version\nexit 0\n"));
    CHECK_THAT(checkout.run("run", ":", "elsewhere"), !Catch::Contains("building anew"));
}

TEST_CASE("bootstrap: a long build says how far it is", "[bootstrap]") {
    const Checkout checkout("progress");
    CHECK_THAT(checkout.run("run", "export TEST_BUILD_SECONDS=5 TRAINCOST_PROGRESS_SECONDS=1"),
               Catch::Contains("bootstrap: building [1/3]\n") && Catch::EndsWith("exit 0\n"));
}

TEST_CASE("bootstrap: who cannot install is told to update the lists first", "[bootstrap]") {
    Checkout checkout("advice");
    checkout.command("dpkg-query", "exit 1");
    checkout.command("id", "echo 1000");
    checkout.command("apt-get", "exit 1");
    // The system's commands but for sudo.
    CHECK_THAT(checkout.run("run",
                            "for c in bash sed grep dirname env cat; do "
                            "ln -s \"$(command -v $c)\" \"${PATH%%:*}/\"; done; PATH=\"${PATH%%:*}\""),
               Catch::Contains("apt-get update && apt-get install g++") && Catch::EndsWith("exit 2\n"));
}
