// How learners explore: the distribution of single steps, and how long a direction is kept.

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "learn/learner.hpp"
#include "mercer/env.hpp"

namespace mercer::learn {
namespace {

constexpr std::size_t steps = 200'000;
constexpr std::array observation{0.1F, -0.2F, 0.3F};

std::vector<double> sac_actions(double correlation, std::size_t warmup) {
  SacOptions options;
  options.hidden = {8};
  options.warmup = warmup;
  options.noise_correlation = correlation;
  const auto learner = make_sac(options, make_env("pendulum")->task(), 1);
  std::vector<double> actions;
  std::array<float, 1> action{};
  for (std::size_t i = 0; i < steps; ++i) {
    learner->explore(observation, i, i == 0, action);
    actions.push_back(action[0]);
  }
  return actions;
}

double mean_product(const std::vector<double>& values, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < values.size(); ++i) sum += values[i] * values[i - lag];
  return sum / static_cast<double>(values.size() - lag);
}

// Uniform on [-1, 1] has second moment 1/3. Two such numbers made from normals with correlation c have correlation
// 6/pi asin(c/2). With c = 0.9 about 19 steps count as one: the second moment is then known to 0.3 / sqrt(10500),
// 0.003.
TEST(Explore, warm_up_is_uniform_however_correlated) {
  for (const double correlation : {0.0, 0.9}) {
    const std::vector<double> actions = sac_actions(correlation, steps);
    EXPECT_NEAR(mean_product(actions, 0), 1.0 / 3, 0.015);
    const double expected = 6 / std::numbers::pi * std::asin(correlation / 2);
    EXPECT_NEAR(mean_product(actions, 1) / mean_product(actions, 0), expected, 0.02);
  }
}

TEST(Explore, the_actor_keeps_its_direction_too) {
  const auto correlation = [](std::vector<double> actions) {
    double mean = 0;
    for (const double action : actions) mean += action / static_cast<double>(actions.size());
    for (double& action : actions) action -= mean;
    return mean_product(actions, 1) / mean_product(actions, 0);
  };
  EXPECT_NEAR(correlation(sac_actions(0, 1)), 0, 0.02);
  EXPECT_GT(correlation(sac_actions(0.9, 1)), 0.8);
}

TEST(Explore, noise_starts_afresh_with_an_episode) {
  SacOptions options;
  options.hidden = {8};
  options.noise_correlation = 0.999;
  const auto env = make_env("pendulum");
  std::array<float, 1> after_others{}, alone{};
  const auto learner = make_sac(options, env->task(), 1);
  for (std::size_t i = 0; i < 5; ++i) learner->explore(observation, i, i == 0, after_others);
  learner->explore(observation, 5, true, after_others);
  make_sac(options, env->task(), 1)->explore(observation, 5, true, alone);
  EXPECT_EQ(after_others, alone);
}

// Of the random actions a third are the network's own choice: 0.2 of all steps play another one. A run of such an
// action ends when the choice is made anew (1 step in 5) and does not fall on the same action (0.9): after 5.6 steps.
TEST(Explore, held_actions_keep_their_share) {
  for (const double run : {1.0, 5.0}) {
    DqnOptions options;
    options.hidden = {8};
    options.warmup = 1;
    options.epsilon_start = 0.3;
    options.epsilon_end = 0.3;
    options.epsilon_run = run;
    const auto learner = make_dqn(options, make_env("mountain-car")->task(), 1);
    std::array<int, 3> seen{};
    int runs = 0;
    std::array<float, 1> action{};
    float before = -1;
    for (std::size_t i = 0; i < steps; ++i) {
      learner->explore(std::span(observation).first(2), i, false, action);
      ++seen.at(static_cast<std::size_t>(action[0]));
      runs += action[0] != before ? 1 : 0;
      before = action[0];
    }
    const double most = *std::ranges::max_element(seen);
    EXPECT_NEAR(1 - most / steps, 0.2, 0.01);
    // Each run of the network's action (0.8 of all steps) is followed by one of another, which may follow each other.
    const double switching = (0.8 * 0.2 + 0.2 * 0.9) / run;  // chance of a step to differ from the one before
    EXPECT_NEAR(runs / static_cast<double>(steps), switching, 0.03 * switching);
  }
}

}  // namespace
}  // namespace mercer::learn
