#pragma once

#include <vector>

#include "embed/action_rows.hpp"

namespace mercer {

/// What importance sampling proposes: all ones, or sum_r visits_r row_r (visits all the same where none are given).
inline std::vector<double> make_proposal(const ActionRows& rows, std::size_t count, Proposal proposal,
                                         std::span<const std::uint64_t> visits) {
  std::vector<double> sums(rows.columns(), proposal == Proposal::uniform ? 1 : 0), row(rows.columns());
  if (proposal == Proposal::uniform) return sums;
  for (std::size_t r = 0; r < count; ++r) {
    rows.read(r, row);
    const double weight = visits.empty() ? 1 : static_cast<double>(visits[r]);
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += weight * row[c];
  }
  return sums;
}

}  // namespace mercer
