#pragma once

#include <cstdint>
#include <vector>

#include "mercer/lattice/cells.hpp"

namespace mercer {

/// Finds the visited cell whose middle is nearest to a point, by Euclidean distance in units of each axis' range; the
/// first of equals. A k-d tree: about O(log cells) in few dimensions, O(cells) at worst.
class NearestCell {
 public:
  explicit NearestCell(const Cells& cells);

  /// Allocates nothing once the thread has made its first call.
  std::size_t find(const double* point, std::size_t stride) const;

 private:
  // Where a node's points are divided; its children are 2 i + 1 and 2 i + 2, and leaves are known by their size.
  struct Node {
    std::uint32_t dimension = 0;
    double split = 0;
  };
  struct Search;
  void build(std::size_t node, std::size_t begin, std::size_t end);
  void visit(std::size_t node, std::size_t begin, std::size_t end, Search& search) const;

  std::size_t dimensions_;
  std::vector<double> per_range_;    // what scales a coordinate
  std::vector<double> centres_;      // scaled, those of a leaf beside each other, one row for each cell
  std::vector<std::uint32_t> rows_;  // which cell that is
  std::vector<Node> nodes_;
};

}  // namespace mercer
