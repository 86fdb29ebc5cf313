#include <algorithm>

#include <gtest/gtest.h>

#include "io/file.hpp"
#include "mercer/env.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"
#include "support/reference_pairs.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

std::vector<std::byte> written(const Env& env, const Policy& policy, RolloutOptions options, std::size_t threads,
                               std::size_t batch) {
  const TemporaryFolder folder;
  const ThreadLimit limit(threads);
  options.batch = batch;
  write_rollouts(folder / "r.npz", rollout(env, policy, options));
  return read_file(folder / "r.npz");
}

// The file of a rollout does not depend on threads or on how many episodes go in lockstep (0: chosen by the library).
void expect_same_bytes(const Env& env, const Policy& policy, RolloutOptions options) {
  for (const Act act : {Act::sample, Act::mean}) {
    options.act = act;
    const std::vector<std::byte> expected = written(env, policy, options, 1, 1);
    EXPECT_GT(expected.size(), 1000);
    for (const std::size_t threads : {1, 2}) {
      for (const std::size_t batch : {0, 1, 7, 4096}) {
        EXPECT_TRUE(written(env, policy, options, threads, batch) == expected)
            << env.task().name << " with " << threads << " threads, batch " << batch;
      }
    }
  }
}

// Pushes against the speed, and so depends on what it sees.
FunctionPolicy braking_policy(const Task& task) {
  return {"braking", task, [](std::span<const double> observation, double noise) {
            return -observation.back() + noise + 0.3 * observation.front();
          }};
}

TEST(SameBytes, pendulum) {
  const auto env = make_env("pendulum");
  expect_same_bytes(*env, braking_policy(env->task()), {.episodes = 100, .seed = 3});
}

// Reached after 80 to 200 steps, at a different one in each episode: columns leave the batch all the time.
TEST(SameBytes, continuous_mountain_car) {
  const auto env = make_env("continuous-mountain-car");
  const FunctionPolicy policy = pumping_policy(env->task());
  const Rollouts rollouts = rollout(*env, policy, {.episodes = 60, .seed = 3});
  EXPECT_EQ(std::ranges::count(rollouts.terminated, 1), 60);
  expect_same_bytes(*env, policy, {.episodes = 60, .seed = 3});
}

TEST(SameBytes, cart_pole) {
  const auto env = make_env("cart-pole");
  expect_same_bytes(*env, UniformPolicy(env->task()), {.episodes = 500, .seed = 4});
}

TEST(SameBytes, acrobot) {
  const auto env = make_env("acrobot");
  expect_same_bytes(*env, UniformPolicy(env->task()), {.episodes = 40, .seed = 4, .horizon = 100});
}

// Random thrusts turn it over, each episode at another step; targets are drawn on the way.
TEST(SameBytes, quadrotor) {
  for (const char* spec : {"quadrotor", "quadrotor:goal=waypoints,attitude=quaternion,mass=0.02..0.03"}) {
    const auto env = make_env(spec);
    expect_same_bytes(*env, UniformPolicy(env->task()), {.episodes = 150, .seed = 4});
  }
}

TEST(SameBytes, chain) {
  const auto env = make_env("chain:n=4,alpha=0.8");
  const TabularPolicy policy("table", 4, 2, {0.3, 0.7, 0.5, 0.5, 0.1, 0.9, 0.4, 0.6});
  expect_same_bytes(*env, policy, {.episodes = 200, .seed = 5});
}

// More episodes than the largest batch: blocks that do not divide them.
TEST(SameBytes, turntable) {
  const auto env = make_env("turntable");
  expect_same_bytes(*env, UniformPolicy(env->task()), {.episodes = 9001, .seed = 6});
}

TEST(SameBytes, another_seed_gives_others) {
  const auto env = make_env("pendulum");
  const UniformPolicy policy(env->task());
  EXPECT_FALSE(written(*env, policy, {.episodes = 2, .seed = 1}, 1, 0) ==
               written(*env, policy, {.episodes = 2, .seed = 2}, 1, 0));
}

// A matrix product of one column differs in its last bits with the columns beside it, unless care is taken.
TEST(SameBytes, networks) {
  const auto pendulum = make_env("pendulum"), car = make_env("continuous-mountain-car");
  const auto gaussian = make_policy(ReferencePairs::file("pendulum_5000_actor.onnx").string(), pendulum->task());
  expect_same_bytes(*pendulum, *gaussian, {.episodes = 70, .seed = 3, .horizon = 60});
  const std::string critic = ReferencePairs::file("cmc_sde_10000_critic.onnx").string();
  expect_same_bytes(*car, *make_policy(critic + ":temperature=1", car->task()),
                    {.episodes = 9, .seed = 3, .horizon = 30});
}

// Parts of any length are those of the whole.
TEST(SameBytes, in_parts) {
  const auto env = make_env("pendulum");
  const auto actor = make_policy(ReferencePairs::file("pendulum_5000_actor.onnx").string(), env->task());
  const RolloutOptions options{.episodes = 50, .seed = 4};
  const Rollouts whole = rollout(*env, *actor, options);
  for (const std::size_t length : {1, 16, 49}) {
    Rollouts all;
    for (std::size_t begin = 0; begin < 50; begin += length) {
      append(all, rollout_part(*env, *actor, options, {begin, std::min<std::size_t>(50, begin + length)}));
    }
    EXPECT_EQ(all.observations, whole.observations);
    EXPECT_EQ(all.actions, whole.actions);
    EXPECT_EQ(all.returns, whole.returns);
  }
  expect_error(ErrorCode::out_of_range, "episode", [&] { rollout_part(*env, *actor, options, {49, 51}); });
  expect_error(ErrorCode::out_of_range, "episode", [&] { rollout_part(*env, *actor, options, {5, 5}); });
}

}  // namespace
}  // namespace mercer
