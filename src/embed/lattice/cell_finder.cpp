#include "embed/lattice/cell_finder.hpp"

#include <array>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nanoflann.hpp>

#include "mercer/error.hpp"

namespace mercer {

struct NearestCell::Tree {
  virtual ~Tree() = default;
  virtual std::size_t find(const double* point, std::size_t stride) const = 0;
};

namespace {

// What a search has found so far; nanoflann asks for these names.
struct First {
  std::uint32_t cell = 0;
  double least = std::numeric_limits<double>::infinity();

  // nanoflann leaves out whatever is not nearer than this, and bounds the distance of a branch by a sum that rounding
  // may lift above the points in it. Looking a little further finds equals as well.
  double worstDist() const { return least * (1 + 1e-12) + std::numeric_limits<double>::denorm_min(); }
  bool addPoint(double distance, std::uint32_t candidate) {
    if (distance < least || (distance == least && candidate < cell)) {
      least = distance;
      cell = candidate;
    }
    return true;
  }
  bool full() const { return true; }
  // Later versions than Debian's 1.4 ask for these as well.
  using DistanceType = double;
  void sort() const {}
};

// nanoflann searches without allocating where the number of dimensions is a constant: zeros fill up the points.
template <int width>
class PaddedTree final : public NearestCell::Tree {
 public:
  explicit PaddedTree(const Cells& cells) : centres_(cells.size()) {
    for (const Edges& axis : cells.grid().axes) per_range_.push_back(1 / (axis.values.back() - axis.values.front()));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      for (std::size_t d = 0; d < per_range_.size(); ++d) centres_[c][d] = cells.centre(c, d) * per_range_[d];
    }
    index_.buildIndex();
  }

  std::size_t find(const double* point, std::size_t stride) const override {
    std::array<double, width> place{};
    for (std::size_t d = 0; d < per_range_.size(); ++d) place[d] = point[d * stride] * per_range_[d];
    First first;
    index_.findNeighbors(first, place.data(), {});
    return first.cell;
  }

  std::size_t kdtree_get_point_count() const { return centres_.size(); }
  double kdtree_get_pt(std::size_t cell, std::size_t dimension) const { return centres_[cell][dimension]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }

 private:
  using Distance = nanoflann::L2_Simple_Adaptor<double, PaddedTree>;
  std::vector<double> per_range_;                   // what scales a coordinate
  std::vector<std::array<double, width>> centres_;  // scaled
  nanoflann::KDTreeSingleIndexAdaptor<Distance, PaddedTree, width> index_{
      width, *this, {10, nanoflann::KDTreeSingleIndexAdaptorFlags::SkipInitialBuildIndex}};
};

template <int width>
std::shared_ptr<const NearestCell::Tree> make_tree(const Cells& cells) {
  if (cells.grid().dimensions() <= width) return std::make_shared<PaddedTree<width>>(cells);
  if constexpr (width < 64) return make_tree<2 * width>(cells);
  throw Error(ErrorCode::too_large,
              fmt::format("a lattice of {} dimensions; legal: 1 to 64", cells.grid().dimensions()),
              "Use fewer dimensions");
}

}  // namespace

NearestCell::NearestCell(const Cells& cells) : tree_(make_tree<4>(cells)) {}

std::size_t NearestCell::find(const double* point, std::size_t stride) const { return tree_->find(point, stride); }

CellFinder::CellFinder(std::shared_ptr<const Cells> cells, bool nearest, std::size_t most_mapped)
    : cells_(std::move(cells)) {
  const Grid& grid = cells_->grid();
  if (nearest && static_cast<double>(cells_->size()) < grid.cells()) nearest_.emplace(*cells_);
  if (grid.cells() > static_cast<double>(most_mapped)) return;
  rows_.assign(static_cast<std::size_t>(grid.cells()), unvisited);
  for (std::size_t row = 0; row < cells_->size(); ++row) {
    std::size_t cell = 0;
    for (std::size_t d = 0; d < grid.dimensions(); ++d) cell = cell * grid.axes[d].bins() + cells_->bin(row, d);
    rows_[cell] = static_cast<std::uint32_t>(row);
  }
}

}  // namespace mercer
