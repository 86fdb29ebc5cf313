# `cmake --install` gives find_package(mercer) with the target mercer::mercer, and with COMPONENTS static mercer::static.
include(CMakePackageConfigHelpers)
set(MERCER_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/mercer")

install(TARGETS mercer_static EXPORT mercer-static-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT mercer-static-targets NAMESPACE mercer:: DESTINATION ${MERCER_CMAKE_DIR})
if(BUILD_SHARED_LIBS)
  install(TARGETS mercer EXPORT mercer-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT mercer-targets NAMESPACE mercer:: DESTINATION ${MERCER_CMAKE_DIR})
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/mercer" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/mercer-config.cmake.in"
  "${PROJECT_BINARY_DIR}/mercer-config.cmake" INSTALL_DESTINATION ${MERCER_CMAKE_DIR})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/mercer-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/mercer-config.cmake" "${PROJECT_BINARY_DIR}/mercer-config-version.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindMuJoCo.cmake"
  DESTINATION ${MERCER_CMAKE_DIR})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/mercer)
