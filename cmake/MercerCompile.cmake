# How every Mercer target is compiled: an interface library that the targets of this tree link privately.

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

add_library(mercer_compile INTERFACE)
target_compile_features(mercer_compile INTERFACE cxx_std_20)
# JSON holds the codes of enums (mercer/names.hpp), never their numbers.
target_compile_definitions(mercer_compile INTERFACE JSON_DISABLE_ENUM_SERIALIZATION=1)
target_compile_options(mercer_compile INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wpedantic
  # Loops vectorise without the errno and trap side effects; no result changes. Contraction into fused multiply-adds is
  # off because the compiler may contract a vector body and its scalar tail differently: the same episode would then
  # differ in its last bits with the batch around it.
  -fno-math-errno -fno-trapping-math -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 sees uninitialised values in its own AVX-512 intrinsics wherever Eigen uses them; Clang and the sanitizers
  # look for real ones.
  target_compile_options(mercer_compile INTERFACE -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(MERCER_NATIVE)
  target_compile_options(mercer_compile INTERFACE -march=native)
endif()
if(MERCER_WERROR)
  target_compile_options(mercer_compile INTERFACE -Werror)
endif()
if(MERCER_SANITIZE)
  target_compile_options(mercer_compile INTERFACE -fsanitize=${MERCER_SANITIZE} -fno-omit-frame-pointer)
  if(MERCER_SANITIZE MATCHES undefined)
    target_compile_options(mercer_compile INTERFACE -fno-sanitize-recover=undefined)
  endif()
  target_link_options(mercer_compile INTERFACE -fsanitize=${MERCER_SANITIZE})
endif()

add_library(mercer_batches INTERFACE)
target_compile_options(mercer_batches INTERFACE -Wno-shadow
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)  # of private classes, whose files look like headers here

# mercer_in_batches(target [pattern]): up to eight files of a folder become one for the compiler, which reads what they include
# once and expands the templates that they share once: a third to a half of the time. Names inside the files of a folder must
# then differ, and one may hide another. Files that match the pattern, or have options of their own, stay alone. The batches
# are the same whatever else is built.
function(mercer_in_batches target)
  if(NOT MERCER_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(NOT source MATCHES "[.]cpp$" OR (ARGC GREATER 1 AND source MATCHES "${ARGV1}"))
      continue()
    endif()
    get_filename_component(folder "${source}" DIRECTORY)
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" folder "${folder}")
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR batch "${count_${folder}} / 8")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${batch}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_link_libraries(${target} PRIVATE mercer_batches)
endfunction()
