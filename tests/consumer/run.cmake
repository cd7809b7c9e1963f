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
