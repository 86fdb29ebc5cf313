#include "mercer/lattice/cell_counter.hpp"

namespace mercer {

void CellCounter::merge_last() {
  Cells last = std::move(runs_.back());
  runs_.pop_back();
  runs_.back() = Cells::merged(runs_.back(), last);
}

void CellCounter::add(Cells part) {
  runs_.push_back(std::move(part));
  while (runs_.size() > 1 && runs_[runs_.size() - 2].size() <= 2 * runs_.back().size()) merge_last();
}

Cells CellCounter::take() {
  if (runs_.empty()) return Cells(grid_, std::span<const std::uint32_t>(), {});
  while (runs_.size() > 1) merge_last();
  Cells all = std::move(runs_.back());
  runs_.clear();
  return all;
}

}  // namespace mercer
