# Packages: `cpack -G DEB` in the build folder. traincost is the program, libtraincost-dev what is built against.
set(CPACK_PACKAGE_NAME traincost)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "traincost maintainers <maintainers@traincost.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/dist)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME traincost)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "training-cost calculator for large language models
Says whether a training run fits in memory, how long a step takes and what the
run costs, from the model, the accelerators and the software stack.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtraincost-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev, libtbb-dev, libyaml-cpp-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "training-cost calculator, library and headers
The library of traincost for C++, its C function as a shared library, package
files for CMake and pkg-config.")

# What Debian asks of every package: a copyright, a change log.
if(TRAINCOST_BUILD_CLI AND GZIP_PROGRAM)
    set(documents ${PROJECT_BINARY_DIR}/documents)
    file(WRITE ${documents}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: traincost

Files: *
Copyright: 2026 traincost maintainers
License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
    file(WRITE ${documents}/changelog "traincost (${PROJECT_VERSION}) unstable; urgency=low

  * Release ${PROJECT_VERSION}: see CHANGELOG.md.

 -- traincost maintainers <maintainers@traincost.invalid>  Thu, 01 Jan 2026 00:00:00 +0000
")
    execute_process(COMMAND ${GZIP_PROGRAM} -9nf ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
    foreach(part "program;traincost" "development;libtraincost-dev")
        list(GET part 0 component)
        list(GET part 1 package)
        install(FILES ${documents}/copyright ${documents}/changelog.gz
                DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
    endforeach()
endif()
include(CPack)
