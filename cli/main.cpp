#include <cli/app.hpp>
#include <cli/context.hpp>

#include <cerrno>
#include <csignal>
#include <iostream>

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
#ifdef SIGPIPE
    std::signal(SIGPIPE, SIG_IGN);  // `traincost list | head -1` is a success
#endif
    const int exit_code =
        traincost::cli::run(std::vector<std::string>(argv + 1, argv + argc), std::cin, std::cout, std::cerr);
    errno = 0;
    std::cout.flush();
    if (!std::cout && errno != EPIPE && errno != 0) {
        std::cerr << "traincost: error: the output cannot be written\n";
        return traincost::cli::exit_internal;
    }
    return exit_code;
}
