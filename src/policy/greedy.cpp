#include "mercer/policy/greedy.hpp"

#include <algorithm>
#include <array>

#include "policy/action_grid.hpp"
#include "policy/scratch.hpp"

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

}  // namespace mercer
