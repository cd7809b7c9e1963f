# traincost.wasm: the C functions of the library as a module without JavaScript of its own. It imports only what
# docs/app/src/engine.js gives it.
file(WRITE ${PROJECT_BINARY_DIR}/module.cpp "// The module is the library: nothing starts by itself.\n")
add_executable(traincost_web ${PROJECT_BINARY_DIR}/module.cpp)
target_link_libraries(traincost_web PRIVATE traincost)
target_link_options(traincost_web PRIVATE
    -O2 -fwasm-exceptions --no-entry
    -sSTANDALONE_WASM=1 -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=2MB
    -sEXPORTED_FUNCTIONS=_malloc,_free,_traincost_ask,_traincost_free,_traincost_version)
set_target_properties(traincost_web PROPERTIES
    OUTPUT_NAME traincost SUFFIX .wasm RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
