#pragma once

#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// Norms of the singular values: their sum, the root of the sum of their squares, the largest.
struct SchattenNorms {
  double s1 = 0;
  double s2 = 0;
  double sinf = 0;
};
/// O(rows cols min(rows, cols)). Throws `shape_mismatch` for an empty matrix.
SchattenNorms schatten_norms(MatrixView<const double> matrix);

/// The largest singular value alone, from the smaller of the two Gram matrices.
double spectral_norm(MatrixView<const double> matrix);

}  // namespace mercer
