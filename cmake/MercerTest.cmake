# mercer_unit_test(module): all tests/<module>/*.cpp make one GoogleTest program, each case a ctest case. Files that
# begin with box2d_ or without_box2d_ belong to builds with or without Box2D.
#
# Tests may include private headers ("io/zip.hpp") and read MERCER_TEST_DATA, the folder tests/data.
function(mercer_unit_test module)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${module}/*.cpp")
  if(NOT MERCER_MUJOCO)
    list(FILTER sources EXCLUDE REGEX "/mujoco_[a-z_]+[.]cpp$")
  endif()
  if(MERCER_BOX2D)
    list(FILTER sources EXCLUDE REGEX "/without_box2d_[^/]*$")
  else()
    list(FILTER sources EXCLUDE REGEX "/box2d_[^/]*$")
  endif()
  add_executable(test_${module} ${sources})
  target_link_libraries(test_${module} PRIVATE
    mercer mercer_compile fmt::fmt Eigen3::Eigen nlohmann_json::nlohmann_json GTest::gtest_main)
  target_include_directories(test_${module} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(test_${module} PRIVATE MERCER_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")
  # What runs once need not be tuned: this takes a quarter off the time of compiling.
  target_compile_options(test_${module} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Less inlined, GCC 12 warns of copies that overlap inside its own std::string.
    target_compile_options(test_${module} PRIVATE -Wno-restrict)
  endif()
  mercer_in_batches(test_${module})
  gtest_discover_tests(test_${module} TEST_PREFIX "${module}." DISCOVERY_TIMEOUT 60)
endfunction()

# mercer_python_tests(folder): each tests/<folder>/test_*.py is one ctest case, run by pytest.
#
# They find the Python package of this build. Debian's Python is not built with the address sanitizer, so where the package
# is, the sanitizer's library has to be loaded before everything else. Python itself keeps memory to its end, so leaks are
# told without failing, and a test fails where one of them went through the package or the library.
function(mercer_python_tests folder)
  set(environment "SOURCE_FOLDER=${PROJECT_SOURCE_DIR}" "BINARY_UNDER_TEST=${PROJECT_BINARY_DIR}/bin/mercer"
    "SANITIZERS=${MERCER_SANITIZE}" "PYTHONPATH=${PROJECT_BINARY_DIR}/python")
  set(leaks "")
  if(folder MATCHES "^(python|recorder)$" AND MERCER_SANITIZE MATCHES address)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so.6 OUTPUT_VARIABLE cxx
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND environment "LD_PRELOAD=${asan} ${cxx}" "PYTHONMALLOC=malloc" "LSAN_OPTIONS=exitcode=0")
    set(leaks "_mercer[^ ]*[.]so;libmercer[^ ]*[.]so;python/mercer/src/;mercer::")
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/test_*.py")
  foreach(script ${scripts})
    get_filename_component(name "${script}" NAME_WE)
    string(REGEX REPLACE "^test_" "" name "${name}")
    add_test(NAME ${folder}.${name} COMMAND ${MERCER_PYTHON} -B -m pytest -q -p no:cacheprovider "${script}")
    set_tests_properties(${folder}.${name} PROPERTIES ENVIRONMENT "${environment}"
      FAIL_REGULAR_EXPRESSION "${leaks}")
  endforeach()
endfunction()
