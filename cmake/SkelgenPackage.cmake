# What is installed besides programs and libraries: licence, documentation, a CMake package and a pkg-config file that say where things
# are, all relative to themselves; and packages: cpack -G DEB in the build directory.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/skelgen)
configure_package_config_file(cmake/skelgenConfig.cmake.in ${CMAKE_BINARY_DIR}/skelgenConfig.cmake INSTALL_DESTINATION ${package}
                              PATH_VARS CMAKE_INSTALL_BINDIR SKELGEN_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/skelgenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/skelgenConfig.cmake ${CMAKE_BINARY_DIR}/skelgenConfigVersion.cmake DESTINATION ${package})
file(RELATIVE_PATH SKELGEN_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/skelgen.pc.in ${CMAKE_BINARY_DIR}/skelgen.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/skelgen.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_NAME skelgen)
set(CPACK_PACKAGE_VENDOR "the skelgen maintainers")
set(CPACK_PACKAGE_CONTACT "the skelgen maintainers <maintainers@users.noreply.a-seed-06428fe0.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# By hand: dpkg-shlibdeps would make every MPI that has a back end a dependency. A back end is loaded into programs of its MPI only.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34), libstdc++6 (>= 12), libgcc-s1, libfmt9, libxxhash0")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "mpich | openmpi-bin, libmpich-dev | libopenmpi-dev, gcc, make, binutils")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "valgrind, libsimgrid-dev, libpapi7.0")
include(CPack)
