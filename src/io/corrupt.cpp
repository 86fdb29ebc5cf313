#include "io/corrupt.hpp"

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {

void throw_corrupt(std::string_view where, std::string_view what) {
  throw Error(ErrorCode::corrupt_file, fmt::format("'{}' {}", where, what),
              "Write the file again; it was cut short or damaged");
}

}  // namespace mercer
