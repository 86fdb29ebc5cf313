#include <algorithm>
#include <array>

#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/action_grid.hpp"
#include "policy/batch.hpp"

namespace mercer {

BatchFunction greedy_index(BatchFunction q, std::size_t count) {
  return [q = std::move(q), count](MatrixView<const double> in, MatrixView<double> out) {
    for_each_chunk(in.cols(), [&](std::size_t begin, std::size_t columns) {
      const Scratch memory(count, columns);
      const MatrixView<double> values = memory.view();
      q(in.columns(begin, columns), values);
      for (std::size_t i = 0; i < columns; ++i) {
        std::size_t best = 0;
        for (std::size_t a = 1; a < count; ++a) {
          if (values(a, i) > values(best, i)) best = a;
        }
        out(0, begin + i) = static_cast<double>(best);
      }
    });
  };
}

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

}  // namespace

ActionGrid::ActionGrid(std::size_t action_dimensions)
    : dimensions(action_dimensions),
      side(cells_along(dimensions)),
      count(power(side, dimensions)),
      width(2 / static_cast<double>(side)) {}

std::size_t ActionGrid::stride(std::size_t dimension) const { return power(side, dimensions - 1 - dimension); }

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

}  // namespace mercer
