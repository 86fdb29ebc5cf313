#include "policy/action_grid.hpp"

#include <algorithm>
#include <array>

#include "mercer/core/error.hpp"

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
