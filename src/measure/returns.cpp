#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "measure/special.hpp"
#include "mercer/error.hpp"
#include "mercer/statistics.hpp"

namespace mercer {

ReturnSummary summarise(std::span<const double> returns) {
  if (returns.empty()) {
    throw Error(ErrorCode::shape_mismatch, "there are no episodes to summarise", "Give at least one episode");
  }
  const double count = static_cast<double>(returns.size());
  double mean = 0;
  for (const double value : returns) mean += value;
  mean /= count;
  double squares = 0;
  for (const double value : returns) squares += (value - mean) * (value - mean);
  if (returns.size() == 1) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    return {mean, unknown, {unknown, unknown}};
  }
  const double std = std::sqrt(squares / (count - 1));
  const double radius = student_t_quantile(0.975, count - 1) * std / std::sqrt(count);
  return {mean, std, {mean - radius, mean + radius}};
}

PairedLoss paired_loss(std::span<const double> returns1, std::span<const double> returns2) {
  if (returns1.size() != returns2.size()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} episodes cannot be paired with {}", returns1.size(), returns2.size()),
                "Play both policies for the same episodes");
  }
  std::vector<double> loss(returns1.size());
  for (std::size_t i = 0; i < loss.size(); ++i) loss[i] = returns1[i] - returns2[i];
  const ReturnSummary difference = summarise(loss);
  const double scale = std::abs(summarise(returns1).mean);
  const double percent = scale > 0 ? 100 / scale : std::numeric_limits<double>::quiet_NaN();
  return {difference.mean, difference.mean * percent, {difference.ci95.low * percent, difference.ci95.high * percent}};
}

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
