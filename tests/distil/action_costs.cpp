#include "distil/action_costs.hpp"

#include <gtest/gtest.h>

#include "distil/labelled.hpp"
#include "mercer/env.hpp"

namespace mercer::distil {
namespace {

using learn::Index;

DenseCritics random_critics(std::size_t inputs, std::uint64_t seed) {
  Random random({seed, Stage::search, 0, 0});
  const auto layer = [&](std::size_t from, std::size_t to) {
    DenseLayer out{from, to, std::vector<double>(from * to), std::vector<double>(to)};
    for (double& w : out.weight) w = random.normal();
    for (double& b : out.bias) b = random.normal();
    return out;
  };
  DenseCritics out;
  for (int q = 0; q < 2; ++q) out.networks.push_back({layer(inputs, 12), layer(12, 1)});
  return out;
}

double value_of(const std::vector<DenseLayer>& layers, std::vector<double> x) {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    std::vector<double> y(layers[l].outputs);
    for (std::size_t o = 0; o < y.size(); ++o) {
      y[o] = layers[l].bias[o];
      for (std::size_t i = 0; i < x.size(); ++i) y[o] += layers[l].weight[o * x.size() + i] * x[i];
      if (l + 1 < layers.size()) y[o] = std::max(y[o], 0.0);
    }
    x = y;
  }
  return x[0];
}

// The same by doubles, one state after the other.
double twin(const DenseCritics& critics, std::vector<double> x, std::size_t place) {
  double sum = 0;
  for (const auto& layers : critics.networks) {
    double one = 0, sides = 0;
    for (const double step : {0.25, -0.25}) {
      std::vector<double> moved = x;
      moved[place] = std::clamp(x[place] + step, -1.0, 1.0);
      const double by = moved[place] - x[place];
      if (std::abs(by) < 0.025) continue;
      one += (value_of(layers, x) - value_of(layers, moved)) / (by * by);
      ++sides;
    }
    sum += one / sides / static_cast<double>(critics.networks.size());
  }
  return std::max(sum, 0.0);
}

TEST(ActionCosts, are_those_of_a_plain_loop) {
  const DenseCritics critics = random_critics(5, 3);
  constexpr Index count = 700;  // more than a block
  Matrix<float> states(3, count), actions(2, count);
  Random random({4, Stage::search, 0, 0});
  for (Index c = 0; c < count; ++c) {
    for (Index d = 0; d < 3; ++d) states(d, c) = static_cast<float>(random.normal());
    for (Index d = 0; d < 2; ++d) actions(d, c) = static_cast<float>(std::clamp(random.normal(), -1.0, 1.0));
  }
  const Matrix<float> costs = action_costs(CriticNetworks(critics), states, actions);
  for (Index c = 0; c < count; ++c) {
    const std::vector<double> x{states(0, c), states(1, c), states(2, c), actions(0, c), actions(1, c)};
    for (Index d = 0; d < 2; ++d) {
      const double expected = twin(critics, x, static_cast<std::size_t>(3 + d));
      EXPECT_NEAR(costs(d, c), expected, 1e-3 * (1 + expected)) << "state " << c << ", action " << d;
    }
  }
}

TEST(ActionCosts, weigh_labels_relative_to_the_first_rollouts) {
  const auto env = make_env("pendulum");
  const EnvPlayer player(*env);
  const RidgeShape shape = shape_for(env->task(), 2, false);
  InputScale scale;
  for (const Axis& axis : env->task().observation.axes) scale.coordinates.push_back({axis.range});
  scale.reach = {1, 1, 1};
  const auto teacher = policy_of({shape, scale, initial_numbers(shape, 3)}, env->task());
  const DenseCritics critics = random_critics(4, 5);
  Labelled plain(*teacher, env->task(), 5000, 1), weighed(*teacher, env->task(), 5000, 1);
  const Rollouts played = player.roll_out(*teacher, {5, 3, Act::mean});
  plain.add(played);
  weighed.add(played);
  weighed.weigh(CriticNetworks(critics));
  weighed.add(played);
  std::vector<std::size_t> chosen(weighed.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
  Matrix<float> weight(1, static_cast<Index>(chosen.size()));
  plain.gather_weights(chosen, weight);
  EXPECT_EQ(weight.minCoeff(), 1);
  EXPECT_EQ(weight.maxCoeff(), 1);
  weighed.gather_weights(chosen, weight);
  EXPECT_GE(weight.minCoeff(), 0.1F);
  EXPECT_LE(weight.maxCoeff(), 10.0F);
  EXPECT_LT(weight.minCoeff(), weight.maxCoeff());
}

}  // namespace
}  // namespace mercer::distil
