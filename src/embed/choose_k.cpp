#include "embed/choose_k.hpp"

#include <algorithm>

#include "mercer/core/error.hpp"

namespace mercer {

std::size_t half_of_free(const Basis& basis, std::size_t rows) {
  const std::string name = basis.name();
  const bool keeps_mass = name == "fourier" || name == "dct" || (name.ends_with(":tensor") && basis.orthonormal());
  const std::size_t free = keeps_mass ? basis.size() - rows + 1 : basis.size();
  return std::max<std::size_t>(1, free / 2);
}

std::size_t k_for_energy(const Truncation& truncation, double energy) {
  require_in_range("the share of energy to keep", energy, 1e-6, 1 - 1e-12, "0.99 is usual");
  const double whole = truncation.discarded_energy(0);
  double varies = 0;
  for (const Term& term : truncation.ranked()) {
    if (!term.mean) varies += term.energy;
  }
  // Where rows are all uniform the mean is everything, and the rest is rounding.
  const double may_go = std::max((1 - energy) * varies, 1e-20 * whole);
  return std::max<std::size_t>(1, truncation.smallest_k(may_go));
}

}  // namespace mercer
