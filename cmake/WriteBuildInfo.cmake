# Run at every build: writes OUTPUT with the commit in it, and leaves the file alone when nothing changed.
set(commit "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(described)
    set(commit "${described}")
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[#pragma once

#define MERCER_BUILD_VERSION "@VERSION@"
#define MERCER_BUILD_COMMIT "@commit@"
#define MERCER_BUILD_COMPILER "@COMPILER@"
#define MERCER_BUILD_FLAGS "@FLAGS@"
]] @ONLY)
