#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/basis/basis.hpp"
#include "mercer/basis/simplex.hpp"
#include "mercer/core/random.hpp"
#include "mercer/embed/acting.hpp"
#include "mercer/embed/lattice_policy.hpp"

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

}  // namespace mercer
