#include "mercer/env/env.hpp"

#include <algorithm>

#include "mercer/core/error.hpp"

namespace mercer {

Env::Env(Task task) : task_(std::move(task)) {
  require_in_range("the time limit of task '" + task_.name + "'", task_.time_limit, 1, 1e9, "Give a number of steps");
  require_in_range("the discount of task '" + task_.name + "'", task_.gamma, 0, 1, "Give a discount from 0 to 1");
}

void Env::observe(MatrixView<const double> state, MatrixView<double> observation) const {
  for (std::size_t d = 0; d < state.rows(); ++d) std::ranges::copy(state.row(d), observation.row(d).begin());
}

Range Env::return_range(std::uint32_t horizon) const {
  const auto [low, high] = task_.reward;
  // An episode has at least one step, and may end after any.
  return {low < 0 ? low * horizon : low, high > 0 ? high * horizon : high};
}

}  // namespace mercer
