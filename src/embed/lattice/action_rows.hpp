#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/basis.hpp"
#include "mercer/embedding.hpp"
#include "mercer/random.hpp"

namespace mercer {

/// The rows of a lattice policy, probabilities of action cells, however they are kept. Const: threads share one, and
/// nothing allocates once a thread has made its first call.
class ActionRows {
 public:
  virtual ~ActionRows() = default;

  virtual std::size_t columns() const = 0;
  virtual double probability(std::size_t row, std::size_t column) const = 0;
  /// The whole row.
  virtual void read(std::size_t row, std::span<double> out) const = 0;
  /// A column, drawn by the row's probabilities.
  virtual std::size_t draw(std::size_t row, Random& random) const = 0;
  /// Where there is one.
  virtual const PolicyTable* table() const { return nullptr; }
};

/// `visits` weigh the rows where a marginal is needed; empty: all the same.
std::unique_ptr<const ActionRows> decoded_rows(PolicyTable table, const Acting& acting,
                                               std::span<const std::uint64_t> visits);
std::unique_ptr<const ActionRows> coefficient_rows(CoefficientTable table, const Acting& acting,
                                                   std::span<const std::uint64_t> visits);

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
