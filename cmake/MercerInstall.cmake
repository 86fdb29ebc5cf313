# `cmake --install` gives find_package(mercer) and the target mercer::mercer.
include(CMakePackageConfigHelpers)
set(MERCER_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/mercer")

install(TARGETS mercer EXPORT mercer-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/mercer" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mercer-targets NAMESPACE mercer:: DESTINATION ${MERCER_CMAKE_DIR})
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/mercer-config.cmake.in"
  "${PROJECT_BINARY_DIR}/mercer-config.cmake" INSTALL_DESTINATION ${MERCER_CMAKE_DIR})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/mercer-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/mercer-config.cmake" "${PROJECT_BINARY_DIR}/mercer-config-version.cmake"
  DESTINATION ${MERCER_CMAKE_DIR})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/mercer)
