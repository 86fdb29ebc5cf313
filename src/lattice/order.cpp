#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/lattice.hpp"

namespace mercer {
namespace {

// Along each dimension the direction turns round whenever the number of steps taken in the dimensions before it is odd:
// a plough's way through the grid.
std::vector<std::size_t> snake(const Cells& cells) {
  const std::size_t dimensions = cells.grid().dimensions();
  std::vector<std::uint32_t> places(cells.size() * dimensions);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    bool back = false;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::size_t bin = cells.bin(c, d);
      const std::size_t place = back ? cells.grid().axes[d].bins() - 1 - bin : bin;
      places[c * dimensions + d] = static_cast<std::uint32_t>(place);
      back = back != (bin % 2 == 1);
    }
  }
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto* x = places.data() + a * dimensions;
    const auto* y = places.data() + b * dimensions;
    return std::lexicographical_compare(x, x + dimensions, y, y + dimensions);
  });
  return order;
}

std::vector<std::size_t> tour(const Cells& cells) {
  constexpr std::size_t most = 200'000;
  if (cells.size() > most) {
    throw Error(ErrorCode::too_large, fmt::format("a tour of {} rows; legal: up to {}", cells.size(), most),
                "Choose the order snake or mean-action");
  }
  const std::size_t dimensions = cells.grid().dimensions();
  std::vector<std::int32_t> bins(cells.size() * dimensions);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (std::size_t d = 0; d < dimensions; ++d) bins[c * dimensions + d] = static_cast<std::int32_t>(cells.bin(c, d));
  }
  const auto distance = [&](std::size_t a, std::size_t b) {
    std::int64_t squares = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::int64_t step = bins[a * dimensions + d] - bins[b * dimensions + d];
      squares += step * step;
    }
    return squares;
  };
  std::vector<std::size_t> left(cells.size()), order;
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::size_t here = 0;  // place in `left`, which stays in rising order
  while (!left.empty()) {
    const std::size_t row = left[here];
    order.push_back(row);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(here));
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::int64_t away = distance(row, left[i]);
      if (away >= best) continue;
      best = away;
      here = i;
    }
  }
  return order;
}

std::vector<std::size_t> by_mean_action(const PolicyTable& table, const Grid& actions) {
  const std::size_t inner = table.cols / actions.axes[0].bins();  // action cells that share the first bin
  std::vector<double> mean(table.rows);
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t a = 0; a < table.cols; ++a) mean[r] += table.row(r)[a] * actions.axes[0].centre(a / inner);
  }
  std::vector<std::size_t> order(table.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return mean[a] < mean[b]; });
  return order;
}

}  // namespace

std::vector<std::size_t> order_rows(const Cells& cells, const PolicyTable& table, const Grid& actions, RowOrder order) {
  switch (order) {
    case RowOrder::snake:
      return snake(cells);
    case RowOrder::tour:
      return tour(cells);
    case RowOrder::mean_action:
      return by_mean_action(table, actions);
    case RowOrder::lexicographic:
    case RowOrder::axes:
      break;
  }
  std::vector<std::size_t> rows(cells.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

}  // namespace mercer
