#include "cli/version.hpp"

#include <fmt/format.h>

#include "mercer_build.hpp"

std::string version_number() { return MERCER_BUILD_VERSION; }

std::string version_text() {
  return fmt::format("mercer {}\ncommit    {}\ncompiler  {}\nflags     {}\n", MERCER_BUILD_VERSION, MERCER_BUILD_COMMIT,
                     MERCER_BUILD_COMPILER, MERCER_BUILD_FLAGS);
}
