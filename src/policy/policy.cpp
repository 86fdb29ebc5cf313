#include "mercer/policy/policy.hpp"

namespace mercer {

bool Policy::cdf(MatrixView<const double>, std::size_t, double, std::span<double>) const { return false; }

}  // namespace mercer
