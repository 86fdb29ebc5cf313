#include "basis/cosine_rows.hpp"

#include <algorithm>
#include <cassert>

namespace mercer {

CosineRows::CosineRows(std::vector<std::size_t> shape, std::span<const double> coefficients,
                       std::span<const std::size_t> kept)
    : shape_(std::move(shape)) {
  const std::size_t columns = shape_.back();
  for (const std::size_t length : shape_) turns_.emplace_back(4 * length);
  const auto factor = [](std::size_t length, std::size_t frequency) {
    return std::sqrt((frequency == 0 ? 1 : 2) / static_cast<double>(length));
  };
  std::vector<std::size_t> order(kept.begin(), kept.end());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return a % columns != b % columns ? a % columns < b % columns : a < b;
  });

  frequencies_.resize(shape_.size() - 1);
  for (const std::size_t index : order) {
    const std::size_t frequency = index % columns;
    if (groups_.empty() || groups_.back().frequency != frequency) {
      groups_.push_back({frequency, amplitudes_.size(), amplitudes_.size()});
    }
    double amplitude = coefficients[index] * factor(columns, frequency);
    for_each_leading_index(shape_, index / columns, [&](std::size_t axis, std::size_t leading) {
      amplitude *= factor(shape_[axis], leading);
      frequencies_[axis].push_back(static_cast<std::uint32_t>(leading));
    });
    amplitudes_.push_back(amplitude);
    groups_.back().end = amplitudes_.size();
  }
  for (const Group& group : groups_) {
    for (std::size_t column = 0; column < columns; ++column) {
      cosines_.push_back(turns_.back().cosine(turns_.back().index(group.frequency, 2 * column + 1)));
    }
  }
}

double CosineRows::sum(const Group& group, std::size_t row) const {
  double sum = 0;
  if (shape_.size() == 2) {  // the usual case, in a loop of its own that the compiler can do several terms of at once
    const Turns& turns = turns_[0];
    const std::uint32_t* const frequency = frequencies_[0].data();
    for (std::size_t i = group.begin; i < group.end; ++i) {
      sum += amplitudes_[i] * turns.cosine(turns.index(frequency[i], 2 * row + 1));
    }
    return sum;
  }
  for (std::size_t i = group.begin; i < group.end; ++i) {
    double value = amplitudes_[i];
    for_each_leading_index(shape_, row, [&](std::size_t axis, std::size_t index) {
      value *= turns_[axis].cosine(turns_[axis].index(frequencies_[axis][i], 2 * index + 1));
    });
    sum += value;
  }
  return sum;
}

void CosineRows::row(std::size_t row, std::span<double> out) const {
  const std::size_t columns = shape_.back();
  assert(out.size() == columns);
  std::ranges::fill(out, 0.0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double at_row = sum(groups_[g], row);
    const double* const cosine = cosines_.data() + g * columns;
    for (std::size_t column = 0; column < columns; ++column) out[column] += at_row * cosine[column];
  }
}

double CosineRows::entry(std::size_t row, std::size_t column) const {
  double value = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    value += sum(groups_[g], row) * cosines_[g * shape_.back() + column];
  }
  return value;
}

}  // namespace mercer
