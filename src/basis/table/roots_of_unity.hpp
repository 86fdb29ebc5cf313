#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace mercer {

/// Cosines and sines of all multiples of one `period`-th of a turn.
class RootsOfUnity {
 public:
  explicit RootsOfUnity(std::size_t period) : period_(period), inverse_(1 / static_cast<double>(period)) {
    for (std::size_t j = 0; j < period; ++j) {
      const double angle = 2 * std::numbers::pi * (static_cast<double>(j) * inverse_);
      cosine_.push_back(std::cos(angle));
      sine_.push_back(std::sin(angle));
    }
  }

  /// a * b modulo the period, for a and b below 2^31. A division would take longer than all else that acting does for
  /// a term, so the quotient is guessed by a multiplication and put right where it was off by one.
  std::size_t index(std::size_t a, std::size_t b) const {
    const auto product = static_cast<std::int64_t>(a * b);
    const auto period = static_cast<std::int64_t>(period_);
    std::int64_t rest = product - static_cast<std::int64_t>(static_cast<double>(product) * inverse_) * period;
    rest += rest < 0 ? period : 0;
    rest -= rest >= period ? period : 0;
    return static_cast<std::size_t>(rest);
  }

  double cosine(std::size_t index) const { return cosine_[index]; }
  double sine(std::size_t index) const { return sine_[index]; }

 private:
  std::size_t period_;
  double inverse_;
  std::vector<double> cosine_, sine_;
};

/// The index of a row on each axis but the last, from its number, without memory of its own: visits (axis, index) from
/// the last leading axis to the first.
template <class Visit>
void for_each_leading_index(std::span<const std::size_t> shape, std::size_t row, Visit visit) {
  for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
    visit(axis, row % shape[axis]);
    row /= shape[axis];
  }
}

/// For each row of a table (a frequency of the leading axes) the row of the opposite frequency.
std::vector<std::size_t> opposite_rows(std::span<const std::size_t> shape);

}  // namespace mercer
