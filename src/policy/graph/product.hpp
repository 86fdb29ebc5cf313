#pragma once

#include <cstddef>
#include <vector>

#include "policy/graph/graph.hpp"

namespace mercer {

/// weights * tile + bias. Every column is summed in the same order, whatever stands in the others; rows of the tile
/// that are zero in all columns cost nothing.
class Product {
 public:
  /// `weights`: outputs x inputs, row-major.
  Product(const std::vector<float>& weights, std::vector<float> bias, std::size_t inputs);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return bias_.size(); }

  /// From inputs() rows of a tile to outputs() rows of another, both on boundaries of 64 bytes.
  void run(const float* in, float* out) const;

 private:
  std::size_t inputs_;
  std::vector<float> bias_;
  bool finite_ = true;
  std::vector<float> weights_;  // by groups of rows that are summed together, column after column
};

}  // namespace mercer
