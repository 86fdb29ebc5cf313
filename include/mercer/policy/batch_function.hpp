#pragma once

#include <functional>

#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// A function of states, for many at once: column i of `out` depends on column i of `in` alone. Any number of threads
/// may call it. What defines a policy is such a function, whether a network or an embedding computes it.
using BatchFunction = std::function<void(MatrixView<const double> in, MatrixView<double> out)>;

}  // namespace mercer
