#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/batch.hpp"

namespace mercer {
namespace {

std::size_t cells_along(std::size_t dimensions) {
  require_in_range("the number of action dimensions of a policy made from q(s, a)", static_cast<double>(dimensions), 1,
                   3, "Use the actor instead: its outputs mean and log_std, or action");
  constexpr std::array<std::size_t, 3> sides{64, 32, 16};
  return sides[dimensions - 1];
}

std::size_t power(std::size_t base, std::size_t exponent) {
  std::size_t product = 1;
  for (std::size_t i = 0; i < exponent; ++i) product *= base;
  return product;
}

// Equal cells on [-1, 1]^dimensions, numbered with the last dimension running fastest.
struct ActionGrid {
  // Throws `out_of_range` unless there are one to three dimensions.
  explicit ActionGrid(std::size_t action_dimensions)
      : dimensions(action_dimensions),
        side(cells_along(dimensions)),
        count(power(side, dimensions)),
        width(2 / static_cast<double>(side)) {}

  std::size_t dimensions;
  std::size_t side;   // cells along each dimension
  std::size_t count;  // of all cells
  double width;       // of a cell

  std::size_t stride(std::size_t dimension) const { return power(side, dimensions - 1 - dimension); }
  std::size_t index(std::size_t cell, std::size_t dimension) const { return cell / stride(dimension) % side; }
  double middle(std::size_t cell, std::size_t dimension) const {
    return -1 + width * (static_cast<double>(index(cell, dimension)) + 0.5);
  }
};

// values(0, c) = q(observation, centre + size * middle of cell c), limited to [-1, 1], for one state: column `state`
// of `observation`. `input` is scratch memory with a row for each observation and action and a column for each cell.
void evaluate_on_grid(const BatchFunction& q, const ActionGrid& grid, MatrixView<const double> observation,
                      std::size_t state, const double* centre, double size, MatrixView<double> input,
                      MatrixView<double> values) {
  const std::size_t seen = observation.rows();
  for (std::size_t r = 0; r < seen; ++r) std::ranges::fill(input.row(r), observation(r, state));
  for (std::size_t d = 0; d < grid.dimensions; ++d) {
    for (std::size_t c = 0; c < grid.count; ++c) {
      input(seen + d, c) = std::clamp(centre[d] + size * grid.middle(c, d), -1.0, 1.0);
    }
  }
  q(input, values);
}

// log(sinh(x) / x), without overflow or cancellation.
double log_sinhc(double x) {
  x = std::abs(x);
  if (x < 1e-4) return x * x / 6;
  return x - std::log(2 * x) + std::log1p(-std::exp(-2 * x));
}

// exp(slope * x) on [-1/2, 1/2] as a distribution: its mean, its mean square, and the point below which it has mass v.
double exponential_mean(double slope) {
  if (std::abs(slope) < 1e-4) return slope / 12;
  return 0.5 / std::tanh(slope / 2) - 1 / slope;
}
double exponential_mean_square(double slope) {
  if (std::abs(slope) < 1e-2) return 1.0 / 12 + slope * slope / 360;
  return 0.25 - 2 * exponential_mean(slope) / slope;
}
double exponential_quantile(double slope, double v) {
  if (slope < 0) return -exponential_quantile(-slope, 1 - v);
  if (slope < 1e-9) return v - 0.5;
  return 0.5 + std::log(v + (1 - v) * std::exp(-slope)) / slope;
}

// The distribution in one state: a mass for each cell and how q / T rises across it.
class CellMasses {
 public:
  CellMasses(const ActionGrid& grid, std::size_t observations)
      : grid_(grid), input_(observations + grid.dimensions, grid.count), logits_(1, grid.count), mass_(1, grid.count) {}

  // Returns the log of Z over [-1, 1]^dimensions.
  double fill(const BatchFunction& q, double temperature, MatrixView<const double> observation, std::size_t state) {
    constexpr std::array<double, 3> centre{};
    evaluate_on_grid(q, grid_, observation, state, centre.data(), 1, input_.view(), logits_.view());
    for (double& value : logits()) value /= temperature;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < grid_.count; ++c) {
      double log_mass = logits()[c];
      for (std::size_t d = 0; d < grid_.dimensions; ++d) {
        const double slope = rise(c, d);
        log_mass += log_sinhc(slope / 2) + 0.5 * bend(c, d) * exponential_mean_square(slope);
      }
      masses()[c] = log_mass;
      most = std::max(most, log_mass);
    }
    double total = 0;
    for (double& mass : masses()) total += mass = std::exp(mass - most);
    return most + std::log(total) + static_cast<double>(grid_.dimensions) * std::log(grid_.width);
  }

  std::span<double> masses() const { return mass_.view().row(0); }

  // How much q / T rises from one side of a cell to the other.
  double rise(std::size_t cell, std::size_t d) const {
    const std::size_t stride = grid_.stride(d), index = grid_.index(cell, d);
    const std::size_t before = index == 0 ? cell : cell - stride;
    const std::size_t after = index + 1 == grid_.side ? cell : cell + stride;
    return (logits()[after] - logits()[before]) * static_cast<double>(stride) / static_cast<double>(after - before);
  }

  // How much that rise grows from one cell to the next, at the ends as next to them. Where it is large q / T has a
  // corner rather than a curve, and a second derivative says little.
  double bend(std::size_t cell, std::size_t d) const {
    const std::size_t stride = grid_.stride(d), index = grid_.index(cell, d);
    if (index == 0) cell += stride;
    if (index + 1 == grid_.side) cell -= stride;
    return std::clamp(logits()[cell + stride] - 2 * logits()[cell] + logits()[cell - stride], -1.0, 1.0);
  }

 private:
  std::span<double> logits() const { return logits_.view().row(0); }

  const ActionGrid& grid_;
  Scratch input_, logits_, mass_;
};

}  // namespace

BatchFunction greedy_point(BatchFunction q, std::size_t dimensions) {
  return [q = std::move(q), grid = ActionGrid(dimensions)](MatrixView<const double> in, MatrixView<double> out) {
    const Scratch input(in.rows() + grid.dimensions, grid.count), value(1, grid.count);
    const MatrixView<double> values = value.view();
    for (std::size_t i = 0; i < in.cols(); ++i) {
      std::array<double, 3> centre{};
      double size = 1;
      for (int zoom = 0; zoom < 3; ++zoom) {
        evaluate_on_grid(q, grid, in, i, centre.data(), size, input.view(), values);
        const auto row = values.row(0);
        const auto best = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
        for (std::size_t d = 0; d < grid.dimensions; ++d) {
          centre[d] = std::clamp(centre[d] + size * grid.middle(best, d), -1.0, 1.0);
        }
        size *= grid.width;  // the neighbours' middles are the ends of the next grid
      }
      for (std::size_t d = 0; d < grid.dimensions; ++d) out(d, i) = centre[d];
    }
  };
}

BoxBoltzmannPolicy::BoxBoltzmannPolicy(std::string name, Contract contract, BatchFunction q, double temperature)
    : Policy(std::move(name), std::move(contract)), q_(std::move(q)), temperature_(temperature) {
  require_in_range(fmt::format("policy '{}': the temperature", this->name()), temperature, 1e-9, 1e9,
                   "Take 1, or kind=greedy for the best action");
  const ActionGrid check(action_space().dimensions());
}

void BoxBoltzmannPolicy::sample(MatrixView<const double> observation, const Draws& draws,
                                MatrixView<double> action) const {
  const ActionGrid grid(action.rows());
  CellMasses cells(grid, observation.rows());
  for (std::size_t i = 0; i < action.cols(); ++i) {
    const bool known = std::isfinite(cells.fill(q_, temperature_, observation, i));
    Random random = draws.random(i);
    const std::size_t cell = known ? random.categorical(cells.masses()) : 0;
    for (std::size_t d = 0; d < action.rows(); ++d) {
      const double inside = exponential_quantile(cells.rise(cell, d), random.uniform());
      const double z = grid.middle(cell, d) + grid.width * inside;
      action(d, i) = known ? contract().centre[d] + contract().scale[d] * z : std::nan("");
    }
  }
}

void BoxBoltzmannPolicy::mean_action(MatrixView<const double> observation, MatrixView<double> action) const {
  const ActionGrid grid(action.rows());
  CellMasses cells(grid, observation.rows());
  for (std::size_t i = 0; i < action.cols(); ++i) {
    cells.fill(q_, temperature_, observation, i);
    std::array<double, 3> mean{};
    double total = 0;
    for (std::size_t c = 0; c < grid.count; ++c) {
      const double mass = cells.masses()[c];
      total += mass;
      for (std::size_t d = 0; d < grid.dimensions; ++d) {
        mean[d] += mass * (grid.middle(c, d) + grid.width * exponential_mean(cells.rise(c, d)));
      }
    }
    for (std::size_t d = 0; d < action.rows(); ++d) {
      action(d, i) = contract().centre[d] + contract().scale[d] * mean[d] / total;
    }
  }
}

void BoxBoltzmannPolicy::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                                  std::span<double> out) const {
  log_prob_many(observation, action, {out.data(), out.size(), 1});
}

// q at every pair of state and action, but Z once for each state.
void BoxBoltzmannPolicy::log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                                       MatrixView<double> out) const {
  const std::size_t seen = observation.rows(), each = out.cols();
  const ActionGrid grid(action.rows());
  double log_scale = 0;
  for (const double scale : contract().scale) log_scale += std::log(std::abs(scale));
  CellMasses cells(grid, seen);
  double log_normaliser = 0;
  for_each_chunk(out.rows() * each, [&](std::size_t begin, std::size_t count) {
    const Scratch points(seen + action.rows(), count), value(1, count);
    const MatrixView<double> input = points.view(), q = value.view();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t state = (begin + i) / each;
      const std::size_t column = first_action(action, out, state) + (begin + i) % each;
      for (std::size_t r = 0; r < seen; ++r) input(r, i) = observation(r, state);
      for (std::size_t d = 0; d < action.rows(); ++d) {
        input(seen + d, i) = (action(d, column) - contract().centre[d]) / contract().scale[d];
      }
    }
    q_(input, q);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t state = (begin + i) / each, j = (begin + i) % each;
      if (j == 0) log_normaliser = cells.fill(q_, temperature_, observation, state) + log_scale;
      bool possible = true;
      for (std::size_t d = 0; d < action.rows(); ++d) possible = possible && std::abs(input(seen + d, i)) <= 1;
      out(state, j) = possible ? q(0, i) / temperature_ - log_normaliser : -std::numeric_limits<double>::infinity();
    }
  });
}

}  // namespace mercer
