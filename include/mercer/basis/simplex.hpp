#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// How a row of a reconstruction becomes a distribution again.
enum class SimplexRule {
  clip,       ///< negative entries to zero, then divide by the sum: TV to the true row is at most the L1 error
  euclidean,  ///< the nearest distribution in L2: never farther from the true row than the reconstruction was
  softmax,  ///< exp and divide: only for tables of log-densities, since it changes rows that already are distributions
};

/// "clip", "euclidean" or "softmax"; throws `unknown_name` otherwise.
SimplexRule simplex_rule(std::string_view name);

/// Projects every row in place. Returns how many rows had nothing positive to clip to and became uniform (clip only).
/// Costs O(m) a row, euclidean O(m log m). Throws `not_finite` for NaN and infinity.
std::size_t project_rows(MatrixView<double> rows, SimplexRule rule = SimplexRule::clip);

/// One row of at least one entry. Returns whether it had nothing positive to clip to. Allocates nothing once the thread
/// has projected a row as long.
bool project_row(std::span<double> row, SimplexRule rule = SimplexRule::clip);

}  // namespace mercer
