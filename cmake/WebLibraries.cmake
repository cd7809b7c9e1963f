# The libraries of the WebAssembly engine. Headers are the host's, only the folders named here: the rest of
# /usr/include belongs to another system. yaml-cpp is compiled from its sources, which ./bootstrap page fetches from
# Debian into build/web-sources. There is no TBB: base/parallel is a loop.
set(headers ${PROJECT_BINARY_DIR}/host-headers)
file(MAKE_DIRECTORY ${headers})
foreach(folder fmt nlohmann toml++)
    if(NOT EXISTS /usr/include/${folder})
        message(FATAL_ERROR "/usr/include/${folder} is missing: run ./bootstrap page, which installs it")
    endif()
    file(CREATE_LINK /usr/include/${folder} ${headers}/${folder} SYMBOLIC)
endforeach()

# web_headers(<target> <folder>): a library that is only headers.
function(web_headers target folder)
    add_library(${target} INTERFACE IMPORTED)
    target_include_directories(${target} SYSTEM INTERFACE ${folder})
endfunction()

web_headers(Eigen3::Eigen /usr/include/eigen3)
web_headers(fmt::fmt ${headers})
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
web_headers(nlohmann_json::nlohmann_json ${headers})
web_headers(tomlplusplus::tomlplusplus ${headers})

set(yaml ${PROJECT_SOURCE_DIR}/build/web-sources/yaml-cpp)
file(GLOB yaml_sources ${yaml}/src/*.cpp)
if(NOT yaml_sources)
    message(FATAL_ERROR "${yaml} is missing: run ./bootstrap page, which fetches it")
endif()
add_library(yaml-cpp STATIC ${yaml_sources})
target_include_directories(yaml-cpp SYSTEM PUBLIC ${yaml}/include)
target_compile_definitions(yaml-cpp PUBLIC YAML_CPP_STATIC_DEFINE)
set_target_properties(yaml-cpp PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 50)
