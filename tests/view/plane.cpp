#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/random.hpp"
#include "view/view.hpp"

namespace mercer {
namespace {

// States that are their own observations: normal, with the spread of each dimension.
Visited cloud(const std::vector<double>& mean, const std::vector<double>& spread, std::size_t count) {
  Visited visited;
  visited.count = count;
  for (std::size_t d = 0; d < mean.size(); ++d) {
    visited.axes.push_back({"x" + std::to_string(d), {-100, 100}, "", false});
    Random draw({1, Stage::action, d, 0});
    for (std::size_t i = 0; i < count; ++i) visited.states.push_back(mean[d] + spread[d] * draw.normal());
  }
  visited.observations = visited.states;
  return visited;
}

std::unique_ptr<Policy> weighted(std::vector<double> weights) {
  Task task;
  for (std::size_t d = 0; d < weights.size(); ++d) {
    task.observation.axes.push_back({"x" + std::to_string(d), {-100, 100}, "", false});
  }
  task.action.axes = {{"u", {-1e6, 1e6}, "N", false}};
  const Contract contract = contract_of(task);
  const BatchFunction choose = [weights](MatrixView<const double> observation, MatrixView<double> out) {
    for (std::size_t i = 0; i < observation.cols(); ++i) {
      out(0, i) = 0;
      for (std::size_t d = 0; d < weights.size(); ++d) out(0, i) += weights[d] * observation(d, i);
    }
  };
  return std::make_unique<DeterministicPolicy>("weighted", contract, choose);
}

TEST(Plane, of_a_linear_policy_is_its_weights_times_the_spreads) {
  const Visited visited = cloud({5, 0, -3, 1}, {1, 2, 0.5, 0}, 2000);
  const auto plane = action_plane(*weighted({3, -1, 0, 7}), visited, 0);
  ASSERT_TRUE(plane.has_value());
  EXPECT_NEAR(plane->share, 1, 1e-9);
  EXPECT_EQ(plane->spread[3], 0) << "what never moves is no direction";
  std::vector<double> truth{3 * plane->spread[0], -1 * plane->spread[1], 0, 0};
  const double length = std::hypot(truth[0], truth[1]);
  for (std::size_t d = 0; d < 4; ++d) EXPECT_NEAR(plane->first[d], truth[d] / length, 1e-9);
  EXPECT_NEAR(std::inner_product(plane->first.begin(), plane->first.end(), plane->second.begin(), 0.0), 0, 1e-12);
  EXPECT_EQ(direction_words(plane->first, visited.axes).substr(0, 12), "0.83 x0 - 0.");
}

TEST(Plane, its_points_and_visits_are_those_of_the_formula) {
  const Visited visited = cloud({5, 0, -3}, {1, 2, 0.5}, 2000);
  const auto plane = action_plane(*weighted({1, 1, 0}), visited, 0);
  ASSERT_TRUE(plane.has_value());
  const std::vector<double> seen = plane_observations(*plane, 4);
  for (std::size_t i = 0; i < 16; ++i) {
    const double s = plane->s.low + plane->s.width() * (static_cast<double>(i % 4) + 0.5) / 4;
    const double t = plane->t.low + plane->t.width() * (static_cast<double>(i / 4) + 0.5) / 4;
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(seen[d * 16 + i], plane->mean[d] + plane->spread[d] * (s * plane->first[d] + t * plane->second[d]),
                  1e-12);
    }
  }
  const std::vector<double> visits = plane_visits(*plane, visited, 16);
  EXPECT_NEAR(std::accumulate(visits.begin(), visits.end(), 0.0), 1, 1e-12);
  EXPECT_GT(visits[8 * 16 + 8], 3 * visits[0]) << "most states are in the middle";
  // Of a normal distribution 98% lie within 2.33 spreads.
  EXPECT_NEAR(plane->s.high, 2.33 + 0.05 * 4.66, 0.35);
}

TEST(Plane, needs_two_observations_that_move_and_an_action_that_changes) {
  EXPECT_FALSE(action_plane(*weighted({1, 1}), cloud({0, 0}, {1, 0}, 100), 0).has_value());
  EXPECT_FALSE(action_plane(*weighted({0, 0}), cloud({0, 0}, {1, 1}, 100), 0).has_value());
}

TEST(Zoom, shows_where_all_but_two_percent_of_the_states_are) {
  const auto env = make_env("cart-pole");
  RolloutOptions options;
  options.episodes = 20;
  const Visited visited = visited_states(*env, *make_policy("uniform", env->task()), options, 3000);
  for (std::size_t d = 0; d < 4; ++d) {
    const Range& near = visited.near[d];
    EXPECT_GE(near.low, visited.window[d].low);
    EXPECT_LE(near.high, visited.window[d].high);
    std::size_t inside = 0;
    double sum = 0;
    for (std::size_t i = 0; i < visited.count; ++i) {
      const double value = visited.state_view()(d, i);
      inside += value >= near.low && value <= near.high ? 1 : 0;
      sum += value;
    }
    EXPECT_GE(static_cast<double>(inside), 0.98 * static_cast<double>(visited.count));
    EXPECT_NEAR(visited.typical[d], sum / static_cast<double>(visited.count), 1e-12);
  }
  EXPECT_LT(visited.near[0].width(), 0.5 * visited.window[0].width()) << "a random push does not go far";
  SliceOptions zoomed;
  zoomed.n = 2;
  zoomed.zoom = true;
  const std::vector<double> seen = slice_observations(env.get(), visited, zoomed);
  EXPECT_DOUBLE_EQ(seen[0], visited.near[0].low + 0.25 * visited.near[0].width());
}

TEST(Zoom, the_mean_of_angles_is_a_direction) {
  const auto env = make_env("pendulum");
  RolloutOptions options;
  options.episodes = 5;
  const Visited visited = visited_states(*env, *make_policy("uniform", env->task()), options, 500);
  ASSERT_TRUE(visited.angle[0]);
  EXPECT_FALSE(visited.angle[1]);
  double across = 0, up = 0;
  for (std::size_t i = 0; i < visited.count; ++i) {
    across += visited.observations[i];
    up += visited.observations[visited.count + i];
  }
  EXPECT_NEAR(visited.typical[0], std::atan2(up, across), 1e-9);
  EXPECT_LE(std::abs(visited.typical[0]), std::numbers::pi);
}

}  // namespace
}  // namespace mercer
