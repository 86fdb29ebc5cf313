#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/npz.hpp"
#include "mercer/matrix_view.hpp"

namespace mercer {

/// 256 inputs and outputs of a Stable-Baselines3 policy, as PyTorch computed them.
class ReferencePairs {
 public:
  explicit ReferencePairs(const std::string& name) : arrays_(read_npz(file(name + ".npz"))) {}

  static std::filesystem::path file(const std::string& name) {
    return std::filesystem::path(MERCER_TEST_DATA) / "policies" / name;
  }

  /// An array as columns: one row for each number, one column for each pair.
  struct Columns {
    std::vector<double> numbers;
    std::size_t rows, cols;
    MatrixView<const double> view() const { return {numbers.data(), rows, cols}; }
  };
  Columns columns(const std::string& name) const {
    const Array& array = arrays_.at(name);
    const std::vector<double> rows = array.as_doubles();
    Columns out{std::vector<double>(rows.size()), array.shape.size() > 1 ? array.shape[1] : 1, array.shape[0]};
    for (std::size_t i = 0; i < out.cols; ++i) {
      for (std::size_t r = 0; r < out.rows; ++r) out.numbers[r * out.cols + i] = rows[i * out.rows + r];
    }
    return out;
  }

 private:
  Arrays arrays_;
};

}  // namespace mercer
