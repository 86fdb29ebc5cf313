#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "embed/lattice/cell_finder.hpp"
#include "policy/batch.hpp"

namespace mercer {
namespace {

constexpr std::size_t leaf = 8;

}  // namespace

struct NearestCell::Search {
  std::span<const double> place;  // of the point, scaled
  std::span<double> away;         // how far it is from the box of the node, along each dimension
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
};

NearestCell::NearestCell(const Cells& cells) : dimensions_(cells.grid().dimensions()), rows_(cells.size()) {
  for (const Edges& axis : cells.grid().axes) per_range_.push_back(1 / (axis.values.back() - axis.values.front()));
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (std::size_t d = 0; d < dimensions_; ++d) centres_.push_back(cells.centre(c, d) * per_range_[d]);
  }
  std::iota(rows_.begin(), rows_.end(), 0U);
  build(0, 0, rows_.size());
  std::vector<double> sorted;
  for (const std::size_t row : rows_) {
    const auto own = centres_.begin() + static_cast<std::ptrdiff_t>(row * dimensions_);
    sorted.insert(sorted.end(), own, own + static_cast<std::ptrdiff_t>(dimensions_));
  }
  centres_ = std::move(sorted);
}

// Halves along the dimension in which the points differ most.
void NearestCell::build(std::size_t node, std::size_t begin, std::size_t end) {
  if (end - begin <= leaf) return;
  const auto at = [&](std::uint32_t row, std::size_t d) { return centres_[row * dimensions_ + d]; };
  std::size_t widest = 0;
  double spread = -1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    double low = at(rows_[begin], d), high = low;
    for (std::size_t i = begin; i < end; ++i) {
      low = std::min(low, at(rows_[i], d));
      high = std::max(high, at(rows_[i], d));
    }
    if (high - low <= spread) continue;
    spread = high - low;
    widest = d;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  const auto place = [&](std::size_t i) { return rows_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(place(begin), place(middle), place(end), [&](std::uint32_t a, std::uint32_t b) {
    return at(a, widest) != at(b, widest) ? at(a, widest) < at(b, widest) : a < b;
  });
  if (nodes_.size() <= node) nodes_.resize(node + 1);
  nodes_[node] = {static_cast<std::uint32_t>(widest), at(rows_[middle], widest)};
  build(2 * node + 1, begin, middle);
  build(2 * node + 2, middle, end);
}

void NearestCell::visit(std::size_t node, std::size_t begin, std::size_t end, Search& search) const {
  if (end - begin <= leaf) {
    for (std::size_t i = begin; i < end; ++i) {
      double distance = 0;
      for (std::size_t d = 0; d < dimensions_; ++d) {
        const double step = centres_[i * dimensions_ + d] - search.place[d];
        distance += step * step;
      }
      if (distance < search.least || (distance == search.least && rows_[i] < search.best)) {
        search.least = distance;
        search.best = rows_[i];
      }
    }
    return;
  }
  const auto [dimension, split] = nodes_[node];
  const std::size_t middle = begin + (end - begin) / 2;
  const double step = search.place[dimension] - split;
  const auto visit_half = [&](bool upper) {
    visit(2 * node + (upper ? 2 : 1), upper ? middle : begin, upper ? end : middle, search);
  };
  visit_half(step >= 0);
  const double before = search.away[dimension];
  search.away[dimension] = step;
  double distance = 0;
  for (std::size_t d = 0; d < dimensions_; ++d) distance += search.away[d] * search.away[d];
  if (distance <= search.least) visit_half(!(step >= 0));
  search.away[dimension] = before;
}

std::size_t NearestCell::find(const double* point, std::size_t stride) const {
  const Scratch scratch(2, dimensions_);
  const std::span<double> place = scratch.view().row(0), away = scratch.view().row(1);
  for (std::size_t d = 0; d < dimensions_; ++d) {
    place[d] = point[d * stride] * per_range_[d];
    away[d] = 0;
  }
  Search search{place, away};
  visit(0, 0, rows_.size(), search);
  return search.best;
}

}  // namespace mercer
