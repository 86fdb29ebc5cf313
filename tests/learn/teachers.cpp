// The committed teachers of physics tasks play as well as docs/guide/training.md says, give or take ten episodes.

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

const std::map<std::string, double> least_returns{
    {"quadrotor", 400}, {"swimmer", 300},       {"inverted-double-pendulum", 9000}, {"reacher", -6},
    {"hopper", 2300},   {"half-cheetah", 4000}, {"lunar-lander-continuous", 180}};

std::unique_ptr<Env> env_or_none(const std::string& task) {
  try {
    return make_env(task);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::missing_option) << error.what();
    return nullptr;
  }
}

TEST(Teachers, of_physics_tasks_are_small_and_play_well) {
  const std::filesystem::path folder = std::filesystem::path(MERCER_TEST_DATA) / "policies/physics";
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    ++found;
    const std::string task = entry.path().stem().string();
    SCOPED_TRACE(task);
    EXPECT_LE(entry.file_size(), 300'000U);
    EXPECT_TRUE(std::filesystem::exists(folder / (task + ".txt"))) << "the command that trained it";
    ASSERT_TRUE(least_returns.contains(task));
    const auto env = env_or_none(task);
    if (!env) continue;
    RolloutOptions options;
    options.episodes = 10;
    options.act = Act::mean;
    options.keep_steps = false;
    const auto played = rollout(*env, *make_policy(entry.path().string(), env->task()), options);
    EXPECT_GE(summarise(played.returns).mean, least_returns.at(task));
  }
  EXPECT_GE(found, 2U);
}

}  // namespace
}  // namespace mercer
