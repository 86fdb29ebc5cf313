#include "mercer/embed/lattice_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

LatticePolicy::LatticePolicy(std::string name, Contract contract, std::shared_ptr<const Cells> cells, Grid actions,
                             PolicyTable table, LatticePlay playing)
    : Policy(std::move(name), std::move(contract)),
      cells_(std::move(cells)),
      actions_(std::move(actions)),
      table_(std::move(table)),
      playing_(playing) {
  const std::size_t seen = cells_->grid().dimensions(), count = static_cast<std::size_t>(actions_.cells());
  if (table_.rows != cells_->size() || table_.cols != count || table_.pi.size() != table_.rows * count ||
      seen != observation_dimensions() || actions_.dimensions() != action_space().dimensions() || table_.rows == 0) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("policy '{}': a table of {} x {} for {} cells of {} observations and {} action cells of {} "
                            "dimensions",
                            this->name(), table_.rows, table_.cols, cells_->size(), seen, count, actions_.dimensions()),
                "Give a row for each visited cell and a column for each action cell");
  }
  if (action_space().is_discrete()) playing_.noise = false;
  below_.resize(table_.pi.size());
  for (std::size_t r = 0; r < table_.rows; ++r) {
    double sum = 0;
    for (std::size_t a = 0; a < count; ++a) below_[r * count + a] = sum += table_.row(r)[a];
  }
  for (std::size_t d = 0; d < actions_.dimensions(); ++d) {
    for (std::size_t a = 0; a < count; ++a) middles_.push_back(actions_.axes[d].centre(actions_.bin(a, d)));
  }
  for (std::size_t d = 0; d < seen; ++d) {
    const Edges& axis = cells_->grid().axes[d];
    per_range_.push_back(1 / (axis.values.back() - axis.values.front()));
    for (std::size_t c = 0; c < cells_->size(); ++c) centres_.push_back(cells_->centre(c, d) * per_range_[d]);
  }
}

std::size_t LatticePolicy::nearest_row(const double* point, std::size_t stride) const {
  const std::size_t count = cells_->size();
  std::size_t best = 0;
  double least = infinity;
  constexpr std::size_t together = 64;
  std::array<double, together> distance;
  for (std::size_t begin = 0; begin < count; begin += together) {
    const std::size_t size = std::min(together, count - begin);
    distance.fill(0);
    for (std::size_t d = 0; d < per_range_.size(); ++d) {
      const double place = point[d * stride] * per_range_[d];
      const double* centre = centres_.data() + d * count + begin;
      for (std::size_t i = 0; i < size; ++i) distance[i] += (centre[i] - place) * (centre[i] - place);
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (distance[i] >= least) continue;
      least = distance[i];
      best = begin + i;
    }
  }
  return best;
}

std::size_t LatticePolicy::row_of(MatrixView<const double> observation, std::size_t column) const {
  const double* point = &observation(0, column);
  const std::size_t row = cells_->find(point, observation.stride());
  if (row != Cells::none) return row;
  return playing_.unvisited == Unvisited::nearest ? nearest_row(point, observation.stride()) : uniform_row;
}

double LatticePolicy::probability(std::size_t row, std::size_t cell) const {
  return row == uniform_row ? 1 / static_cast<double>(table_.cols) : table_.row(row)[cell];
}

// Along one dimension actions come from the inverse of the distribution function, at the normal number that a Gaussian
// policy would draw here: two such policies that are played on the same episodes then choose alike, and the difference
// of their returns varies less.
void LatticePolicy::sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const {
  const std::size_t count = table_.cols;
  const bool line = action.rows() == 1 && !action_space().is_discrete();
  for (std::size_t i = 0; i < action.cols(); ++i) {
    const std::size_t row = row_of(observation, i);
    Random random = draws.random(i);
    const double u = line ? 0.5 * std::erfc(-random.normal() / std::numbers::sqrt2) : random.uniform();
    std::size_t cell = 0;
    double place = 0;  // in the cell, from 0 to 1
    if (row == uniform_row) {
      cell = std::min(static_cast<std::size_t>(u * static_cast<double>(count)), count - 1);
      place = u * static_cast<double>(count) - static_cast<double>(cell);
    } else {
      const auto own = std::span(below_).subspan(row * count, count);
      // The first entry above u; rounding may leave the last one a little below one.
      cell = std::min(static_cast<std::size_t>(std::ranges::upper_bound(own, u * own.back()) - own.begin()), count - 1);
      const double under = cell > 0 ? own[cell - 1] : 0;
      place = own[cell] > under ? (u * own.back() - under) / (own[cell] - under) : 0.5;
    }
    for (std::size_t d = 0; d < action.rows(); ++d) {
      double value = middles_[d * count + cell];
      if (playing_.noise) {
        const double inside = line ? std::min(place, 1.0) : random.uniform();
        value += actions_.axes[d].width(actions_.bin(cell, d)) * (inside - 0.5);
      }
      action(d, i) = value;
    }
  }
}

void LatticePolicy::mean_action(MatrixView<const double> observation, MatrixView<double> action) const {
  const std::size_t count = table_.cols;
  for (std::size_t i = 0; i < action.cols(); ++i) {
    const std::size_t row = row_of(observation, i);
    if (action_space().is_discrete()) {
      const auto own = row == uniform_row ? std::span<const double>{} : table_.row(row);
      action(0, i) = own.empty() ? 0 : static_cast<double>(std::ranges::max_element(own) - own.begin());
      continue;
    }
    for (std::size_t d = 0; d < action.rows(); ++d) {
      double mean = 0;
      for (std::size_t a = 0; a < count; ++a) mean += probability(row, a) * middles_[d * count + a];
      action(d, i) = mean;
    }
  }
}

void LatticePolicy::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                             std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t cell = 0;
    double log_volume = 0;
    bool possible = true;
    for (std::size_t d = 0; d < action.rows(); ++d) {
      const Edges& axis = actions_.axes[d];
      const double a = action(d, i);
      const std::size_t bin = axis.bin(a);
      cell = cell * axis.bins() + bin;
      if (playing_.noise) {
        possible = possible && a >= axis.values.front() && a <= axis.values.back();
        log_volume += std::log(axis.width(bin));
      } else {
        possible = possible && a == axis.centre(bin);
      }
    }
    out[i] = possible ? std::log(probability(row_of(observation, i), cell)) - log_volume : -infinity;
  }
}

}  // namespace mercer
