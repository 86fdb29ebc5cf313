#pragma once

#include <memory>

#include "mercer/lattice/cells.hpp"

namespace mercer {

/// Finds the visited cell whose middle is nearest to a point, by Euclidean distance in units of each axis' range; the
/// first of equals. A k-d tree: about O(log cells) in few dimensions, O(cells) at worst. Up to 64 dimensions.
class NearestCell {
 public:
  explicit NearestCell(const Cells& cells);

  /// Allocates nothing.
  std::size_t find(const double* point, std::size_t stride) const;

  struct Tree;

 private:
  std::shared_ptr<const Tree> tree_;
};

}  // namespace mercer
