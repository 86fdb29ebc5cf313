#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/basis/coordinates.hpp"
#include "mercer/basis/terms.hpp"
#include "mercer/core/matrix_view.hpp"

namespace mercer {

struct TermPlan;

/// f(s) = sum over j of c_j phi_j(x(s)), one row for each output, as a function of states in columns.
///
/// One-dimensional functions are computed once for each state by recurrences and shared by all terms; columns go
/// through in tiles of eight, one that is left alone by the same steps without the tile: a column's result is the same
/// to the last bit whatever stands beside it. Nothing allocates. Copies are cheap and share what was prepared; any
/// number of threads may use one.
class TermFunction {
 public:
  /// `coefficients` has a row of `terms.size()` numbers for each output, 1 to 256 of them. Throws `shape_mismatch`, and
  /// what `check_terms` throws.
  TermFunction(const Terms& terms, const Coordinates& coordinates, std::span<const double> coefficients);

  std::size_t dimensions() const;
  std::size_t size() const;  ///< number of terms
  std::size_t outputs() const { return outputs_; }

  /// The same terms with other coefficients: costs a copy of them, for searches that try many.
  TermFunction with(std::span<const double> coefficients) const;

  /// Values at `states` (a row for each dimension): a row for each output.
  void operator()(MatrixView<const double> states, MatrixView<double> out) const;
  /// centre + scale * tanh(value), or without `squash` centre + scale * value, cut to the clip's ranges: what most
  /// actions are made by, in the same pass. A number for each output.
  void act(MatrixView<const double> states, bool squash, std::span<const double> centre, std::span<const double> scale,
           std::span<const Range> clip, MatrixView<double> out) const;
  /// Whether `act_alone` may be asked: one output, products of Chebyshev polynomials on axes that are neither periodic
  /// nor bent.
  bool acts_alone() const;
  /// What `act` gives for one state whose numbers are `stride` apart, to the last bit and with fewer detours.
  double act_alone(const double* state, std::size_t stride, bool squash, double centre, double scale, Range clip) const;
  /// The terms themselves: a row for each.
  void features(MatrixView<const double> states, MatrixView<double> out) const;

 private:
  std::shared_ptr<const TermPlan> plan_;
  std::size_t outputs_ = 0;
  std::vector<double> coefficients_;  ///< output after output, in the plan's order and with its normalisers
};

}  // namespace mercer
