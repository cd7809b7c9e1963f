# Installs the build into a prefix of its own, builds the consumer against it, and runs the consumer.
#   cmake -D BUILD_FOLDER=… -D WORK_FOLDER=… -D CXX_COMPILER=… -D EXPECTED=… -P run.cmake
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_FOLDER})
run(${CMAKE_COMMAND} --install ${BUILD_FOLDER} --prefix ${WORK_FOLDER}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_FOLDER}/build -G Ninja
    -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_PREFIX_PATH=${WORK_FOLDER}/prefix
    -D INCLUDE_FOLDER=${WORK_FOLDER}/prefix/include)
run(${CMAKE_COMMAND} --build ${WORK_FOLDER}/build)
run(${WORK_FOLDER}/build/consumer)
if(NOT output MATCHES "${EXPECTED}")
    message(FATAL_ERROR "the consumer printed\n${output}instead of\n${EXPECTED}")
endif()

# The same with pkg-config, where there is one; and a program of C against the shared library.
find_program(PKG_CONFIG pkg-config)
if(NOT PKG_CONFIG)
    message(STATUS "no pkg-config: not tested")
    return()
endif()
file(GLOB_RECURSE package_file ${WORK_FOLDER}/prefix/*/traincost.pc)
get_filename_component(package_folder ${package_file} DIRECTORY)
get_filename_component(library_folder ${package_folder} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${package_folder})
foreach(package traincost traincost-c)
    execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${package} OUTPUT_VARIABLE flags
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(${package}_flags UNIX_COMMAND "${flags}")
endforeach()
run(${CXX_COMPILER} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${traincost_flags} -o ${WORK_FOLDER}/by_pkg_config)
run(${WORK_FOLDER}/by_pkg_config)
if(NOT output MATCHES "${EXPECTED}")
    message(FATAL_ERROR "by pkg-config, the consumer printed\n${output}instead of\n${EXPECTED}")
endif()
find_program(C_COMPILER NAMES cc gcc clang)
if(C_COMPILER)
    run(${C_COMPILER} -std=c99 ${CMAKE_CURRENT_LIST_DIR}/../../docs/examples/fits.c ${traincost-c_flags}
        -Wl,-rpath,${library_folder} -o ${WORK_FOLDER}/fits)
    run(${WORK_FOLDER}/fits llama-3.1-8b h200 8 1)
endif()
