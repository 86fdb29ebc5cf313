#pragma once

#include <memory>

#include "mercer/measure/tabular.hpp"

namespace mercer {

/// I - g C, factorised once for both C and its transpose.
class DiscountedSystem {
 public:
  /// Keeps a reference to the chain.
  DiscountedSystem(const PolicyChain& chain, double gamma, const TabularOptions& options);
  ~DiscountedSystem();

  std::vector<double> solve(std::span<const double> b, bool transposed) const;

  struct Factors;

 private:
  std::vector<double> residual(std::span<const double> b, std::span<const double> x, bool transposed) const;

  const PolicyChain& chain_;
  double gamma_;
  std::unique_ptr<Factors> factors_;
};

}  // namespace mercer
