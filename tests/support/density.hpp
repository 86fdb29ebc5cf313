#pragma once

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "support/statistics.hpp"

namespace mercer {

/// Brute-force looks at a policy's density in a single state, by nothing but its public verbs.
class DensityProbe {
 public:
  DensityProbe(const Policy& policy, std::vector<double> state) : policy_(policy), state_(std::move(state)) {}

  /// exp(log_prob) of actions given as columns.
  std::vector<double> density(const std::vector<double>& actions) const {
    const std::size_t dimensions = policy_.action_space().dimensions(), count = actions.size() / dimensions;
    std::vector<double> out(count);
    policy_.log_prob(states(count).view(), {actions.data(), dimensions, count}, out);
    for (double& value : out) value = std::exp(value);
    return out;
  }

  /// The integral of the density over the action box, by the midpoint rule with `side` points along each dimension.
  double integral(std::size_t side) const {
    const Space& space = policy_.action_space();
    std::size_t count = 1;
    double cell = 1;
    for (const Axis& axis : space.axes) {
      count *= side;
      cell *= axis.range.width() / static_cast<double>(side);
    }
    std::vector<double> actions(count * space.dimensions());
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t rest = i;
      for (std::size_t d = 0; d < space.dimensions(); ++d, rest /= side) {
        const Range range = space.axes[d].range;
        actions[d * count + i] =
            range.low + range.width() * (static_cast<double>(rest % side) + 0.5) / static_cast<double>(side);
      }
    }
    double total = 0;
    for (const double value : density(actions)) total += value * cell;
    return total;
  }

  /// `count` drawn actions, one row for each dimension.
  std::vector<double> draws(std::size_t count, std::uint64_t seed) const {
    std::vector<std::uint64_t> items(count);
    for (std::size_t i = 0; i < count; ++i) items[i] = i;
    std::vector<double> out(count * policy_.action_space().dimensions());
    policy_.sample(states(count).view(), {seed, Stage::action, 0, items},
                   {out.data(), policy_.action_space().dimensions(), count});
    return out;
  }

  /// The distance of Kolmogorov and Smirnov between draws and the density, for one action dimension.
  double distance_of_draws(std::size_t count, std::uint64_t seed) const {
    const Range range = policy_.action_space().axes[0].range;
    constexpr std::size_t cells = 20000;
    std::vector<double> middles(cells);
    for (std::size_t i = 0; i < cells; ++i) middles[i] = range.low + range.width() * (double(i) + 0.5) / cells;
    std::vector<double> below{0};
    for (const double value : density(middles)) below.push_back(below.back() + value * range.width() / cells);
    std::vector<double> uniform;  // an action's share of the mass below it is uniform
    for (const double action : draws(count, seed)) {
      const double place = (action - range.low) / range.width() * cells;
      const auto cell = static_cast<std::size_t>(std::min(place, cells - 1.0));
      uniform.push_back(below[cell] + (place - double(cell)) * (below[cell + 1] - below[cell]));
    }
    return ks_distance_to_uniform(uniform, 0, 1);
  }

 private:
  struct States {
    std::vector<double> numbers;
    std::size_t rows, cols;
    MatrixView<const double> view() const { return {numbers.data(), rows, cols}; }
  };
  States states(std::size_t count) const {
    States all{{}, state_.size(), count};
    for (const double number : state_) all.numbers.insert(all.numbers.end(), count, number);
    return all;
  }

  const Policy& policy_;
  std::vector<double> state_;
};

/// A contract with as many observations, and actions between -2 and 2 from tanh.
inline Contract squashed_contract(std::size_t observations, std::size_t actions) {
  Contract contract;
  for (std::size_t d = 0; d < observations; ++d) contract.observation.axes.push_back({"x", {-1, 1}, "", false});
  for (std::size_t d = 0; d < actions; ++d) contract.action.axes.push_back({"a", {-2, 2}, "", false});
  contract.squash = Squash::tanh;
  contract.centre.assign(actions, 0);
  contract.scale.assign(actions, 2);
  contract.clip.assign(actions, {-2, 2});
  return contract;
}

}  // namespace mercer
