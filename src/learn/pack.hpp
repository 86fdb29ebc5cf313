#pragma once

#include <Eigen/Core>

#include "learn/product.hpp"

namespace mercer::learn {

/// Vectors of `Lanes` numbers, read and written at any address.
template <Eigen::Index Lanes>
struct Simd {
  typedef float Vector __attribute__((vector_size(Lanes * sizeof(float)), aligned(alignof(float)), may_alias));
  static const Vector& at(const float* numbers) { return *reinterpret_cast<const Vector*>(numbers); }
  static Vector& at(float* numbers) { return *reinterpret_cast<Vector*>(numbers); }
};

/// Rows [row, row + width) of a left factor, columns [k, k + depth): for each step of the depth the rows side by side,
/// filled up to `rows` of them by zeros.
void pack_left(const Factor<float>& a, Eigen::Index row, Eigen::Index k, Eigen::Index width, Eigen::Index depth,
               float* out, Eigen::Index rows);

/// Columns [column, column + width) of a right factor, rows [k, k + depth): for each step of the depth the columns side
/// by side.
void pack_right(const Factor<float>& b, Eigen::Index k, Eigen::Index column, Eigen::Index width, Eigen::Index depth,
                float* out);

}  // namespace mercer::learn
