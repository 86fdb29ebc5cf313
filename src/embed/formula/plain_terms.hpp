#pragma once

#include <cstdint>
#include <vector>

#include "mercer/embedding.hpp"

namespace mercer {

/// Terms as a formula has them: products of plain functions, cosines, ridges and RBFs, with all norms in the
/// coefficients.
struct PlainTerms {
  std::vector<std::uint8_t> indices;  ///< of the products' index set
  std::vector<double> norm;           ///< a plain coefficient is the stored one times this
  std::vector<double> value;          ///< the largest absolute value of each
  std::vector<double> slope;          ///< the largest slope along each axis' coordinate: a row for each term
};
PlainTerms plain_terms(const Terms& terms);

/// How an output's error is shared out among the numbers of a formula. Coefficients have most of it, since there are
/// most of them.
struct FormulaErrors {
  double coefficients = 0;  ///< of all coefficients of an output together
  double terms = 0;         ///< of all numbers inside its terms
  double axes = 0;          ///< of all scaled variables
};
/// Together 1.5e-6 before the head, which is less than 1e-6 of the range of an action: half of that is 1. Logits have
/// no unit, and theirs are shares of the largest sum that they can have.
FormulaErrors formula_errors(const ContinuousCode& code, const PlainTerms& plain);

}  // namespace mercer
