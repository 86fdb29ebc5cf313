#pragma once

#include <exception>
#include <optional>

#include "mercer/error.hpp"

namespace mercer {

/// What libraries throw for reasons outside the program, as an error with a code: a path that the system refuses,
/// memory that runs out, a value of another type in a file. Empty for everything else, which is a mistake of the
/// program's own.
std::optional<Error> coded_error(const std::exception& trouble);

}  // namespace mercer
