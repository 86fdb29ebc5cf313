#include "basis/functions/family_rows.hpp"
#include "mercer/functions.hpp"

namespace mercer {
void evaluate_family(Family family, bool periodic, double x, std::span<double> out) {
  fill_family(family, periodic, x, out.size(), out.data());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] *= family_norm(family, periodic, k);
}

}  // namespace mercer
