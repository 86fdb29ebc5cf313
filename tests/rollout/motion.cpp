#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"

namespace mercer {
namespace {

// The definitions, word for word, over the steps of one episode.
Motion by_definition(const Rollouts& rollouts, const Task& task, std::size_t episode) {
  const auto begin = static_cast<std::size_t>(rollouts.offsets[episode]),
             end = static_cast<std::size_t>(rollouts.offsets[episode + 1]);
  const double steps = static_cast<double>(end - begin), dt = task.dt > 0 ? task.dt : 1;
  const std::size_t width = task.action.dimensions();
  Motion out;
  double dimensions = 0, changes = 0, turns = 0;
  for (std::size_t d = 0; d < width; ++d) {
    const auto [low, high] = task.action.axes[d].range;
    const auto at = [&](std::size_t t) {
      const double a = rollouts.actions[t * width + d];
      return task.action.is_discrete() ? a : -1 + 2 * (a - low) / (high - low);
    };
    if (std::isinf(high - low)) continue;
    ++dimensions;
    double direction = 0;
    for (std::size_t t = begin; t < end; ++t) {
      if (task.action.is_discrete()) {
        changes += t > begin && at(t) != at(t - 1) ? 2 : 0;
        continue;
      }
      out.saturation += std::abs(at(t)) >= 0.98 ? 1 : 0;
      out.effort += at(t) * at(t);
      if (t == begin) continue;
      const double move = at(t) - at(t - 1);
      changes += std::abs(move);
      if (std::abs(move) <= 0.02) continue;
      if (direction * move < 0) ++turns;
      direction = move;
    }
  }
  if (dimensions == 0) return {};
  out.roughness = steps < 2 ? 0 : changes / 2 / (dimensions * (steps - 1));
  out.saturation /= dimensions * steps;
  out.effort /= dimensions * steps;
  out.reversals = task.action.is_discrete() ? changes / 2 / (steps * dt) : turns / (dimensions * steps * dt);
  return out;
}

void expect_near(const Motion& measured, const Motion& defined) {
  EXPECT_NEAR(measured.roughness, defined.roughness, 1e-12);
  EXPECT_NEAR(measured.saturation, defined.saturation, 1e-12);
  EXPECT_NEAR(measured.effort, defined.effort, 1e-12);
  EXPECT_NEAR(measured.reversals, defined.reversals, 1e-9);
}

// Some actions far outside the range, some small moves, some large ones.
FunctionPolicy restless(const Task& task) {
  return {"restless", task, [count = task.action.count](std::span<const double> seen, double noise) {
            if (count > 0) return noise > 0.5 ? 0.0 : static_cast<double>(count - 1);
            return noise > 0.6 ? 5.0 : 0.01 * noise + std::sin(3 * seen[0]);
          }};
}

// Two steps to ten; three actions, of which the second has no bounds.
class Levers : public Env {
 public:
  Levers() : Env(make()) {}
  void reset(const Draws& draws, MatrixView<double> state) const override { draws.fill_uniform(state.row(0), 2, 10); }
  void step(MatrixView<double> state, MatrixView<const double>, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    for (std::size_t i = 0; i < reward.size(); ++i) {
      reward[i] = 1;
      state(0, i) -= 1;
      terminated[i] = state(0, i) < 1;
    }
  }

 private:
  static Task make() {
    Task task;
    task.name = "levers";
    task.state = task.observation = Space::box({{"left", {0, 10}, "", false}});
    task.action =
        Space::box({{"a", {-3, 1}, "", false}, {"b", {-HUGE_VAL, HUGE_VAL}, "", false}, {"c", {0, 0.5}, "", false}});
    task.reward = {1, 1};
    task.time_limit = 20;
    task.dt = 0.1;
    return task;
  }
};

class Pulling : public Policy {
 public:
  explicit Pulling(const Task& task) : Policy("pulling", contract_of(task)) {}
  void mean_action(MatrixView<const double> seen, MatrixView<double> action) const override {
    for (std::size_t i = 0; i < seen.cols(); ++i) {
      action(0, i) = 4 * std::cos(7 * seen(0, i)) - 1;
      action(1, i) = 100 * seen(0, i);
      action(2, i) = 0.2 + 0.01 * std::sin(seen(0, i));
    }
  }
  void sample(MatrixView<const double> seen, const Draws&, MatrixView<double> action) const override {
    mean_action(seen, action);
  }
  void log_prob(MatrixView<const double>, MatrixView<const double>, std::span<double> out) const override {
    std::ranges::fill(out, 0.0);  // nobody asks
  }
};

TEST(Motion, is_what_its_definition_says) {
  for (const char* name : {"pendulum", "continuous-mountain-car", "mountain-car", "cart-pole", "turntable"}) {
    const auto env = make_env(name, 0);
    const FunctionPolicy policy = restless(env->task());
    const Rollouts played =
        rollout(*env, policy, {.episodes = 37, .seed = 3, .batch = 8, .horizon = 120, .motion = true});
    ASSERT_EQ(played.motions.size(), 37u) << name;
    double rough = 0;
    for (std::size_t e = 0; e < 37; ++e) {
      SCOPED_TRACE(testing::Message() << name << ", episode " << e);
      expect_near(played.motions[e], by_definition(played, env->task(), e));
      EXPECT_GE(played.motions[e].roughness, 0);
      EXPECT_LE(played.motions[e].roughness, 1);
      rough += played.motions[e].roughness;
    }
    EXPECT_EQ(rough > 0, std::string(name) != "turntable");  // whose episodes are one step long
    const std::vector<Motion> from_steps = motions_of(played, env->task());
    for (std::size_t e = 0; e < 37; ++e) expect_near(from_steps[e], played.motions[e]);
  }
}

TEST(Motion, dimensions_without_bounds_are_left_out) {
  const Levers env;
  const Pulling policy(env.task());
  const Rollouts played = rollout(env, policy, {.episodes = 50, .seed = 1, .batch = 7, .motion = true});
  std::set<std::int64_t> lengths;
  for (std::size_t e = 0; e < 50; ++e) {
    expect_near(played.motions[e], by_definition(played, env.task(), e));
    lengths.insert(played.offsets[e + 1] - played.offsets[e]);
  }
  EXPECT_GT(lengths.size(), 4u);  // columns moved while others were still playing
}

TEST(Motion, costs_nothing_where_nobody_asks) {
  const auto env = make_env("pendulum", 0);
  const FunctionPolicy policy = restless(env->task());
  const RolloutOptions plain{.episodes = 9, .seed = 2};
  RolloutOptions asked = plain;
  asked.motion = true;
  asked.compared = &policy;
  const Rollouts without = rollout(*env, policy, plain), with = rollout(*env, policy, asked);
  EXPECT_TRUE(without.motions.empty() && without.distances.empty());
  EXPECT_EQ(without.returns, with.returns);
  EXPECT_EQ(without.actions, with.actions);
}

TEST(Motion, is_the_same_for_any_batch_number_of_threads_and_first_episode) {
  const auto env = make_env("continuous-mountain-car", 0);
  const FunctionPolicy policy = restless(env->task()), other = pumping_policy(env->task());
  RolloutOptions options{.episodes = 60, .seed = 8, .batch = 60, .motion = true, .compared = &other};
  const Rollouts expected = rollout(*env, policy, options);
  for (const std::size_t batch : {1, 7, 16}) {
    options.batch = batch;
    const Rollouts again = rollout(*env, policy, options);
    EXPECT_EQ(again.distances, expected.distances);
    for (std::size_t e = 0; e < 60; ++e) EXPECT_EQ(again.motions[e].roughness, expected.motions[e].roughness);
  }
  options.first = 20;
  options.episodes = 10;
  const Rollouts later = rollout(*env, policy, options);
  for (std::size_t e = 0; e < 10; ++e) {
    EXPECT_EQ(later.motions[e].reversals, expected.motions[20 + e].reversals);
    EXPECT_EQ(later.distances[e], expected.distances[20 + e]);
  }
}

TEST(Distance, is_the_mean_over_the_states_of_an_episode) {
  for (const char* name : {"pendulum", "continuous-mountain-car", "mountain-car", "cart-pole"}) {
    const auto env = make_env(name, 0);
    const Task& task = env->task();
    const FunctionPolicy policy = restless(task);
    const FunctionPolicy other{"other", task, [count = task.action.count](std::span<const double> seen, double) {
                                 return count > 0 ? (seen[0] > 0.01 ? 1.0 : 0.0) : 3 * seen[0];
                               }};
    for (const Act act : {Act::mean, Act::sample}) {
      const Rollouts played =
          rollout(*env, policy, {.episodes = 12, .seed = 4, .batch = 5, .act = act, .horizon = 60, .compared = &other});
      const std::size_t seen = task.observation.dimensions();
      const auto [low, high] = task.action.axes[0].range;
      for (std::size_t e = 0; e < 12; ++e) {
        double sum = 0;
        const auto begin = static_cast<std::size_t>(played.offsets[e]),
                   end = static_cast<std::size_t>(played.offsets[e + 1]);
        for (std::size_t t = begin; t < end; ++t) {
          double first = 0, second = 0;
          const MatrixView<const double> state(&played.observations[t * seen], seen, 1);
          policy.mean_action(state, {&first, 1, 1});
          other.mean_action(state, {&second, 1, 1});
          first = std::clamp(first, low, high);
          second = std::clamp(second, low, high);
          sum += task.action.is_discrete() ? (first != second ? 1 : 0) : std::abs(first - second) / (high - low);
        }
        EXPECT_NEAR(played.distances[e], sum / static_cast<double>(end - begin), 1e-12) << name;
      }
      const std::vector<double> from_steps = distances_of(played, policy, other);
      for (std::size_t e = 0; e < 12; ++e) EXPECT_NEAR(from_steps[e], played.distances[e], 1e-12);
    }
  }
}

TEST(Behaviour, is_the_mean_over_episodes) {
  const auto env = make_env("cart-pole", 0);
  const FunctionPolicy policy = restless(env->task());
  const EnvPlayer player(*env);
  const std::vector<Outcome> outcomes =
      player.play(policy, {.count = 30, .seed = 5, .horizon = 25, .motion = true, .compared = &policy});
  double roughness = 0, failures = 0;
  for (const Outcome& one : outcomes) {
    roughness += one.motion.roughness / 30;
    failures += one.terminated ? 1.0 / 30 : 0;
    EXPECT_EQ(one.distance, 0);
  }
  const Behaviour mean = behaviour_of(outcomes, env->task());
  EXPECT_NEAR(mean.motion.roughness, roughness, 1e-12);
  EXPECT_NEAR(mean.failures, failures, 1e-12);
  EXPECT_GT(failures, 0);
}

TEST(Behaviour, needs_steps) {
  const auto env = make_env("pendulum", 0);
  const FunctionPolicy policy = restless(env->task());
  const Rollouts played = rollout(*env, policy, {.episodes = 2, .keep_steps = false});
  expect_error(ErrorCode::missing_option, "hold no steps", [&] { motions_of(played, env->task()); });
  expect_error(ErrorCode::missing_option, "hold no steps", [&] { distances_of(played, policy, policy); });
}

}  // namespace
}  // namespace mercer
