#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "mercer/basis.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

constexpr std::size_t rows_per_block = 256;

bool clip(std::span<double> row) {
  double sum = 0;
  for (double& value : row) {
    value = std::max(value, 0.0);
    sum += value;
  }
  if (!(sum > 0)) {
    std::ranges::fill(row, 1 / static_cast<double>(row.size()));
    return true;
  }
  if (!std::isfinite(sum) || 1 / sum == HUGE_VAL) {  // so large or so small that sum or quotient overflows: scale first
    const double largest = *std::ranges::max_element(row);
    sum = 0;
    for (double& value : row) sum += value /= largest;
  }
  for (double& value : row) value /= sum;
  return false;
}

// q = max(g - theta, 0) with theta such that q sums to one.
void to_nearest(std::span<double> row) {
  thread_local std::vector<double> sorted;  // kept, so that acting allocates nothing
  // The answer does not change when a constant is added to the row; near the largest entry sums lose nothing.
  const double largest = *std::ranges::max_element(row);
  for (double& value : row) value -= largest;
  sorted.assign(row.begin(), row.end());
  std::ranges::sort(sorted, std::greater<>());
  double sum = 0;
  double theta = 0;
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    sum += sorted[j];
    const double candidate = (sum - 1) / static_cast<double>(j + 1);
    if (!(sorted[j] > candidate)) break;
    theta = candidate;
  }
  for (double& value : row) value = std::max(value - theta, 0.0);
}

void softmax(std::span<double> row) {
  const double largest = *std::ranges::max_element(row);
  double sum = 0;
  for (double& value : row) sum += value = std::exp(value - largest);
  for (double& value : row) value /= sum;
}

void check_row(std::span<const double> row, std::size_t index) {
  for (const double value : row) {
    if (std::isfinite(value)) continue;
    throw Error(ErrorCode::not_finite, fmt::format("row {} holds {} and cannot become a distribution", index, value),
                "Look at the coefficients that the row was made from");
  }
}

// Returns whether the row became uniform for want of anything positive.
bool project(std::span<double> row, SimplexRule rule) {
  switch (rule) {
    case SimplexRule::clip:
      return clip(row);
    case SimplexRule::euclidean:
      to_nearest(row);
      break;
    case SimplexRule::softmax:
      softmax(row);
      break;
  }
  return false;
}

}  // namespace

bool project_row(std::span<double> row, SimplexRule rule) {
  check_row(row, 0);
  return project(row, rule);
}

void logits_of_rows(MatrixView<double> rows) {
  for_each_block(rows.rows(), rows_per_block, [&](Block block) {
    for (std::size_t index = block.begin; index < block.end; ++index) {
      const std::span<double> row = rows.row(index);
      check_row(row, index);
      const double floor = smallest_odds * *std::ranges::max_element(row);
      if (!(floor > 0)) {
        throw Error(ErrorCode::bad_value, fmt::format("row {} has no positive entry, and so no logits", index),
                    "Give distributions, one in each row");
      }
      double sum = 0;
      for (double& value : row) sum += value = std::log(std::max(value, floor));
      for (double& value : row) value -= sum / static_cast<double>(row.size());
    }
  });
}

std::size_t project_rows(MatrixView<double> rows, SimplexRule rule) {
  if (rows.rows() == 0) return 0;
  if (rows.cols() == 0) {
    throw Error(ErrorCode::shape_mismatch, "rows without entries cannot become distributions",
                "Give at least one column");
  }
  std::vector<std::size_t> uniform((rows.rows() + rows_per_block - 1) / rows_per_block);
  for_each_block(rows.rows(), rows_per_block, [&](Block block) {
    for (std::size_t index = block.begin; index < block.end; ++index) {
      check_row(rows.row(index), index);
      uniform[block.index] += project(rows.row(index), rule) ? 1 : 0;
    }
  });
  return std::accumulate(uniform.begin(), uniform.end(), std::size_t{0});
}

}  // namespace mercer
