#pragma once

#include <exception>
#include <optional>

#include "mercer/error.hpp"

namespace mercer {

/// Of the error for memory that runs out; where it does, texts can no longer be put together.
inline constexpr const char *no_memory = "there is not enough memory for this",
                            *no_memory_remedy =
                                "Ask for fewer episodes or a shorter horizon, or use 'mercer evaluate', "
                                "which keeps no steps";

/// What libraries throw for reasons outside the program, as an error with a code: a path that the system refuses,
/// memory that runs out, a value of another type in a file. Empty for everything else, which is a mistake of the
/// program's own.
std::optional<Error> coded_error(const std::exception& trouble);

}  // namespace mercer
