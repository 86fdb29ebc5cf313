#include "mercer/embed/lattice_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

LatticePolicy::LatticePolicy(std::string name, Contract contract, std::shared_ptr<const Cells> cells, Grid actions,
                             PolicyTable table, LatticePlay playing, OwnEdges own)
    : Policy(std::move(name), std::move(contract)),
      cells_(std::move(cells)),
      actions_(std::move(actions)),
      own_(std::move(own)),
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
  own_.check(table_.rows, actions_);
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

double LatticePolicy::middle(std::size_t row, std::size_t cell, std::size_t dimension) const {
  const Grid& grid = own_.of(row, actions_);
  return &grid == &actions_ ? middles_[dimension * table_.cols + cell]
                            : grid.axes[dimension].centre(grid.bin(cell, dimension));
}

void LatticePolicy::sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const {
  const std::size_t count = table_.cols;
  for (std::size_t i = 0; i < action.cols(); ++i) {
    const std::size_t row = row_of(observation, i);
    Random random = draws.random(i);
    const double u = random.uniform();
    std::size_t cell = 0;
    if (row == uniform_row) {
      cell = std::min(static_cast<std::size_t>(u * static_cast<double>(count)), count - 1);
    } else {
      const auto own = std::span(below_).subspan(row * count, count);
      // The first entry above u; rounding may leave the last one a little below one.
      cell = std::min(static_cast<std::size_t>(std::ranges::upper_bound(own, u * own.back()) - own.begin()), count - 1);
    }
    const Grid& grid = own_.of(row, actions_);
    for (std::size_t d = 0; d < action.rows(); ++d) {
      double value = middle(row, cell, d);
      if (playing_.noise) value += grid.axes[d].width(grid.bin(cell, d)) * (random.uniform() - 0.5);
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
      for (std::size_t a = 0; a < count; ++a) mean += probability(row, a) * middle(row, a, d);
      action(d, i) = mean;
    }
  }
}

void LatticePolicy::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                             std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = row_of(observation, i);
    const Grid& grid = own_.of(row, actions_);
    std::size_t cell = 0;
    double log_volume = 0;
    bool possible = true;
    for (std::size_t d = 0; d < action.rows(); ++d) {
      const Edges& axis = grid.axes[d];
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
    out[i] = possible ? std::log(probability(row, cell)) - log_volume : -infinity;
  }
}

}  // namespace mercer
