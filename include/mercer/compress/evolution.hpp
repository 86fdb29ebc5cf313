#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// Minimises a function of which only values are known, and those perhaps with noise: evolution strategy with
/// covariance matrix adaptation (CMA-ES), for up to a few hundred numbers.
///
///     Evolution search(start, 0.3, seed);
///     for (int g = 0; g < 100; ++g) {
///       const auto tried = search.ask();          // a column for each candidate
///       search.tell(losses_of(tried));            // only their order matters
///     }
///     search.mean();                              // the answer: less noisy than the best candidate
///
/// Draws are keyed by (seed, Stage::search, item, generation). A generation costs O(population n^2), every few of them
/// an eigendecomposition, O(n^3).
class Evolution {
 public:
  /// From `start`, with steps of about `step` (above 0) in every direction. `population` candidates a generation, 4 or
  /// more; 0: 4 + 3 ln n.
  Evolution(std::span<const double> start, double step, std::uint64_t seed, std::uint64_t item = 0,
            std::size_t population = 0);
  ~Evolution();
  Evolution(Evolution&&) noexcept;
  Evolution& operator=(Evolution&&) noexcept;

  std::size_t population() const;
  /// Candidates, one column each, until the next call.
  MatrixView<const double> ask();
  /// Their values, the smaller the better; NaN counts as worst. Throws `shape_mismatch` unless there is one for each.
  void tell(std::span<const double> values);
  /// Centre of the search.
  std::span<const double> mean() const;
  /// Size of the steps now.
  double step() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mercer
