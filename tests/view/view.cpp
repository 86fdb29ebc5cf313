#include "view/view.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"

namespace mercer {
namespace {

constexpr double pi = std::numbers::pi;

// Plays the sum of the observations times a factor, cut to the box.
std::unique_ptr<Policy> linear(const Task& task, double factor) {
  const BatchFunction choose = [factor](MatrixView<const double> observation, MatrixView<double> out) {
    for (std::size_t i = 0; i < observation.cols(); ++i) {
      double sum = 0;
      for (std::size_t d = 0; d < observation.rows(); ++d) sum += observation(d, i);
      out(0, i) = factor * sum;
    }
  };
  return std::make_unique<DeterministicPolicy>("linear", contract_of(task), choose);
}

Visited played(const Env& env, const Policy& policy, std::size_t most = 500) {
  RolloutOptions options;
  options.episodes = 5;
  options.seed = 3;
  return visited_states(env, policy, options, most);
}

TEST(Visited, angles_have_a_window_of_one_turn) {
  const auto env = make_env("pendulum");
  const Visited visited = played(*env, *make_policy("uniform", env->task()));
  ASSERT_EQ(visited.count, 500u);
  EXPECT_DOUBLE_EQ(visited.window[0].low, -pi);
  EXPECT_DOUBLE_EQ(visited.window[0].high, pi);
  EXPECT_DOUBLE_EQ(visited.window[1].high, 8);
  for (std::size_t i = 0; i < visited.count; ++i) {
    const double theta = visited.states[i];
    EXPECT_TRUE(theta >= -pi && theta <= pi);
    // Observations belong to the states, turns or not.
    EXPECT_NEAR(visited.observations[i], std::cos(theta), 1e-9);
    EXPECT_NEAR(visited.observations[visited.count + i], std::sin(theta), 1e-9);
  }
}

TEST(Visited, axes_without_bounds_show_what_was_visited) {
  const auto env = make_env("cart-pole");
  const Visited visited = played(*env, *make_policy("uniform", env->task()), 50);
  for (std::size_t d = 0; d < 4; ++d) {
    ASSERT_TRUE(std::isfinite(visited.window[d].low) && visited.window[d].width() > 0);
    for (std::size_t i = 0; i < visited.count; ++i) {
      const double value = visited.states[d * visited.count + i];
      EXPECT_TRUE(value >= visited.window[d].low && value <= visited.window[d].high);
    }
    EXPECT_TRUE(visited.typical[d] >= visited.window[d].low && visited.typical[d] <= visited.window[d].high);
  }
  const Visited none = unvisited_axes(contract_of(env->task()));
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(none.window.size(), 4u);
  EXPECT_GT(none.window[1].width(), 0);
}

TEST(Slice, states_stand_at_the_middles_of_the_windows_parts) {
  const auto env = make_env("cart-pole");
  const Visited visited = played(*env, *make_policy("uniform", env->task()));
  SliceOptions options;
  options.x = 2;
  options.y = 0;
  options.n = 4;
  options.fixed = {9, 0.25, 9, -0.5};
  const std::vector<double> seen = slice_observations(env.get(), visited, options);
  ASSERT_EQ(seen.size(), 4u * 16u);
  for (std::size_t i = 0; i < 16; ++i) {
    const auto at = [&](std::size_t d, std::size_t step) {
      return visited.window[d].low + visited.window[d].width() * (static_cast<double>(step) + 0.5) / 4;
    };
    EXPECT_DOUBLE_EQ(seen[0 * 16 + i], at(0, i / 4));
    EXPECT_DOUBLE_EQ(seen[1 * 16 + i], 0.25);
    EXPECT_DOUBLE_EQ(seen[2 * 16 + i], at(2, i % 4));
    EXPECT_DOUBLE_EQ(seen[3 * 16 + i], -0.5);
  }
}

TEST(Slice, actions_are_those_of_single_states) {
  const auto env = make_env("pendulum");
  const auto policy = linear(env->task(), 0.3);
  const Visited visited = played(*env, *policy);
  SliceOptions options;
  options.n = 40;  // several blocks
  const std::vector<double> seen = slice_observations(env.get(), visited, options);
  const std::vector<double> actions = slice_actions(*policy, {seen.data(), 3, 1600}, 0);
  for (std::size_t i = 0; i < 1600; i += 77) {
    const double sum = 0.3 * (seen[i] + seen[1600 + i] + seen[3200 + i]);
    EXPECT_DOUBLE_EQ(actions[i], std::clamp(sum, -2.0, 2.0));
  }
}

TEST(Slice, visits_sum_to_one_and_lie_where_states_are) {
  Visited visited;
  visited.axes = {{"a", {0, 1}, "", false}, {"b", {0, 1}, "", false}};
  visited.window = {{0, 1}, {0, 1}};
  visited.typical = {0.5, 0.5};
  visited.count = 3;
  visited.states = {0.71, 0.72, 5.0, 0.21, 0.22, 0.5};  // the third lies outside
  SliceOptions options;
  options.n = 20;
  const std::vector<double> visits = slice_visits(visited, options);
  EXPECT_NEAR(std::accumulate(visits.begin(), visits.end(), 0.0), 1, 1e-12);
  const auto most = std::ranges::max_element(visits) - visits.begin();
  EXPECT_EQ(most, 4 * 20 + 14);
  EXPECT_EQ(visits[19 * 20], 0);
  visited.count = 0;
  EXPECT_TRUE(slice_visits(visited, options).empty());
}

TEST(Slice, refuses_axes_and_values_that_are_none) {
  const auto env = make_env("pendulum");
  const auto policy = linear(env->task(), 1);
  const Visited visited = played(*env, *policy);
  const auto code_of = [&](const SliceOptions& options) {
    try {
      slice_observations(env.get(), visited, options);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::interrupted;
  };
  EXPECT_EQ(code_of({2, 0, 8, {}}), ErrorCode::out_of_range);
  EXPECT_EQ(code_of({0, 1, 1, {}}), ErrorCode::out_of_range);
  EXPECT_EQ(code_of({0, 1, 257, {}}), ErrorCode::out_of_range);
  EXPECT_EQ(code_of({0, 1, 8, {1}}), ErrorCode::shape_mismatch);
  EXPECT_EQ(code_of({0, 1, 8, {1, std::nan("")}}), ErrorCode::not_finite);
  EXPECT_THROW(slice_actions(*policy, visited.observation_view(), 1), Error);
}

TEST(ActionMasses, rows_are_distributions_and_know_the_closed_form) {
  const auto env = make_env("pendulum");
  const auto teacher = make_policy(MERCER_TEST_DATA "/policies/pendulum_5000_actor.onnx", env->task());
  const Visited visited = played(*env, *teacher, 30);
  const std::vector<double> edges = action_edges(teacher->action_space(), 8);
  ASSERT_EQ(edges.size(), 9u);
  EXPECT_DOUBLE_EQ(edges.front(), -2);
  EXPECT_DOUBLE_EQ(edges.back(), 2);
  const std::vector<double> masses = action_masses(*teacher, visited.observation_view(), edges, Act::sample);
  for (std::size_t s = 0; s < 30; ++s) {
    double sum = 0;
    for (std::size_t b = 0; b < 8; ++b) {
      ASSERT_GE(masses[s * 8 + b], 0);
      sum += masses[s * 8 + b];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  // Drawing many actions in one state gives the same shares.
  std::vector<std::uint64_t> items{0};
  std::vector<double> state{visited.observation_view()(0, 7), visited.observation_view()(1, 7),
                            visited.observation_view()(2, 7)};
  std::vector<double> shares(8);
  constexpr std::uint32_t draws = 20000;
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    double action = 0;
    teacher->sample({state.data(), 3, 1}, {1, Stage::action, draw, items}, {&action, 1, 1});
    const auto bin = static_cast<std::size_t>(std::clamp(std::floor((action + 2) * 2), 0.0, 7.0));
    shares[bin] += 1.0 / draws;
  }
  for (std::size_t b = 0; b < 8; ++b) EXPECT_NEAR(masses[7 * 8 + b], shares[b], 0.02);
}

TEST(ActionMasses, a_mean_action_is_one_part_and_discrete_actions_are_exact) {
  const auto env = make_env("pendulum");
  const auto policy = linear(env->task(), 0.3);
  const Visited visited = played(*env, *policy, 20);
  const std::vector<double> edges = action_edges(policy->action_space(), 10);
  const std::vector<double> masses = action_masses(*policy, visited.observation_view(), edges, Act::mean);
  const std::vector<double> actions = slice_actions(*policy, visited.observation_view(), 0);
  for (std::size_t s = 0; s < 20; ++s) {
    const auto bin = static_cast<std::size_t>(std::clamp(std::floor((actions[s] + 2) / 0.4), 0.0, 9.0));
    EXPECT_EQ(masses[s * 10 + bin], 1) << actions[s];
  }
  const auto car = make_env("mountain-car");
  const auto uniform = make_policy("uniform", car->task());
  const Visited there = played(*car, *uniform, 5);
  const std::vector<double> thirds =
      action_masses(*uniform, there.observation_view(), action_edges(uniform->action_space(), 50), Act::sample);
  ASSERT_EQ(thirds.size(), 15u);
  for (const double mass : thirds) EXPECT_NEAR(mass, 1.0 / 3, 1e-12);
}

TEST(ActionMasses, states_stand_by_their_action_and_places_count_once) {
  const auto env = make_env("pendulum");
  const auto policy = linear(env->task(), 0.1);
  const Visited visited = played(*env, *policy);
  const std::vector<std::size_t> order = states_by_action(*policy, visited.observation_view(), 40);
  ASSERT_LE(order.size(), 40u);
  const std::vector<double> actions = slice_actions(*policy, visited.observation_view(), 0);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) EXPECT_LE(actions[order[i]], actions[order[i + 1]]);
  // A thousand copies of one state are one place.
  std::vector<double> copies(3000, 0.25);
  EXPECT_EQ(states_by_action(*policy, {copies.data(), 3, 1000}, 40).size(), 1u);
}

TEST(ActionDistance, points_are_apart_by_their_distance) {
  const auto env = make_env("pendulum");
  const auto one = linear(env->task(), 0.1), other = linear(env->task(), -0.1);
  const Visited visited = played(*env, *one, 100);
  const ActionDistance found = action_distance(*one, *other, visited.observation_view(), Act::mean);
  double sum = 0;
  const auto a = slice_actions(*one, visited.observation_view(), 0),
             b = slice_actions(*other, visited.observation_view(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]) / static_cast<double>(a.size());
  EXPECT_NEAR(*found.w1, sum, 1e-12);
  EXPECT_FALSE(found.tv.has_value());
  // Drawn from points there are no densities, and samples tell.
  const ActionDistance drawn = action_distance(*one, *other, visited.observation_view(), Act::sample);
  EXPECT_TRUE(drawn.sampled);
  EXPECT_NEAR(*drawn.w1, sum, 1e-9);
}

TEST(ActionDistance, of_a_policy_to_itself_is_nothing) {
  const auto env = make_env("pendulum");
  const auto teacher = make_policy(MERCER_TEST_DATA "/policies/pendulum_5000_actor.onnx", env->task());
  const Visited visited = played(*env, *teacher, 20);
  const ActionDistance found = action_distance(*teacher, *teacher, visited.observation_view(), Act::sample);
  EXPECT_NEAR(*found.w1, 0, 1e-9);
  EXPECT_NEAR(*found.tv, 0, 1e-9);
  EXPECT_FALSE(found.sampled);
  const auto car = make_env("mountain-car");
  const auto uniform = make_policy("uniform", car->task());
  const ActionDistance same =
      action_distance(*uniform, *uniform, played(*car, *uniform, 5).observation_view(), Act::mean);
  EXPECT_EQ(*same.tv, 0);
}

}  // namespace
}  // namespace mercer
