#pragma once

#include <span>

namespace mercer {

/// The orthonormal cosine transform (or its inverse) along the middle axis of an outer x length x inner array. `in` and
/// `out` may be the same.
void cosine_along(std::span<const double> in, std::span<double> out, std::size_t outer, std::size_t length,
                  std::size_t inner, bool backward);

}  // namespace mercer
