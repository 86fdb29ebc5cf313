#include "mercer/view/action_distance.hpp"

#include <cmath>

#include "mercer/core/error.hpp"
#include "mercer/embed/lattice_policy.hpp"
#include "mercer/measure/policy_distance.hpp"

namespace mercer {
namespace {

ActionDistance of_means(const Policy& first, const Policy& second, MatrixView<const double> observations) {
  const std::size_t actions = first.action_space().dimensions(), states = observations.cols();
  std::vector<double> one(actions * states), other(actions * states);
  first.mean_action(observations, {one.data(), actions, states});
  second.mean_action(observations, {other.data(), actions, states});
  double sum = 0, differ = 0;
  for (std::size_t s = 0; s < states; ++s) {
    double square = 0;
    for (std::size_t a = 0; a < actions; ++a) square += std::pow(one[a * states + s] - other[a * states + s], 2);
    sum += std::sqrt(square);
    differ += square > 0 ? 1 : 0;
  }
  ActionDistance distance;
  distance.w1 = sum / static_cast<double>(states);
  if (first.action_space().is_discrete()) distance.tv = differ / static_cast<double>(states);
  return distance;
}

// Whether a policy draws single actions of a box, which have no density.
bool draws_points(const Policy& policy) {
  if (policy.action_space().is_discrete()) return false;
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&policy);
  return lattice != nullptr && !lattice->playing().noise;
}

std::vector<double> breaks_of(const Policy& policy) {
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&policy);
  if (lattice == nullptr || policy.action_space().is_discrete()) return {};
  return lattice->actions().axes[0].values;
}

}  // namespace

ActionDistance action_distance(const Policy& first, const Policy& second, MatrixView<const double> observations,
                               Act act) {
  if (observations.cols() == 0) return {};
  if (act == Act::mean) return of_means(first, second, observations);
  if (first.action_space().dimensions() == 1 && !draws_points(first) && !draws_points(second)) {
    try {
      const PolicyDistance found = policy_distance(first, second, observations, breaks_of(second));
      return {found.w1, found.tv, false};
    } catch (const Error& error) {
      // A deterministic policy, or a box without bounds, has no densities to compare.
      if (error.code() != ErrorCode::missing_option && error.code() != ErrorCode::not_finite) throw;
    }
  }
  return {sampled_wasserstein(first, second, observations, 64), std::nullopt, true};
}

}  // namespace mercer
