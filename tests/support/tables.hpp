#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/npz.hpp"
#include "mercer/basis.hpp"
#include "mercer/random.hpp"

namespace mercer {

/// Normal entries, the same for the same seed and shape.
inline Table random_table(std::vector<std::size_t> shape, std::uint64_t seed) {
  Table table{std::move(shape), {}};
  Random random({seed, Stage::task, 0, 0});
  table.values.resize(table_size(table.shape));
  for (double& value : table.values) value = random.normal();
  return table;
}

/// Rows that are distributions, as those of a policy: smooth in the row, with some noise.
inline Table random_policy(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Table table = random_table({rows, columns}, seed);
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < columns; ++column) {
      double& value = table.values[row * columns + column];
      const double turn = 6.28 * static_cast<double>(row) / static_cast<double>(rows);
      value = std::exp(0.3 * value + 2 * std::cos(turn + static_cast<double>(column)));
      sum += value;
    }
    for (std::size_t column = 0; column < columns; ++column) table.values[row * columns + column] /= sum;
  }
  return table;
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;  // NaN, too
  }
  return largest;
}

inline double squares(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

inline double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// Arrays of tests/data/golden/kernels: what numpy 1.24.2, PyWavelets 1.1.1 and scipy 1.10.1 computed.
inline Arrays golden_kernels(const std::string& name) {
  return read_npz(std::string(MERCER_TEST_DATA) + "/golden/kernels/" + name + ".npz");
}

/// The table that the golden files of one size, as "35x15", were made from.
inline Table golden_table(const std::string& size) {
  const Array array = golden_kernels("kern_" + size).at("M");
  return {array.shape, array.as_doubles()};
}

}  // namespace mercer
