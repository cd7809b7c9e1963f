# What prints is not what is asked a million times a second: a build from scratch may compile it faster.
set(TRAINCOST_PRINTING_OPTIONS "" CACHE STRING "Compile options of the rooms that print, after all others")

# traincost_flags: the warnings every target of this project is compiled with. Never exported.
add_library(traincost_flags INTERFACE)
target_compile_options(traincost_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wfloat-conversion -Wnon-virtual-dtor -Wimplicit-fallthrough
    $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wshorten-64-to-32>
    $<$<BOOL:${TRAINCOST_WERROR}>:-Werror>)
if(TRAINCOST_UNITY)
    # What a name hides in another file of its room is no mistake of its own.
    target_compile_options(traincost_flags INTERFACE -Wno-shadow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    # The instrumentation hides initialisations from g++ (GCC bug 105562).
    target_compile_options(traincost_flags INTERFACE -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 warns of its own std::string in release builds (GCC bug 105651).
    target_compile_options(traincost_flags INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
