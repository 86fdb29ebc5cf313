#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mercer/random.hpp"
#include "policy/batch.hpp"

namespace mercer {

/// The first place whose sum is above `level`, of sums that do not fall; the last place where none is. O(log size),
/// without a branch that data decides.
inline std::size_t first_above(std::span<const double> sums, double level) {
  std::size_t count = sums.size() - 1, found = 0;
  while (count > 0) {
    const std::size_t half = (count + 1) / 2;
    found += sums[found + half - 1] <= level ? half : 0;
    count -= half;
  }
  return found;
}

/// Replaces entries by their sums from the first on.
inline void accumulate_row(std::span<double> row) {
  double sum = 0;
  for (double& value : row) value = sum += value;
}

/// Rows as alias tables (Vose 1991): a place is drawn evenly, and either it or its alias is taken.
class AliasTable {
 public:
  AliasTable(std::span<const double> rows, std::size_t columns);

  std::size_t draw(std::size_t row, double u) const {
    const double place = u * static_cast<double>(columns_);
    const std::size_t column = std::min(static_cast<std::size_t>(place), columns_ - 1);
    const Slot& slot = slots_[row * columns_ + column];
    return place - static_cast<double>(column) < slot.own ? column : slot.other;
  }

 private:
  struct Slot {
    double own = 1;           // the share of the place that is its own
    std::uint32_t other = 0;  // whose the rest is
  };
  std::size_t columns_;
  std::vector<Slot> slots_;
};

/// Draws by proposing and resampling: n columns from a fixed distribution q, then one of them by weight p / q. Its
/// distribution tends to p as n grows, with a bias of order 1/n.
class ImportanceDraw {
 public:
  /// `proposal` need not be normalised; it is positive wherever a row is.
  ImportanceDraw(std::span<const double> proposal, std::size_t count);

  /// `probability(column)` is p up to a factor. Returns the number of columns where no proposal had any weight.
  template <class Probability>
  std::size_t draw(Random& random, Probability probability) const {
    const Scratch scratch(2, count_);
    const std::span<double> columns = scratch.view().row(0), sums = scratch.view().row(1);
    double total = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t column = first_above(sums_, random.uniform() * sums_.back());
      columns[i] = static_cast<double>(column);
      sums[i] = total += probability(column) / proposal_[column];
    }
    if (!(total > 0)) return proposal_.size();
    return static_cast<std::size_t>(columns[first_above(sums, random.uniform() * total)]);
  }

 private:
  std::size_t count_;
  std::vector<double> proposal_, sums_;
};

}  // namespace mercer
