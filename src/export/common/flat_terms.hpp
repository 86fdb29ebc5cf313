#pragma once

#include "mercer/embedding.hpp"

namespace mercer {

/// The functions of a continuous embedding as plain tables: what generated code loops over.
///
/// Along each axis there are `functions` one-dimensional functions above the constant one; all of them stand in one
/// list of rows, of which row 0 is the constant. Legendre's, Chebyshev's and cosines are without their normalisers
/// (those are in the coefficients) and so at most 1; Hermite's have theirs.
struct FlatTerms {
  struct Axis {
    Range range;
    bool periodic = false;
    std::vector<double> knots;  ///< of the bent coordinate, in (-1, 1)
    std::size_t functions = 0;
  };
  std::vector<Axis> axes;
  Family family = Family::legendre;
  std::size_t rows = 1;
  std::size_t factors_each = 0;        ///< the longest product
  std::vector<std::uint16_t> factors;  ///< rows, `factors_each` for each product, filled up with row 0
  std::size_t products = 0;

  std::vector<double> waves;  ///< w then b, in turns: sin(2 pi (w . x + b))
  std::vector<std::int16_t> ridges;
  double ridge_unit = 1;
  std::vector<std::uint8_t> ridge_halvings;  ///< by ridge, its unit is ridge_unit / 2^halving; empty: all 0
  Kernel kernel = Kernel::gaussian;
  unsigned centre_bits = 0;
  std::vector<std::uint16_t> centres;
  std::vector<std::uint8_t> widths;     ///< by RBF; empty: all the same
  std::vector<double> inverse_squares;  ///< of the widths

  std::size_t outputs = 1;
  std::vector<double> coefficients;  ///< of the outputs for each term: products, waves, ridges, RBFs

  std::size_t dimensions() const { return axes.size(); }
  std::size_t wave_count() const { return waves.size() / (dimensions() + 1); }
  std::size_t ridge_count() const { return ridges.size() / (dimensions() + 1); }
  int ridge_halving(std::size_t ridge) const { return ridge_halvings.empty() ? 0 : ridge_halvings[ridge]; }
  std::size_t rbf_count() const { return centres.size() / dimensions(); }
  std::size_t terms() const { return coefficients.size() / outputs; }
  bool any_periodic() const;
  bool any_functions() const { return rows > 1; }
  std::size_t most_functions(bool periodic) const;
};

/// Throws `not_finite` for a coefficient that is no number.
FlatTerms flatten(const ContinuousCode& code);

/// Function k of a family is a_k x f_{k-1} - b_k f_{k-2}, k >= 2, with x what `family_start` makes of the coordinate.
struct Recurrence {
  double a, b;
};
Recurrence recurrence(Family family, std::size_t k);

}  // namespace mercer
