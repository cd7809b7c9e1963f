# Install the library with its package files, and the program.
include(CMakePackageConfigHelpers)

set(TRAINCOST_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/traincost)

install(TARGETS traincost
        EXPORT traincost-targets
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT traincost-targets NAMESPACE traincost:: DESTINATION ${TRAINCOST_CMAKE_DIR})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/traincost-config.cmake.in
                              ${PROJECT_BINARY_DIR}/traincost-config.cmake
                              INSTALL_DESTINATION ${TRAINCOST_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/traincost-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/traincost-config.cmake ${PROJECT_BINARY_DIR}/traincost-config-version.cmake
        DESTINATION ${TRAINCOST_CMAKE_DIR})

if(TRAINCOST_BUILD_CLI)
    install(TARGETS traincost_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
