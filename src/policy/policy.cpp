#include "mercer/policy/policy.hpp"

namespace mercer {

bool Policy::cdf(MatrixView<const double>, std::size_t, double, std::span<double>) const { return false; }

bool Policy::cdf_each(MatrixView<const double> observation, std::size_t dimension, std::span<const double> values,
                      std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!cdf(observation.columns(i, 1), dimension, values[i], out.subspan(i, 1))) return false;
  }
  return true;
}

}  // namespace mercer
