#include "embed/lattice/draw.hpp"

#include "mercer/error.hpp"

namespace mercer {

AliasTable::AliasTable(std::span<const double> rows, std::size_t columns) : columns_(columns), slots_(rows.size()) {
  std::vector<double> share(columns);
  std::vector<std::uint32_t> small, large;
  for (std::size_t begin = 0; begin < rows.size(); begin += columns) {
    double total = 0;
    for (std::size_t c = 0; c < columns; ++c) total += rows[begin + c];
    small.clear();
    large.clear();
    for (std::size_t c = 0; c < columns; ++c) {
      share[c] = rows[begin + c] / total * static_cast<double>(columns);
      (share[c] < 1 ? small : large).push_back(static_cast<std::uint32_t>(c));
    }
    while (!small.empty() && !large.empty()) {
      const std::uint32_t low = small.back(), high = large.back();
      small.pop_back();
      slots_[begin + low] = {share[low], high};
      share[high] -= 1 - share[low];
      if (share[high] >= 1) continue;
      large.pop_back();
      small.push_back(high);
    }
    for (const std::uint32_t rest : large) slots_[begin + rest] = {1, rest};
    // Only rounding leaves small ones over, and those are one up to it.
    for (const std::uint32_t rest : small) slots_[begin + rest] = {1, rest};
  }
}

ImportanceDraw::ImportanceDraw(std::span<const double> proposal, std::size_t count)
    : count_(count), proposal_(proposal.begin(), proposal.end()), sums_(proposal.begin(), proposal.end()) {
  require_in_range("the number of proposals", static_cast<double>(count), 1, 1 << 20, "64 is usual");
  accumulate_row(sums_);
}

}  // namespace mercer
