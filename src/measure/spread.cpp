#include "mercer/measure/spread.hpp"

#include <cmath>

#include "mercer/measure/bootstrap.hpp"
#include "mercer/measure/returns.hpp"
#include "mercer/measure/special.hpp"

namespace mercer {

Spread spread_of(std::span<const double> returns, double confidence, std::uint64_t seed) {
  const double delta = 1 - confidence;
  Spread spread;
  spread.bootstrap = bootstrap_interval(returns, Statistic::std, delta, Sides::two, {.seed = seed});
  spread.std = summarise(returns).std;
  // (N - 1) std^2 / sigma^2 is chi-square with N - 1 degrees.
  const double degrees = static_cast<double>(returns.size()) - 1;
  spread.normal_theory = {spread.std * std::sqrt(degrees / chi_square_quantile(1 - delta / 2, degrees)),
                          spread.std * std::sqrt(degrees / chi_square_quantile(delta / 2, degrees))};
  return spread;
}

}  // namespace mercer
