# Install the library with its package files, and the program.
include(CMakePackageConfigHelpers)

set(TRAINCOST_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/traincost)

install(TARGETS traincost
        EXPORT traincost-targets
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT traincost-targets NAMESPACE traincost:: DESTINATION ${TRAINCOST_CMAKE_DIR} COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/traincost-config.cmake.in
                              ${PROJECT_BINARY_DIR}/traincost-config.cmake
                              INSTALL_DESTINATION ${TRAINCOST_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/traincost-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/traincost-config.cmake ${PROJECT_BINARY_DIR}/traincost-config-version.cmake
        DESTINATION ${TRAINCOST_CMAKE_DIR} COMPONENT development)

# The C function, for every language that loads it. traincost.pc is the library of C++, traincost-c.pc the function.
install(TARGETS traincost_shared
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        NAMELINK_COMPONENT development)
file(RELATIVE_PATH TRAINCOST_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(package traincost traincost-c)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

if(TRAINCOST_BUILD_CLI)
    install(TARGETS traincost_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    # Debian's zsh reads vendor-completions; TRAINCOST_ZSH_DIR names another system's folder.
    set(TRAINCOST_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions CACHE STRING "Folder of zsh's completions")
    if(TARGET traincost_share)
        set(share ${PROJECT_BINARY_DIR}/share)
        install(FILES ${share}/traincost.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
        install(FILES ${share}/traincost DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
        install(FILES ${share}/_traincost DESTINATION ${TRAINCOST_ZSH_DIR} COMPONENT program)
        install(FILES ${share}/traincost.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
    endif()
endif()
