# The install tree: libhalyard.so, include/halyard, the CMake package and the pkg-config file. Programs
# of apps/, bench/ and tools/ install themselves with halyard_install_program(<target>...).
include(CMakePackageConfigHelpers)

set(halyard_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/halyard")

install(TARGETS halyard EXPORT halyardTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/halyard" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(EXPORT halyardTargets NAMESPACE halyard:: DESTINATION "${halyard_package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/halyardConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/halyardConfig.cmake"
                              INSTALL_DESTINATION "${halyard_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/halyardConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/halyardConfig.cmake"
              "${PROJECT_BINARY_DIR}/halyardConfigVersion.cmake"
        DESTINATION "${halyard_package_dir}")

file(RELATIVE_PATH halyard_pc_to_prefix "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
configure_file("${PROJECT_SOURCE_DIR}/cmake/halyard.pc.in" "${PROJECT_BINARY_DIR}/halyard.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/halyard.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# The programs find libhalyard.so beside them, wherever the tree is moved.
function(halyard_install_program)
  file(RELATIVE_PATH to_lib "/p/${CMAKE_INSTALL_BINDIR}" "/p/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(${ARGN} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  install(TARGETS ${ARGN} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()
