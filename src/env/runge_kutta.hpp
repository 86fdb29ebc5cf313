#pragma once

#include <array>
#include <cstddef>

namespace mercer {

/// Some columns of a batch as scratch space: one row per dimension, which loops run along.
template <std::size_t rows, std::size_t columns>
using Block = std::array<std::array<double, columns>, rows>;

/// One classical Runge-Kutta step of `h` seconds for the first `count` columns of `y`. slope(at, halves, out) writes
/// the derivative by time at `at`, after `halves` (0, 1 or 2) halves of the step.
template <std::size_t rows, std::size_t columns, class Slope>
void runge_kutta(Block<rows, columns>& y, std::size_t count, double h, Slope slope) {
  Block<rows, columns> at = y;
  Block<rows, columns> along;
  Block<rows, columns> sum{};
  constexpr std::array<std::size_t, 5> halves{0, 1, 1, 2, 0};
  constexpr std::array<double, 4> weights{1, 2, 2, 1};
  for (std::size_t stage = 0; stage < 4; ++stage) {
    slope(at, halves[stage], along);
    const double ahead = h / 2 * static_cast<double>(halves[stage + 1]);
    for (std::size_t d = 0; d < rows; ++d) {
      for (std::size_t i = 0; i < count; ++i) {
        sum[d][i] += weights[stage] * along[d][i];
        at[d][i] = y[d][i] + ahead * along[d][i];
      }
    }
  }
  for (std::size_t d = 0; d < rows; ++d) {
    for (std::size_t i = 0; i < count; ++i) y[d][i] += h / 6 * sum[d][i];
  }
}

}  // namespace mercer
