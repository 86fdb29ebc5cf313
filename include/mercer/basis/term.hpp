#pragma once

#include <cstddef>

namespace mercer {

/// Coefficients that are kept or dropped together: a single one, or both of a conjugate pair (`second` differs then).
struct Term {
  std::size_t first = 0;
  std::size_t second = 0;
  double energy = 0;      ///< what dropping the term adds to the squared L2 error, for an orthonormal basis
  std::size_t count = 1;  ///< what it counts towards K: 1, or 2 for a pair
  bool mean = false;      ///< the constant function, without which rows lose mass

  friend bool operator==(const Term&, const Term&) = default;
};

/// How many real numbers K terms cost, beside the set of their indices.
struct ParameterCount {
  std::size_t published = 0;  ///< as the published work counts
  std::size_t stored = 0;     ///< the real numbers that must be stored

  friend bool operator==(const ParameterCount&, const ParameterCount&) = default;
};

}  // namespace mercer
