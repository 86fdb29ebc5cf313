# Installs into a clean folder, builds examples/ against what is there and nothing else, and runs them.
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nexit code ${code}\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
set(prefix "${WORK}/prefix")
if(NOT EXISTS /proc/self/exe)  # in a bare chroot the loader cannot tell where a program stands
  set(ENV{LD_LIBRARY_PATH} "${prefix}/lib")
endif()
must(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}")
must(${CMAKE_COMMAND} -S "${SOURCE}/examples" -B "${WORK}/examples" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
  "-DCMAKE_EXE_LINKER_FLAGS=${FLAGS}" "-DCMAKE_MODULE_LINKER_FLAGS=${FLAGS}")
must(${CMAKE_COMMAND} --build "${WORK}/examples")
must("${WORK}/examples/play" cart-pole)
if(NOT said MATCHES "cart-pole: mean return [0-9.]+")
  message(FATAL_ERROR "play said: ${said}")
endif()
# The same library and the same seed: the installed program gives the number that the example prints.
string(REGEX REPLACE ".*mean return ([0-9.]+[1-9])0*,.*" "\\1" example "${said}")
must("${prefix}/bin/mercer" evaluate --env cart-pole --policy uniform --episodes 1000 --seed 1 --json --quiet)
string(JSON mean GET "${said}" return mean)
if(NOT mean EQUAL example)
  message(FATAL_ERROR "play says ${example}, mercer says ${mean}")
endif()
must("${prefix}/bin/mercer" evaluate --plugin "${WORK}/examples/cruise.so" --env cruise:hill=2 --policy uniform --json --quiet)
foreach(file share/man/man1/mercer.1 share/bash-completion/completions/mercer share/zsh/site-functions/_mercer
    share/doc/mercer/LICENSE)
  if(NOT EXISTS "${prefix}/${file}")
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
