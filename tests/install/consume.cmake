# Installs into a clean folder, builds examples/ against what is there and nothing else, and runs them: in C++ with the
# shared and with the static library, and in Python where PYTHON is given. LAUNCHER is what the compiler runs under.
set(here "${WORK}")

# must(COMMAND...): runs it in the folder `here`; its output is then `said`.
function(must)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${here}" RESULT_VARIABLE code OUTPUT_VARIABLE said
    ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nexit code ${code}\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

# says(REGEX COMMAND...): the same, and all of the output matches.
function(says regex)
  must(${ARGN})
  if(NOT said MATCHES "^${regex}\n$")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nsaid: ${said}\nwhich is not: ${regex}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

# example(NAME REGEX ARGUMENTS...): runs it in both languages, each in a folder of its own. Both print the same numbers,
# except where a task or a policy of one's own draws random numbers in its own way. What C++ prints with the shared
# library is then `said`, and `said_NAME` and `with_NAME` for the static one.
function(example name regex)
  set(here "${WORK}/cpp")
  says("${regex}" "${WORK}/shared/${name}" ${ARGN})
  set(said "${said}" PARENT_SCOPE)
  set(said_${name} "${said}" PARENT_SCOPE)
  set(with_${name} "${ARGN}" PARENT_SCOPE)
  set(examples ${examples} ${name} PARENT_SCOPE)
  if(PYTHON)
    set(cpp "${said}")
    set(here "${WORK}/python")
    says("${regex}" ${CMAKE_COMMAND} -E env "PYTHONPATH=${BUILD}/python" "${PYTHON}" -B
      "${SOURCE}/examples/python/${name}.py" ${ARGN})
    if(NOT name MATCHES "^own_" AND NOT said STREQUAL cpp)
      message(FATAL_ERROR "${name}.cpp: ${cpp}\n${name}.py: ${said}")
    endif()
  endif()
endfunction()

# configure(FOLDER OPTIONS...): the examples, to be built in WORK/FOLDER.
function(configure folder)
  must(${CMAKE_COMMAND} -S "${SOURCE}/examples" -B "${WORK}/${folder}" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
    "-DCMAKE_EXE_LINKER_FLAGS=${FLAGS}" "-DCMAKE_MODULE_LINKER_FLAGS=${FLAGS}"
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" ${ARGN})
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/cpp" "${WORK}/python" "${WORK}/alone")
set(prefix "${WORK}/prefix")
set(actor "${SOURCE}/tests/data/policies/pendulum_5000_actor.onnx")
set(number "-?[0-9]+[.][0-9]+")
if(NOT EXISTS /proc/self/exe)  # in a bare chroot the loader cannot tell where a program stands
  set(ENV{LD_LIBRARY_PATH} "${prefix}/lib")
endif()
must(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}")
foreach(file share/man/man1/mercer.1 share/bash-completion/completions/mercer share/zsh/site-functions/_mercer
    share/doc/mercer/LICENSE)
  if(NOT EXISTS "${prefix}/${file}")
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
configure(shared)
must(${CMAKE_COMMAND} --build "${WORK}/shared")

example(train "run/snapshot_004000[.]safetensors: mean return ${number} after 4000 steps" run)
example(embed_lattice
  "table[.]mercer: [0-9]+ visited cells in 300 coefficients, [0-9]+ bytes\nmean return ${number}, of the teacher ${number}"
  "${actor}" table.mercer)
example(compress
  "small[.]mercer: [0-9]+ bytes, loss ${number}% of the return, at most ${number}% with 95% confidence"
  "${actor}" small.mercer)
example(certify
  "six[.]mercer: loss ${number}% of the return, at most ${number}% with 95% confidence" "${actor}" six.mercer)
example(export_c "firmware/controller[.]c: [0-9]+ bytes of constants, [0-9]+ operations an action" "${actor}" firmware)
example(own_task "cruise: mean return ${number}")
example(own_policy "logistic: mean return ${number}, uniform ${number}")
example(play "cart-pole: mean return ${number}, 95% interval \\[${number}, ${number}\\], [0-9]+ steps" cart-pole)

# The same library and the same seed: the installed program gives the number that the example prints.
string(REGEX REPLACE ".*mean return ([0-9.]+[1-9])0*,.*" "\\1" played "${said}")
must("${prefix}/bin/mercer" evaluate --env cart-pole --policy uniform --episodes 1000 --seed 1 --json --quiet)
string(JSON mean GET "${said}" return mean)
if(NOT mean EQUAL played)
  message(FATAL_ERROR "play says ${played}, mercer says ${mean}")
endif()
# The same source as a plug-in of the program, with the same return up to the digits that own_task prints.
must("${WORK}/shared/own_task")
string(REGEX REPLACE ".*mean return (-[0-9]+).*" "\\1" played "${said}")
must("${prefix}/bin/mercer" evaluate --plugin "${WORK}/shared/cruise.so" --env cruise:hill=2 --policy uniform --seed 1
  --json --quiet)
string(JSON mean GET "${said}" return mean)
if(NOT mean MATCHES "^${played}[.]")
  message(FATAL_ERROR "own_task says ${played}, mercer says ${mean}")
endif()
# What was exported compiles and passes its own test.
set(here "${WORK}/cpp/firmware")
must("${COMPILER}" -x c++ controller.c main.c -o controller)
must("${here}/controller")

# The program in the comment of <mercer/mercer.hpp>.
file(READ "${prefix}/include/mercer/mercer.hpp" program)
string(REGEX REPLACE "^.*A whole program:\n///\n(.*)///\n/// Include a single header.*$" "\\1" program "${program}")
string(REGEX REPLACE "///( +)?" "" program "${program}")
file(WRITE "${WORK}/program.cpp" "${program}")
must("${COMPILER}" -std=c++20 -fsyntax-only -I "${prefix}/include" "${WORK}/program.cpp")

# Against libmercer.a, with libmercer.so out of the way: all examples print what they did. play.cpp names no more than
# `make_policy`, which must bring the reader of embeddings with it.
set(here "${WORK}/cpp")
must("${WORK}/shared/play" pendulum small.mercer)
set(shared "${said}")
configure(static -DMERCER_STATIC=ON)
must(${CMAKE_COMMAND} --build "${WORK}/static")
file(GLOB_RECURSE libraries "${prefix}/libmercer.so*")
file(REMOVE ${libraries})
must("${WORK}/static/play" pendulum small.mercer)
if(NOT said STREQUAL shared)
  message(FATAL_ERROR "with libmercer.so: ${shared}\nwith libmercer.a: ${said}")
endif()
set(here "${WORK}/alone")
foreach(name ${examples})
  must("${WORK}/static/${name}" ${with_${name}})
  if(NOT said STREQUAL said_${name})
    message(FATAL_ERROR "${name} with libmercer.so: ${said_${name}}\nwith libmercer.a: ${said}")
  endif()
endforeach()
